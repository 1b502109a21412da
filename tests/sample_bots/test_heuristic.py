"""What the heuristic bot decides in situations that a player would call clear."""

from __future__ import annotations

from typing import Any

import pytest

from arena.client import Turn, cards
from sample_bots.heuristic import Heuristic, Rules, Situation, plan
from tests.sample_bots.turns import following, leading, turn

PASS = {"pass": True}


def decide(situation: Turn, **options: Any) -> Any:
    bot = Heuristic()
    bot.on_session({"id": "cup", "ruleset": {"resolved": options}})
    return bot.answer(situation)


def play(text: str) -> dict[str, list[str]]:
    return {"cards": text.split()}


# Keeping together what belongs together


def test_a_pair_is_not_broken_for_a_low_single() -> None:
    situation = following("H5", "S7 D7 S9 CJ CQ HK", "S7", "D7", "S9")
    assert decide(situation) == play("S9")


def test_a_run_is_not_broken_for_a_single() -> None:
    situation = following("H3", "S4 S5 S6 D8 HT CQ CA", "S4", "S5", "S6", "D8")
    assert decide(situation) == play("D8")


def test_a_hand_is_cut_into_as_few_melds_as_possible() -> None:
    held = tuple(cards.sort_cards(["S5", "S6", "S7", "D7", "C7", "HK"]))
    assert {frozenset(meld) for meld in plan(held, "normal", Rules())} == {
        frozenset({"S5", "S6", "S7"}),
        frozenset({"D7", "C7"}),
        frozenset({"HK"}),
    }


def test_weak_cards_are_led_before_strong_ones() -> None:
    assert decide(leading("S3 D9 HA C2"))["cards"] == ["S3"]


# Saving and passing on purpose


@pytest.mark.parametrize("high", ["C2", "JK"])
def test_the_strongest_single_is_saved_while_all_hold_many_cards(high: str) -> None:
    held = f"S3 D3 D5 H6 C8 C9 HJ SQ {high}"
    assert decide(following("HK", held, high)) == PASS


def test_the_strongest_single_is_played_when_somebody_is_about_to_go_out() -> None:
    held = "S3 D3 D5 H6 C8 C9 HJ SQ C2"
    assert decide(following("HK", held, "C2", others=(1, 9, 9))) == play("C2")


def test_an_eight_that_clears_the_table_is_saved_and_a_plain_eight_is_played() -> None:
    held = "S3 D3 D5 H6 C8 HT HJ SQ SK"
    assert decide(following("H7", held, "C8", "HT"), hachi_giri=True) != play("C8")
    assert decide(following("H7", held, "C8", "HT")) == play("C8")


# Revolution and locks


def test_under_a_revolution_the_2_is_the_weak_card() -> None:
    assert decide(leading("S3 D9 HA C2", order="reversed")) == play("C2")


def test_a_waiting_revolution_is_planned_for() -> None:
    held = "S3 D3 D5 H6 C8 HT HJ SQ C2"
    saved = following("HK", held, "C2", pending_revolution=False)
    spent = following("HK", held, "C2", pending_revolution=True)
    assert decide(saved) == PASS
    assert decide(spent) == play("C2")


def test_a_revolution_is_started_with_a_hand_of_low_cards_and_not_with_high_ones() -> None:
    four = "S6 H6 D6 C6"
    low, high = f"{four} S3 D3 H4 C4 H5 D7", f"{four} S2 D2 HA CA HK DQ"
    options = {"kakumei": True, "kakumei_timing": "immediate"}
    assert decide(leading(low), **options) == play("S6 H6 D6 C6")
    assert decide(leading(high), **options) != play("S6 H6 D6 C6")


def test_under_a_lock_the_highest_card_left_in_the_suit_is_known_to_win() -> None:
    held = "S3 D4 SA S2 JK"
    free = following("SK", held, "SA", others=(3, 9, 9))
    locked = following("SK", held, "SA", lock={"suits": "S"}, others=(3, 9, 9))
    assert Situation(locked, Rules()).wins(play("SA")) == 1.0
    assert Situation(free, Rules()).wins(play("SA")) < 0.9


# The end of a hand


def test_the_last_cards_are_played_as_soon_as_they_may_be() -> None:
    assert decide(following("HK", "C2", "C2")) == play("C2")


def test_the_winner_is_played_before_the_last_weak_card() -> None:
    assert decide(leading("S4 JK")) == play("JK")


def test_a_card_is_not_led_that_lets_a_player_with_one_card_out() -> None:
    assert decide(leading("S9 D4 H4", others=(1, 1, 1))) == play("H4 D4")


def test_a_forbidden_last_card_is_played_before_it_is_the_last() -> None:
    held = "S4 H4 C2"
    assert decide(leading(held), forbidden_finish=["high_set"])["cards"] == ["C2"]


def test_a_forbidden_finish_is_not_made_if_there_is_a_way_round() -> None:
    situation = following("HK", "C2", "C2")
    assert decide(situation, forbidden_finish=["high_set"]) == PASS


# Spade three


def test_the_spade_three_beats_the_joker() -> None:
    situation = following("JK", "S3 D5 H6 C9", "S3")
    assert decide(situation, spade_three="clears") == play("S3")


# Other questions


def test_it_gives_away_what_the_hand_is_lightest_without() -> None:
    held = "S5 S6 S7 D4 DK HK C2"
    legal = [play(card) for card in held.split()]
    assert decide(turn(held, legal, kind="give", pile=None)) == play("D4")


def test_it_throws_away_as_much_as_it_may_but_no_winner() -> None:
    held = "D4 H9 C2"
    legal = [play(""), *(play(card) for card in held.split())]
    assert decide(turn(held, legal, kind="discard", pile=None)) == play("D4")


def test_it_asks_for_the_strongest_and_names_what_it_holds_and_does_not_need() -> None:
    ask = [{"ask": []}, {"ask": ["5"]}, {"ask": ["2"]}, {"ask": ["JK"]}]
    assert decide(turn("D4 H9", ask, kind="ask", pile=None)) == {"ask": ["JK"]}
    name = [{"name": [rank]} for rank in "492"]
    assert decide(turn("D4 H4 S9 C2", name, kind="name", pile=None)) == {"name": ["4"]}


@pytest.mark.slow
def test_even_the_biggest_choice_does_not_ask_for_endless_plans() -> None:
    plan.cache_clear()
    assert decide(leading(" ".join(cards.PACK[:18])))["cards"]
    assert plan.cache_info().misses < 10_000
