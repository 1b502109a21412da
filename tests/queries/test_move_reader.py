"""Alerts by moves on a running arena: read beside all else, the same as from records, for staff."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pytest

from arena.application import Referee
from arena.cli.rate import rated
from arena.cli.rate_parts import alerts_part
from arena.documents import Document
from arena.organising.retention import old_sessions, retire
from arena.queries import move_reader
from arena.records.pooling import Records
from tests.queries.test_standings import finish, tables
from tests.referee.table import Arena

MEMBERS: dict[str, Any] = {
    "hands_per_table": 4,
    "schedule": {"rounds": 4, "rounds_at_once": 2},
}


def document(referee: Referee) -> Document:
    fit = referee.queries.fit("cup", staff=True)
    return fit.alerts_document(referee.queries.moves_of("cup", fit))


def recorded(arena: Arena) -> Document:
    """What `arena rate --alerts` makes of the exported records."""
    records = Records(moves=True)
    records.read(arena.referee.queries.records("cup", full=True))
    (pool,) = records.pools()
    return alerts_part(pool, rated(pool, anchor=None, model="bradley_terry")).document()


def read(told: Document) -> tuple[int, int]:
    return told["moves_hands"], told["moves_hands_unread"]


@pytest.mark.slow
def test_alerts_are_those_that_the_records_give(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    for table in tables(arena)[:2]:
        finish(arena, table)
    assert read(document(arena.referee)) == (8, 0)
    assert orjson.dumps(document(arena.referee)) == orjson.dumps(recorded(arena))
    arena.play()
    assert read(document(arena.referee)) == (32, 0)
    assert document(arena.referee)["moves"]
    assert orjson.dumps(document(arena.referee)) == orjson.dumps(recorded(arena))


@pytest.mark.slow
def test_moves_at_a_void_table_count_no_more(arena: Arena) -> None:
    arena.session(8, **MEMBERS)
    arena.play()
    assert read(document(arena.referee)) == (32, 0)
    arena.referee.freeze("cup", "admin")
    arena.referee.void(tables(arena)[0], "a power cut", "admin")
    assert read(document(arena.referee)) == (28, 0)
    assert orjson.dumps(document(arena.referee)) == orjson.dumps(recorded(arena))


def test_hands_that_were_not_played_have_no_moves(arena: Arena) -> None:
    arena.session(4, hands_per_table=3, schedule={"rounds": 1})
    arena.referee.withdraw("cup", "bot-1", "admin")
    arena.play()
    hands, unread = read(document(arena.referee))
    assert (hands, unread) == (
        arena.referee.queries.session("cup")["progress"]["hands_finished"],
        0,
    )


def test_each_table_is_read_once(arena: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    arena.session(8, **MEMBERS)
    arena.play()
    listed = counted(monkeypatch)
    document(arena.referee)
    document(arena.referee)
    assert sorted(listed) == sorted(tables(arena))


def counted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tables that are read from now on."""
    listed: list[str] = []
    original = move_reader._read

    def noted(sources: Any, task: Any) -> Any:
        listed.append(task.table)
        return original(sources, task)

    monkeypatch.setattr(move_reader, "_read", noted)
    return listed


@pytest.mark.slow
def test_no_more_moves_are_kept_than_there_is_room_for(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.session(8, **MEMBERS)
    arena.play()
    monkeypatch.setattr(move_reader, "MOST_MOVES", 100)
    hands, unread = read(document(arena.referee))
    assert (hands, hands + unread) == (4, 32)


def test_what_is_kept_is_of_the_sessions_asked_for_last(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(move_reader, "KEPT_SESSIONS", 1)
    for slug in ("cup", "league"):
        arena.session(4, slug=slug, hands_per_table=1, schedule={"rounds": 1})
        arena.play()
    listed = counted(monkeypatch)
    for slug in ("cup", "league", "league", "cup"):
        fit = arena.referee.queries.fit(slug, staff=True)
        arena.referee.queries.moves_of(slug, fit)
    assert [table.split("-")[0] for table in listed] == ["cup", "league", "cup"]


@pytest.fixture
def paced(arena: Arena) -> Iterator[Referee]:
    """A process that paces what takes long, over the hands that the other one has played."""
    arena.session(8, **MEMBERS)
    arena.play()
    referee = Referee(arena.store, clock=arena.clock, paced=True, rest=lambda _: None)
    yield referee
    referee.queries.moves.close()


def ended(referee: Referee) -> Callable[[], bool]:
    """Wait for what is read in the background."""
    thread = referee.queries.moves._thread
    if thread is not None:
        thread.join(60)
    return lambda: referee.queries.moves._thread is None


@pytest.mark.slow
def test_where_others_have_their_turns_nobody_waits_for_moves(
    paced: Referee, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_read = threading.Event()
    original = move_reader._read

    def held_back(sources: Any, task: Any) -> Any:
        assert may_read.wait(60)
        return original(sources, task)

    monkeypatch.setattr(move_reader, "_read", held_back)
    assert read(document(paced)) == (0, 32)
    assert read(document(paced)) == (0, 32)
    may_read.set()
    assert ended(paced)()
    assert read(document(paced)) == (32, 0)


@pytest.mark.slow
def test_a_failure_is_logged_and_tried_again_when_somebody_asks(
    paced: Referee, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(sources: Any, task: Any) -> Any:
        raise ValueError("a log that nobody can read")

    with monkeypatch.context() as broken:
        broken.setattr(move_reader, "_read", fails)
        assert read(document(paced)) == (0, 32)
        assert ended(paced)()
    assert "moves cannot be read" in caplog.text
    document(paced)
    assert ended(paced)()
    assert read(document(paced)) == (32, 0)


@pytest.mark.slow
def test_after_the_end_nothing_is_read(paced: Referee) -> None:
    paced.queries.moves.close()
    assert read(document(paced)) == (0, 32)
    assert ended(paced)()
    assert read(document(paced)) == (0, 32)


def test_another_session_of_a_name_that_was_used_before_has_its_own_hands(
    arena: Arena, tmp_path: Path
) -> None:
    """A session that was pruned leaves its name, and tables of the same names come again."""
    for seed, hands in (("00", 2), ("01", 3)):
        arena.session(4, seed=seed, hands_per_table=hands, schedule={"rounds": 1})
        arena.play()
        told = document(arena.referee)
        assert read(told) == (hands, 0)
        assert arena.referee.queries.standings("cup")["hands"] == hands
        bots = [row["bot"] for row in arena.referee.queries.session("cup", staff=True)["entries"]]
        assert set(told["names"]) == set(bots)
        assert {each["bot"] for each in told["seats"]} <= set(bots)
        context = arena.referee._context
        (old,) = old_sessions(context, 2**60)
        retire(context, old, tmp_path)
        (tmp_path / "cup.jsonl").unlink()
        context.in_play.shelved.drop("cup")
