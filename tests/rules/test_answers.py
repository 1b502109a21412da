"""Plays that wait for answers: eights, and six and nine."""

from __future__ import annotations

from typing import Any

import pytest

from arena.rules import decide
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Played, ToMove
from tests.rules.table import after, holds, listed, table

EIGHTS = {"hachi_giri": True}
STOP = EIGHTS | {"four_stop": "single"}
HANDS = "A S8 H8 S3 S5 / B HK H9 JK / C C4 D4 H4 D9 / D CT C9"


def test_an_eight_that_may_be_stopped_clears_when_all_have_passed() -> None:
    """rests: XV-four_stop"""
    scene = after(table(STOP, HANDS), "A S8")
    holds(scene, cleared=0, turn="B")
    after(scene, "B HK !answers_only, B JK !answers_only, B pass, C pass, D pass")
    holds(scene, cleared=1, turn="A")


def test_two_fours_stop_an_eight_and_their_player_leads() -> None:
    """rests: XV-four_stop"""
    scene = after(table(STOP, HANDS), "A S8, B pass, C C4 !too_low, C C4 D4")
    holds(scene, cleared=1, turn="C", hand_C="D9 H4")
    holds(after(table(STOP, HANDS), "A S8, B pass, C C4 D4 H4 !wrong_kind"), cleared=0)
    after(table(STOP, "A S8 S3 / B H9 D9 HK"), "A S8, B H9 D9 !wrong_kind")


def test_a_joker_is_no_four_that_stops() -> None:
    """rests: XV-four_stop"""
    scene = table(STOP, "A S8 S3 / B D4 JK H9 / C C9 CT")
    after(scene, "A S8, B D4 JK !wrong_kind")


def test_only_a_single_eight_waits_unless_any_play_may_be_stopped() -> None:
    """rests: XV-four_stop"""
    holds(after(table(STOP, HANDS), "A S8 H8"), cleared=1, turn="A")
    scene = after(table(EIGHTS | {"four_stop": "any"}, HANDS), "A S8 H8, B pass")
    holds(after(scene, "C C4 D4"), cleared=1, turn="C")
    run = table(EIGHTS | {"four_stop": "any"}, "A S7 S8 S9 S3 / B C4 D4 H9 / C DK CK")
    holds(after(run, "A S7 S8 S9, B C4 D4"), cleared=1, turn="B")


def test_fours_stop_an_eight_whatever_is_locked_and_nothing_else() -> None:
    """rests: XV-four_stop"""
    locked = table(STOP | {"shibari": "full"}, HANDS, "D S5", lock=["S"])
    holds(after(locked, "A S8, B pass, C C4 D4"), cleared=1, turn="C")
    after(table(STOP, HANDS, "A S7", turn="C"), "C C4 D4 !wrong_kind")


def test_who_has_passed_and_is_out_of_the_trick_answers_no_eight() -> None:
    """rests: XV-four_stop"""
    options = STOP | {"pass_lockout": True}
    scene = after(table(options, HANDS, "D S5", locked_out=["C"]), "A S8, B pass")
    holds(scene, turn="D")


def test_an_eight_as_the_last_card_waits_too() -> None:
    """rests: XV-four_stop, AM-20"""
    hands = "A S8 / B HK H9 / C C4 D4 H4"
    scene = after(table(STOP, hands), "A S8")
    holds(scene, out=["A"], turn="B", cleared=0)
    holds(after(scene, "B pass, C pass"), cleared=1, turn="B")
    holds(after(table(STOP, hands), "A S8, B pass, C C4 D4"), cleared=1, turn="C")


def test_as_many_eights_answer_eights_and_wait_in_their_turn() -> None:
    """rests: XV-eight_answers"""
    options = EIGHTS | {"eight_answers": ["eight"]}
    hands = "A S8 S3 / B D8 H9 / C C8 C4"
    scene = after(table(options, hands), "A S8, B H9 !answers_only, B D8")
    holds(scene, cleared=0, turn="C")
    holds(after(scene, "C pass, A pass"), cleared=1, turn="B")
    pairs = table(options, "A S8 H8 S3 / B D8 C8 H9 / C CK C4")
    holds(after(pairs, "A S8 H8, B D8 !wrong_kind, B D8 C8"), cleared=0, turn="C")


def test_the_spade_seven_and_the_ten_of_the_suit_lie_on_an_eight_like_other_cards() -> None:
    """rests: XV-eight_answers"""
    options = EIGHTS | {"eight_answers": ["spade_seven", "ten"]}
    hands = "A H8 S3 / B S7 H7 DT HT H4 / C C9 C4"
    scene = after(table(options, hands), "A H8, B H7 !too_low, B DT !answers_only, B S7")
    holds(scene, cleared=0, turn="C")
    holds(after(scene, "C C9, A pass"), turn="B")
    scene = after(table(options, hands), "A H8, B HT, C C9 !too_low")
    holds(scene, cleared=0)
    holds(after(table(options, "A H8 D8 S3 / B S7 H4"), "A H8 D8"), cleared=1)


def test_answers_come_together_with_fours() -> None:
    """rests: XV-four_stop, XV-eight_answers"""
    options = STOP | {"eight_answers": ["eight"]}
    hands = "A S8 S3 / B D8 H9 / C C4 D4 C5"
    scene = after(table(options, hands), "A S8, B D8, C C4 D4")
    holds(scene, cleared=1, turn="C")


def test_nothing_answers_that_the_options_do_not_name() -> None:
    """rests: XV-four_stop, XV-eight_answers"""
    hands = "A S8 H8 S3 / B D8 C4 D4 H9 / C C9 CT"
    after(table(EIGHTS | {"eight_answers": ["eight"]}, hands), "A S8, B C4 D4 !wrong_kind")
    after(table(EIGHTS | {"eight_answers": ["ten"]}, hands), "A S8, B D8 !too_low")
    pair = after(table(STOP | {"eight_answers": ["eight"]}, hands), "A S8 H8, B C4 D4 !too_low")
    holds(pair, cleared=0, turn="B")


def test_a_run_waits_for_no_eight_and_is_no_answer() -> None:
    """rests: XV-four_stop, XV-eight_answers"""
    options = EIGHTS | {"eight_answers": ["eight", "ten"], "sequence_min": 2}
    hands = "A H8 S7 S8 S9 S3 / B D8 D9 HT HJ C4 / C CK"
    for run in ("S8 S9", "S7 S8 S9"):
        holds(after(table(options, hands), f"A {run}"), cleared=1, turn="A")
    after(table(options, hands), "A H8, B HT HJ !wrong_kind, B HT")
    after(table(options, hands), "A S8 H8, B D8 D9 !wrong_kind")
    after(table(STOP | {"sequence_min": 2}, "A S8 S3 / B C4 C5 H9"), "A S8, B C4 C5 !wrong_kind")


def test_an_eight_with_a_joker_answers_no_pair_of_eights() -> None:
    """rests: XV-eight_answers"""
    options = EIGHTS | {"eight_answers": ["eight"]}
    after(table(options, "A S8 H8 S3 / B D8 JK H9"), "A S8 H8, B D8 JK !too_low")


def test_answers_are_listed_each_once() -> None:
    """rests: XV-eight_answers, XV-six_nine"""
    options = EIGHTS | {"eight_answers": ["eight", "spade_seven", "ten"]}
    hands = "A S8 H8 S3 / B S7 ST HT D8 C8 H9"
    assert listed(after(table(options, hands), "A S8")) == ["S7", "ST", "D8", "C8"]
    assert listed(after(table(options, hands), "A S8 H8")) == ["D8 C8"]
    two_packs = table({"six_nine": True, "decks": 2}, "A S6 S3 / B S9 S9 H9 H4 JK")
    assert listed(after(two_packs, "A S6")) == ["S9", "H9"]
    assert listed(table({"six_nine": True}, "A S6 H6 HT S3 / B H4 H5", "B S9")) == ["S6", "H6"]
    stop = table(
        EIGHTS | {"four_stop": "single", "decks": 2}, "A S4 D4 / B S4 D4 D9", "A H8", turn="B"
    )
    assert listed(stop) == ["S4 D4"]


def test_on_a_six_only_a_nine_and_on_a_nine_only_a_six_may_follow() -> None:
    """rests: XV-six_nine"""
    hands = "A S6 H6 D9 S3 / B HK JK C9 H9 / C D6 DK / D CT C4"
    scene = after(table({"six_nine": True}, hands), "A S6, B HK !answers_only, B JK !answers_only")
    after(scene, "B C9, C DK !answers_only, C D6, D CT !answers_only, D pass, A D9")
    holds(scene, turn="B")
    after(table({"six_nine": True}, hands), "A S6, B C9 H9 !wrong_kind")
    pair = after(table({"six_nine": True}, "A S6 H6 S3 / B C9 H9 H4"), "A S6 H6")
    holds(after(pair, "B C9 H9"), turn="A")


SKIP = {"go_tobi": "per_card", "three_stop": True}


def test_who_is_skipped_may_answer_with_two_threes_and_leads() -> None:
    """rests: XV-three_stop"""
    hands = "A S5 S4 / B H3 C3 S3 H9 HK / C D6 DK"
    scene = after(table(SKIP, hands), "A S5, B HK !answers_only, B H3 C3")
    holds(scene, cleared=1, turn="B")
    holds(after(table(SKIP, hands), "A S5, B pass, C D6"), turn="A", cleared=0)
    after(table(SKIP, hands), "A S5, B H3 C3 S3 !wrong_kind")


def test_each_of_the_skipped_may_answer_in_turn_and_the_others_play_on() -> None:
    """rests: XV-three_stop, XV-go_tobi"""
    hands = "A S5 H5 S4 / B HK DK / C D3 C3 CK / D D7 C7 D8"
    scene = after(table(SKIP, hands), "A S5 H5, B HK DK !answers_only, B pass")
    holds(after(scene, "C D3 C3"), cleared=1, turn="C")
    scene = after(table(SKIP, hands), "A S5 H5, B pass, C pass, D D7 C7, A pass")
    holds(scene, turn="B")
    holds(after(scene, "B HK DK"), out=["B"])


def test_threes_answer_nothing_where_nobody_is_skipped_nor_from_another_seat() -> None:
    """rests: XV-three_stop"""
    hands = "A S5 S6 S4 / B HK H9 / C D3 C3 CK"
    after(table(SKIP, hands), "A S6, B pass, C D3 C3 !wrong_kind")
    after(table(SKIP, hands), "A S5, B pass, C D3 C3 !wrong_kind")


def test_only_who_is_skipped_is_bound_and_only_while_his_answer_is_due() -> None:
    """rests: XV-three_stop"""
    hands = "A CK CA / B H9 C9 / C S5 S6 S4 / D HK H8 D8"
    scene = table(SKIP, hands, turn="C")
    after(scene, "C S5, D H8 D8 !wrong_kind, D pass, A CK")
    holds(scene, turn="B")
    scene = table(SKIP, hands, turn="C")
    events = decide(scene.rules, scene.state, Play(2, parse(["S6"])))
    assert [type(event) for event in events] == [Played, ToMove]


def test_a_run_of_a_three_and_a_four_is_no_answer_of_the_skipped() -> None:
    """rests: XV-three_stop"""
    scene = table(SKIP | {"sequence_min": 2}, "A S5 S6 S4 / B H3 H4 H9 / C CK", revolution=True)
    after(scene, "A S5 S6, B H3 H4 !answers_only")


def test_a_three_and_a_joker_are_no_answer_of_the_skipped() -> None:
    """rests: XV-three_stop"""
    scene = table(SKIP, "A S5 S4 / B H3 JK H9 / C CK", revolution=True)
    after(scene, "A S5, B H3 JK !wrong_kind")
    pairs = table(SKIP, "A S5 H5 S4 / B H3 JK H9 / C CK", revolution=True)
    after(pairs, "A S5 H5, B H3 JK !answers_only")


def test_who_plays_a_nine_plays_again_on_his_own_play() -> None:
    """rests: XV-nine_quick"""
    hands = "A S9 SK S3 / B HQ H3 / C CA D4"
    scene = after(table({"nine_quick": True}, hands), "A S9")
    holds(scene, turn="A")
    holds(after(scene, "A S3 !too_low, A SK"), turn="B")
    scene = after(table({"nine_quick": True}, hands), "A S9, A pass, B pass, C pass")
    holds(scene, cleared=1, turn="A")
    holds(after(table({"nine_quick": True}, "A S9 / B HQ H3 / C CA D4"), "A S9"), turn="B")
    clears = {"nine_quick": True, "kyukyusha": True}
    holds(after(table(clears, "A S9 H9 S3 / B HQ H3"), "A S9 H9"), cleared=1, turn="A")


def test_the_table_is_cleared_at_once_only_if_the_skipped_could_not_answer_either() -> None:
    """rests: XV-three_stop, OR-39"""
    options = SKIP | {"auto_clear": True}
    nobody = after(table(options, "A S5 S4 / B HK H9 / C D3 D4"), "A S5")
    holds(nobody, cleared=1, turn="A")
    somebody = after(table(options, "A S5 S4 / B H3 C3 / C D3 D4"), "A S5")
    holds(somebody, cleared=0, turn="B")


CASES = [
    (STOP, "A H9 / B S4 S4 D4 D9", "A H8", ["S4 S4", "S4 D4"]),
    (STOP, "A H9 S4 D4 / B S4 D4 D9", "A H8", ["S4 D4"]),
    (EIGHTS | {"eight_answers": ["eight"]}, "A H9 / B S8 S8 D8", "A H8 C8", ["S8 S8", "S8 D8"]),
    (EIGHTS | {"eight_answers": ["spade_seven"]}, "A S7 H9 / B S7 D9", "A H8", ["S7"]),
    ({"six_nine": True}, "A S6 H9 / B S6 HT", "B C5, A S9", ["S6"]),
    ({"spade_three": "clears"}, "A S3 H9 / B S3 S4", "A JK", ["S3"]),
    ({"spade_two": "clears", "kakumei": True}, "A S2 H9 / B S2 S4", "A JK", ["S2"]),
    ({"down_number": True}, "A S6 H9 / B S6 H5", "A S7", ["S6"]),
    ({"ansatsu": True}, "A S3 H9 / B S3 H5", "A S2", ["S3"]),
    ({"complete_four": True}, "A H9 / B S5 S5 D5", "A H5 C5", ["S5 S5", "S5 D5"]),
    ({"complete_four": True}, "A S5 H9 / B S5 D4", "A H5 C5 D5", ["S5"]),
    (
        {"sunaarashi": "beats"},
        "A H9 / B S3 S3 H3 D3",
        "A SK",
        ["S3 S3 H3", "S3 S3 D3", "S3 H3 D3"],
    ),
]


@pytest.mark.parametrize(("options", "hands", "laid", "answers"), CASES)
def test_of_two_packs_each_answer_is_listed_once_whichever_copies_are_held(
    options: dict[str, Any], hands: str, laid: str, answers: list[str]
) -> None:
    """rests: AM-40"""
    turned = "spade_two" in options
    scene = table(options | {"decks": 2}, hands, laid, turn="B", revolution=turned)
    assert listed(scene) == answers
    for answer in answers:
        again = table(options | {"decks": 2}, hands, laid, turn="B", revolution=turned)
        after(again, f"B {answer}")


def test_fours_clear_on_an_eight_only_and_threes_answer_a_skip_only() -> None:
    """rests: XV-four_stop XV-three_stop"""
    scene = table(STOP, "A S4 H4 S9 / B H9 D9", "B S3 H3")
    holds(after(scene, "A S4 H4"), cleared=0, turn="B")
    nobody = table(SKIP, "A S3 H3 S9 / B H9 H4", "B H6")
    after(nobody, "A S3 H3 !wrong_kind")
