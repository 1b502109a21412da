"""Deadlines, bank, grace, refused answers, absent and withdrawn bots."""

from __future__ import annotations

import orjson
import pytest

from arena.errors import BadInput, Gone, Refused
from tests.referee.table import Arena, lowest

MOVE, BANK, GRACE = 5_000, 60_000, 150


def test_a_turn_document_tells_the_clock(arena: Arena) -> None:
    arena.session()
    arena.clock.pass_ms(1_000)
    _, turn = arena.one()
    assert turn["remaining_ms"] == MOVE - 1_000
    assert turn["server_time"] < turn["deadline"]
    assert turn["previous"] is None
    arena.first_lap()
    _, turn = arena.one()
    assert turn["bank_ms"] == BANK


def test_within_the_grace_an_answer_is_taken_and_after_it_it_is_not(arena: Arena) -> None:
    arena.session()
    arena.first_lap()
    bot, turn = arena.one()
    arena.clock.pass_ms(MOVE + BANK + GRACE)
    assert arena.referee.answer(bot, turn["turn"], {"choice": 0})["accepted"]
    bot, turn = arena.one()
    arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
    with pytest.raises(Gone, match="timeout"):
        arena.referee.answer(bot, turn["turn"], {"choice": 0})


def test_a_passed_deadline_is_expired_by_whoever_looks_first(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
    assert arena.referee.sweep() == 1
    assert arena.referee.sweep() == 0
    with pytest.raises(Gone, match="the referee answered with") as caught:
        arena.referee.answer(bot, turn["turn"], {"choice": 0})
    assert "played" in caught.value.detail


def test_what_a_move_takes_beyond_its_time_is_drawn_from_the_bank(arena: Arena) -> None:
    arena.session()
    bot, turn = arena.one()
    arena.clock.pass_ms(GRACE + MOVE + 2_000)
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    arena.restart()
    again = _next_turn_of(arena, bot)
    assert again["bank_ms"] == BANK - 2_000
    assert again["previous"] == {"charged_ms": MOVE + 2_000, "late": True}
    arena.clock.pass_ms(GRACE + 40)
    arena.referee.answer(bot, again["turn"], lowest(again))
    quick = _next_turn_of(arena, bot)
    assert quick["bank_ms"] == BANK - 2_000
    assert quick["previous"] == {"charged_ms": 40, "late": False}


def test_with_the_bank_spent_only_the_move_time_is_left(arena: Arena) -> None:
    arena.session()
    bot, _ = arena.one()
    arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
    arena.referee.sweep()
    assert _next_turn_of(arena, bot)["remaining_ms"] == MOVE


def test_after_absent_after_faults_in_a_row_nobody_waits_for_the_bot(arena: Arena) -> None:
    """The bot never polls: its first three turns time out, all others are answered at once."""
    session = arena.session(hands_per_table=1)
    ghost = arena.bots.pop("bot-1")
    for _ in range(500):
        if arena.status(session) == "finished":
            break
        if not arena.play():
            arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
            arena.referee.sweep()
    causes = _causes(arena, session, ghost)
    assert causes[:3] == ["timeout"] * 3
    assert set(causes[3:]) == {"absent"}
    assert len(causes) > 4


def test_an_absent_bot_is_waited_for_again_when_it_polls_and_answers(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    ghost = arena.bots.pop("bot-1")
    while "absent" not in _causes(arena, session, ghost):
        if not arena.play(at_most=1):
            arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
            arena.referee.sweep()
    arena.restart()
    known = len(_causes(arena, session, ghost))
    arena.bots["bot-1"] = ghost
    arena.play()
    assert arena.status(session) == "finished"
    assert len(_causes(arena, session, ghost)) == known


def test_a_spent_budget_of_refused_answers_is_answered_for(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 3})
    bot, turn = arena.one()
    for _ in range(2):
        with pytest.raises(BadInput):
            arena.referee.answer(bot, turn["turn"], {"cards": ["X1"]})
    arena.restart()
    arena.referee.turns(bot)
    for _ in range(2):
        with pytest.raises(BadInput):
            arena.referee.answer(bot, turn["turn"], {"cards": ["X1"]})
    with pytest.raises(BadInput, match="budget of 3"):
        arena.referee.answer(bot, turn["turn"], {"cards": ["X1"]})
    with pytest.raises(Gone, match="illegal"):
        arena.referee.answer(bot, turn["turn"], {"choice": 0})


def test_the_budget_is_one_for_a_whole_hand_and_survives_a_restart(arena: Arena) -> None:
    arena.session(clock={"illegal_budget": 3})
    bot, turn = arena.one()
    for _ in range(2):
        with pytest.raises(Refused):
            arena.referee.answer(bot, turn["turn"], {"pass": True})
    arena.referee.answer(bot, turn["turn"], lowest(turn))
    arena.restart()
    again = _next_turn_of(arena, bot)
    with pytest.raises(BadInput, match="budget"):
        arena.referee.answer(bot, again["turn"], {"choice": 10_000})


def test_a_bot_that_failed_is_last_in_that_hand(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    bot, _ = arena.one()
    arena.clock.pass_ms(MOVE + BANK + GRACE + 1)
    arena.referee.sweep()
    arena.play()
    table = arena.referee.queries.tables(session)["tables"][0]
    result = arena.referee.queries.table(table["table"])["hands"][0]["result"]
    last = table["players"][result["places"][-1]]["bot"]
    assert last == bot
    assert [fault["cause"] for fault in result["faults"]] == ["timeout"]
    assert sorted(result["game"]) == sorted(result["places"])


def test_after_three_faulty_hands_the_rest_of_the_table_is_forfeited(arena: Arena) -> None:
    session = arena.session(hands_per_table=6, clock={"bank_ms": 0, "absent_after": 1})
    ghost = arena.bots.pop("bot-2")
    while arena.status(session) != "finished":
        if not arena.play():
            arena.clock.pass_ms(MOVE + GRACE + 1)
            arena.referee.sweep()
    table = arena.referee.queries.tables(session)["tables"][0]
    hands = arena.referee.queries.table(table["table"])["hands"]
    assert [hand["status"] for hand in hands] == ["finished"] * 3 + ["forfeited"] * 3
    for hand in hands:
        last = hand["result"]["places"][-1]
        assert table["players"][last]["bot"] == ghost
    assert hands[-1]["result"]["finish"] == [1, 1, 1, 4]
    rows = arena.referee.queries.standings(session)["groups"][0]["rows"]
    assert rows[-1]["bot"] == ghost
    assert rows[-1]["forfeits"] == 3


def test_a_withdrawn_bot_is_answered_for_at_once(arena: Arena) -> None:
    session = arena.session(hands_per_table=1)
    bot, turn = arena.one()
    assert arena.referee.leave(session, bot)["status"] == "withdrawn"
    with pytest.raises(Gone, match="withdrawn"):
        arena.referee.answer(bot, turn["turn"], {"choice": 0})
    arena.restart()
    arena.play()
    assert arena.status(session) == "finished"
    assert set(_causes(arena, session, bot)) == {"withdrawn"}


def test_a_disqualified_bot_is_replaced_by_a_house_bot_in_later_rounds(arena: Arena) -> None:
    session = arena.session(4, schedule={"rounds": 2})
    bot = arena.bots["bot-3"]
    arena.referee.disqualify(session, "bot-3", "admin")
    arena.play()
    assert arena.status(session) == "finished"
    names = [
        {player["name"] for player in table["players"]}
        for table in arena.referee.queries.tables(session)["tables"]
    ]
    assert "bot-3" in names[0]
    assert names[1] == {"bot-1", "bot-2", "bot-4", "house-1"}
    rows = arena.referee.queries.standings(session)["groups"][0]["rows"]
    assert next(row for row in rows if row["bot"] == bot)["withdrawn"]


def test_house_bots_fill_tables_and_make_no_faults(arena: Arena) -> None:
    session = arena.session(6, schedule={"rounds": 3, "house_bots": True}, hands_per_table=1)
    arena.play()
    assert arena.status(session) == "finished"
    for table in arena.referee.queries.tables(session)["tables"]:
        for hand in arena.referee.queries.table(table["table"])["hands"]:
            assert hand["result"]["faults"] == []


def test_pause_freezes_the_clocks_and_resume_gives_the_same_time(arena: Arena) -> None:
    session = arena.session()
    arena.clock.pass_ms(700)
    _, before = arena.one()
    arena.referee.set_session(session, "pause", "admin")
    assert arena.waiting() == []
    arena.clock.pass_ms(3_600_000)
    arena.restart(outage_ms=5_000)
    assert arena.referee.sweep() == 0
    assert arena.waiting() == []
    arena.referee.set_session(session, "resume", "admin")
    _, after = arena.one()
    assert after["turn"] == before["turn"]
    assert after["remaining_ms"] == before["remaining_ms"]
    arena.play()
    assert arena.status(session) == "finished"


def test_a_pause_does_not_lose_an_answer_that_is_under_way(arena: Arena) -> None:
    session = arena.session()
    bot, turn = arena.one()
    arena.referee.set_session(session, "pause", "admin")
    assert arena.referee.answer(bot, turn["turn"], {"choice": 0})["accepted"]
    assert arena.waiting() == []
    cursor = arena.referee.turns(bot)["cursor"]
    arena.referee.set_session(session, "resume", "admin")
    bot, turn = arena.one()
    assert arena.referee.turns(bot, cursor)["turns"]


def test_an_outage_is_credited_to_every_open_clock(arena: Arena) -> None:
    arena.session()
    arena.clock.pass_ms(900)
    arena.referee.sweep()
    _, before = arena.one()
    arena.restart(outage_ms=86_400_000)
    assert arena.referee.sweep() == 0
    _, after = arena.one()
    assert after["remaining_ms"] == before["remaining_ms"]


def test_the_time_since_the_last_beat_is_all_that_an_outage_can_give(arena: Arena) -> None:
    arena.session()
    arena.referee.sweep()
    arena.clock.pass_ms(1_000)
    arena.referee.sweep()
    arena.clock.pass_ms(400)
    _, before = arena.one()
    arena.restart()
    _, after = arena.one()
    assert after["remaining_ms"] == before["remaining_ms"] + 400


def test_two_outages_are_both_credited(arena: Arena) -> None:
    arena.session()
    _, before = arena.one()
    for _ in range(3):
        arena.restart(outage_ms=50_000)
    _, after = arena.one()
    assert after["remaining_ms"] == before["remaining_ms"]


def _next_turn_of(arena: Arena, bot: str) -> dict:
    """Play the others until this bot is asked again."""
    while True:
        waiting = arena.waiting()
        mine = next((turn for each, turn in waiting if each == bot), None)
        if mine is not None:
            return mine
        other, turn = waiting[0]
        arena.referee.answer(other, turn["turn"], lowest(turn))


def _causes(arena: Arena, session: str, bot: str) -> list[str]:
    causes = []
    for table in arena.referee.queries.tables(session)["tables"]:
        for hand in arena.referee.queries.table(table["table"])["hands"]:
            seat = [
                player["bot"] for player in arena.referee.queries.hand(hand["hand"])["seats"]
            ].index(bot)
            for step in arena.store.steps(hand["hand"]):
                command = orjson.loads(step.command)
                if command["type"] == "expire" and command["seat"] == seat:
                    causes.append(command["cause"])
    return causes
