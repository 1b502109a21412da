"""Settled readings AM, OR and C of one hand, each played; others stand beside their rules."""

from __future__ import annotations

import pytest

from arena.rules import resolve, see
from tests.rules.table import after, holds, table

NOW = {"kakumei": True, "kakumei_timing": "immediate"}


def test_a_jack_and_a_pending_revolution_turn_the_order_each_in_its_time() -> None:
    """The jacks reverse at once and until the clear; the revolution waits for it.

    rests: AM-03
    """
    options = {"kakumei": True, "jack_back": "trick"}
    scene = table(options, "A SJ HJ DJ CJ S3 / B HQ DQ CQ SQ H9 HT DT CT ST / C C3")
    after(scene, "A SJ HJ DJ CJ")
    holds(scene, jack=True, pending=True, revolution=False)
    after(scene, "B HQ DQ CQ SQ !too_low, B pass, C pass")
    holds(scene, jack=False, pending=False, revolution=True)


def test_a_revolution_is_answered_in_kind_within_the_trick_and_by_any_later() -> None:
    """rests: AM-09"""
    options = NOW | {"kakumei_sequence": 4}
    scene = table(options, "A S9 H9 D9 C9 S3 / B H5 H6 H7 H8 HK / C C3 C4")
    after(scene, "A S9 H9 D9 C9, B H5 H6 H7 H8 !wrong_kind, B pass, C pass, A S3")
    holds(scene, out=["A"], revolution=True)
    after(scene, "B pass, C pass, B H5 H6 H7 H8")
    holds(scene, revolution=False)


def test_a_joker_stays_the_highest_single_under_revolution_on_the_russian_page() -> None:
    """rests: AM-10 RU-28"""
    options = resolve("ru+kakumei,players=3")
    hands = "A JK S9 / B C3 H9 / C D9"
    scene = table(options, hands, "C D3", preset="ru", revolution=True)
    after(scene, "A JK, B C3 !too_low")


@pytest.mark.parametrize("timing", ["next_clear", "immediate"])
def test_a_revolution_is_public_from_the_play_on(timing: str) -> None:
    """rests: AM-11"""
    options = {"kakumei": True, "kakumei_timing": timing}
    scene = after(table(options, "A S5 H5 D5 C5 S9 / B H9"), "A S5 H5 D5 C5")
    for seat in (0, 1, None):
        view = see(scene.rules, scene.state, seat)
        assert (view.pending, view.order_reversed) == (
            (True, False) if timing == "next_clear" else (False, True)
        )


def test_four_eights_clear_and_their_revolution_is_in_force_for_the_next_lead() -> None:
    """rests: AM-18"""
    options = {"kakumei": True, "hachi_giri": True}
    scene = table(options, "A S8 H8 D8 C8 SK S9 / B HA H3")
    after(scene, "A S8 H8 D8 C8")
    holds(scene, cleared=1, turn="A", revolution=True, pending=False)
    after(scene, "A SK, B HA !too_low, B H3")


def test_an_eight_as_the_last_card_clears_and_the_next_to_the_left_leads() -> None:
    """rests: AM-20"""
    scene = table({"hachi_giri": True}, "A S8 / B H9 HK / C D9 DK", "C D7")
    holds(after(scene, "A S8"), out=["A"], cleared=1, turn="B")


def test_a_joker_does_not_beat_a_joker_unless_it_may_return() -> None:
    """rests: AM-37 XV-joker_return"""
    hands = "A JK S9 / B H9"
    after(table({"jokers": 2}, hands, "B JK"), "A JK !too_low")
    after(table({"jokers": 2, "joker_return": True}, hands, "B JK"), "A JK")


def test_six_of_a_kind_is_an_ordinary_set_unless_the_option_is_on() -> None:
    """rests: AM-35 C-7"""
    hands = "A S5 H5 D5 C5 JK JK S9 / B H9"
    play = "A S5 H5 D5 C5 JK JK"
    plain = {"max_set": 6, "jokers": 2}
    holds(after(table(plain, hands), play), cleared=0, revolution=False, turn="B")
    federation = table({"players": 2}, hands, preset="japan_league")
    holds(after(federation, play), cleared=1, revolution=True, turn="A")


def test_the_federations_top_sequence_clears() -> None:
    """rests: C-7"""
    scene = table({}, "A SK SA S2 S9 / B H9", preset="japan_league")
    holds(after(scene, "A SK SA S2"), cleared=1, turn="A")


def test_of_two_players_one_pass_clears_and_the_hand_ends_with_one_of_them() -> None:
    """rests: AM-49"""
    hands = "A S9 SK / B HT H4 / C C3"
    scene = table({}, hands.replace("C C3", "C"), out=["C"])
    holds(after(scene, "A S9, B pass"), cleared=1, turn="A")
    holds(after(scene, "A SK"), ended=True, places=["C", "A", "B"])


def test_the_others_have_their_turns_at_a_play_that_none_of_them_can_beat() -> None:
    """rests: AM-55"""
    scene = after(table({}, "A JK S9 / B H4 / C D4"), "A JK")
    holds(scene, cleared=0, turn="B")
    holds(after(scene, "B pass"), cleared=0, turn="C")


def test_those_who_still_hold_cards_rank_by_fewest_and_equals_clockwise_from_the_winner() -> None:
    """rests: RU-23 AM-53 OR-53"""
    hands = "A S9 / B HT HJ / C D4 / D CK CQ / E C3 C4 C5"
    scene = after(table({}, hands, preset="ru"), "A S9")
    holds(scene, ended=True, places=["A", "C", "B", "D", "E"])
    hands = "A HT HJ / B S9 / C D4 D5 / D C3"
    scene = after(table({}, hands, preset="ru", turn="B"), "B S9")
    holds(scene, ended=True, places=["B", "D", "C", "A"])


def test_the_triplets_that_reverse_are_of_exactly_three_cards() -> None:
    """rests: OR-14"""
    options = {"kakumei_triples": ["3"], "kakumei_timing": "immediate"}
    hands = "A S3 H3 D3 JK S9 / B H9"
    holds(after(table(options, hands), "A S3 H3 D3"), revolution=True)
    holds(after(table(options, hands), "A S3 H3 JK"), revolution=True)
    holds(after(table(options, hands), "A S3 H3 D3 JK"), revolution=False)
    holds(after(table(options, "A S3 S4 S5 S9 / B H9"), "A S3 S4 S5"), revolution=False)
    real = options | {"kakumei_joker": False}
    holds(after(table(real, hands), "A S3 H3 D3 JK"), revolution=False)


def test_a_single_joker_is_no_high_set_and_a_pair_of_jokers_is() -> None:
    """rests: OR-29 AM-42"""
    options = {"forbidden_finish": ["high_set"], "jokers": 2}
    holds(after(table(options, "A JK / B H9 HT"), "A JK"), out=["A"], fouled=[])
    holds(after(table(options, "A JK JK / B H9 HT"), "A JK JK"), fouled=["A"])


@pytest.mark.parametrize(
    ("kind", "last", "allowed"),
    [
        ("any_joker", "S5 JK", "S5 H5"),
        ("jack", "ST SJ SQ", "ST HT"),
        ("jack", "ST JK SQ", "SQ"),
        ("spade_three", "S3", "S3 H3"),
        ("eight", "S8 H8", "S9"),
    ],
)
def test_further_last_plays_may_be_forbidden(kind: str, last: str, allowed: str) -> None:
    """rests: XV-hansoku OR-30 AM-80"""
    options = {"forbidden_finish": [kind], "hachi_giri": kind == "eight"}
    holds(after(table(options, f"A {last} / B H9 HK / C DK DA"), f"A {last}"), fouled=["A"])
    holds(after(table(options, f"A {allowed} / B C9 HK / C DK DA"), f"A {allowed}"), out=["A"])


def test_the_first_lawful_finish_ends_the_hand_of_the_first_out() -> None:
    """rests: OR-32"""
    options = {"hand_end": "first_out", "forbidden_finish": ["high_set"]}
    scene = after(table(options, "A S2 / B H9 HK / C D9 DK"), "A S2")
    holds(scene, fouled=["A"], ended=False)
    after(scene, "B pass, C pass, B H9, C DK, B pass, C D9")
    holds(scene, ended=True, places=["C", "B", "A"])


def test_a_play_that_ends_the_hand_clears_nothing_and_no_revolution_begins() -> None:
    """rests: OR-45"""
    options = {"hachi_giri": True, "kakumei": True}
    scene = after(table(options, "A S8 H8 D8 C8 / B H9"), "A S8 H8 D8 C8")
    holds(scene, ended=True, cleared=0, pending=True, revolution=False)


@pytest.mark.parametrize("last", ["JK", "S8"])
def test_patches_add_to_the_forbidden_last_plays_in_whatever_order(last: str) -> None:
    """rests: C-12"""
    for order in ("no_joker_finish+hachi_giri_no_finish", "hachi_giri_no_finish+no_joker_finish"):
        options = resolve(f"pagat+{order},players=2")
        holds(after(table(options, f"A {last} / B H9"), f"A {last}"), fouled=["A"])
    alone = resolve("pagat+no_joker_finish+hachi_giri_no_finish,forbidden_finish=,players=2")
    holds(after(table(alone, f"A {last} / B H9"), f"A {last}"), fouled=[], out=["A"])


def test_who_has_passed_may_not_play_before_the_clear_where_a_pass_bars() -> None:
    """rests: XV-pass_lock PG-98"""
    scene = table({"pass_lockout": True}, "A S3 S9 / B H5 HK / C D6 D4")
    after(scene, "A S3, B pass, C D6, A S9, B HK !not_your_turn")
    holds(scene, turn="C")
    holds(after(scene, "C pass"), out=["A"], cleared=1, turn="B")


def test_a_pair_of_sixes_clears_and_no_other_number_of_them() -> None:
    """rests: XV-rokurokubi"""
    hands = "A S6 H6 D6 JK S9 / B H9"
    for play, cleared in (("S6 H6", 1), ("S6 JK", 1), ("S6", 0), ("S6 H6 D6", 0)):
        holds(after(table({"rokurokubi": True}, hands), f"A {play}"), cleared=cleared)


def test_the_spade_three_on_a_single_joker_clears_and_its_player_leads() -> None:
    """rests: XV-spade_three_clears AM-22"""
    options = {"spade_three": "clears", "jokers": 2}
    hands = "A S3 S9 / B H9 / C D9"
    holds(after(table(options, hands, "C JK"), "A S3"), cleared=1, turn="A")
    after(table(options, "A S3 H3 S9 / B H9", "B JK JK"), "A S3 H3 !too_low")
    after(table(options, "A H3 S9 / B H9", "B JK"), "A H3 !too_low")
