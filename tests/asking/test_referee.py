"""The referee: one bot, one turn at a time, in the referee's words."""

from __future__ import annotations

import time
from dataclasses import replace
from random import Random

import pytest

from arena.asking import BadAnswer, GivenTurn
from arena.asking.referee import AskingReferee
from arena.errors import BadInput, Conflict, Forbidden, Gone, NotFound, Refused
from arena.game import Position
from arena.rules.cards import parse
from arena.rules.commands import Pass, Play
from arena.rules.events import Played, ToMove
from arena.statuses import SessionStatus
from arena.web.api.validation import load_schemas
from tests.referee.table import Arena

RULES = "pagat,players=2,suits=S,jokers=0"
LEAD = f"daifugo/1 {RULES} seat=0 move=0 held=S3S6SA/3 gone=S4S8STSQS5S7S9 dealer=1"
BEAT = f"daifugo/1 {RULES} seat=0 move=0 held=S3S6SA/2 trick=1:SK gone=S4S8STSQS5S7S9 dealer=1"
CLOCK = {"move_ms": 5_000, "bank_ms": 1_000, "grace_ms": 150}


def given(line=LEAD, **more):
    """The turn of a position."""
    return replace(GivenTurn.of_position(Position.parse(line), Random(1)), **more)


def made(*, seconds=time.monotonic, **members):
    """A referee for games of this pack."""
    return AskingReferee(
        {"name": "asked", "ruleset": RULES, **members}, name="alice", seconds=seconds
    )


@pytest.fixture(scope="module")
def shared():
    referee = made()
    yield referee
    referee.stop()


@pytest.fixture
def referee(shared):
    """One referee for many tests: a turn that a test leaves open is withdrawn."""
    yield shared
    shared.take_back()


@pytest.fixture
def fresh():
    """A referee of its own, and a time that passes only when the test says so."""
    referee = made(clock=CLOCK, seconds=lambda: now[0])
    now = referee.now = [100.0]
    yield referee
    referee.stop()


def asked(referee, turn=None):
    """The id of a turn that the bot has got."""
    referee.offer(turn or given())
    [document] = referee.turns(referee.bot)["turns"]
    return document["turn"]


def reply(referee):
    """What the bot made of the last turn."""
    return referee.reply_within(0)


def test_a_turn_document_is_one_that_a_referee_could_have_sent(referee):
    referee.offer(given(BEAT))
    [document] = referee.turns(referee.bot)["turns"]
    assert load_schemas().faults("turn", document) == []
    arena = Arena()
    arena.session()
    real = next(turn for bot in arena.bots.values() for turn in arena.referee.turns(bot)["turns"])
    assert document.keys() == real.keys() | {"position"}
    assert document["position"] == str(Position.parse(BEAT))
    assert document["held"] == ["S3", "S6", "SA"]
    assert document["pile"]["cards"] == ["SK"]
    assert document["legal"] == [{"pass": True}, {"cards": ["SA"]}]
    assert [player["held"] for player in document["players"]] == [3, 2]
    assert document["players"][0]["name"] == "alice"
    arena.referee.stop()


def test_an_answer_is_accepted_with_what_follows_from_it_and_changes_nothing(referee):
    turn = asked(referee)
    said = referee.answer(referee.bot, turn, {"cards": ["SA"]})
    assert said["accepted"]
    assert not said["replayed"]
    assert said["events"][0]["type"] == "played"
    assert reply(referee).answer == Play(0, parse(["SA"]))
    assert reply(referee).body == {"cards": ["SA"]}
    assert reply(referee).ms >= 0
    again = asked(referee)
    assert again != turn
    assert referee.turns(referee.bot)["turns"][0]["held"] == ["S3", "S6", "SA"]


def test_the_same_answer_again_is_replayed_and_another_one_is_a_conflict(referee):
    turn = asked(referee)
    first = referee.answer(referee.bot, turn, {"cards": ["S3"]})
    assert referee.answer(referee.bot, turn, {"choice": 0}) == {**first, "replayed": True}
    with pytest.raises(Conflict, match="answered otherwise"):
        referee.answer(referee.bot, turn, {"cards": ["S6"]})


def test_a_refused_answer_is_noted_and_the_turn_stays_open(referee):
    turn = asked(referee, given(BEAT))
    with pytest.raises(Refused, match="does not beat SK"):
        referee.answer(referee.bot, turn, {"cards": ["S6"]})
    with pytest.raises(BadInput, match="member"):
        referee.answer(referee.bot, turn, {"play": "SA"})
    assert referee.is_open(referee.bot, turn)
    assert referee.example(referee.bot, turn) == {"pass": True}
    referee.answer(referee.bot, turn, {"pass": True})
    assert reply(referee).answer == Pass(0)
    assert [bad.body for bad in reply(referee).refused] == [{"cards": ["S6"]}, {"play": "SA"}]
    assert not referee.is_open(referee.bot, turn)


def test_with_the_budget_of_refused_answers_spent_the_turn_is_over(referee):
    turn = asked(referee)
    referee.malformed(referee.bot, [turn])
    for _ in range(3):
        with pytest.raises(Refused):
            referee.answer(referee.bot, turn, {"cards": ["S9"]})
    with pytest.raises(Refused, match="the referee has answered"):
        referee.answer(referee.bot, turn, {"cards": ["S9"]})
    assert reply(referee).answer is None
    assert reply(referee).trouble == "the budget of 5 refused answers is spent"
    assert reply(referee).refused[0] == BadAnswer(None, "it could not be read as an answer")
    with pytest.raises(Gone):
        referee.answer(referee.bot, turn, {"cards": ["S3"]})


def test_after_the_deadline_no_answer_is_taken(fresh):
    turn = asked(fresh)
    fresh.now[0] += 6
    assert fresh.turns(fresh.bot)["turns"][0]["bank_ms"] == 0
    assert reply(fresh) is None
    fresh.now[0] += 0.2
    assert reply(fresh).trouble == "no answer within 6.15 s"
    with pytest.raises(Gone, match="too late"):
        fresh.answer(fresh.bot, turn, {"cards": ["S3"]})
    assert fresh.turns(fresh.bot)["turns"] == []


def test_the_deadline_counts_from_the_first_poll_and_the_time_from_when_a_turn_was_sent(fresh):
    fresh.offer(given())
    fresh.now[0] += 60
    assert reply(fresh) is None
    [document] = fresh.turns(fresh.bot)["turns"]
    assert (document["remaining_ms"], document["bank_ms"]) == (5_000, 1_000)
    fresh.now[0] += 0.25
    fresh.answer(fresh.bot, document["turn"], {"cards": ["S3"]})
    assert reply(fresh).ms == 250


def test_one_turn_is_asked_at_a_time_and_only_the_bot_may_answer_it(referee):
    turn = asked(referee)
    with pytest.raises(Conflict, match="another turn"):
        referee.offer(given())
    other = referee.queries.session(referee.session, staff=True)["entries"][1]["bot"]
    assert referee.turns(other)["turns"] == []
    with pytest.raises(Forbidden):
        referee.answer(other, turn, {"cards": ["S3"]})
    with pytest.raises(NotFound):
        referee.answer(referee.bot, "no such turn", {"cards": ["S3"]})
    [result] = referee.answer_many(referee.bot, [{"turn": turn, "cards": ["S3"]}])
    assert (result["turn"], result["status"]) == (turn, 200)


def test_a_cursor_leaves_out_what_was_sent_already(referee):
    referee.offer(given())
    polled = referee.turns(referee.bot)
    assert referee.turns(referee.bot, polled["cursor"])["turns"] == []
    assert referee.turns(referee.bot)["turns"][0]["turn"] == polled["turns"][0]["turn"]


def test_the_log_of_the_hand_is_what_the_seat_may_know_of_it(referee):
    meld = given(BEAT).state.pile
    before = (ToMove(1), Played(1, meld), ToMove(0))
    turn = asked(referee, given(BEAT, events=before, since=2, hand=7))
    [document] = referee.turns(referee.bot)["turns"]
    assert document["hand_number"] == 7
    assert [event["type"] for event in document["events"]] == ["to_move"]
    log = referee.hand_events(document["hand"], referee.bot)
    assert [event["type"] for event in log["events"]] == ["to_move", "played", "to_move"]
    assert not log["over"]
    referee.answer(referee.bot, turn, {"pass": True})
    log = referee.hand_events(document["hand"], referee.bot, after=3)
    assert log["events"][0] == {"type": "passed", "seat": 0, "barred": False}
    assert not log["over"]
    asked(referee, given(hand=8))
    assert referee.hand_events(document["hand"], referee.bot)["over"]
    with pytest.raises(NotFound):
        referee.hand_events("no such hand", referee.bot)


def test_a_session_that_gives_no_legal_answers_takes_no_choice():
    referee = made(legal=False)
    turn = asked(referee)
    assert "legal" not in referee.turns(referee.bot)["turns"][0]
    assert referee.example(referee.bot, turn) is None
    with pytest.raises(BadInput, match="no legal answers"):
        referee.answer(referee.bot, turn, {"choice": 0})
    referee.stop()


def test_the_session_runs_with_the_first_poll_and_ends_when_it_is_finished(fresh):
    def status():
        return fresh.queries.session(fresh.session)["status"]

    assert status() == SessionStatus.OPEN
    fresh.turns(fresh.bot)
    assert status() == SessionStatus.RUNNING
    fresh.finish()
    assert status() == SessionStatus.CANCELLED
    assert fresh.turns(fresh.bot, wait_ms=30_000)["turns"] == []
