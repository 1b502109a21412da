"""The public value: announced before anybody enters, needed at the start, mixed into all rounds."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import BadInput, Conflict
from arena.proofs.chance import mixed_key
from arena.store.bot_changes import CheckChances
from arena.store.port import EntryRow
from tests.cluster.memory import Several
from tests.organising.test_chance import BODY, MINE, Interrupting
from tests.organising.test_timetable import at, pass_minutes, reason, times
from tests.referee.table import SEED, Arena
from tests.referee.test_schedules import members, stored

SECRET = bytes.fromhex(SEED)
SOURCE = "drand quicknet, round 12345678"
VALUE = "3f9c1d77a2"
ANNOUNCED = {**BODY, "public_chance": SOURCE}


def begun(arena: Arena, value: str | None = VALUE) -> None:
    arena.referee.set_session("cup", "start", "admin", public_chance=value)


def key(arena: Arena, number: int = 1) -> bytes:
    """Of a round."""
    return arena.referee._context.in_play.session("cup").keys.of_round(number)


def test_the_value_is_mixed_into_the_key_and_stays(arena: Arena) -> None:
    arena.session(4, start=False, public_chance=SOURCE)
    arena.referee.enter("cup", arena.bots["bot-2"], chance=MINE)
    before = arena.referee.queries.session("cup")
    assert (before["public_chance"], before["public_value"]) == (SOURCE, None)
    begun(arena)
    after = arena.referee.queries.session("cup")
    assert (after["public_chance"], after["public_value"]) == (SOURCE, VALUE)
    assert stored(arena)["public_chance"] == VALUE
    expected = mixed_key(SECRET, [None, MINE, None, None], public=VALUE)
    assert key(arena) == expected
    live = arena.referee._context.in_play.session("cup")
    assert {table.key for table in live.tables.values()} == {expected}
    arena.restart()
    assert key(arena) == expected


@pytest.mark.parametrize(
    ("announced", "value", "said"),
    [
        (SOURCE, None, f"expected the value of '{SOURCE}', without which the session does not"),
        (SOURCE, "", "1 to 1,000 characters"),
        (SOURCE, "07\t13", "without control characters"),
        (None, VALUE, "expected no value, since the session's document announces no source"),
    ],
)
def test_a_start_with_another_value_than_is_needed_is_refused(
    arena: Arena, announced: str | None, value: str | None, said: str
) -> None:
    arena.session(4, start=False, public_chance=announced)
    with pytest.raises(BadInput, match=said):
        begun(arena, value)
    assert arena.status("cup") == "open"
    assert arena.store.session("cup").schedule is None  # type: ignore[union-attr]


@pytest.mark.parametrize("source", ["", "x" * 201, "a\nb", " drand", 7])
def test_a_source_that_is_no_text_for_everybody_is_refused(arena: Arena, source: object) -> None:
    with pytest.raises(BadInput, match="public_chance"):
        arena.referee.create_session({**BODY, "public_chance": source}, "admin")


def test_a_session_without_a_source_has_no_value(arena: Arena) -> None:
    arena.session(4)
    view = arena.referee.queries.session("cup")
    assert (view["public_chance"], view["public_value"]) == (None, None)
    assert stored(arena)["public_chance"] is None
    assert "public_chance" not in arena.store.session("cup").document  # type: ignore[union-attr]


def test_the_source_may_be_changed_until_a_bot_has_entered(arena: Arena) -> None:
    arena.referee.create_session(BODY, "admin")
    for source in (SOURCE, "the lottery of 5 December 2026", None, SOURCE):
        body = {**BODY, "public_chance": source}
        assert arena.referee.replace_session("cup", body, "admin")["public_chance"] == source
    (bot,) = arena.enrol(1)
    arena.referee.add_bot("cup", bot, "admin")
    arena.referee.withdraw("cup", bot, "admin")
    for source in ("the lottery of 5 December 2026", None):
        with pytest.raises(Conflict, match="is settled: a bot has entered"):
            arena.referee.replace_session("cup", {**BODY, "public_chance": source}, "admin")
    renamed = {**ANNOUNCED, "hands_per_table": 3}
    view = arena.referee.replace_session("cup", renamed, "admin")
    assert (view["public_chance"], view["hands_per_table"]) == (SOURCE, 3)


def test_a_source_is_not_changed_while_a_bot_gives_its_bytes() -> None:
    def enter() -> None:
        row = EntryRow("cup", bot, 1, "entered", 1, chance=MINE)
        arena.store.write(row)

    arena = Arena(Interrupting(CheckChances, enter))  # type: ignore[arg-type]
    (bot,) = arena.enrol(1)
    arena.referee.create_session(BODY, "admin")
    with pytest.raises(Conflict, match="is settled: a bot has entered"):
        arena.referee.replace_session("cup", ANNOUNCED, "admin")
    assert arena.referee.queries.session("cup")["public_chance"] is None


def test_it_does_not_start_by_itself_and_the_outcome_says_why(arena: Arena) -> None:
    arena.referee.create_session({**ANNOUNCED, "starts": at(10)}, "admin")
    for bot in arena.enrol(4):
        arena.referee.add_bot("cup", bot, "admin")
    pass_minutes(arena, 11)
    assert (arena.status("cup"), times(arena)) == ("created", {"starts": "failed"})
    assert reason(arena, "starts").endswith("start it with --public-chance TEXT")
    begun(arena)
    assert arena.status("cup") == "running"


def test_a_final_without_its_value_enters_nobody(arena: Arena) -> None:
    arena.enrol(4)
    schedule = {"kind": "final", "finalists": list(arena.bots)}
    arena.referee.create_session({**ANNOUNCED, "schedule": schedule}, "admin")
    with pytest.raises(BadInput, match="without which the session does not start"):
        begun(arena, None)
    assert arena.referee.queries.session("cup")["entries"] == []
    begun(arena)
    assert key(arena) == mixed_key(SECRET, [None] * 4, public=VALUE)


def test_other_actions_take_no_value_and_need_none(arena: Arena) -> None:
    arena.session(4, start=False, public_chance=SOURCE)
    begun(arena)
    for action in ("pause", "resume", "end"):
        arena.referee.set_session("cup", action, "admin")
    with pytest.raises(Conflict, match="start needs a session that is created or open"):
        begun(arena, None)
    with pytest.raises(BadInput, match="no value, since only a start takes one"):
        arena.referee.set_session("cup", "pause", "admin", public_chance=VALUE)


def test_every_round_of_a_ladder_and_every_process_has_it() -> None:
    several = Several(2)
    first, second = several.members
    more: dict[str, Any] = {"schedule": {"kind": "ladder", "rounds": 2}, "public_chance": SOURCE}
    first.session(3, start=False, **members("ladder", **more))
    begun(second)
    several.step()
    while len(stored(first)["rounds"]) < 2:
        for arena in several.members:
            arena.play(at_most=3)
        several.pass_ms(100)
    for arena in several.members:
        for number in (1, 2):
            assert key(arena, number) == mixed_key(SECRET, [None] * 3, public=VALUE)
