"""The owner's clock ledger: every turn of a bot once, with what it cost."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import BadInput, NotFound, Refused
from tests.cluster.memory import Several
from tests.referee.table import Arena, lowest

MOVE, BANK, GRACE = 5_000, 60_000, 150
TWO_TABLES: dict[str, Any] = {"seats": 3, "schedule": {"rounds": 4}}


def entries(arena: Arena, bot: str, **filters: Any) -> list[dict[str, Any]]:
    """All pages of a ledger, of three turns each."""
    found: list[dict[str, Any]] = []
    after = None
    while True:
        page = arena.referee.queries.ledger(bot, after=after, limit=3, **filters)
        found += page["entries"]
        after = page["next"]
        if after is None:
            return found
        assert len(page["entries"]) == 3


def test_a_turn_is_told_with_all_its_times(arena: Arena) -> None:
    arena.session()
    bot = next(iter(arena.bots.values()))
    arena.clock.pass_ms(300)
    bot, turn = arena.one()
    arena.clock.pass_ms(MOVE)
    with pytest.raises(Refused):
        arena.referee.answer(bot, turn["turn"], {"pass": True})
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert entries(arena, bot) == [
        {
            "turn": turn["turn"],
            "session": "cup",
            "table": "cup-r01-t01",
            "hand": "cup-r01-t01-h001",
            "hand_number": 1,
            "seat": turn["seat"],
            "offered": "2027-01-15T08:00:00.000Z",
            "event": 5,
            "answered": "2027-01-15T08:00:05.300Z",
            "first_seen_ms": 300,
            "answered_ms": MOVE + 300,
            "charged_ms": MOVE + 150,
            "bank_ms": BANK - 150,
            "late": True,
            "cause": None,
            "refused": 1,
            "thought_ms": None,
            "note": None,
        }
    ]


def test_a_turn_that_waits_is_told_as_it_stands(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.clock.pass_ms(MOVE + GRACE + 10)
    [waiting] = entries(arena, bot)
    assert waiting["turn"] == turn["turn"]
    assert waiting["offered"] == "2027-01-15T08:00:00.000Z"
    assert waiting["answered"] is waiting["answered_ms"] is None
    assert (waiting["charged_ms"], waiting["bank_ms"]) == (MOVE + 10, BANK - 10)
    assert waiting["late"]


@pytest.mark.slow
def test_every_turn_of_a_session_is_in_one_ledger_once(arena: Arena) -> None:
    session = arena.session(6, **TWO_TABLES)
    arena.play()
    told = {bot: entries(arena, bot) for bot in arena.bots.values()}
    turns = [entry["turn"] for mine in told.values() for entry in mine]
    logged = [
        step.turn
        for hand in arena.store.session_hands(session, limit=999)
        for step in arena.store.steps(hand.id)
        if step.turn
    ]
    assert sorted(turns) == sorted(logged)
    for mine in told.values():
        places = [(entry["table"], entry["hand_number"]) for entry in mine]
        assert places == sorted(places)
        assert {entry["first_seen_ms"] for entry in mine} == {0}


@pytest.mark.slow
def test_a_ledger_is_asked_for_by_session_table_or_hand(arena: Arena) -> None:
    arena.session(6, **TWO_TABLES)
    arena.play()
    bot = arena.bots["bot-2"]
    everything = entries(arena, bot)
    table, hand = everything[-1]["table"], everything[-1]["hand"]
    assert entries(arena, "bot-2") == entries(arena, bot, session="cup") == everything
    of_table = [entry for entry in everything if entry["table"] == table]
    assert entries(arena, bot, table=table) == of_table
    of_hand = [entry for entry in everything if entry["hand"] == hand]
    assert entries(arena, bot, hand=hand, table=table, session="cup") == of_hand
    assert of_hand != of_table != everything
    elsewhere = next(
        each["table"]
        for each in arena.referee.queries.tables("cup")["tables"]
        if bot not in {player["bot"] for player in each["players"]}
    )
    assert entries(arena, bot, table=elsewhere) == []


def test_what_is_not_there_and_what_excludes_itself_is_named(arena: Arena) -> None:
    arena.session(6, **TWO_TABLES)
    bot, turn = arena.one()
    for filters in ({"session": "x"}, {"table": "x"}, {"hand": "x"}, {"after": "x.1.0"}):
        with pytest.raises(NotFound, match="'x'"):
            arena.referee.queries.ledger(bot, **filters)
    with pytest.raises(NotFound, match="nobody"):
        arena.referee.queries.ledger("nobody")
    with pytest.raises(BadInput, match="earlier page"):
        arena.referee.queries.ledger(bot, after="7")
    with pytest.raises(BadInput, match="to which the rest belongs"):
        arena.referee.queries.ledger(bot, hand=turn["hand"], table="cup-r01-t99")


def test_what_the_referee_did_is_told_with_its_cause(arena: Arena) -> None:
    arena.session(hands_per_table=1)
    ghost = arena.bots.pop("bot-1")
    while not arena.play() and arena.status("cup") != "finished":
        arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
        arena.referee.sweep()
    while arena.status("cup") != "finished":
        arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
        arena.referee.sweep()
        arena.play()
    told = entries(arena, ghost)
    assert [entry["cause"] for entry in told[:4]] == ["timeout"] * 3 + ["absent"]
    assert [entry["charged_ms"] for entry in told[:3]] == [MOVE + MOVE, MOVE, MOVE]
    assert {entry["bank_ms"] for entry in told} == {BANK - MOVE}
    assert told[3]["answered_ms"] == told[3]["charged_ms"] == 0
    assert {entry["first_seen_ms"] for entry in told} == {None}


def test_refused_answers_are_counted_turn_by_turn(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    for _ in range(2):
        with pytest.raises(Refused):
            arena.referee.answer(bot, turn["turn"], {"pass": True})
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    while not (mine := arena.referee.turns(bot)["turns"]):
        arena.play(at_most=1)
    with pytest.raises(BadInput):
        arena.referee.answer(bot, mine[0]["turn"], {"choice": 999})
    assert [entry["refused"] for entry in entries(arena, bot)] == [2, 1]
    arena.referee.answer(bot, mine[0]["turn"], lowest(mine[0]))
    assert [entry["refused"] for entry in entries(arena, bot)][:2] == [2, 1]


def test_a_pause_and_an_outage_are_in_the_instants_and_not_in_the_times(arena: Arena) -> None:
    session = arena.session()
    bot, turn = arena.one()
    arena.referee.set_session(session, "pause", "admin")
    arena.clock.pass_ms(3_600_000)
    arena.referee.set_session(session, "resume", "admin")
    arena.restart(outage_ms=3_600_000)
    arena.clock.pass_ms(200)
    assert arena.referee.turns(bot)["turns"][0]["turn"] == turn["turn"]
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    [entry] = entries(arena, bot)
    assert entry["offered"] == "2027-01-15T08:00:00.000Z"
    assert entry["answered"] == "2027-01-15T10:00:00.200Z"
    assert (entry["answered_ms"], entry["charged_ms"]) == (200, 50)


def test_polling_again_does_not_change_when_a_turn_was_first_seen(arena: Arena) -> None:
    arena.session()
    arena.clock.pass_ms(70)
    bot, turn = arena.one()
    arena.clock.pass_ms(500)
    arena.referee.turns(bot)
    arena.referee.turns(bot, hints=False)
    [waiting] = entries(arena, bot)
    assert waiting["first_seen_ms"] == 70
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    [closed] = entries(arena, bot)
    assert closed["first_seen_ms"] == 70


def test_a_page_that_ended_with_a_turn_that_waited_goes_on_after_it(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    after = turn["turn"]
    assert arena.referee.queries.ledger(bot, after=after) == {"entries": [], "next": None}
    arena.play()
    everything = entries(arena, bot)
    assert everything[0]["turn"] == after
    rest = arena.referee.queries.ledger(bot, after=after, limit=500)
    assert rest == {"entries": everything[1:], "next": None}


def test_every_process_tells_the_same_ledger() -> None:
    several = Several()
    here, there = several.members
    here.session()
    several.step()
    here.play(at_most=30)
    several.step()
    for bot in here.bots.values():
        closed = [entry for entry in entries(here, bot) if entry["answered"] is not None]
        assert closed
        assert closed == [e for e in entries(there, bot) if e["answered"] is not None]
