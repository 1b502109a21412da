"""Bots that poll and do not play, malformed answers, and the way back for one that was away."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

import orjson
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.documents import Document
from arena.errors import ArenaError, Gone, Refused
from arena.referee.live import Hand, Table
from arena.session.config import TimeControl
from arena.session.time_control import (
    Chances,
    allowance,
    persons_time_control,
    time_control_of,
)
from tests.referee.table import Arena, lowest

MOVE, BANK, GRACE, PROBATION = 5_000, 60_000, 150, 300
MOST_ROUNDS = 20_000
"""More than the longest table here needs: a rule that fails shall not hang the test."""
STEP_MS = 25
AT_MOST_MS = 75_000
SECONDS_MS = 5_000
Nuisance = Callable[[Arena, str, Document], bool]
"""What a bot does with a turn; did it change anything?"""


def silent(arena: Arena, bot: str, turn: Document) -> bool:
    return False


def malformed(arena: Arena, bot: str, turn: Document) -> bool:
    arena.referee.malformed(bot, [turn["turn"]])
    return True


def unreadable(arena: Arena, bot: str, turn: Document) -> bool:
    """It does not even say which turn it means."""
    arena.referee.malformed(bot, None)
    return True


def refused(arena: Arena, bot: str, turn: Document) -> bool:
    with pytest.raises(ArenaError):
        arena.referee.answer(bot, turn["turn"], {"choice": 999})
    return True


def session_ms(arena: Arena, nuisance: Nuisance, *, bots: int = 2) -> int:
    """How long a table takes at which so many bots poll without end and do this with their turns,
    while the others answer at once."""
    bad = list(arena.bots.values())[:bots]
    began_ms = arena.clock.ms
    for _ in range(MOST_ROUNDS):
        if arena.status("cup") == "finished":
            break
        moved = False
        for bot in arena.bots.values():
            for turn in arena.referee.turns(bot)["turns"]:
                if bot in bad:
                    moved |= nuisance(arena, bot, turn)
                else:
                    arena.referee.answer(bot, turn["turn"], lowest(turn))
                    moved = True
        if not moved:
            arena.clock.pass_ms(STEP_MS)
            arena.referee.sweep()
    assert arena.status("cup") == "finished"
    return arena.clock.ms - began_ms


def the_table(arena: Arena) -> Table:
    [table] = arena.referee._context.in_play.tables.values()
    return table


def player(arena: Arena, bot: str) -> int:
    return the_table(arena).players.index(bot)


def miss(arena: Arena, bot: str, faults: int = 3) -> None:
    """Let a bot fail so often in a row, while the others answer at once."""
    table = the_table(arena)
    others = {name: each for name, each in arena.bots.items() if each != bot}
    everybody, arena.bots = arena.bots, others
    while table.log.streak[player(arena, bot)] < faults:
        if not arena.play(at_most=1):
            arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
            arena.referee.sweep()
    arena.bots = everybody


def next_turn(arena: Arena, bot: str, *, polls: bool = True) -> Document | None:
    """Let the others play until this bot is told of a turn; None if the table ends before."""
    others = [each for each in arena.bots.values() if each != bot]
    while arena.status("cup") == "running":
        if polls and (mine := arena.referee.turns(bot)["turns"]):
            return dict(mine[0])
        for other in others:
            for turn in arena.referee.turns(other)["turns"]:
                arena.referee.answer(other, turn["turn"], lowest(turn))
    return None


# How long others wait.


@pytest.mark.slow
@pytest.mark.parametrize("ruleset", ["pagat", "pagat+kakumei"])
@pytest.mark.parametrize("seed", ["07", "08", "0a"])
def test_a_table_with_two_bots_that_poll_and_never_answer_ends_in_time(
    arena: Arena, ruleset: str, seed: str
) -> None:
    arena.session(ruleset=ruleset, seed=seed)
    assert session_ms(arena, silent) <= AT_MOST_MS


def elsewhere(arena: Arena, bot: str, turn: Document) -> bool:
    """It names turns that there never were."""
    arena.referee.malformed(bot, ["x.1.1", "nonsense", f"{turn['hand']}.9999.{turn['seat']}"])
    return True


@pytest.mark.parametrize("nuisance", [malformed, unreadable, refused, elsewhere])
def test_a_table_with_two_bots_that_answer_rubbish_ends_in_seconds(
    arena: Arena, nuisance: Nuisance
) -> None:
    arena.session()
    assert session_ms(arena, nuisance) <= SECONDS_MS


@pytest.mark.slow
def test_a_table_where_nobody_but_one_plays_ends_too(arena: Arena) -> None:
    arena.session()
    assert session_ms(arena, silent, bots=3) <= AT_MOST_MS * 3 / 2


# Malformed answers.


def test_a_malformed_answer_costs_one_unit_as_a_refused_one_does(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 3})
    bot, turn = arena.one()
    assert arena.referee.malformed(bot, [turn["turn"]]) == ""
    with pytest.raises(Refused):
        arena.referee.answer(bot, turn["turn"], {"pass": True})
    told = arena.referee.malformed(bot, [turn["turn"]])
    assert told == "; the budget of 3 refused answers is spent, so the referee has answered"
    with pytest.raises(Gone, match="illegal"):
        arena.referee.answer(bot, turn["turn"], lowest(turn))
    [entry] = arena.referee.queries.ledger(bot)["entries"]
    assert (entry["cause"], entry["refused"]) == ("illegal", 3)


def test_a_good_answer_after_malformed_ones_is_taken(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    for _ in range(4):
        assert arena.referee.malformed(bot, [turn["turn"]]) == ""
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_nobody_can_spend_the_budget_of_another(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 1})
    bot, turn = arena.one()
    for other in arena.bots.values():
        if other != bot:
            assert arena.referee.malformed(other, [turn["turn"]]) == ""
            assert arena.referee.malformed(other, None) == ""
    assert arena.referee.malformed("nobody", [turn["turn"]]) == ""
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


@pytest.mark.parametrize("named", [True, False])
def test_a_malformed_answer_to_a_closed_turn_costs_nothing(arena: Arena, *, named: bool) -> None:
    arena.session(clock={"illegal_budget": 1})
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert arena.referee.malformed(bot, [turn["turn"], "cup-r01-t01-h001.9999.0"]) == ""
    if not named:
        assert arena.referee.malformed(bot, None) == ""
    while next_turn(arena, bot) is None:
        pass
    assert the_table(arena).log.streak == [0] * 4


def test_what_cannot_be_read_counts_for_the_turn_that_was_told_first(arena: Arena) -> None:
    arena.session(8, schedule={"rounds": 2, "rounds_at_once": 2}, clock={"illegal_budget": 1})
    open_turns = arena.referee._context.signals.open_turns
    bot = arena.bots.pop("bot-1")
    arena.play()
    turns = open_turns.of(bot)
    assert len(turns) == 2
    assert arena.referee.malformed(bot, None) == ""  # it has not been told of any
    arena.referee.turns(bot)
    assert "is spent" in arena.referee.malformed(bot, None)
    assert [turn.id for turn in open_turns.of(bot)] == [turn.id for turn in turns[1:]]


def test_a_turn_long_closed_is_known_though_its_hand_is_not_in_memory(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 1})
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    while the_hand(arena).number == 1:
        arena.play(at_most=1)
    arena.referee._context.in_play.ended.drop(turn["hand"])
    again = next_turn(arena, bot)
    assert again is not None
    assert arena.referee.malformed(bot, [turn["turn"]]) == ""
    assert arena.referee.answer(bot, again["turn"], lowest(again))["accepted"]


def test_a_made_up_turn_beside_a_closed_one_costs_nothing(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 1})
    bot, turn = arena.one()
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    again = next_turn(arena, bot)
    assert again is not None
    assert arena.referee.malformed(bot, ["nonsense", turn["turn"]]) == ""
    assert arena.referee.answer(bot, again["turn"], lowest(again))["accepted"]


def test_one_request_counts_once_for_each_turn(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 2})
    bot, turn = arena.one()
    assert arena.referee.malformed(bot, [turn["turn"]] * 5) == ""
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]


def test_a_malformed_answer_after_the_deadline_is_a_timeout(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 1})
    bot, turn = arena.one()
    arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
    assert arena.referee.malformed(bot, [turn["turn"]]) == ""
    arena.referee.sweep()
    assert arena.referee.queries.ledger(bot)["entries"][0]["cause"] == "timeout"


# The bank before the first answer.


def test_before_its_first_answer_a_seat_may_draw_no_more_than_a_move_of_its_bank(
    arena: Arena,
) -> None:
    arena.session()
    bot, turn = arena.one()
    assert (turn["remaining_ms"], turn["bank_ms"]) == (MOVE, MOVE)
    arena.clock.pass_ms(MOVE + 3_000 + GRACE)
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    again = next_turn(arena, bot)
    assert again is not None
    assert (again["remaining_ms"], again["bank_ms"]) == (MOVE, BANK - 3_000)


@pytest.mark.parametrize(
    ("spent_ms", "is_proven", "on_probation", "expected"),
    [
        (0, False, False, (5_000, 5_000, 55_000)),
        (2_000, False, False, (5_000, 3_000, 55_000)),
        (5_000, False, False, (5_000, 0, 55_000)),
        (5_000, True, False, (5_000, 55_000, 0)),
        (60_000, True, False, (5_000, 0, 0)),
        (2_000, True, True, (300, 0, 58_000)),
        (2_000, False, True, (300, 0, 58_000)),
    ],
)
def test_what_a_turn_may_take(
    spent_ms: int, is_proven: bool, on_probation: bool, expected: tuple[int, int, int]
) -> None:
    given_ = allowance(TimeControl(), spent_ms, is_proven=is_proven, on_probation=on_probation)
    assert given_[:3] == expected
    assert sum(given_[1:3]) == BANK - spent_ms
    after = allowance(TimeControl(), spent_ms, is_proven=True, on_probation=on_probation)
    assert given_.proven() == after


def two_tables(arena: Arena, **members: Any) -> tuple[str, list[Document]]:
    """A bot that has a turn at two tables at once, and these; nobody else is to move."""
    arena.session(4, schedule={"rounds": 2, "rounds_at_once": 2}, **members)
    bot = arena.bots["bot-1"]
    while len(turns := arena.referee.turns(bot)["turns"]) < 2:
        for other in arena.bots.values():
            for turn in arena.referee.turns(other)["turns"] if other != bot else []:
                arena.referee.answer(other, turn["turn"], lowest(turn))
    return bot, turns


def test_an_answer_at_one_table_opens_the_bank_of_the_turns_that_wait_at_others(
    arena: Arena,
) -> None:
    bot, [one, other] = two_tables(arena)
    assert (one["bank_ms"], other["bank_ms"]) == (MOVE, MOVE)
    arena.referee.answer(bot, one["turn"], lowest(one))
    told = next(t for t in arena.referee.turns(bot)["turns"] if t["turn"] == other["turn"])
    assert (told["remaining_ms"], told["bank_ms"]) == (MOVE, BANK)
    assert told["deadline"] > other["deadline"]
    arena.clock.pass_ms(MOVE + MOVE + GRACE + 1)
    assert bot not in {entry["bot"] for entry in swept(arena)}
    arena.clock.pass_ms(BANK - MOVE - 1)
    arena.referee.answer(bot, other["turn"], lowest(other))
    entries = arena.referee.queries.ledger(bot, limit=500)["entries"]
    [entry] = [each for each in entries if each["turn"] == other["turn"]]
    assert (entry["cause"], entry["charged_ms"], entry["bank_ms"]) == (None, MOVE + BANK, 0)


def swept(arena: Arena) -> list[Document]:
    """The ledgers' entries of those for whom the referee has answered, after a sweep."""
    while arena.referee.sweep():
        pass
    return [
        {**entry, "bot": bot}
        for bot in arena.bots.values()
        for entry in arena.referee.queries.ledger(bot, limit=500)["entries"]
        if entry.get("cause")
    ]


def test_a_turn_whose_bank_was_opened_later_still_comes_to_its_end(arena: Arena) -> None:
    bot, [one, other] = two_tables(arena)
    arena.referee.answer(bot, one["turn"], lowest(one))
    arena.clock.pass_ms(MOVE + MOVE + GRACE + 1)
    swept(arena)
    arena.clock.pass_ms(BANK - MOVE)
    causes = {entry["turn"]: entry["cause"] for entry in swept(arena)}
    assert causes[other["turn"]] == "timeout"


def test_without_an_answer_anywhere_all_first_turns_end_after_a_move_of_the_bank(
    arena: Arena,
) -> None:
    _, turns = two_tables(arena)
    arena.clock.pass_ms(MOVE + MOVE + GRACE + 1)
    causes = {entry["turn"]: entry["cause"] for entry in swept(arena)}
    assert [causes[turn["turn"]] for turn in turns] == ["timeout", "timeout"]


def test_a_bot_that_thinks_about_one_table_after_another_never_times_out(arena: Arena) -> None:
    """It takes 450 ms a move at thirty tables, one by one, and polls when it has answered all."""
    arena.session(
        4, hands_per_table=1, schedule={"rounds": 30, "rounds_at_once": 30}, clock={"bank_ms": BANK}
    )
    slow = arena.bots["bot-1"]
    others = [each for each in arena.bots.values() if each != slow]
    for _ in range(3):
        for other in others:
            while turns := arena.referee.turns(other, limit=64)["turns"]:
                for turn in turns:
                    arena.referee.answer(other, turn["turn"], lowest(turn))
        for turn in arena.referee.turns(slow, limit=64)["turns"]:
            arena.clock.pass_ms(450)
            arena.referee.sweep()
            arena.referee.answer(slow, turn["turn"], lowest(turn))
    assert swept(arena) == []


def test_a_restart_knows_from_open_tables_who_has_answered(arena: Arena) -> None:
    bot, [one, other] = two_tables(arena)
    arena.referee.answer(bot, one["turn"], lowest(one))
    arena.restart()
    told = next(t for t in arena.referee.turns(bot)["turns"] if t["turn"] == other["turn"])
    assert told["bank_ms"] == BANK


def test_a_refused_answer_elsewhere_opens_nothing(arena: Arena) -> None:
    bot, [one, other] = two_tables(arena)
    refused(arena, bot, one)
    told = next(t for t in arena.referee.turns(bot)["turns"] if t["turn"] == other["turn"])
    assert told["bank_ms"] == MOVE


def test_probation_never_gives_more_than_a_move() -> None:
    quick = TimeControl(move_ms=100, probation_ms=300)
    assert allowance(quick, 0, is_proven=True, on_probation=True).move_ms == 100


# Probation.


def test_a_bot_that_comes_back_is_offered_turns_with_little_time_and_no_bank(arena: Arena) -> None:
    arena.session()
    arena.first_lap()
    bot, _ = arena.one()
    miss(arena, bot)
    turn = next_turn(arena, bot)
    assert turn is not None
    assert (turn["remaining_ms"], turn["bank_ms"]) == (PROBATION, 0)
    arena.clock.pass_ms(PROBATION + GRACE)
    assert arena.referee.sweep() == 0
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    after = next_turn(arena, bot)
    assert after is not None
    assert after["remaining_ms"] == MOVE


def test_polling_alone_does_not_end_it(arena: Arena) -> None:
    arena.session()
    bot, _ = arena.one()
    miss(arena, bot)
    for faults in (4, 5):
        turn = next_turn(arena, bot)
        assert turn is not None
        assert turn["remaining_ms"] == PROBATION
        arena.clock.pass_ms(PROBATION + GRACE + 1)
        assert arena.referee.sweep() == 1
        assert the_table(arena).log.streak[player(arena, bot)] >= faults


def test_a_refused_answer_does_not_end_it(arena: Arena) -> None:
    arena.session()
    bot, _ = arena.one()
    miss(arena, bot)
    turn = next_turn(arena, bot)
    assert turn is not None
    refused(arena, bot, turn)
    assert the_table(arena).log.on_probation(player(arena, bot))


def test_the_bank_is_as_it_was_when_the_probation_ends(arena: Arena) -> None:
    """Three refused turns put a seat on probation with nothing drawn from its bank."""
    arena.session(clock={"illegal_budget": 0})
    arena.first_lap()
    bot, _ = arena.one()
    for _ in range(3):
        turn = next_turn(arena, bot)
        assert turn is not None
        refused(arena, bot, turn)
    turn = next_turn(arena, bot)
    assert turn is not None
    assert turn["bank_ms"] == 0
    arena.clock.pass_ms(200)
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    assert arena.referee.queries.ledger(bot, limit=500)["entries"][-1]["bank_ms"] == BANK
    turn = next_turn(arena, bot)
    assert turn is not None
    assert turn["bank_ms"] == BANK


def test_whoever_polls_every_now_and_then_is_told_to_come_often_and_has_a_chance(
    arena: Arena,
) -> None:
    arena.session()
    bot, _ = arena.one()
    busy = next(each for each in arena.bots.values() if not arena.referee.turns(each)["turns"])
    assert arena.referee.turns(busy)["poll_after_ms"] == 250
    miss(arena, bot)
    polled = arena.referee.turns(bot)
    assert polled["poll_after_ms"] == 100
    arena.clock.pass_ms(1_000)
    others = [each for each in arena.bots.values() if each != bot]
    while bot not in {turn.bot for turn in the_hand(arena).turns.values()}:
        for other in others:
            for turn in arena.referee.turns(other)["turns"]:
                arena.referee.answer(other, turn["turn"], lowest(turn))
    arena.clock.pass_ms(100)
    [told] = arena.referee.turns(bot)["turns"]
    assert told["remaining_ms"] == PROBATION - 100
    assert arena.referee.answer(bot, told["turn"], lowest(told))["accepted"]


def the_hand(arena: Arena) -> Hand:
    hand = the_table(arena).hand
    assert hand is not None
    return hand


def test_who_has_not_polled_for_a_while_is_answered_for_at_once(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    bot, _ = arena.one()
    miss(arena, bot)
    arena.referee.turns(bot)
    arena.clock.pass_ms(60_000)
    assert next_turn(arena, bot, polls=False) is None
    assert arena.status(session) == "finished"
    entries = arena.referee.queries.ledger(bot, limit=500)["entries"]
    assert {entry["cause"] for entry in entries[3:]} == {"absent"}
    assert {entry["charged_ms"] for entry in entries[3:]} == {0}


@pytest.mark.parametrize(("ago_ms", "is_here"), [(MOVE, True), (MOVE + 1, False)])
def test_who_has_just_answered_elsewhere_counts_as_there_for_the_time_of_a_move(
    arena: Arena, ago_ms: int, *, is_here: bool
) -> None:
    bot, [one, other] = two_tables(arena, clock={"illegal_budget": 0, "absent_after": 1})
    refused(arena, bot, one)  # from now on its seat at this table is on probation
    arena.clock.pass_ms(4_000)  # and its last poll is long ago
    [hand] = [
        h for h in arena.referee._context.in_play.hands.values() if other["turn"].startswith(h.id)
    ]
    hand.table.session.answered_ms[bot] = arena.clock.ms - ago_ms
    [probed] = [
        h for h in arena.referee._context.in_play.hands.values() if one["turn"].startswith(h.id)
    ]
    others = [each for each in arena.bots.values() if each != bot]
    faults = probed.log.faults
    causes = len(faults)
    while bot not in {turn.bot for turn in probed.turns.values()} and len(faults) == causes:
        for name in others:
            for turn in arena.referee.turns(name)["turns"]:
                if turn["hand"] == probed.id:
                    arena.referee.answer(name, turn["turn"], lowest(turn))
    assert (len(probed.log.faults) == causes) is is_here


def test_a_request_that_waits_keeps_a_seat_for_as_long_as_it_waits(arena: Arena) -> None:
    arena.session()
    bot, _ = arena.one()
    miss(arena, bot)
    waiter = arena.referee._context.signals.bell.listen(f"bot:{bot}", ("from", None))
    arena.clock.pass_ms(4_000)
    others = [each for each in arena.bots.values() if each != bot]
    while bot not in {turn.bot for turn in the_hand(arena).turns.values()}:
        for other in others:
            for turn in arena.referee.turns(other)["turns"]:
                arena.referee.answer(other, turn["turn"], lowest(turn))
    assert waiter.wait(0) is not None
    [told] = arena.referee.turns(bot)["turns"]
    assert told["remaining_ms"] == PROBATION


def test_a_seat_that_lets_turns_pass_sits_out_more_and_more_of_them() -> None:
    chances = Chances()
    offered = []
    for turn in range(15):
        if chances.sits_out:
            chances.note("absent")
        else:
            offered.append(turn)
            chances.note("timeout")
    assert offered == [0, 2, 5, 9, 14]


def test_who_was_away_for_long_is_offered_the_next_turn(arena: Arena) -> None:
    """It was answered for at once all the while, so there is nothing that it has to sit out."""
    arena.session()
    bot, _ = arena.one()
    miss(arena, bot, faults=8)
    turn = next_turn(arena, bot)
    assert turn is not None
    assert the_table(arena).log.streak[player(arena, bot)] == 8


def test_the_next_hand_begins_with_a_chance(arena: Arena) -> None:
    arena.session()
    bot, _ = arena.one()
    session_hand = the_hand(arena).id
    while the_hand(arena).id == session_hand:
        turn = next_turn(arena, bot)
        assert turn is not None
        if turn["hand"] != session_hand:
            break
        arena.clock.pass_ms(MOVE + MOVE + GRACE + 1)
        arena.referee.sweep()
    turn = next_turn(arena, bot)
    assert turn is not None
    assert turn["hand_number"] == 2
    assert turn["remaining_ms"] == PROBATION
    assert the_hand(arena).log.faults == []


def test_a_restart_changes_nothing_about_it(arena: Arena) -> None:
    arena.session()
    bot, _ = arena.one()
    miss(arena, bot)
    turn = next_turn(arena, bot)
    assert turn is not None
    arena.referee.sweep()
    arena.restart(outage_ms=20_000)
    arena.clock.pass_ms(100)
    [again] = arena.referee.turns(bot)["turns"]
    assert again["turn"] == turn["turn"]
    assert (again["remaining_ms"], again["bank_ms"]) == (PROBATION - 100, 0)
    assert arena.referee.answer(bot, turn["turn"], lowest(again))["accepted"]


def test_after_a_restart_everybody_has_a_moment_to_come_back(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    bot, _ = arena.one()
    miss(arena, bot)
    others = [each for each in arena.bots.values() if each != bot]
    arena.restart()
    while bot not in {turn.bot for turn in the_hand(arena).turns.values()}:
        for other in others:
            for turn in arena.referee.turns(other)["turns"]:
                arena.referee.answer(other, turn["turn"], lowest(turn))
    arena.clock.pass_ms(6_000)
    arena.referee.sweep()
    next_turn(arena, bot, polls=False)
    assert arena.status(session) == "finished"
    causes = [entry["cause"] for entry in arena.referee.queries.ledger(bot, limit=500)["entries"]]
    assert causes[:4] == ["timeout"] * 4
    assert set(causes[4:]) == {"absent"}


def test_the_log_tells_once_that_it_begins_and_once_that_it_ends(
    arena: Arena, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "arena.referee")
    arena.session()
    bot, _ = arena.one()
    miss(arena, bot, faults=5)
    turn = next_turn(arena, bot)
    assert turn is not None
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    arena.play(at_most=20)
    lines = [record for record in caplog.records if "probation" in record.message]
    assert [line.message for line in lines] == [
        "a seat is on probation",
        "the probation of a seat has ended",
    ]
    assert {(line.fields["bot"], line.fields["table"]) for line in lines} == {  # type: ignore[attr-defined]
        (bot, "cup-r01-t01")
    }


# Whatever happens.

DEEDS = st.lists(
    st.sampled_from(["poll", "malformed", "unreadable", "refused", "silence", "good", "restart"]),
    max_size=40,
)


def fold(arena: Arena, bot: str) -> tuple[int, int, int]:
    """Streak of a bot, turns let pass and sat out, from nothing but the rows of the log."""
    streak = let_pass = sat_out = 0
    hands = list(arena.store.hands("cup-r01-t01", after=0))
    for hand in hands:
        let_pass = sat_out = 0
        seat = orjson.loads(hand.seating).index(player(arena, bot))
        for step in arena.store.steps(hand.id):
            meta: dict[str, Any] = orjson.loads(step.meta)
            if not step.turn or meta["seat"] != seat:
                continue
            cause = meta["cause"]
            if cause is None:
                streak = let_pass = sat_out = 0
                continue
            if streak >= 3:
                let_pass += cause == "timeout"
                sat_out = 0 if cause == "timeout" else sat_out + (cause == "absent")
            assert has_cause(meta, streak)
            streak += 1
    return streak, let_pass, sat_out


def has_cause(meta: dict[str, Any], streak: int) -> bool:
    """Had the referee a reason to answer for a bot?"""
    if meta["cause"] == "absent":
        return streak >= 3
    if meta["cause"] == "illegal":
        return bool(meta["refused"] >= 2)
    least_ms = PROBATION if streak >= 3 else MOVE
    return bool(
        meta["cause"] == "timeout" and meta["clock_ms"] > meta["opened_ms"] + least_ms + GRACE
    )


def do(arena: Arena, bot: str, deed: str) -> None:
    mine = [turn.id for turn in the_hand(arena).turns.values() if turn.bot == bot]
    if deed == "poll":
        arena.referee.turns(bot)
    elif deed == "malformed":
        arena.referee.malformed(bot, mine)
    elif deed == "unreadable":
        arena.referee.malformed(bot, None)
    elif deed == "silence":
        arena.clock.pass_ms(MOVE + MOVE + GRACE + 1)
        arena.referee.sweep()
    elif deed == "restart":
        arena.restart(outage_ms=7_000)
    elif mine:
        answer = lowest if deed == "good" else (lambda _: {"choice": 999})
        try:
            turn = next(t for t in arena.referee.turns(bot)["turns"] if t["turn"] == mine[0])
            arena.referee.answer(bot, turn["turn"], answer(turn))
        except ArenaError:
            assert deed == "refused"
        else:
            assert not the_table(arena).log.on_probation(player(arena, bot))


@pytest.mark.slow
@settings(max_examples=min(60, settings().max_examples), deadline=None)
@given(DEEDS)
def test_whatever_a_bot_does_its_faults_have_a_cause_and_its_standing_follows_from_the_log(
    deeds: list[str],
) -> None:
    arena = Arena()
    arena.session(hands_per_table=6, clock={"illegal_budget": 2, "bank_ms": 0})
    bot = arena.bots["bot-2"]
    others = [each for each in arena.bots.values() if each != bot]
    for deed in deeds:
        if arena.status("cup") != "running" or len(the_table(arena).log.faulty) >= 3:
            break
        do(arena, bot, deed)
        for other in others:
            for turn in arena.referee.turns(other)["turns"]:
                arena.referee.answer(other, turn["turn"], lowest(turn))
        if arena.status("cup") != "running" or the_table(arena).hand is None:
            break
        table, hand = the_table(arena), the_hand(arena)
        chances = hand.log.chances[hand.bots.index(bot)]
        live = table.log.streak[player(arena, bot)], chances.let_pass, chances.sat_out
        assert live == fold(arena, bot)
        again = Arena(arena.store, arena.clock)
        assert the_table(again).log.streak == table.log.streak
        assert the_hand(again).log.chances == hand.log.chances
        assert the_table(again).session.answered_ms == table.session.answered_ms


@pytest.mark.parametrize(
    ("clock", "move_ms", "bank_ms"),
    [
        ("x1", 5_000, 60_000),
        ("x1.5", 7_500, 90_000),
        ("x2", 10_000, 120_000),
        ("none", 3_600_000, 0),
    ],
)
def test_a_persons_time_is_a_multiple_of_the_sessions(
    clock: str, move_ms: int, bank_ms: int
) -> None:
    own = persons_time_control(TimeControl(), clock)
    assert (own.move_ms, own.bank_ms) == (move_ms, bank_ms)
    assert (own.probation_ms, own.illegal_budget) == (5_000, 1_000)
    assert (own.grace_ms, own.absent_after) == (150, 3)


def test_no_clock_is_never_less_than_the_session_gives() -> None:
    day_ms = 86_400_000
    assert persons_time_control(TimeControl(move_ms=day_ms), "none").move_ms == day_ms


def test_only_people_have_clocks_of_their_own() -> None:
    usual, people = TimeControl(), {"b-ann": "x2"}
    assert time_control_of("b-bot", usual, people) is usual
    assert time_control_of("b-ann", usual, people).move_ms == 10_000
