"""Completing what lies on the table to four of a kind."""

from __future__ import annotations

from tests.rules.table import after, holds, listed, table

FOUR = {"complete_four": True}


def test_who_completes_the_four_clears_the_table_and_leads() -> None:
    """rests: XV-complete_four"""
    scene = after(
        table(FOUR, "A S7 S3 / B HK D4 / C H7 C7 D7 C4"), "A S7, B HK, C H7 C7 D7 !wrong_kind"
    )
    scene = after(table(FOUR, "A S7 S3 / B HK D4 / C H7 C7 D7 C4"), "A S7, B pass, C H7 C7 D7")
    holds(scene, cleared=1, turn="C", revolution=False, pending=False)
    pair = after(table(FOUR, "A S7 H7 S3 / B C7 D7 D4"), "A S7 H7, B C7 D7")
    holds(pair, cleared=1, turn="B")


def test_fewer_or_more_than_the_missing_cards_do_not_fit() -> None:
    """rests: XV-complete_four"""
    hands = "A S7 S3 / B H7 C7 D7 D4"
    after(table(FOUR, hands), "A S7, B H7 !too_low, B H7 C7 !wrong_kind, B D4 !too_low")
    two = FOUR | {"decks": 2}
    scene = table(two, "A S7 H7 S3 / B S7 H7 C7 D4")
    after(scene, "A S7 H7, B S7 H7 C7 !wrong_kind, B S7 C7")
    holds(scene, cleared=1)


def test_a_joker_on_the_table_counts_as_its_rank_and_one_in_the_hand_completes_nothing() -> None:
    """rests: XV-complete_four"""
    hands = "A S7 JK S3 / B H7 C7 D4"
    holds(after(table(FOUR, hands), "A S7 JK, B H7 C7"), cleared=1, turn="B")
    hands = "A S7 H7 S3 / B C7 JK D4"
    after(table(FOUR, hands), "A S7 H7, B C7 JK !too_low")
    jokers = table(FOUR | {"jokers": 4, "max_set": 4}, "A JK JK S3 / B JK JK D4")
    after(jokers, "A JK JK, B JK JK !too_low")


def test_equal_plays_of_one_rank_add_up() -> None:
    """rests: XV-complete_four"""
    options = FOUR | {"equal_plays": True}
    scene = after(table(options, "A S7 S3 / B H7 D4 / C C7 D7 C4"), "A S7, B H7, C C7 D7")
    holds(scene, cleared=1, turn="C")
    scene = after(table(options, "A S7 S3 / B H7 D4 / C C7 C4 / D D7 D5"), "A S7, B H7, C C7, D D7")
    holds(scene, cleared=1, turn="D")
    other = after(
        table(options, "A S7 S3 / B H8 D4 / C C8 D8 C4"), "A S7, B H8, C C8 D8 !wrong_kind"
    )
    holds(other, cleared=0)


def test_the_four_is_completed_whatever_is_locked() -> None:
    """rests: XV-complete_four"""
    options = FOUR | {"shibari": "full", "suu_shibari": True}
    scene = table(options, "A H7 C7 D7 C4 / B C3", "B S7", lock=["S"], number_lock=True)
    holds(after(scene, "A H7 C7 D7"), cleared=1, turn="A")


def test_nobody_completes_a_four_out_of_turn() -> None:
    """rests: XV-complete_four"""
    hands = "A S7 S3 / B HK D4 / C H7 C7 D7 C9"
    after(table(FOUR, hands), "A S7, C H7 C7 D7 !not_your_turn, B pass, C H7 C7 D7")


def test_completing_as_the_last_play_is_a_finish_like_any_other() -> None:
    """rests: XV-complete_four"""
    scene = after(table(FOUR, "A S7 H7 S3 / B C7 D7 / C C4 C5"), "A S7 H7, B C7 D7")
    holds(scene, out=["B"], cleared=1, turn="C")
    refused = FOUR | {"forbidden_finish": ["high_set"], "forbidden_effect": "refuse"}
    hands = "A S2 H2 S3 / B C2 D2 / C C4 C5"
    after(table(refused, hands), "A S2 H2, B C2 D2 !forbidden_finish")


def test_a_run_completes_no_four_and_where_four_lie_nothing_is_missing() -> None:
    """rests: XV-complete_four"""
    options = {"complete_four": True}
    after(table(options, "A S5 S6 S7 S9 / B H3", "B H5"), "A S5 S6 S7 !wrong_kind")
    assert listed(table(options, "A S6 S9 / B H3", "B S5 H5 D5 C5")) == []


def test_a_four_is_completed_by_no_more_cards_than_a_set_may_have() -> None:
    """rests: XV-complete_four"""
    pairs = FOUR | {"max_set": 2}
    hands = "A H5 C5 D5 S6 / B H3"
    assert listed(table(pairs, "A C5 D5 S6 H7 / B H3", "B S5 H5")) == ["D5 C5"]
    scene = table(pairs, hands, "B S5")
    assert listed(scene) == ["S6"]
    after(scene, "A H5 C5 D5 !bad_shape")
    single = FOUR | {"max_set": 1, "equal_plays": True}
    scene = table(single, "A D5 S9 / B H4", "B S5, A H5, B C5")
    holds(after(scene, "A D5"), cleared=1, turn="A")


def test_a_run_of_the_rank_below_the_sets_does_not_count() -> None:
    """rests: XV-complete_four XV-sunaarashi"""
    options = FOUR | {"sunaarashi": "beats", "decks": 2}
    scene = table(options, "A H3 S9 / B H4 / C D9 CJ", "B H3 H4 H5, C S3 D3 C3")
    holds(after(scene, "A H3"), cleared=1, turn="A")
