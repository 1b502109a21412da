"""Limits on a trick: a colour that is locked, and ranks that may not follow."""

from __future__ import annotations

from arena.rules import decide, see
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Event, Marked
from arena.wire.turns import table_fields
from tests.rules.table import after, holds, table
from tests.rules.vectors import Scene

COLOUR = {"iro_shibari": True}


def test_two_plays_of_one_colour_lock_it_until_the_clear() -> None:
    """rests: XV-iro_shibari"""
    hands = "A H5 SA S3 / B D7 H3 / C C9 HQ C4"
    scene = after(table(COLOUR, hands), "A H5, B D7, C C9 !suit_locked, C HQ, A SA !suit_locked")
    after(scene, "A pass, B pass, C C4, A SA")


def test_plays_of_two_colours_lock_nothing() -> None:
    """rests: XV-iro_shibari"""
    hands = "A H5 S3 / B S7 H3 / C D9 C4 / D CT D4"
    after(table(COLOUR, hands), "A H5, B S7, C D9, D CT")
    pairs = "A H5 S5 S3 / B H7 C7 D3 / C S9 C9 C4"
    scene = after(table(COLOUR, pairs), "A H5 S5, B H7 C7")
    assert marks(scene, "S9 C9") == []
    after(scene, "C S9 C9")


def test_a_joker_fits_every_colour_and_a_set_with_one_begins_no_lock() -> None:
    """rests: XV-iro_shibari"""
    hands = "A H5 D5 S3 / B H7 D7 D3 / C S9 JK C4 / D HT JK"
    scene = after(table(COLOUR | {"jokers": 2}, hands), "A H5 D5, B H7 D7, C S9 JK !suit_locked")
    after(scene, "C pass, D HT JK")
    scene = after(table(COLOUR, "A H5 S3 / B D7 H3 / C JK C4"), "A H5, B D7, C JK")
    holds(scene, turn="A")
    free = "A H5 JK S3 / B H7 D7 D3 / C S9 C9 C4"
    after(table(COLOUR, free), "A H5 JK, B H7 D7, C S9 C9")


def test_runs_lock_the_colour_of_their_suit() -> None:
    """rests: XV-iro_shibari"""
    hands = "A H5 H6 H7 S3 / B D6 D7 D8 C3 / C S9 ST SJ H9 HT HJ"
    after(table(COLOUR, hands), "A H5 H6 H7, B D6 D7 D8, C S9 ST SJ !suit_locked, C H9 HT HJ")


def test_a_run_with_a_joker_counts_by_its_suit_and_an_emperor_never_locks() -> None:
    """rests: XV-iro_shibari"""
    hands = "A H5 H6 JK S3 / B D6 D7 D8 C3 / C S9 ST SJ"
    after(table(COLOUR, hands), "A H5 H6 JK as H7, B D6 D7 D8, C S9 ST SJ !suit_locked")
    options = COLOUR | {"emperor": "form", "jokers": 4}
    hands = "A S3 C4 JK JK S9 / B S5 C6 JK JK S9 / C S7 H8 D9 CT C3"
    scene = after(table(options, hands), "A S3 C4 JK JK as H5 D6, B S5 C6 JK JK as H7 D8")
    assert "colour_lock" not in scene.state.trick_marks
    after(scene, "C S7 H8 D9 CT")


def test_a_spade_three_answers_a_joker_whatever_colour_is_locked() -> None:
    """rests: XV-iro_shibari AM-16"""
    options = COLOUR | {"spade_three": "clears"}
    scene = after(table(options, "A H5 S3 C4 / B D7 H3 / C JK C4"), "A H5, B D7, C JK, A S3")
    holds(scene, cleared=1, turn="A")


def test_a_queen_lifts_a_colour() -> None:
    """rests: XV-q_toki XV-iro_shibari"""
    options = COLOUR | {"q_toki": True}
    scene = after(table(options, "A H5 S3 / B D7 H3 / C DQ C4 / D SK D4"), "A H5, B D7, C DQ, D SK")
    holds(scene, turn="A")


def test_who_asks_for_the_state_of_the_table_is_told_what_it_is_limited_to() -> None:
    """rests: XV-iro_shibari XV-parity"""
    scene = after(table(COLOUR, "A H5 SA S3 / B D7 H3 / C C9 HQ C4"), "A H5, B D7")
    assert table_fields(see(scene.rules, scene.state, None))["lock"] == {"colour": "red"}
    scene = after(table({"restrict": ["odd"]}, "A C5 S3 / B D7 H3 / C C9 C4"), "A C5")
    assert table_fields(see(scene.rules, scene.state, 1))["lock"] == {"ranks": list("3579JKA")}


def test_after_a_four_only_even_ranks_follow_and_after_a_five_only_odd_ones() -> None:
    """rests: XV-parity"""
    options = {"restrict": ["even", "odd"]}
    hands = "A S4 S3 / B H9 HT H3 / C CJ C2 C4 / D JK D5"
    after(table(options, hands), "A S4, B H9 !number_locked, B HT, C CJ !number_locked, C C2, D JK")
    hands = "A S5 S3 / B HT HJ H3 / C C2 CA C4"
    after(table(options, hands), "A S5, B HT !number_locked, B HJ, C C2 !number_locked, C CA")


def test_a_limit_of_ranks_ends_with_the_clear_and_a_queen_does_not_lift_it() -> None:
    """rests: XV-parity XV-q_toki"""
    options = {"restrict": ["even"], "shibari": "full", "q_toki": True}
    hands = "A S4 S9 / B HQ H3 / C CK C4"
    scene = after(table(options, hands), "A S4, B HQ, C CK !number_locked, C pass, A pass, B H3")
    after(scene, "C CK")


def test_after_a_six_no_court_card_follows_and_two_limits_hold_together() -> None:
    """rests: XV-parity"""
    options = {"restrict": ["no_court", "even"]}
    hands = "A S6 S3 / B HJ HA H3 / C C2 C4"
    after(table(options, hands), "A S6, B HJ !number_locked, B HA, C C2")
    hands = "A S4 S3 / B D6 H3 / C HQ C8 C4 / D CA C2"
    scene = after(table(options, hands), "A S4, B D6, C HQ !number_locked, C C8")
    after(scene, "D CA !number_locked, D C2")


def test_after_a_six_under_a_revolution_a_three_may_follow() -> None:
    """rests: XV-parity"""
    options = {"restrict": ["no_court"]}
    after(table(options, "A S6 S9 / B H3 H9", revolution=True), "A S6, B H3")


def test_a_single_five_locks_its_colour_and_two_fives_lock_nothing() -> None:
    """rests: XV-parity"""
    options = {"restrict": ["five_colour"]}
    scene = after(table(options, "A S5 S3 / B H9 C9 H3 / C CJ C4"), "A S5, B H9 !suit_locked")
    assert scene.state.trick_marks == {"colour_lock": 1}
    after(scene, "B C9")
    two = table(options, "A S5 C5 S3 / B H9 D9 H3 / C CJ C4")
    assert marks(two, "S5 C5") == []
    after(two, "A S5 C5, B H9 D9")


def test_nines_on_threes_lock_red_whatever_was_locked_before() -> None:
    """rests: XV-parity"""
    options = COLOUR | {"restrict": ["hot_milk"]}
    hands = "A S3 H4 / B C9 H3 / C CJ DJ C4"
    after(table(options, hands), "A S3, B C9, C CJ !suit_locked, C DJ")
    after(table(options, "A S8 H4 / B C9 H3 / C HJ CJ C4"), "A S8, B C9, C HJ !suit_locked, C CJ")


def test_a_limit_of_ranks_leaves_the_colour_that_is_locked() -> None:
    """rests: XV-parity XV-iro_shibari"""
    options = COLOUR | {"restrict": ["odd"]}
    hands = "A H3 S3 / B D4 S4 / C H5 S6 / D C7 H7"
    after(table(options, hands), "A H3, B D4, C H5, D C7 !suit_locked, D H7")


def test_a_set_with_a_joker_limits_by_its_rank_and_a_joker_alone_by_none() -> None:
    """rests: XV-parity"""
    options = {"restrict": ["even"]}
    hands = "A S4 JK S3 / B H9 D9 H3 / C CJ C4"
    after(table(options, hands), "A S4 JK, B H9 D9 !number_locked, B pass")
    after(table(options | {"joker_return": True, "jokers": 2}, "A JK S3 / B JK H3"), "A JK, B JK")


def test_a_run_limits_nothing() -> None:
    """rests: XV-parity"""
    hands = "A S4 S5 S6 S3 / B H7 H8 H9 H3 / C CJ C4"
    scene = table({"restrict": ["even", "odd", "no_court"]}, hands)
    assert marks(scene, "S4 S5 S6") == []
    after(scene, "A S4 S5 S6, B H7 H8 H9")


def marks(scene: Scene, cards: str) -> list[Event]:
    """The marks that a play of whose turn it is would leave."""
    play = Play(scene.state.to_move, parse(cards.split()))
    return [event for event in decide(scene.rules, scene.state, play) if isinstance(event, Marked)]
