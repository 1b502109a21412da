"""Melds: runs beyond the 2 and below the 3, tunnels, emperors, big sets, two packs."""

from __future__ import annotations

from arena.rules import legal
from tests.rules.table import after, holds, table

TWO = {"jokers": 2}


def test_equal_runs_may_be_laid_on_equal_ones_also_where_runs_must_be_apart() -> None:
    options = {"sequence_compare": "disjoint", "equal_plays": True}
    hands = "A H5 H6 H7 H3 / B D6 D7 D8 / C C8 C9 CT"
    scene = after(table(options, hands, "C S5 S6 S7"), "A H5 H6 H7, B D6 D7 D8 !too_low")
    holds(scene, turn="B")


def test_apart_means_below_the_lowest_card_under_a_revolution() -> None:
    """rests: XV-sequence_disjoint AM-33"""
    options = {"sequence_compare": "disjoint"}
    hands = "A H6 H7 H8 H5 H4 H3 / B D3"
    scene = table(options, hands, "B S7 S8 S9", revolution=True)
    after(scene, "A H6 H7 H8 !too_low, A H5 H6 H7 !too_low, A H4 H5 H6")


def test_a_joker_above_the_two_beats_king_ace_two() -> None:
    """rests: XV-past_two OR-10 AM-32"""
    hands = "A SA S2 JK S3 / B JK H4"
    scene = table(TWO | {"sequence_past_two": True}, hands, "B HK HA H2")
    after(scene, "A SA S2 JK as SK !too_low, A SA S2 JK as JK")
    plain = table(TWO, hands, "B HK HA H2")
    after(plain, "A SA S2 JK as JK !bad_shape, A SA S2 JK !too_low")


def test_a_joker_below_the_three_is_the_top_run_under_a_revolution() -> None:
    options = TWO | {"sequence_below_three": True}
    hands = "A S3 S4 JK S9 / B H8"
    after(table(options, hands, "B H3 H4 H5", revolution=True), "A S3 S4 JK as JK")
    after(table(options, hands, "B H3 H4 H5", revolution=True), "A S3 S4 JK")
    after(table(options, hands, "B H3 H4 H5"), "A S3 S4 JK as JK !too_low")


def test_the_tunnel_is_the_lowest_run_and_the_highest_under_a_revolution() -> None:
    """rests: XV-tunnel OR-09"""
    options = {"sequence_wrap": "tunnel"}
    hands = "A SA S2 S3 S9 / B H3 H4 H5 H9"
    after(table(options, hands, "B D3 D4 D5", turn="A"), "A SA S2 S3 !too_low")
    after(table(options, hands, "B D3 D4 D5", revolution=True), "A SA S2 S3")
    after(table(options, hands, "A DA D2 D3", turn="B"), "B H3 H4 H5")


def test_a_tunnel_is_of_exactly_three_cards() -> None:
    """rests: OR-09"""
    options = {"sequence_wrap": "tunnel"}
    hands = "A SK SA S2 S3 S4 S9 / B H3"
    after(table(options, hands), "A SA S2 S3 S4 !bad_shape, A SK SA S2 S3 !bad_shape")


def test_a_pair_of_neighbours_is_a_run_where_two_cards_are_enough() -> None:
    """rests: XV-two_card_run"""
    options = {"sequence_min": 2}
    scene = table(options, "A S5 S6 S9 / B H6 JK H8 / C C9")
    after(scene, "A S5 S6, B H6 JK as H7")
    holds(scene, turn="C")


def test_a_card_and_a_joker_led_are_a_pair_unless_declared() -> None:
    """rests: AM-36"""
    options = {"sequence_min": 2}
    hands = "A S5 JK S9 / B H6 H7 C6 D6 / C C9"
    after(table(options, hands), "A S5 JK, B H6 H7 !wrong_kind, B C6 D6")
    after(table(options, hands), "A S5 JK as S6, B H6 H7")


def test_an_emperor_has_four_ranks_and_four_suits_and_reverses() -> None:
    """rests: XV-emperor OR-20 OR-15"""
    options = TWO | {"emperor": "kakumei", "kakumei_timing": "immediate"}
    hands = "A S5 H6 D7 C8 S9 / B H3 D4 C5 JK H9 / C C9"
    scene = after(table(options, hands), "A S5 H6 D7 C8")
    holds(scene, revolution=True)
    after(scene, "B H3 D4 C5 JK as S6")
    holds(scene, revolution=False)
    after(table(options, hands), "A S5 H6 D7 S9 !bad_shape")
    form = table(options | {"emperor": "form"}, hands)
    holds(after(form, "A S5 H6 D7 C8"), revolution=False)


def test_an_emperor_with_a_joker_reverses_only_if_jokers_count() -> None:
    """rests: AM-05"""
    options = {"emperor": "kakumei", "kakumei_timing": "immediate"}
    hands = "A S5 H6 D7 JK S9 / B H3"
    holds(after(table(options, hands), "A S5 H6 D7 JK"), revolution=True)
    genuine = options | {"kakumei_joker": False}
    holds(after(table(genuine, hands), "A S5 H6 D7 JK"), revolution=False)
    real = hands.replace("JK", "C8")
    holds(after(table(genuine, real), "A S5 H6 D7 C8"), revolution=True)


def test_five_of_a_kind_needs_the_option_and_is_no_match_for_four() -> None:
    """rests: AM-34"""
    hands = "A S5 H5 D5 C5 JK S9 / B H3"
    after(table({}, hands), "A S5 H5 D5 C5 JK !bad_shape")
    scene = table({"max_set": 5}, hands, "B S4 H4 D4 C4")
    after(scene, "A S5 H5 D5 C5 JK !wrong_kind, A S5 H5 D5 C5")


def test_two_packs_make_sets_of_eight_and_equal_runs() -> None:
    """rests: AM-40 PG-54 FO-33"""
    options = {"decks": 2, "jokers": 2}
    scene = table(options, "A S5 S5 H5 H5 D5 D5 C5 C5 S9 / B H6", revolution=False)
    after(scene, "A S5 S5 H5 H5 D5 D5 C5 C5")
    holds(scene, turn="B")
    runs = table(options, "A S5 S6 S7 S9 / B H6", "B S5 S6 S7")
    after(runs, "A S5 S6 S7 !too_low")


def test_jokers_alone_are_the_highest_set_and_never_a_run() -> None:
    """rests: AM-38"""
    options = {"jokers": 3, "decks": 2}
    scene = table(options, "A JK JK JK S3 / B H2 D2 C2", "B H2 D2 C2")
    after(scene, "A JK JK JK as S3 S4 S5 !bad_shape, A JK JK JK")


def test_where_jokers_are_not_wild_they_go_alone_or_together() -> None:
    options = {"jokers": 2, "joker_wild": False}
    after(table(options, "A JK JK S3 / B H2"), "A JK S3 !bad_shape, A JK JK")


def test_a_sandstorm_needs_sets_of_three_to_exist() -> None:
    """rests: XV-sunaarashi OR-16"""
    hands = "A S3 H3 D3 S9 / B H2"
    after(table({"sunaarashi": "beats"}, hands, "B D2"), "A S3 H3 D3")
    after(table({"sunaarashi": "beats", "max_set": 2}, hands, "B D2"), "A S3 H3 D3 !bad_shape")


def test_a_sandstorm_is_among_the_legal_plays_on_any_table() -> None:
    """rests: XV-sunaarashi"""
    scene = table({"sunaarashi": "clears"}, "A S3 H3 D3 S9 / B H2", "B D2")
    assert [meld.codes for meld in legal(scene.rules, scene.state, 0).melds] == [("S3", "H3", "D3")]


def test_more_cards_than_any_run_can_have_are_no_meld() -> None:
    ranks = "3456789TJQKA2"
    held = " ".join(f"{suit}{rank}" for suit in "SH" for rank in ranks)
    after(table({}, f"A {held} / B D3"), f"A {held} !bad_shape")
