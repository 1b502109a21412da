"""While another program has the SQLite file locked, no bot's time goes on."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from arena.errors import Unavailable
from arena.referee.heartbeat import BEAT_MS
from arena.referee.liveness import COME_AGAIN_MS
from arena.store.patience import Patience
from arena.store.sqlite import open_sqlite
from tests.referee.table import Arena, FakeClock, lowest
from tests.referee.test_fair_clocks import DEADLINE, GRACE, MOVE, ledger, left_ms

LONG = 1_000
"""After this many pauses the patience of a write is at its end."""


class OtherProgram:
    """Another program on the same file. A write that waits for its lock lets the clock go on.

    unlock_at: at which pause the lock is released. meanwhile: called in every pause.
    """

    def __init__(self, file: Path, clock: FakeClock) -> None:
        self.connection = sqlite3.connect(
            file, timeout=0, isolation_level=None, check_same_thread=False
        )
        self.clock = clock
        self.unlock_at = LONG
        self.pauses = 0
        self.meanwhile: Callable[[], object] = lambda: None

    def lock(self, unlock_at: int = LONG) -> None:
        self.pauses, self.unlock_at = 0, unlock_at
        self.connection.execute("BEGIN IMMEDIATE")

    def unlock(self) -> None:
        self.connection.rollback()

    def pause(self, seconds: float) -> None:
        self.clock.pass_ms(round(seconds * 1_000))
        self.pauses += 1
        self.meanwhile()
        if self.pauses == self.unlock_at:
            self.unlock()


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "arena.db"
    open_sqlite(path).close()
    return path


@pytest.fixture
def other(file: Path) -> Iterator[OtherProgram]:
    program = OtherProgram(file, FakeClock())
    with closing(program.connection):
        yield program


@pytest.fixture
def arena(file: Path, other: OtherProgram) -> Iterator[Arena]:
    """A referee on a file, with two tables at which everybody has answered once."""
    with open_sqlite(file, patience=Patience(sleep=other.pause)) as store:
        arena = Arena(store, other.clock)
        arena.session(bots=8)
        silent = set(arena.bots.values())
        while silent:
            for bot, turn in arena.waiting():
                arena.referee.answer(bot, turn["turn"], lowest(turn))
                silent.discard(bot)
        yield arena


def test_an_answer_that_waited_for_the_lock_costs_nobody_the_wait(
    arena: Arena, other: OtherProgram
) -> None:
    bot, turn = arena.one()
    elsewhere, before = next(each for each in arena.waiting() if each[1]["table"] != turn["table"])
    other.clock.pass_ms(MOVE)
    other.lock(unlock_at=20)
    began_ms = other.clock.ms
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert other.clock.ms - began_ms > 500
    assert ledger(arena, bot)[-1]["charged_ms"] == MOVE - GRACE
    [after] = arena.referee.turns(elsewhere)["turns"]
    assert left_ms(after) == left_ms(before) - MOVE
    other.clock.pass_ms(100)
    arena.referee.answer(elsewhere, before["turn"], lowest(before))
    assert ledger(arena, elsewhere)[-1]["charged_ms"] == MOVE + 100 - GRACE


def test_the_next_turn_begins_when_the_wait_is_over(arena: Arena, other: OtherProgram) -> None:
    bot, turn = arena.one()
    other.lock(unlock_at=20)
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    opened = {each["turn"]: each for _, each in arena.waiting()}
    assert turn["turn"] not in opened
    assert {left_ms(each) for each in opened.values()} == {DEADLINE}


def test_nothing_is_stamped_with_the_time_of_the_wait(arena: Arena, other: OtherProgram) -> None:
    clock = arena.referee._context.clock
    before_ms = clock.now_ms()
    times: list[int] = []
    other.meanwhile = lambda: times.append(clock.now_ms())
    other.lock(unlock_at=20)
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert times == [before_ms] * 20
    other.clock.pass_ms(7)
    assert clock.now_ms() == before_ms + 7


def test_an_answer_that_got_503_is_charged_only_until_it_came_first(
    arena: Arena, other: OtherProgram
) -> None:
    bot, turn = arena.one()
    other.clock.pass_ms(DEADLINE)
    other.lock()
    with pytest.raises(Unavailable, match="another program has locked it"):
        arena.referee.answer(bot, turn["turn"], lowest(turn))
    other.clock.pass_ms(900)
    assert arena.referee.answer_many(bot, [{"turn": turn["turn"], **lowest(turn)}])[0]["error"]
    other.unlock()
    other.clock.pass_ms(900)
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    assert ledger(arena, bot)[-1]["charged_ms"] == DEADLINE - GRACE


def test_time_goes_on_with_the_first_sweep_after_the_lock(
    arena: Arena, other: OtherProgram
) -> None:
    bot, turn = arena.one()
    other.lock()
    with pytest.raises(Unavailable):
        arena.referee.answer(bot, turn["turn"], lowest(turn))
    other.unlock()
    other.clock.pass_ms(5_000)
    assert arena.referee.sweep() == 0
    other.clock.pass_ms(COME_AGAIN_MS)
    assert left_ms(arena.one()[1]) == DEADLINE
    other.clock.pass_ms(5_000)
    assert left_ms(arena.one()[1]) == DEADLINE - 5_000


@pytest.mark.parametrize("unlock_at", [20, LONG])
def test_the_heartbeat_itself_may_be_what_waits(
    arena: Arena, other: OtherProgram, unlock_at: int
) -> None:
    other.clock.pass_ms(MOVE)
    before = left_ms(arena.one()[1])
    other.lock(unlock_at)
    if unlock_at == LONG:
        with pytest.raises(Unavailable):
            arena.referee.sweep()
        other.unlock()
    arena.referee.sweep()
    if unlock_at == LONG:
        other.clock.pass_ms(COME_AGAIN_MS)
    assert left_ms(arena.one()[1]) == before
    other.clock.pass_ms(1)
    assert left_ms(arena.one()[1]) == before - 1


def test_a_process_that_stops_during_a_lock_goes_on_from_there(
    arena: Arena, other: OtherProgram
) -> None:
    before = left_ms(arena.one()[1])
    other.clock.pass_ms(1_000)
    other.lock(unlock_at=20)
    arena.referee.stop()
    arena.restart(outage_ms=5_000)
    assert left_ms(arena.one()[1]) == before - 1_000


def test_a_wait_and_a_late_beat_are_credited_once(arena: Arena, other: OtherProgram) -> None:
    heartbeat = arena.referee._heartbeat
    heartbeat.beat()
    before = left_ms(arena.one()[1])
    other.clock.pass_ms(BEAT_MS + 2_000)
    other.lock(unlock_at=20)
    other.meanwhile = heartbeat.beat
    arena.referee.sweep()
    assert left_ms(arena.one()[1]) == before - BEAT_MS
    other.clock.pass_ms(BEAT_MS)
    heartbeat.beat()
    assert left_ms(arena.one()[1]) == before - 2 * BEAT_MS
