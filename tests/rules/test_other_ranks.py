"""Rules of other ranks: skips, turns, reversals, gifts and discards by any list of ranks."""

from __future__ import annotations

from arena.rules import decide
from arena.rules.cards import parse
from arena.rules.commands import Play
from arena.rules.events import Skipped, Turned
from tests.rules.table import after, holds, table

THREE = "A SK S3 / B HA H3 / C DA D4"
IMMEDIATE = {"kakumei_timing": "immediate"}


def test_each_card_of_a_skipping_rank_skips_a_player() -> None:
    """rests: XV-king_skip, AM-60"""
    hands = "A SK HK S3 / B HA DA H3 / C D4 D5 / D C4 C5 CA"
    holds(after(table({"skip_ranks": ["K"]}, hands), "A SK HK"), turn="D", cleared=0)
    holds(after(table({"skip_ranks": ["T"]}, hands), "A SK HK"), turn="B")


def test_skips_of_fives_and_of_other_ranks_add_up_and_a_clear_skips_nobody() -> None:
    """rests: XV-king_skip, OR-24"""
    hands = "A S5 S6 S7 S3 / B HA H3 / C D4 D5 / D C4 C5"
    options = {"skip_ranks": ["6"], "go_tobi": "one"}
    holds(after(table(options, hands), "A S5 S6 S7"), turn="D")
    both = {"skip_ranks": ["6"], "go_tobi": "per_card"}
    scene = table(both, hands)
    events = decide(scene.rules, scene.state, Play(0, parse(["S5"])))
    assert [e.by for e in events if isinstance(e, Skipped)] == ["go_tobi"]
    clears = {"skip_ranks": ["6", "7"], "hachi_giri": True}
    run = "A S6 S7 S8 S3 / B HA H3 / C D4 D5 / D C4 C5"
    holds(after(table(clears, run), "A S6 S7 S8"), turn="A", cleared=1)


def test_fives_skip_one_whatever_their_number_or_one_each() -> None:
    """rests: XV-go_tobi, AM-60"""
    hands = "A S5 H5 S3 / B HA DA H3 / C D4 D6 / D C4 C6 CA"
    holds(after(table({"go_tobi": "one"}, hands), "A S5 H5"), turn="C")
    holds(after(table({"go_tobi": "per_card"}, hands), "A S5 H5"), turn="D")


def test_a_nine_turns_the_direction_for_the_hand_or_the_trick() -> None:
    """rests: XV-kyu_reverse"""
    hands = "A S9 S3 / B HK H3 / C CK D4"
    for value, then in (("hand", "ccw"), ("trick", "cw")):
        scene = after(table({"kyu_reverse": value}, hands), "A S9")
        holds(scene, direction="ccw", turn="C")
        holds(after(scene, "C pass, B pass"), direction=then, cleared=1)
        clears = {"kyu_reverse": value, "kyukyusha": True}
        pair = table(clears, "A S9 H9 S3 / B HK H3 / C CK D4")
        events = decide(pair.rules, pair.state, Play(0, parse(["S9", "H9"])))
        assert any(isinstance(event, Turned) for event in events) == (value == "hand")
        scene = after(table(clears, "A S9 H9 S3 / B HK H3 / C CK D4"), "A S9 H9")
        holds(scene, direction=then, cleared=1)


def test_another_rank_turns_the_direction_for_the_hand() -> None:
    """rests: XV-other_reverse"""
    options = {"reverse_ranks": ["Q", "K"]}
    scene = after(table(options, "A SQ S3 / B HK H3 / C CK D4"), "A SQ")
    holds(scene, direction="ccw", turn="C")
    holds(after(scene, "C CK"), direction="cw", turn="A")
    holds(after(scene, "A pass, B pass"), direction="cw", turn="C", cleared=1)


def test_two_turning_ranks_in_a_play_turn_once_and_last_as_long_as_a_nine() -> None:
    """rests: XV-other_reverse, C-4"""
    options = {"reverse_ranks": ["T"], "kyu_reverse": "trick"}
    scene = after(table(options, "A S9 ST SJ S3 / B H3 H5 / C D4 D5"), "A S9 ST SJ")
    holds(scene, direction="ccw", turn="C")
    holds(after(scene, "C pass, B pass"), direction="cw", turn="A")


def test_an_equal_play_skips_the_next_and_a_higher_one_does_not() -> None:
    """rests: XV-equal_skip"""
    options = {"equal_plays": True, "equal_skips": True}
    hands = "A S9 S3 / B H9 HJ / C DJ D4"
    holds(after(table(options, hands), "A S9, B H9"), turn="A")
    holds(after(table(options, hands), "A S9, B HJ"), turn="C")
    runs = "A S7 S8 S9 S3 / B H7 H8 H9 HJ / C DJ D4 / D CJ C4"
    holds(after(table(options, runs), "A S7 S8 S9, B H7 H8 H9"), turn="D")
    storm = table(options | {"sunaarashi": "beats"}, "A S3 D3 C3 S9 / B H9 / C DJ", "C H3 H4 H5")
    holds(after(storm, "A S3 D3 C3"), turn="B")


def test_a_two_reverses_until_the_clear() -> None:
    """rests: XV-two_back"""
    scene = after(table({"back_ranks": ["2"]}, "A S2 S3 / B HK H4 / C DA D4"), "A S2")
    holds(scene, jack=True)
    after(scene, "B HK, C DA !too_low, C pass, A pass")
    holds(scene, jack=False, turn="B", cleared=1)


def test_a_ten_and_a_jack_in_one_play_reverse_once_and_one_by_one_twice() -> None:
    """rests: XV-ten_modoshi, AM-27"""
    options = {"back_ranks": ["T"], "jack_back": "trick"}
    run = "A S9 ST SJ S3 / B H9 HK / C CT D4"
    holds(after(table(options, run), "A S9 ST SJ"), jack=True)
    holds(after(table(options, "A SJ S3 / B HT HK / C D4 D5"), "A SJ, B HT"), jack=False)
    holds(after(table({"back_ranks": ["T"]}, run), "A S9 ST SJ"), jack=True)


def test_a_play_that_clears_reverses_no_trick() -> None:
    """rests: XV-ten_modoshi, C-6"""
    options = {"back_ranks": ["T"], "hachi_giri": True}
    scene = after(table(options, "A S8 S9 ST S3 / B HK H4"), "A S8 S9 ST")
    holds(scene, jack=False, cleared=1, revolution=False)


def test_a_six_ends_a_reversal_for_the_trick_and_begins_none() -> None:
    """rests: XV-six_modoshi"""
    options = {"jack_back": "trick", "six_modoshi": True}
    scene = after(table(options, "A SJ S3 / B H6 H4 / C D4 D7"), "A SJ, B H6")
    holds(scene, jack=False)
    after(scene, "C D4 !too_low, C D7")
    holds(after(table(options, "A S6 S3 / B H4 H7"), "A S6"), jack=False)
    holds(after(table(options, "A SJ S3 / B H9 H4"), "A SJ, B H9"), jack=True)


def test_a_six_does_nothing_to_a_jack_for_the_hand_and_in_a_run_with_a_jack() -> None:
    """rests: XV-six_modoshi"""
    hand = {"jack_back": "hand", "six_modoshi": True}
    holds(after(table(hand, "A SJ S3 / B H6 H4"), "A SJ, B H6"), revolution=True)
    trick = {"jack_back": "trick", "six_modoshi": True}
    hands = "A S6 S7 S8 S9 ST SJ S3 / B H4 H5"
    scene = table(trick, hands, "B D7 D8 D9 DT DJ DQ", jack=True)
    holds(after(scene, "A S6 S7 S8 S9 ST SJ"), jack=False)
    both = {"back_ranks": ["7"], "six_modoshi": True}
    scene = table(both, "A S5 S6 S7 S3 / B H4 H5 H6 H9", "B D6 D7 D8", jack=True)
    holds(after(scene, "A S5 S6 S7"), jack=False)


def test_cards_are_thrown_away_before_a_queen_of_the_same_run_names_a_rank() -> None:
    """rests: XV-seven_tsuke XV-q_bomber"""
    options = {"discard_ranks": ["K"], "q_bomber": "rank"}
    scene = after(table(options, "A SJ SQ SK S3 S4 / B H3 H4 H5"), "A SJ SQ SK, A discard S3")
    holds(after(scene, "A name 3"), hand_A="S4", hand_B="H4 H5", turn="B")


def test_other_ranks_throw_cards_away_as_tens_do() -> None:
    """rests: XV-seven_tsuke"""
    options = {"discard_ranks": ["7"], "ten_discard": "on_play"}
    scene = after(table(options, "A S7 H7 C3 C4 C5 / B HK H4"), "A S7 H7")
    holds(scene, choice={"by": "A", "kind": "discard", "min": 0, "max": 2})
    holds(after(scene, "A discard C3 C4"), hand_A="C5", turn="B")
    must = {"discard_ranks": ["7"], "ten_discard": "on_play", "ten_discard_must": True}
    scene = after(table(must, "A S7 C3 C4 / B HK H4"), "A S7, A discard !too_few, A discard C3")
    holds(scene, hand_A="C4")


def test_for_a_nine_a_card_goes_to_the_player_before() -> None:
    """rests: XV-nine_modoshi, OR-47"""
    hands = "A S9 S3 S4 / B HK H4 / C / D C4 C5"
    scene = after(table({"nine_modoshi": "must"}, hands, out=["C"]), "A S9")
    after(scene, "A give !too_few, A give S3")
    holds(scene, hand_D="C4 C5 S3", turn="B")
    holds(after(table({"nine_modoshi": "may"}, hands, out=["C"]), "A S9, A give"), turn="B")
    back = table({"nine_modoshi": "may"}, hands, out=["C"], direction="ccw")
    holds(after(back, "A S9, A give S3"), hand_B="H4 HK S3", turn="D")


def test_an_eight_that_clears_lets_a_card_go_to_the_next() -> None:
    """rests: XV-yagiri"""
    options = {"hachi_giri": True, "hachi_giri_sequences": False, "yagiri": True}
    hands = "A S7 S8 S9 D8 S3 S4 / B HK H4 / C D4 D5"
    scene = after(table(options, hands), "A D8")
    holds(scene, choice={"by": "A", "kind": "give", "min": 0, "max": 1})
    holds(after(scene, "A give S3"), hand_B="H4 HK S3", cleared=1, turn="A")
    holds(after(table(options, hands), "A S7 S8 S9"), choice=None, turn="B")


def test_a_queen_names_up_to_one_rank_of_those_that_are_held() -> None:
    """rests: XV-q_bomber"""
    options = {"q_bomber": "own_rank"}
    scene = after(table(options, "A SQ HQ S3 S4 JK / B H3 H5 / C D4 D5"), "A SQ HQ")
    holds(scene, choice={"by": "A", "kind": "name", "min": 0, "max": 2})
    after(scene, "A name 5 !bad_name, A name 3 4 5 !too_many, A name JK !bad_name, A name 3")
    holds(scene, hand_A="JK S4", hand_B="H5", hand_C="D4 D5", turn="B")
    scene = after(table(options, "A SQ JK / B H3 H5 / C D4 D5"), "A SQ, A name 3 !bad_name")
    holds(after(scene, "A name"), hand_B="H3 H5", turn="B")


def test_for_each_queen_everybody_throws_a_card_in_turn_order() -> None:
    """rests: XV-q_bomber"""
    options = {"q_bomber": "one_each"}
    scene = after(table(options, "A SQ HQ S3 S4 S5 / B H3 / C D4 D5 D6"), "A SQ HQ")
    after(scene, "B discard H3 !choice_pending, A discard S3 S4, C discard D4 !choice_pending")
    after(scene, "B discard H3, C discard D4 D5")
    holds(scene, hand_A="S5", hand_C="D6", out=["B"], turn="C")


def test_who_goes_out_with_a_queen_throws_nothing_but_the_others_do() -> None:
    """rests: XV-q_bomber"""
    options = {"q_bomber": "one_each", "forbidden_finish": ["high_set"]}
    scene = after(table(options, "A SQ / B H3 H4 / C D4 D5"), "A SQ, B discard H3, C discard D4")
    holds(scene, out=["A"], turn="B", hand_B="H4")


def test_a_forbidden_last_play_counts_also_where_others_are_asked_first() -> None:
    """rests: AM-45"""
    options = {"q_bomber": "one_each", "jokers": 2, "forbidden_finish": ["any_joker"]}
    scene = after(table(options, "A SQ JK / B H3 H4 / C D4 D5"), "A SQ JK")
    after(scene, "B discard H3 H4, C discard D4 D5")
    holds(scene, fouled=["A"], out=["B", "C"], ended=True, places=["B", "C", "A"])
