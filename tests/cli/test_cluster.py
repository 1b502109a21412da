"""An organiser with several referees, at the terminal."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from arena.cli.organise.cluster import when_empty
from arena.client import ArenaProblem
from tests.cli.test_tokens import Terminal, at_terminal
from tests.web.cluster import FakeCluster


@pytest.fixture
def terminal() -> Iterator[Terminal]:
    with at_terminal() as created:
        yield created


@pytest.fixture
def cluster(terminal: Terminal) -> FakeCluster:
    created = FakeCluster({"referee-2": ["autumn", "cup"], "referee-1": ["winter"]})
    terminal.real.referee.cluster = created
    return created


def test_the_referees_are_shown_in_a_table(
    terminal: Terminal,
    cluster: FakeCluster,
) -> None:
    cluster.statuses["referee-1"] = "isolated"
    heads, _, first, second = terminal.ok("cluster", "status").splitlines()
    assert heads.split()[:5] == ["name", "status", "version", "sessions", "turns"]
    assert first.split()[:4] == ["referee-1", "isolated", "0.1.0", "1"]
    assert first.endswith("nobody reaches it")
    assert second.split()[:4] == ["referee-2", "serving", "0.1.0", "2"]
    assert second.endswith("this one")


def test_who_plays_which_session_is_shown_where_it_is_asked_for(
    terminal: Terminal,
    cluster: FakeCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.cli.organise.cluster.PAGE", 2)
    said = terminal.ok("cluster", "status", "--sessions")
    rows = [line.split() for line in said.splitlines()[-3:]]
    assert rows == [
        ["autumn", "referee-2", "1"],
        ["cup", "referee-2", "1"],
        ["winter", "referee-1", "1"],
    ]
    document = json.loads(terminal.ok("cluster", "status", "--sessions", "--json"))
    assert [each["session"] for each in document["sessions"]] == ["autumn", "cup", "winter"]
    assert "sessions" not in json.loads(terminal.ok("cluster", "status", "--json"))


def test_a_referee_is_emptied_and_filled_again(
    terminal: Terminal,
    cluster: FakeCluster,
) -> None:
    said = terminal.ok("cluster", "drain", "referee-2")
    assert said == "referee-2 takes no sessions; it has no session\n"
    assert terminal.ok("cluster", "undrain", "referee-2") == "referee-2 takes sessions again\n"
    with pytest.raises(ArenaProblem, match="there are referee-1, referee-2"):
        terminal.ok("cluster", "drain", "referee-9")


def test_a_drain_is_waited_for_until_no_session_is_left() -> None:
    counts, rested = iter([7, 2, 0]), []
    left = when_empty({"sessions": 9}, lambda: {"sessions": next(counts)}, rest=rested.append)
    assert left == {"sessions": 0}
    assert len(rested) == 3


def test_drain_waits_where_it_is_told_to(
    terminal: Terminal,
    cluster: FakeCluster,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("arena.cli.organise.cluster.AGAIN_S", 0)
    cluster.leaving = [3, 1]
    assert "3 sessions are left" in terminal.ok("cluster", "drain", "referee-2")
    cluster.leaving = [3, 1]
    assert "it has no session" in terminal.ok("cluster", "drain", "referee-2", "--wait")


def test_a_session_is_moved(terminal: Terminal, cluster: FakeCluster) -> None:
    said = terminal.ok("cluster", "move", "cup", "referee-1")
    assert said == "cup is played by referee-1\n"
    moved = json.loads(terminal.ok("cluster", "move", "autumn", "referee-1", "--json"))
    assert moved == {"session": "autumn", "home": "referee-1", "epoch": 2}


def test_an_arena_of_one_process_says_so(terminal: Terminal) -> None:
    with pytest.raises(ArenaProblem, match="this arena is one process"):
        terminal.ok("cluster", "status")
