"""The documents' statements about one hand, each played; those about hands in a row beside it.

The forum post has the rules of the Pagat page, so what both say is played with both presets.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from arena.rules import compile_ruleset, resolve, see
from arena.rules.cards import parse
from tests.rules.dealing import dealt, play_out
from tests.rules.shorthand import names
from tests.rules.table import after, holds, table

RANKS = "3456789TJQKA2"
BASIC = pytest.mark.parametrize("preset", ["pagat", "qcsalon_forum"])
ALL_WITH_SEQUENCES = pytest.mark.parametrize("preset", ["pagat", "qcsalon_forum", "ru"])
KAKUMEI = {"kakumei": True}
NOW = {"kakumei": True, "kakumei_timing": "immediate"}


@ALL_WITH_SEQUENCES
def test_one_pack_and_a_joker_are_dealt(preset: str) -> None:
    """rests: PG-05 PG-06 PG-12 FO-03 RU-01 RU-02 RU-09"""
    rules = compile_ruleset(preset)
    held = dealt(rules).held
    cards = [card for hand in held for card in names(hand)]
    assert len(cards) == len(set(cards)) == 53
    assert cards.count("JK") == 1


@pytest.mark.parametrize("ruleset", ["denexa", "pagat+no_joker"])
def test_without_jokers_all_52_cards_are_dealt_as_evenly_as_it_goes(ruleset: str) -> None:
    """rests: DX-03 DX-05 PG-67"""
    held = dealt(compile_ruleset(f"{ruleset},players=5")).held
    assert sorted(hand.bit_count() for hand in held) == [10, 10, 10, 11, 11]
    assert "JK" not in {card for hand in held for card in names(hand)}


@pytest.mark.parametrize(
    ("ruleset", "usual"), [("pagat", (3, 6)), ("ru", (3, 6)), ("denexa", (3, 8))]
)
def test_any_number_of_players_plays_to_the_end(ruleset: str, usual: tuple[int, int]) -> None:
    """rests: PG-04 PG-53 DX-01 RU-03 FO-33"""
    assert resolve(ruleset)["players_range"] == usual
    for players in range(3, 9):
        state, _ = play_out(compile_ruleset(f"{ruleset},players={players}"), players)
        assert sorted(state.places) == list(range(players))


@pytest.mark.parametrize(
    ("ruleset", "cards"), [("ru+eight", 106), ("ru+eight_one_deck", 53), ("pagat+double_deck", 106)]
)
def test_eight_players_usually_take_two_packs(ruleset: str, cards: int) -> None:
    """rests: RU-33 PG-54"""
    rules = compile_ruleset(f"{ruleset},players=8")
    assert sum(hand.bit_count() for hand in dealt(rules).held) == cards
    assert play_out(rules)[0].over


@BASIC
def test_play_goes_clockwise_and_each_may_pass(preset: str) -> None:
    """rests: PG-09 FO-04"""
    scene = table({}, "A S3 SK / B H4 HK / C D5 DK / D C6 CK", preset=preset)
    for does, turn in (("A S3", "B"), ("B pass", "C"), ("C pass", "D"), ("D C6", "A")):
        holds(after(scene, does), turn=turn)


@ALL_WITH_SEQUENCES
@pytest.mark.parametrize("lead", ["A S3", "A S3 H3", "A S3 S4 S5", "A JK", "A S3 H3 JK"])
def test_the_first_player_may_play_any_card_or_combination(preset: str, lead: str) -> None:
    """rests: PG-02 PG-20 FO-07 RU-11 RU-12"""
    scene = after(table({}, "A S3 S4 S5 H3 JK C9 / B H9", preset=preset), lead)
    holds(scene, turn="B")


@ALL_WITH_SEQUENCES
@pytest.mark.parametrize("suits", ["S", "SH", "SHD", "SHDC"])
def test_a_set_is_beaten_by_the_same_number_of_a_higher_rank(preset: str, suits: str) -> None:
    """3s are the lowest and 2s the highest; with one pack no four are equal, so none is tried.

    rests: PG-22 PG-23 PG-24 PG-25 PG-26 FO-08 FO-09 FO-10 FO-11 RU-13
    """
    for low, high in pairwise(RANKS):
        lower, higher = (" ".join(s + rank for s in suits) for rank in (low, high))
        hands = f"A {higher} S9 / B H9 / C {lower}"
        if "9" in (low, high):
            hands = f"A {higher} JK / B JK / C {lower}"
        options = {"jokers": 2}
        holds(after(table(options, hands, f"C {lower}", preset=preset), f"A {higher}"), turn="B")
        hands = hands.replace(higher, "x").replace(lower, higher).replace("x", lower)
        after(table(options, hands, f"C {higher}", preset=preset), f"A {lower} !too_low")


@BASIC
def test_a_single_and_a_pair_of_the_same_rank_do_not_beat_each_other(preset: str) -> None:
    """rests: PG-23 FO-14"""
    after(table({}, "A S8 S9 / B H9", "B H8", preset=preset), "A S8 !too_low")
    hands = "A S8 JK S9 / B H9"
    after(table({}, hands, "B H8 D8", preset=preset), "A S8 JK !too_low")


@ALL_WITH_SEQUENCES
def test_a_sequence_is_three_or_more_consecutive_cards_of_one_suit(preset: str) -> None:
    """rests: PG-27 FO-12 RU-14"""
    hands = "A S4 S5 S6 D9 DT DJ DQ H7 / B H9"
    for lead in ("A S4 S5 S6", "A D9 DT DJ DQ"):
        holds(after(table({}, hands, preset=preset), lead), turn="B")
    after(table({}, hands, preset=preset), "A S5 S6 !bad_shape, A S5 S6 H7 !bad_shape")


@BASIC
def test_a_sequence_is_beaten_by_a_higher_one_of_the_same_number(preset: str) -> None:
    """rests: PG-28 PG-29 FO-13"""
    hands = "A S5 S6 S7 S8 S9 HK HA H2 / B C3"
    after(table({}, hands, "B H4 H5 H6", preset=preset), "A S5 S6 S7 S8 !wrong_kind, A S5 S6 S7")
    after(table({}, hands, "B HJ HQ HK", preset=preset), "A S7 S8 S9 !too_low, A HK HA H2")
    after(table({}, "A D3 D4 D5 C9 / B C3", "B H3 H4 H5", preset=preset), "A D3 D4 D5 !too_low")


@BASIC
def test_two_and_three_are_no_neighbours(preset: str) -> None:
    """rests: PG-30 FO-13"""
    scene = table({}, "A SA S2 S3 S4 S9 / B H9", preset=preset)
    after(scene, "A SA S2 S3 !bad_shape, A S2 S3 S4 !bad_shape")


@ALL_WITH_SEQUENCES
def test_a_joker_stands_for_any_card_of_a_combination(preset: str) -> None:
    """rests: PG-31 FO-14 RU-15"""
    hands = "A S5 H5 D5 S6 S7 JK C9 / B H9"
    for lead in ("A S5 JK", "A S5 H5 JK", "A S5 H5 D5 JK", "A S6 S7 JK", "A S5 S7 JK"):
        holds(after(table({}, hands, preset=preset), lead), turn="B")


def test_with_and_without_a_joker_combinations_are_equal() -> None:
    """rests: PG-32 FO-14"""
    after(table({}, "A C9 CT CJ S3 / B H3", "B H9 HT JK as HJ"), "A C9 CT CJ !too_low")
    after(table({}, "A H9 HT JK S3 / B H3", "B C9 CT CJ"), "A H9 HT JK !too_low")


@BASIC
def test_when_all_others_have_passed_the_last_player_clears_and_leads(preset: str) -> None:
    """rests: PG-33 PG-34 PG-35 PG-36 FO-15"""
    hands = "A S9 S3 S4 S5 / B H4 H5 / C D4 DT"
    scene = table({}, hands, "C D3", preset=preset)
    after(scene, "A S9, B H4 !too_low, B H4 H5 !bad_shape, B pass, C pass")
    holds(scene, cleared=1, turn="A")
    view = see(scene.rules, scene.state, 1)
    assert (view.pile, view.cleared) == (None, 0)  # face down: the view repeats none of them
    holds(after(scene, "A S3 S4 S5"), out=["A"])


@BASIC
def test_nobody_has_to_beat_a_play_and_who_passes_may_play_at_the_next_turn(preset: str) -> None:
    """rests: PG-40 FO-23 FO-24"""
    scene = table({}, "A S3 S9 / B H5 H7 HK / C D6 DK", preset=preset)
    holds(after(scene, "A S3, B pass, C D6, A S9, B HK"), turn="C")


@pytest.mark.parametrize("preset", ["pagat", "qcsalon_forum", "denexa"])
def test_who_runs_out_leaves_and_the_rest_go_on_until_one_holds_cards(preset: str) -> None:
    """rests: PG-01 PG-41 FO-27 DX-02"""
    scene = after(table({}, "A S9 / B HT / C D4 DK", preset=preset), "A S9")
    holds(scene, out=["A"], ended=False, turn="B")
    holds(after(scene, "B HT"), ended=True, places=["A", "B", "C"])


def test_on_the_russian_page_the_first_who_runs_out_wins_and_the_hand_is_over() -> None:
    """rests: RU-05 RU-22"""
    scene = after(table({}, "A S9 / B HT / C D4 DK", preset="ru"), "A S9")
    holds(scene, ended=True, places=["A", "B", "C"])


@BASIC
def test_last_cards_may_be_beaten_and_if_they_are_not_the_next_to_the_left_leads(
    preset: str,
) -> None:
    """rests: PG-42 PG-43 FO-28"""
    hands = "A S9 / B HT H3 / C D4 DK"
    holds(after(table({}, hands, preset=preset), "A S9, B HT"), turn="C", cleared=0)
    holds(after(table({}, hands, preset=preset), "A S9, B pass, C pass"), turn="B", cleared=1)


@pytest.mark.parametrize(("preset", "patch"), [("pagat", KAKUMEI), ("qcsalon_forum", KAKUMEI)])
def test_a_four_of_a_kind_reverses_from_the_next_clear_and_another_one_restores(
    preset: str, patch: dict[str, Any]
) -> None:
    """rests: PG-55 PG-56 PG-58 PG-59 PG-60 FO-34"""
    hands = "A S5 H5 D5 JK S3 / B H7 D7 S7 C7 H4 D4 / C D8 S8 H3"
    scene = after(table(patch, hands, preset=preset), "A S5 H5 D5 JK")
    holds(scene, pending=True, revolution=False)
    holds(after(scene, "B H7 D7 S7 C7"), pending=False)
    holds(after(scene, "C pass, A pass"), revolution=False)
    hands = "A S5 H5 D5 JK S6 H6 S9 / B H8 D8 H4 D4"
    scene = after(table(patch, hands, preset=preset), "A S5 H5 D5 JK, B pass, A S6 H6")
    holds(after(scene, "B H8 D8 !too_low, B H4 D4"), revolution=True)


@pytest.mark.parametrize(
    ("preset", "length"), [("pagat", 4), ("pagat", 5), ("qcsalon_forum", 5), ("ru", 5)]
)
def test_a_long_sequence_reverses_too_where_the_patch_says_so(preset: str, length: int) -> None:
    """rests: PG-63 PG-65 FO-35 RU-29 AM-04 XV-kaidan_kakumei"""
    patch = {"pagat": f"kakumei_run{length}", "qcsalon_forum": "kakumei_run5", "ru": "kakumei_run"}
    options = resolve(f"{preset}+{patch[preset]},kakumei_timing=immediate,players=2")
    run = " ".join(f"S{rank}" for rank in RANKS[:length])
    scene = after(table(options, f"A {run} S9 / B H9", preset=preset), f"A {run}")
    holds(scene, revolution=True)
    short = run.rpartition(" ")[0]
    scene = after(table(options, f"A {run} S9 / B H9", preset=preset), f"A {short}")
    holds(scene, revolution=False)


def test_only_a_genuine_four_reverses_where_jokers_do_not_count() -> None:
    """rests: PG-66"""
    genuine = NOW | {"kakumei_joker": False}
    hands = "A S5 H5 D5 C5 JK S9 / B H9"
    holds(after(table(NOW, hands), "A S5 H5 D5 JK"), revolution=True)
    holds(after(table(genuine, hands), "A S5 H5 D5 JK"), revolution=False)
    holds(after(table(genuine, hands), "A S5 H5 D5 C5"), revolution=True)


@pytest.mark.parametrize("ruleset", ["pagat+two_jokers", "ru+two_jokers"])
def test_a_pair_of_jokers_is_the_highest_pair(ruleset: str) -> None:
    """rests: PG-68 RU-35"""
    options = resolve(f"{ruleset},players=2")
    after(table(options, "A JK JK S3 / B H3", "B H2 D2"), "A JK JK")
    after(table(options, "A S2 C2 S3 / B H3", "B JK JK"), "A S2 C2 !too_low")


def test_the_form_of_1979_has_two_wild_jokers_and_no_sequences() -> None:
    """rests: PG-69 AM-39"""
    options = resolve("pagat+early_1979,players=2")
    hands = "A S3 S4 S5 JK JK / B H9"
    after(table(options, hands), "A S3 S4 S5 !bad_shape, A S3 JK JK")


@pytest.mark.parametrize("preset", ["pagat", "ru"])
def test_no_two_may_be_in_a_sequence_where_the_patch_says_so(preset: str) -> None:
    """rests: PG-71 PG-72 RU-36"""
    options = resolve(f"{preset}+no_twos,players=2")
    scene = table(options, "A SK SA S2 SQ S9 / B H9", preset=preset)
    after(scene, "A SK SA S2 !bad_shape, A SQ SK SA")


def test_the_old_winner_who_does_not_win_again_becomes_last() -> None:
    """rests: PG-73"""
    before = ["B", "C", "D", "A"]
    hands = "A S9 / B HT H3 / C D4 DK / D CJ CQ"
    options = {"miyako_ochi": "drop"}
    scene = after(table(options, hands, prev_places=before), "A S9")
    holds(scene, fallen="B", turn="C")
    holds(after(scene, "C DK, D pass, C D4"), ended=True, places=["A", "C", "D", "B"])


def test_on_the_russian_page_the_old_winner_becomes_very_poor_with_one_card_left_too() -> None:
    """rests: RU-37"""
    options = resolve("ru+miyako_ochi,players=3")
    hands = "A S9 / B HT / C D4 DK D5 D6"
    scene = table(options, hands, preset="ru", prev_places=["B", "C", "A"])
    holds(after(scene, "A S9"), ended=True, places=["A", "C", "B"])


def test_a_sequence_beaten_by_one_of_the_same_suit_locks_the_suit() -> None:
    """rests: PG-76"""
    hands = "A S6 S7 S8 S3 / B H9 HT HJ SJ SQ SK / C C9"
    scene = after(table({"shibari": "full"}, hands, "C S4 S5 S6"), "A S6 S7 S8")
    holds(scene, lock={"S": 1})
    after(scene, "B H9 HT HJ !suit_locked, B SJ SQ SK")


@pytest.mark.parametrize("last", ["S2", "S2 H2", "SK SA S2", "JK"])
def test_who_goes_out_with_the_highest_cards_becomes_last(last: str) -> None:
    """rests: PG-83 PG-84 PG-86"""
    options = resolve("pagat+no_high_finish,players=3")
    scene = after(table(options, f"A {last} / B H3 H4 / C D3 D4"), f"A {last}")
    holds(scene, fouled=["A"], out=[])
    holds(after(scene, "B pass, C pass, B H3, C pass, B H4"), places=["B", "C", "A"])


def test_what_is_thrown_away_for_a_ten_is_face_down() -> None:
    """rests: PG-96 PG-97 AM-70 XV-ten_discard"""
    scene = table({"ten_discard": "on_play"}, "A ST SK S3 / B H9 HJ / C D9")
    after(scene, "A ST, A discard SK")
    holds(scene, hand_A="S3", turn="B")
    views = [see(scene.rules, scene.state, seat) for seat in (1, 2, None)]
    assert all(not view.held & parse(["SK"]) for view in views)
    assert all(view.counts == (1, 2, 1) for view in views)


def test_on_the_russian_page_equal_cards_may_be_laid_on_each_other() -> None:
    """rests: RU-16 RU-18 RU-19"""
    after(table({}, "A S8 S9 / B H9", "B H8", preset="ru"), "A S8")
    after(table({}, "A S7 JK S9 / B H9", "B H7 D7", preset="ru"), "A S7 JK")
    after(table({}, "A S6 S9 / B H9", "B H8", preset="ru"), "A S6 !too_low")


def test_on_the_russian_page_each_makes_one_move_or_passes_and_the_last_play_wins() -> None:
    """rests: RU-17 RU-20 RU-21"""
    scene = table({}, "A S3 SK / B H8 HK / C D8 DK / D C4 CK", preset="ru")
    holds(after(scene, "A S3, B H8, C D8, D pass"), cleared=1, turn="C")


def test_an_eight_on_the_russian_page_is_put_away_and_its_player_leads_anything() -> None:
    """rests: RU-44"""
    options = resolve("ru+hachi_giri,players=3")
    scene = table(options, "A S8 S3 H3 / B H9 HK / C D9", "C D7", preset="ru")
    after(scene, "A S8")
    holds(scene, cleared=1, turn="A")
    holds(after(scene, "A S3 H3"), out=["A"])


def test_a_jack_on_the_russian_page_reverses_until_the_next_reversal() -> None:
    """rests: RU-45 AM-28"""
    options = resolve("ru+jack,players=3")
    scene = table(options, "A SJ S4 S9 / B H3 HJ H5 / C D9 D5 D6", preset="ru")
    after(scene, "A SJ, B pass, C pass")
    holds(scene, cleared=1, turn="A", revolution=True)
    after(scene, "A S4, B H5 !too_low, B H3, C pass, B HJ")
    holds(scene, revolution=False)


def test_tens_on_the_russian_page_take_a_card_along_when_the_table_is_cleared() -> None:
    """rests: RU-46"""
    options = resolve("ru+tens,players=2")
    scene = after(table(options, "A ST S3 S4 / B H9", preset="ru"), "A ST, B pass")
    holds(scene, choice={"by": "A", "kind": "discard", "min": 0, "max": 1})
    holds(after(scene, "A discard S3"), hand_A="S4", turn="A", choice=None)


def test_errands_of_the_loser_are_a_text_and_change_no_play() -> None:
    """rests: DX-15"""
    plain, errands = (play_out(compile_ruleset(r), 5) for r in ("denexa", "denexa+forfeits"))
    assert plain == errands
