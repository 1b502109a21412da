"""What takes long and is pure is computed one at a time, at a pace, beside the greenlets."""

from __future__ import annotations

import subprocess
import sys
import threading

import pytest

from arena.errors import BadInput
from arena.pacing import Pacer
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.referee import computing as computing_module
from arena.referee.computing import Computing
from arena.store.os_thread import SameThread
from arena.tournament.standings import Entrant, compile_standings
from tests.test_pacing import Time


def test_the_value_comes_back_and_so_does_what_is_raised() -> None:
    computing = Computing(Pacer())
    assert computing(lambda: 7) == 7

    def fail() -> None:
        raise BadInput("width", 0, "at least 1")

    with pytest.raises(BadInput):
        computing(fail)
    assert computing(lambda: 8) == 8
    computing.close()


def test_the_next_one_waits_for_what_the_one_before_has_taken() -> None:
    time = Time()
    pacer = Pacer(0.1, monotonic=time, rest=time.rest)
    computing = Computing(pacer, cpu_s=time)

    def work() -> None:
        time.now += 0.2

    computing(work)
    assert time.rests == [], "who comes first waits for nobody"
    computing(work)
    assert time.rests == pytest.approx([1.8])


def test_whoever_waits_for_the_interpreter_does_not_pay_for_it() -> None:
    time, cpu = Time(), Time()
    pacer = Pacer(0.1, monotonic=time, rest=time.rest)
    computing = Computing(pacer, cpu_s=cpu)

    def work() -> None:
        cpu.now += 0.2
        time.now += 2.0  # others had it most of the time

    computing(work)
    computing(work)
    assert time.rests == pytest.approx([1.8])


def test_of_many_who_want_the_same_text_one_computes() -> None:
    standings = compile_standings((), [Entrant("a", name="alice")])
    go_on, begun, made = threading.Event(), threading.Event(), []

    def slowly(work):  # type: ignore[no-untyped-def]
        begun.set()
        assert go_on.wait(20)
        made.append(1)
        return work()

    fit = StandingsSnapshot(standings, results=(), hands=(), compute=slowly)
    texts: list[str] = []
    threads = [
        threading.Thread(target=lambda: texts.append(fit.text("standings"))) for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    assert begun.wait(20)
    go_on.set()
    for thread in threads:
        thread.join(20)
    assert len(set(texts)) == 1
    assert (len(texts), len(made)) == (4, 1)
    assert fit.document("standings") is fit.document("standings")


GREENLETS = """
from arena.web.server.patching import patch
patch()
import time, threading
from arena.referee.computing import Computing
from arena.pacing import Pacer
from gevent import monkey
ident = monkey.get_original("_thread", "get_ident")
slept = monkey.get_original("time", "sleep")
seen, ticks = [], []
go_on = monkey.get_original("_thread", "allocate_lock")()
go_on.acquire()
def work():
    seen.append(ident())
    go_on.acquire()
    return "done"
def tick():
    while not ticks or len(ticks) < 5:
        ticks.append(1)
        time.sleep(0.001)
    go_on.release()
threading.Thread(target=tick).start()
computing = Computing(Pacer())
assert computing(work) == "done"
assert len(ticks) == 5, ticks
assert seen[0] != ident()
computing.close()
print("beside")
"""


@pytest.mark.server
def test_greenlets_go_on_meanwhile() -> None:
    """The work ends only when another greenlet has had five turns."""
    done = subprocess.run(
        [sys.executable, "-c", GREENLETS], capture_output=True, text=True, timeout=60, check=False
    )
    assert done.stdout.strip() == "beside", done.stderr


def test_the_thread_is_ended_once_and_made_anew_when_it_is_needed_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Thread(SameThread):
        def __init__(self) -> None:
            threads.append("begun")

        def close(self) -> None:
            threads.append("ended")

    threads: list[str] = []
    monkeypatch.setattr(computing_module, "blocking_calls", Thread)
    computing = Computing(Pacer())
    computing.close()
    assert threads == [], "there is none to end"
    assert computing(lambda: 1) == computing(lambda: 1)
    computing.close()
    computing.close()
    assert threads == ["begun", "ended"]
    computing(lambda: 1)
    assert threads == ["begun", "ended", "begun"]
