"""Turn documents: written once, and true at every moment of a hand."""

from __future__ import annotations

from random import Random

import pytest

from arena import wire
from arena.rules import legal, redact
from tests.referee.table import Arena

RULES = {"options": {"jokers": 2, "ten_discard": "on_play", "exchange_order": "together"}}
"""From the second hand on questions are open to several seats at once, and cards go from hand to
hand that only some may see."""


@pytest.fixture
def playing(arena: Arena) -> Arena:
    """A table whose rules hide much."""
    arena.session(hands_per_table=3, ruleset=RULES)
    return arena


def test_a_turn_tells_the_events_as_its_seat_may_know_them(playing: Arena) -> None:
    random, hidden = Random(3), 0
    while waiting := playing.waiting():
        for _, turn in waiting:
            since = turn["events_from"]
            hand = playing.referee._context.in_play.find_hand(turn["hand"])
            known = [redact(event, turn["seat"]) for event in hand.log.events[since:]]
            assert turn["events"] == [wire.write_event(event) for event in known]
            hidden += known != hand.log.events[since:]
        bot, turn = random.choice(waiting)
        playing.referee.answer(bot, turn["turn"], {"choice": random.randrange(len(turn["legal"]))})
    assert hidden > 3


def test_what_a_turn_lists_is_what_may_be_answered_now(playing: Arena) -> None:
    random, several = Random(4), 0
    while waiting := playing.waiting():
        several += len(waiting) > 1
        for _, turn in waiting:
            hand = playing.referee._context.in_play.find_hand(turn["hand"])
            menu = legal(hand.table.rules, hand.log.state, turn["seat"])
            assert turn["legal"] == wire.menu_entries(menu)
            assert hand.turns[turn["seat"]].menu().melds == menu.melds
        bot, turn = random.choice(waiting)
        choice = random.randrange(len(turn["legal"]))
        told = playing.referee.answer(bot, turn["turn"], {"choice": choice})
        if told["events"][0]["type"] == "played":
            assert told["events"][0]["cards"] == turn["legal"][choice]["cards"]
    assert several > 0


def test_hints_are_told_to_who_asks_for_them_whatever_was_asked_before(playing: Arena) -> None:
    bot, turn = playing.one()
    for hints in (True, False, False, True):
        [again] = playing.referee.turns(bot, hints=hints)["turns"]
        assert again["turn"] == turn["turn"]
        assert ("legal" in again) is hints


def test_a_turn_is_told_again_as_it_was_but_for_the_time(playing: Arena) -> None:
    bot, turn = playing.one()
    playing.clock.pass_ms(70)
    [again] = playing.referee.turns(bot)["turns"]
    changed = {name for name in turn if turn[name] != again[name]}
    assert changed == {"server_time", "remaining_ms"}
    assert turn["deadline"] == again["deadline"]
