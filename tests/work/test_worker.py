"""Workers: the same verdict as here, also if one is killed, and none plays another bot."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from dataclasses import replace

import pytest

from arena.client.problems import ArenaProblem, ArenaUnreachable
from arena.errors import BadInput, Unavailable
from arena.match.attempts import attempt
from arena.match.local import Match
from arena.match.matches import play_match
from arena.work import leases
from arena.work.terms import read_match, write_match
from arena.work.worker import HostAddress, work
from tests.cli.shell import ARENA, environment
from tests.test_processes import children
from tests.work.hosting import LOWEST, MATCH, TERMS, TOKEN, Counting, Hosted, hosted, played, until

pytestmark = pytest.mark.server


def waiter(path):
    """A match whose first bot waits for a file."""
    return Match(
        f"tests.match.players:Waiter --until {path}", LOWEST, (LOWEST,), TERMS, record=True
    )


def working(address, **more):
    """A worker in a thread of its own."""
    thread = threading.Thread(
        target=work, args=(address,), kwargs={"workers": 1, **more}, daemon=True
    )
    thread.start()
    return thread


def started(address):
    """A worker as a process of its own."""
    return subprocess.Popen(
        [*ARENA, "work", address.url, "--workers", "1"],
        env=environment(ARENA_WORK_TOKEN=TOKEN),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def test_two_workers_play_what_is_played_here():
    one, news = Hosted(), []
    counting = Counting(one.host)
    assert work(one.address, workers=2, news=news.append) == len(news)
    assert counting.finished() == played(6)
    assert sum("has joined" in line for line in one.news) == 2


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_the_block_of_a_worker_that_is_killed_is_played_by_another(tmp_path):
    match = waiter(tmp_path / "go")
    one = Hosted(match)
    counting = Counting(one.host, match=match, hands=3, window=1)
    killed = started(one.address)
    until(one.leased)
    killed.kill()
    killed.communicate()
    one.pass_time(30)
    (tmp_path / "go").touch()
    other = working(one.address)
    assert counting.finished() == played(3, match)
    other.join(60)
    assert not other.is_alive()


def test_a_worker_waits_for_a_host_that_comes_back():
    one = Hosted()
    worker = working(one.address)
    until(lambda: one.news)
    one.host.__exit__(KeyboardInterrupt, KeyboardInterrupt(), None)
    two = Hosted(port=one.host.port)
    assert Counting(two.host, hands=2).finished() == played(2)
    worker.join(60)
    assert not worker.is_alive()


def test_a_bot_that_ends_its_process_ends_the_match_in_the_end(monkeypatch):
    monkeypatch.setattr(leases, "MOST_LEASES", 2)
    match = Match("tests.match.players:Killer", LOWEST, (LOWEST,), TERMS)
    one = Hosted(match)
    worker = working(one.address)
    with one.host, pytest.raises(Unavailable, match=r"block 1 was lost 2 times; .*exit code 3"):
        play_match(match, one.host, hands=1)
    worker.join(60)
    assert not worker.is_alive()


def test_a_bot_that_leaves_is_the_same_line_as_here():
    match = Match("tests.match.players:Leaver", LOWEST, (LOWEST,), TERMS)
    one = Hosted(match)
    working(one.address)
    with one.host, pytest.raises(Unavailable, match=r"A \(tests.match.players:Leaver\) has left"):
        play_match(match, one.host, hands=1)


def test_once_is_one_block_for_each_process():
    one = Hosted(linger_s=2)
    counting = Counting(one.host, hands=2)
    assert work(one.address, workers=1, once=True) == 1
    assert work(one.address, workers=1, once=True) == 1
    assert counting.finished() == played(2)


def test_a_worker_that_does_not_know_the_token_or_finds_no_host_says_so():
    with hosted() as one, pytest.raises(ArenaProblem, match="401 bad_token"):
        work(one.address._replace(token="wrong"), workers=1)
    with pytest.raises(ArenaUnreachable):
        work(HostAddress(one.host.url, TOKEN, 0.0), workers=1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "arena work 0"}, "match of the host is 'arena work 0'"),
        ({"others": None}, "match of the host: others is not given"),
        ({"seed": "x"}, "match of the host: seed is 'x'"),
        ({"record": 1}, "match of the host: record is 1; expected bool"),
        ({"first": "nowhere:A"}, "expected module:Class of a bot that Python can import"),
        ({"identity": None}, "bots of this worker"),
    ],
)
def test_a_match_that_cannot_be_played_here_is_refused(change, said):
    one = Hosted()
    one.host._document |= change
    with one.host, pytest.raises(BadInput, match=said):
        work(one.address, workers=1)


@pytest.mark.parametrize(
    ("member", "value"), [("version", "9.9"), ("core", "other"), ("fingerprint", "0")]
)
def test_a_worker_that_would_play_otherwise_refuses_itself_with_the_reason(member, value):
    one = Hosted()
    identity = one.host._document["identity"]
    one.host._document["identity"] = identity | {member: value}
    with (
        one.host,
        pytest.raises(BadInput, match=rf"{member} of this worker is .* expected {value}"),
    ):
        work(one.address, workers=1)


def test_a_match_is_the_same_when_it_is_read_again():
    large = replace(MATCH, terms=replace(TERMS, seed=10**30), others=(LOWEST, LOWEST))
    for match in (MATCH, large):
        assert read_match(write_match(match)) == match


@pytest.mark.skipif(os.name != "posix", reason="needs Ctrl-C")
def test_ctrl_c_ends_a_worker_with_its_processes(tmp_path):
    match = waiter(tmp_path / "never")
    one = Hosted(match, linger_s=0)
    with one.host:
        one.host.submit(attempt, match, 1, tried=1, home="x")
        worker = started(one.address)
        until(lambda: one.leased() and len(children(worker.pid)) >= 2)
        there = children(worker.pid)
        worker.send_signal(signal.SIGINT)
        _, said = worker.communicate(timeout=60)
        assert worker.returncode == 130
        assert "Traceback" not in said
        until(lambda: not any(os.path.exists(f"/proc/{pid}") for pid in there))
