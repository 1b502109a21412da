"""Locks of suits and ranks, with jokers of all kinds."""

from __future__ import annotations

import pytest

from arena.errors import Refused
from arena.rules import decide
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Marked
from tests.rules.table import after, holds, table

FULL = {"shibari": "full", "jokers": 2}
KATA = {"shibari": "kata", "jokers": 2}


def test_a_joker_that_names_its_suit_begins_a_lock() -> None:
    """rests: AM-14"""
    scene = table(FULL | {"joker_lock": "full"}, "A S7 JK S3 / B H8 D8 / C C8 S8 H9", "C S5 H5")
    after(scene, "A S7 JK as H7")
    holds(scene, lock={"S": 1, "H": 1})
    after(scene, "B H8 D8 !suit_locked")


def test_where_jokers_only_satisfy_a_declared_one_begins_no_lock_and_adds_none() -> None:
    """rests: AM-14"""
    hands = "A S7 JK S3 / B H8 D8 / C C8 S8"
    holds(after(table(FULL, hands, "C S5 H5"), "A S7 JK as H7"), lock=None)
    holds(after(table(KATA, hands, "C S5 H5"), "A S7 JK as H7"), lock={"S": 1})


def test_pairs_with_jokers_begin_no_lock_where_jokers_only_satisfy_or_are_outside() -> None:
    """rests: AM-14 OR-11"""
    hands = "A S7 JK S3 / B H8 D8 / C C8 S8"
    holds(after(table(FULL, hands, "C S5 JK"), "A S7 JK"), lock=None)
    pairs = after(table(FULL, hands, "C S5 JK"), "A S7 JK")
    assert "suit_lock" not in pairs.state.trick_marks
    outside = KATA | {"joker_lock": "none"}
    holds(after(table(outside, hands, "C S5 H5"), "A S7 JK"), lock=None)


def test_a_joker_outside_the_lock_stands_for_no_suit_and_one_that_names_it_does() -> None:
    """rests: AM-13 OR-11"""
    hands = "A S7 D7 JK S3 / B H8 D8"
    outside = {"joker_lock": "none"}
    after(table(FULL | outside, hands, "B S5 H5", lock=["S", "H"]), "A S7 JK !suit_locked")
    after(table(KATA | outside, hands, "B S5 H5", lock=["S"]), "A D7 JK !suit_locked")
    named = table(FULL | {"joker_lock": "full"}, hands, "B S5 H5", lock=["S", "H"])
    holds(after(named, "A S7 JK as D7 !suit_locked, A S7 JK as H7"), turn="B")


def test_a_joker_does_not_bring_a_run_of_another_suit_into_the_lock() -> None:
    """rests: AM-15"""
    scene = table(FULL, "A H7 JK H9 S7 S9 / B H3 H4", "B S4 S5 S6", lock=["S"])
    after(scene, "A H7 JK H9 as H8 !suit_locked, A S7 JK S9 as S8")


def test_threes_on_a_run_share_no_suit_with_it_where_runs_do_not_lock() -> None:
    """rests: PG-76"""
    options = KATA | {"shibari_sequences": False, "sunaarashi": "beats"}
    scene = table(options, "A S3 H3 D3 S9 / B H7 D6", "B S4 S5 S6")
    holds(after(scene, "A S3 H3 D3"), lock=None)


def test_a_colour_that_a_five_locked_is_refused_in_the_name_of_its_option() -> None:
    """rests: XV-parity"""
    scene = after(table({"restrict": ["five_colour"]}, "A S5 S3 / B H7 C9"), "A S5")
    with pytest.raises(Refused) as caught:
        decide(scene.rules, scene.state, Play(1, parse(["H7"])))
    assert (caught.value.reason, caught.value.rule) == ("suit_locked", "restrict")


def test_a_mark_of_another_rule_locks_no_run() -> None:
    """rests: AM-15 XV-three_stop"""
    options = FULL | {"go_tobi": "one", "three_stop": True}
    scene = table(options, "A S4 S5 S6 S3 / B HK D3 / C H7 H8 H9 D4")
    after(scene, "A S4 S5 S6, B pass, C H7 H8 H9")


def test_emperors_lock_nothing() -> None:
    """rests: XV-emperor"""
    for lock in ("full", "kata"):
        options = {"emperor": "form", "shibari": lock}
        scene = table(options, "A S5 H6 D7 C8 S9 / B H9 HT", "B S4 H5 D6 C7")
        holds(after(scene, "A S5 H6 D7 C8"), lock=None)


def test_where_three_plays_lock_the_two_before_must_both_agree() -> None:
    """rests: AM-71 PG-82"""
    options = FULL | {"shibari_after": 3}
    hands = "A S7 S3 / B H8 D8 / C C8 S8"
    holds(after(table(options, hands, "B H4, C S5"), "A S7"), lock=None)
    holds(after(table(options, hands, "C D3, B H4, C S5"), "A S7"), lock=None)
    holds(after(table(options, hands, "B S4, C S5"), "A S7"), lock={"S": 1})


def test_of_two_packs_a_joker_may_name_a_card_that_the_play_has_once() -> None:
    """rests: OR-08 AM-40"""
    options = FULL | {"joker_lock": "full", "decks": 2}
    scene = table(options, "A S7 JK S3 / B H8 D8 / C C8 S8", "C S5 S5")
    holds(after(scene, "A S7 JK as S7"), lock={"S": 2})


def test_an_undeclared_joker_names_no_suit() -> None:
    """rests: OR-07"""
    scene = table(FULL | {"joker_lock": "full"}, "A S7 JK S3 / B H8 D8 / C C8 S8", "C S5 H5")
    after(scene, "A S7 JK")
    holds(scene, lock=None)


def test_a_joker_does_not_name_a_card_that_the_play_has() -> None:
    """rests: OR-08"""
    scene = table(FULL | {"joker_lock": "full"}, "A S7 JK S3 / B H8 D8 / C C8 S8", "C S5 H5")
    after(scene, "A S7 JK as S7 !bad_shape, A S7 JK as H8 !bad_shape, A S7 S3 as H7 !bad_shape")


def test_under_a_full_lock_the_real_cards_must_all_be_in_it() -> None:
    """rests: AM-13 C-9"""
    scene = table(FULL, "A D7 JK S3 / B S7 JK H3", "B S5 H5", lock=["S", "H"])
    after(scene, "A D7 JK !suit_locked, A pass")
    holds(scene, cleared=1)


def test_under_a_partial_lock_a_joker_may_be_the_suit_that_is_missing() -> None:
    """rests: C-9"""
    scene = table(KATA, "A D7 JK S3 / B S7 C7 H3", "B S5 H5", lock=["S"])
    after(scene, "A D7 JK")
    holds(scene, lock={"S": 1})


def test_a_partial_lock_that_stays_as_it_was_is_not_marked_again() -> None:
    """rests: AM-72"""
    scene = table(KATA, "A S7 S9 / B H3 H4", "B S4, A S5", lock=["S"])
    events = decide(scene.rules, scene.state, Play(0, parse(["S7"])))
    assert not any(isinstance(event, Marked) for event in events)


def test_where_jokers_are_outside_the_lock_real_cards_lock_as_ever() -> None:
    """rests: AM-13"""
    scene = table(FULL | {"joker_lock": "none"}, "A S7 S3 / B S8 D8 / C C8", "C S5")
    holds(after(scene, "A S7"), lock={"S": 1})
    after(scene, "B D8 !suit_locked, B S8")


def test_a_lock_of_ranks_alone_locks_no_suits() -> None:
    """rests: XV-suu_shibari"""
    options = FULL | {"suu_shibari": True}
    scene = after(table(options, "A H6 S3 / B D7 H7 / C C8", "C S5"), "A H6")
    holds(scene, lock=None, number_lock=True)
    after(scene, "B D7, C C8")


def test_where_jokers_are_outside_the_lock_a_single_one_is_refused() -> None:
    """rests: OR-11"""
    scene = table(FULL | {"joker_lock": "none"}, "A JK S3 / B S7 C7", "B S5", lock=["S"])
    after(scene, "A JK !suit_locked")


def test_a_run_with_a_joker_locks_its_suit_but_not_where_jokers_are_outside() -> None:
    """rests: AM-15 OR-11"""
    hands = "A S6 JK S8 S3 / B H9 HT HJ D3 / C C3"
    scene = after(table(FULL, hands, "C S4 S5 S6", players=["A", "B", "C"]), "A S6 JK S8 as S7")
    holds(scene, lock={"S": 1})
    none = FULL | {"joker_lock": "none"}
    holds(after(table(none, hands, "C S4 S5 S6"), "A S6 JK S8 as S7"), lock=None)


def test_a_partial_lock_grows_by_what_the_latest_three_plays_share() -> None:
    """rests: AM-71 AM-72 OR-28 XV-kata_shibari"""
    options = KATA | {"shibari_after": 3}
    hands = "A S7 H7 S3 / B S8 H8 S4 / C S9 H9 C3"
    scene = table(options, hands, "B S4 D4, C S5 H5")
    after(scene, "A S7 H7")
    holds(scene, lock={"S": 1})
    after(scene, "B S8 H8")
    holds(scene, lock={"S": 1, "H": 1})


def test_a_number_lock_asks_for_one_rank_up_and_lets_a_single_joker_in() -> None:
    """rests: XV-suu_shibari OR-27"""
    options = {"suu_shibari": True, "jokers": 2}
    scene = table(options, "A S5 S3 / B H7 D6 JK / C S2 C4", "C C4")
    after(scene, "A S5")
    holds(scene, number_lock=True)
    after(scene, "B H7 !number_locked, B JK")
    holds(scene, number_lock=True, turn="C")


def test_a_number_lock_alone_binds_no_suit() -> None:
    """rests: XV-suu_shibari"""
    options = {"suu_shibari": True, "shibari": "full"}
    scene = table(options, "A S5 S3 / B D6 H7 / C S2", "C C4")
    holds(after(scene, "A S5, B D6"), number_lock=True, lock=None, turn="C")


def test_neither_a_joker_on_a_two_nor_threes_on_a_run_are_one_rank_up() -> None:
    """rests: OR-27"""
    options = {"suu_shibari": True, "sunaarashi": "beats"}
    hands = "A JK S3 H3 D3 S9 / B D6 H7 / C S2"
    holds(after(table(options, hands, "C C2"), "A JK"), number_lock=False)
    run = table(options, hands, "C H4 H5 H6", revolution=True)
    holds(after(run, "A S3 H3 D3"), number_lock=False)
    two = {"suu_shibari": True, "spade_two": "beatable", "kakumei": True}
    joker = table(two, "A S2 S9 / B D6 H7", "B JK", revolution=True)
    holds(after(joker, "A S2"), number_lock=False)


def test_ranks_lock_no_suits_and_pairs_with_jokers_lock_neither() -> None:
    """rests: XV-suu_shibari XV-geki_shibari"""
    hands = "A S5 S3 / B D6 H7 / C S2"
    holds(after(table({"suu_shibari": True}, hands, "C S4"), "A S5"), number_lock=True, lock=None)
    geki = {"geki_shibari": True, "jokers": 2}
    scene = table(geki, "A S6 JK S3 / B H7 S8 / C S2", "C S5 JK")
    holds(after(scene, "A S6 JK"), number_lock=False, lock=None)


def test_nothing_but_a_spade_three_follows_a_joker_under_a_number_lock() -> None:
    """rests: OR-22 OR-27"""
    options = {"suu_shibari": True, "spade_three": "beatable"}
    scene = table(options, "A S3 C5 / B H4 D6", "B H4, A D5, B JK")
    after(scene, "A S3")
    holds(scene, turn="B", number_lock=True)
    after(scene, "B D6 !number_locked, B H4")


def test_a_number_lock_follows_the_order_that_turns_inside_the_trick() -> None:
    """rests: OR-56"""
    options = {"suu_shibari": True, "jack_back": "trick"}
    scene = table(options, "A SJ S3 / B HT HQ / C S2 C4", "C CT")
    after(scene, "A SJ")
    holds(scene, number_lock=True, jack=True)
    after(scene, "B HQ !too_low, B HT")


def test_down_number_is_forbidden_by_a_number_lock() -> None:
    """rests: XV-down_number OR-36"""
    options = {"suu_shibari": True, "down_number": True}
    scene = table(options, "A S5 S3 / B S4 HQ / C S2 C4", "C C4")
    after(scene, "A S5, B S4 !number_locked")


def test_suits_and_ranks_lock_together() -> None:
    """rests: XV-geki_shibari OR-35"""
    scene = table({"geki_shibari": True}, "A S6 S3 / B H7 S8 S7 / C S2 C4", "C S5")
    after(scene, "A S6")
    holds(scene, lock={"S": 1}, number_lock=True)
    after(scene, "B H7 !suit_locked, B S8 !number_locked, B S7")


def test_a_pair_that_shares_no_suit_is_refused_for_that_before_any_number() -> None:
    """rests: AM-73 OR-49"""
    options = {"shibari_pair_link": True, "suu_shibari": True, "jokers": 2}
    scene = table(options, "A H6 D6 S7 JK S3 / B H7 D7", "B H4 D4, B S5 C5")
    after(scene, "A H6 D6 !suit_locked, A S7 JK !number_locked")
    joker = {"shibari_pair_link": True}
    after(table(joker, "A H6 D6 S3 / B H7", "B S5 JK"), "A H6 D6")
    after(table(joker, "A H6 JK S3 / B H7", "B S5 D5"), "A H6 JK")
    runs = joker | {"sequence_min": 2}
    after(table(runs, "A H6 H7 S3 / B H8", "B S5 S6"), "A H6 H7")
    after(table(joker, "A H6 S3 / B H8", "B S5"), "A H6")


def test_a_lone_joker_ends_the_suit_lock_in_the_contest() -> None:
    options = FULL | {"joker_lifts_lock": True}
    scene = table(options, "A JK S9 / B S3 H7", "B S5", lock=["S"])
    holds(after(scene, "A JK"), lock=None)
    holds(after(table(options, "A S7 S9 / B S3 H7", "B S5", lock=["S"]), "A S7"), lock={"S": 1})


def test_two_spades_lock_two_spades_in_a_double_deck() -> None:
    """rests: AM-41"""
    options = {"shibari": "full", "decks": 2}
    scene = table(options, "A S6 S6 H3 / B S7 H7 S8 S8 / C C4", "C S5 S5")
    holds(after(scene, "A S6 S6"), lock={"S": 2})
    after(scene, "B S7 H7 !suit_locked, B S8 S8")


def test_a_queen_obeys_the_locks_and_lifts_them() -> None:
    """rests: XV-q_toki"""
    options = {"shibari": "full", "suu_shibari": True, "q_toki": True}
    hands = "A HQ SQ S3 / B HA H4 / C D4 D5"
    scene = table(options, hands, "B ST, C SJ", lock=["S"], number_lock=True)
    after(scene, "A HQ !suit_locked")
    locked = table(options, "A SQ SK S3 / B HA H4", "B SJ", lock=["S"])
    holds(after(locked, "A SK"), lock={"S": 1})
    after(scene, "A SQ")
    holds(scene, lock=None, number_lock=False)
    holds(after(scene, "B HA"), turn="C")
    kata = table({"shibari": "kata", "q_toki": True}, hands, "B HT, C HJ", lock=["H"])
    holds(after(kata, "A HQ"), lock=None)
    pairs = "A SQ DQ S3 / B HA H4 / C D4 D5"
    grows = table({"shibari": "kata", "q_toki": True}, pairs, "B ST DT, C SJ DJ", lock=["S"])
    holds(after(grows, "A SQ DQ"), lock=None)
