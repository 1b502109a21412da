"""What bots give to chance with their entries: once, before the start, and seen by nobody then."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from arena.errors import Conflict
from arena.organising import sessions
from arena.proofs.chance import mixed_key
from arena.store.bot_changes import CheckChances, SetChance
from arena.store.memory import open_memory
from tests.cluster.memory import Several
from tests.referee.table import SEED, Arena

MINE, OTHERS = bytes(range(32)), bytes(range(32, 64))
BODY = {"name": "Cup", "slug": "cup", "seats": 4, "hands_per_table": 1, "seed": SEED}


def chance(arena: Arena, bot: str) -> bytes | None:
    """What is stored of a bot."""
    row = arena.store.entry("cup", bot)
    assert row is not None
    return row.chance


def test_bytes_come_with_the_entry_or_later_and_stay(arena: Arena) -> None:
    arena.session(4, start=False)
    first, second, third, fourth = arena.bots.values()
    assert arena.referee.enter("cup", first)["chance_given"] is False
    assert arena.referee.enter("cup", first, chance=MINE)["chance_given"] is True
    for again in (MINE, None):
        assert arena.referee.enter("cup", first, chance=again)["chance_given"] is True
    with pytest.raises(Conflict, match="other bytes for chance came with this bot's entry"):
        arena.referee.enter("cup", first, chance=OTHERS)
    assert chance(arena, first) == MINE
    arena.referee.leave("cup", second)
    assert arena.referee.enter("cup", second, chance=OTHERS)["status"] == "entered"
    assert chance(arena, second) == OTHERS
    arena.referee.leave("cup", second)
    with pytest.raises(Conflict, match="send those, or leave out `chance`"):
        arena.referee.enter("cup", second, chance=MINE)
    assert arena.referee.enter("cup", second)["chance_given"] is True
    (fifth,) = arena.enrol(1)
    assert arena.referee.enter("cup", fifth, chance=MINE)["chance_given"] is True
    assert [chance(arena, bot) for bot in (third, fourth, fifth)] == [None, None, MINE]


def test_bytes_that_come_late_are_refused_and_entering_goes_on(arena: Arena) -> None:
    arena.session(4, start=False)
    early, late = list(arena.bots.values())[:2]
    arena.referee.enter("cup", early, chance=MINE)
    for action, status in (("close", "created"), ("start", "running")):
        arena.referee.set_session("cup", action, "admin")
        with pytest.raises(Conflict, match=f"while the session is open, and it is {status}"):
            arena.referee.enter("cup", late, chance=OTHERS)
        assert arena.referee.enter("cup", late)["chance_given"] is False
        assert arena.referee.enter("cup", early, chance=MINE)["chance_given"] is True
    assert chance(arena, late) is None


@pytest.mark.parametrize("board", ["named", "pseudonymous"])
def test_nobody_is_shown_bytes_before_they_are_mixed_in(arena: Arena, board: str) -> None:
    arena.session(4, start=False, board=board)
    for bot in arena.bots.values():
        arena.referee.enter("cup", bot, chance=MINE)
    queries = arena.referee.queries
    before = [
        queries.session("cup", staff=True),
        queries.session("cup"),
        queries.audit(),
        *queries.records("cup", full=True),
    ]
    assert MINE.hex() not in json.dumps(before)
    assert "entry.chance" in {each["action"] for each in queries.audit()["entries"]}
    arena.referee.set_session("cup", "start", "admin")
    for staff in (False, True):
        entries = queries.session("cup", staff=staff)["entries"]
        assert [each["chance"] for each in entries] == [MINE.hex()] * 4


def test_organisers_give_nothing_for_the_bots_that_they_enter(arena: Arena) -> None:
    arena.referee.create_session(BODY, "admin")
    for bot in arena.enrol(4):
        assert arena.referee.add_bot("cup", bot, "admin")["chance_given"] is False
    arena.referee.set_session("cup", "start", "admin")
    keys = arena.referee._context.in_play.session("cup").keys
    assert keys.of_round(1) == mixed_key(bytes.fromhex(SEED), ())


def test_a_schedule_is_drawn_anew_for_bytes_that_come_meanwhile(
    arena: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    arena.session(4, start=False)
    bot = arena.bots["bot-3"]
    draw, drawn = sessions.make_schedule, list[Any]()

    def interrupted(*given: Any, **more: Any) -> str:
        drawn.append(given[2])
        arena.referee.enter("cup", bot, chance=MINE)
        return draw(*given, **more)

    monkeypatch.setattr(sessions, "make_schedule", interrupted)
    arena.referee.set_session("cup", "start", "admin")
    assert [field[bot] for field in drawn] == [None, MINE]
    keys = arena.referee._context.in_play.session("cup").keys
    assert keys.given == (None, None, MINE, None)


class Interrupting:
    """A store in which something happens just before the first write with a change of a kind."""

    def __init__(self, kind: type, happens: Callable[[], object]) -> None:
        self._store = open_memory()
        self._kind, self._happens = kind, happens
        self._waiting = True

    def write(self, *changes: Any) -> None:
        if self._waiting and any(isinstance(change, self._kind) for change in changes):
            self._waiting = False
            self._happens()
        self._store.write(*changes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)


def test_bytes_that_are_written_just_before_the_start_are_mixed_in() -> None:
    def give() -> None:
        arena.store.write(SetChance("cup", arena.bots["bot-3"], MINE))

    arena = Arena(Interrupting(CheckChances, give))  # type: ignore[arg-type]
    arena.session(4)
    keys = arena.referee._context.in_play.session("cup").keys
    assert keys.given == (None, None, MINE, None)
    assert arena.status("cup") == "running"


def test_bytes_whose_session_starts_just_before_they_are_written_are_refused() -> None:
    def start() -> None:
        arena.referee.set_session("cup", "start", "admin")

    arena = Arena(Interrupting(SetChance, start))  # type: ignore[arg-type]
    arena.session(4, start=False)
    with pytest.raises(Conflict, match="and it is running"):
        arena.referee.enter("cup", arena.bots["bot-3"], chance=MINE)
    keys = arena.referee._context.in_play.session("cup").keys
    assert keys.given == (None,) * 4
    assert chance(arena, arena.bots["bot-3"]) is None


def test_processes_take_a_bots_bytes_once() -> None:
    several = Several(2)
    first, second = several.members
    first.session(4, start=False)
    bot = first.bots["bot-2"]
    second.referee.enter("cup", bot, chance=MINE)
    with pytest.raises(Conflict, match="other bytes"):
        first.referee.enter("cup", bot, chance=OTHERS)
    assert first.referee.enter("cup", bot, chance=MINE)["chance_given"] is True
    first.referee.set_session("cup", "start", "admin")
    several.step()
    keys = [arena.referee._context.in_play.session("cup").keys for arena in several.members]
    assert keys[0] == keys[1]
    assert keys[0].given == (None, MINE, None, None)
