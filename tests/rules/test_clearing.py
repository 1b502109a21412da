"""Plays that clear, answers besides the order, and choices that tens, sevens and queens bring."""

from __future__ import annotations

import pytest

from tests.rules.table import after, holds, listed, table


def test_the_top_run_clears_and_where_a_joker_may_stand_above_it_does_not() -> None:
    """rests: XV-top_sequence_clears OR-19"""
    hands = "A SK SA S2 S9 / B H3"
    top = {"top_sequence_clears": True}
    holds(after(table(top, hands), "A SK SA S2"), cleared=1, turn="A")
    past = top | {"sequence_past_two": True}
    holds(after(table(past, hands), "A SK SA S2"), cleared=0)
    jokerless = past | {"jokers": 0}
    holds(after(table(jokerless, hands), "A SK SA S2"), cleared=1)
    tame = past | {"joker_wild": False}
    holds(after(table(tame, hands), "A SK SA S2"), cleared=1)


def test_where_runs_have_no_twos_the_ace_is_their_top() -> None:
    """rests: XV-top_sequence_clears OR-19"""
    options = {"top_sequence_clears": True, "sequence_twos": False}
    hands = "A SJ SQ SK SA S9 / B H3"
    holds(after(table(options, hands), "A SQ SK SA"), cleared=1)
    holds(after(table(options, hands), "A SJ SQ SK"), cleared=0)


def test_where_runs_must_be_apart_the_top_begins_lower() -> None:
    """rests: OR-19"""
    options = {"top_sequence_clears": True, "sequence_compare": "disjoint"}
    hands = "A S9 ST SJ SQ S8 / B H3"
    holds(after(table(options, hands), "A S9 ST SJ"), cleared=0)
    holds(after(table(options, hands), "A ST SJ SQ"), cleared=0)
    holds(after(table(options, "A SJ SQ SK S8 / B H3"), "A SJ SQ SK"), cleared=1)


@pytest.mark.parametrize(
    ("options", "clears", "goes_on"),
    [
        ({}, "S3 S4 S5", "S4 S5 S6"),
        ({"sequence_wrap": "tunnel"}, "SA S2 S3", "S3 S4 S5"),
        ({"sequence_wrap": "tunnel"}, "S3 S4 S5 S6", "S4 S5 S6 S7"),
        ({"sequence_below_three": True}, "JK S3 S4", "S3 S4 S5"),
        ({"sequence_below_three": True, "joker_wild": False}, "S3 S4 S5", "S4 S5 S6"),
        ({"sequence_compare": "disjoint"}, "S5 S6 S7", "S6 S7 S8"),
        ({"sequence_compare": "disjoint", "sequence_wrap": "tunnel"}, "S3 S4 S5", "S4 S5 S6"),
        ({"sequence_compare": "disjoint", "sequence_below_three": True}, "S4 S5 S6", "S5 S6 S7"),
    ],
)
def test_under_a_revolution_the_run_below_which_there_is_none_clears(
    options: dict[str, object], clears: str, goes_on: str
) -> None:
    """rests: XV-top_sequence_clears OR-19 OR-63"""
    top = options | {"top_sequence_clears": True}
    for run, cleared in ((clears, 1), (goes_on, 0)):
        scene = table(top, f"A {run} H9 / B H3", revolution=True)
        holds(after(scene, f"A {run}"), cleared=cleared)


@pytest.mark.parametrize(("option", "rank", "above"), [("kyukyusha", 9, "T"), ("rokurokubi", 6, 7)])
def test_a_pair_of_the_rank_clears_and_nothing_else_of_two_cards(
    option: str, rank: int, above: object
) -> None:
    """rests: XV-kyukyusha XV-rokurokubi AM-19"""
    hands = f"A S{rank} H{rank} S{above} H{above} JK S3 / B H3"
    options = {option: True, "sequence_min": 2}
    holds(after(table(options, hands), f"A S{rank} H{rank}"), cleared=1)
    holds(after(table(options, hands), f"A S{rank} S{above}"), cleared=0)
    holds(after(table(options, hands), f"A S{above} H{above}"), cleared=0)
    holds(after(table(options, hands), f"A S{rank} JK"), cleared=1)
    real = options | {"joker_effects": False}
    holds(after(table(real, hands), f"A S{rank} JK"), cleared=0)
    holds(after(table(real, hands), f"A S{rank} H{rank}"), cleared=1)


def test_the_spade_two_that_is_beatable_clears_nothing() -> None:
    """rests: XV-spade_two"""
    options = {"kakumei": True, "spade_two": "beatable"}
    scene = table(options, "A S2 H2 S9 / B H3 H4", "B JK", revolution=True)
    holds(after(scene, "A H2 !too_low, A S2"), cleared=0, turn="B")
    holds(after(scene, "B H3"), turn="A")
    for held, plays in (("S2 H2", ["S2"]), ("H2 S9", [])):
        scene = table(options, f"A {held} / B H3 H4", "B JK", revolution=True)
        assert listed(scene) == plays


def test_on_a_two_nothing_but_a_three_murders_and_each_is_listed() -> None:
    """rests: XV-ansatsu"""
    options = {"ansatsu": True, "decks": 2}
    scene = table(options, "A JK S3 S3 D3 S4 S9 / B H3 H4", "B H2")
    assert listed(scene) == ["S3", "D3", "JK"]
    holds(after(scene, "A JK"), cleared=0)
    copy = table(options, "A S3 S4 / B S3 S9 D9", "A H2", turn="B")
    assert listed(copy) == ["S3"]
    pair = table(options, "A S3 D3 S9 / B H3 H4", "B H2 D2")
    assert listed(pair) == []
    lead = table(options, "A S3 S9 / B H3 H4")
    holds(after(lead, "A S3"), cleared=0)


def test_the_spade_two_clears_on_a_joker_and_not_as_a_lead() -> None:
    """rests: XV-spade_two"""
    options = {"kakumei": True, "spade_two": "clears"}
    hands = "A S2 S9 / B H3 H4"
    holds(after(table(options, hands, revolution=True), "A S2"), cleared=0)
    holds(after(table(options, hands, "B JK", revolution=True), "A S2"), cleared=1)


def test_a_joker_that_returns_is_listed_for_who_holds_one() -> None:
    """rests: XV-joker_return"""
    options = {"jokers": 2, "joker_return": True}
    for held, plays in (("JK S2", ["JK"]), ("S2 S9", [])):
        assert listed(table(options, f"A {held} / B H3 H4", "B JK")) == plays


def test_three_threes_that_only_beat_clear_nothing_and_no_other_three_cards_do() -> None:
    """rests: XV-sunaarashi OR-16"""
    hands = "A S3 H3 D3 S4 H4 D4 S5 JK / B H9 DT CT / C CK"
    for laid in ("C C6", "C CJ CQ CK CA", "C H6 C6"):
        scene = table({"sunaarashi": "beats"}, hands, laid)
        after(scene, "A S4 H4 D4 !wrong_kind, A S3 S4 S5 !wrong_kind, A S3 H3 JK !wrong_kind")
        after(scene, "A S3 H3 D3 JK !wrong_kind")
        holds(after(scene, "A S3 H3 D3"), cleared=0, turn="B")
    two_packs = {"sunaarashi": "beats", "decks": 2}
    scene = table(two_packs, "A S3 H3 D3 / B S3 H3 D3 S9", "A SK", turn="B")
    assert listed(scene) == ["S3 H3 D3"]


def test_a_single_card_of_the_suit_one_rank_down_is_listed_and_no_run_that_begins_there() -> None:
    """rests: XV-down_number OR-36"""
    options = {"down_number": True}
    scene = table(options, "A S5 S6 H6 S8 S9 JK / B H3", "B S7")
    assert listed(scene) == ["S6", "S8", "S9", "JK"]
    after(scene, "A S5 !too_low, A S6 JK S8 as S7 !wrong_kind, A S6")
    assert listed(table(options | {"decks": 2}, "A S6 S6 / B H3", "B S7")) == ["S6"]
    assert listed(table(options, "A S2 H4 / B H3", "B S3")) == ["S2", "H4"]
    assert listed(table(options, "A S3 H9 / B H3", "B S4")) == ["S3", "H9"]
    reversed_ = table(options, "A S3 S8 H6 / B H3", "B S7", revolution=True)
    assert listed(reversed_) == ["S3", "S8", "H6"]
    assert listed(table(options, "A S3 SA / B H3", "B S2", revolution=True)) == ["S3", "SA"]
    assert listed(table(options, "A S2 H4 / B H3", "B SA", revolution=True)) == ["S2", "H4"]


def test_six_of_a_kind_clears_and_reverses_whatever_it_is_made_of() -> None:
    """rests: XV-six_card_clears OR-18 OR-15"""
    options = {"six_card_clears": True, "max_set": 6, "jokers": 2, "kakumei_joker": False}
    scene = after(table(options, "A S5 H5 D5 C5 JK JK S9 / B H3"), "A S5 H5 D5 C5 JK JK")
    holds(scene, cleared=1, revolution=True, pending=False, turn="A")


def test_a_run_of_six_clears_nothing() -> None:
    """rests: XV-six_card_clears"""
    options = {"six_card_clears": True, "max_set": 6, "jokers": 2}
    scene = after(table(options, "A S4 S5 S6 S7 S8 S9 SK / B H3"), "A S4 S5 S6 S7 S8 S9")
    holds(scene, cleared=0, revolution=False)


def test_a_set_that_clears_and_reverses_twice_reverses_once() -> None:
    options = {"six_card_clears": True, "kakumei": True, "max_set": 6, "jokers": 2}
    scene = after(table(options, "A S5 H5 D5 C5 JK JK S9 / B H3"), "A S5 H5 D5 C5 JK JK")
    holds(scene, revolution=True)


def test_a_two_in_a_run_clears() -> None:
    """rests: XV-two_clears OR-17"""
    scene = after(table({"two_clears": True}, "A SK SA S2 S9 / B H3"), "A SK SA S2")
    holds(scene, cleared=1, turn="A")


def test_the_spade_three_lies_as_a_three_on_any_single_but_the_lock_holds() -> None:
    """rests: OR-21"""
    options = {"spade_three": "wild_top", "shibari": "full"}
    hands = "A S3 S9 / B H4 / C C9"
    holds(after(table(options, hands, "C C2"), "A S3, B H4"), out=["B"])
    after(table(options, hands, "C C2", lock=["C"]), "A S3 !suit_locked")
    after(table(options, hands, "C JK", lock=["C"]), "A S3")
    after(table(options, hands, "C C2 D2"), "A S3 !wrong_kind")
    after(table({"spade_three": "clears"}, hands, "C C2"), "A S3 !too_low")


def test_a_jack_beside_an_eight_leaves_no_reversal_behind() -> None:
    """rests: AM-21 C-6"""
    options = {"hachi_giri": True, "jack_back": "trick"}
    scene = after(table(options, "A S8 S9 ST SJ S3 / B H3"), "A S8 S9 ST SJ")
    holds(scene, cleared=1, jack=False, revolution=False, turn="A")


def test_a_jack_for_the_hand_turns_also_where_the_play_clears() -> None:
    options = {"hachi_giri": True, "jack_back": "hand"}
    scene = after(table(options, "A S8 S9 ST SJ S3 / B H3"), "A S8 S9 ST SJ")
    holds(scene, cleared=1, revolution=True)


def test_a_revolution_of_jacks_and_its_jacks_come_on_top_of_each_other() -> None:
    """rests: C-5"""
    options = {"kakumei": True, "kakumei_timing": "immediate", "jack_back": "hand"}
    scene = after(table(options, "A SJ HJ DJ CJ S3 / B H3"), "A SJ HJ DJ CJ")
    holds(scene, revolution=False)


def test_choices_come_in_the_order_seven_ten_queen() -> None:
    """rests: XV-q_bomber OR-37"""
    options = {
        "nana_watashi": "may",
        "ten_discard": "on_play",
        "q_bomber": "rank",
        "hachi_giri": True,
    }
    hands = "A S7 S8 S9 ST SJ SQ C3 C4 C5 / B H3 H9 / C D3 D4"
    scene = after(table(options, hands), "A S7 S8 S9 ST SJ SQ")
    holds(scene, choice={"by": "A", "kind": "give", "min": 0, "max": 1}, turn="A")
    after(scene, "A discard C3 !choice_pending, A pass !choice_pending, A give C3 C4 !too_many")
    after(scene, "A give C3")
    holds(scene, choice={"by": "A", "kind": "discard", "min": 0, "max": 1})
    after(scene, "A discard")
    holds(scene, choice={"by": "A", "kind": "name", "min": 1, "max": 1})
    after(scene, "A name JK !bad_name, A name !too_few, A name 3 4 !too_many, A name 3")
    holds(scene, choice=None, cleared=1, turn="A", hand_A="C4 C5", hand_B="H9", hand_C="D4")


def test_a_rule_whose_card_was_not_played_puts_no_question_in_the_queue() -> None:
    options = {
        "nana_watashi": "may",
        "nine_modoshi": "may",
        "hachi_giri": True,
        "yagiri": True,
        "ten_discard": "on_play",
        "discard_ranks": ["3", "4"],
        "q_bomber": "rank",
    }
    scene = after(table(options, "A S7 S5 C3 / B H3 H9 / C D3 D4"), "A S7")
    holds(scene, choice={"by": "A", "kind": "give", "min": 0, "max": 1})
    assert scene.state.queue == ()


def test_at_the_clear_only_plays_with_a_ten_are_asked_about() -> None:
    """rests: OR-33"""
    options = {"ten_discard": "on_clear"}
    scene = table(options, "A C3 C4 / B C5 C6 / C D3 D4", "A ST, B HJ", turn="C")
    after(scene, "C pass, A pass")
    holds(scene, choice={"by": "A", "kind": "discard", "min": 0, "max": 1})
    assert scene.state.queue == ()
    equal = options | {"equal_plays": True}
    scene = table(equal, "A / B C4 C5 / C D3 D4", "B ST, A HT", out=["A"], turn="C")
    after(scene, "C pass, B pass")
    holds(scene, choice={"by": "B", "kind": "discard", "min": 0, "max": 1})
    assert scene.state.queue == ()


def test_an_answer_that_nobody_asked_for_is_refused() -> None:
    scene = table({"ten_discard": "on_play"}, "A S9 C3 / B H3")
    after(scene, "A discard C3 !no_choice, A give C3 !no_choice, A name 3 !no_choice")


def test_must_means_exactly_one_card_for_each_cut_to_the_cards_left() -> None:
    """rests: OR-46"""
    options = {"nana_watashi": "must"}
    scene = after(table(options, "A S7 H7 C3 / B H3 H9 / C D3 D4"), "A S7 H7")
    holds(scene, choice={"by": "A", "kind": "give", "min": 1, "max": 1})
    after(scene, "A give !too_few, A give C3")
    holds(scene, out=["A"], turn="B", hand_B="C3 H3 H9")


def test_tens_are_asked_for_at_the_clear_play_by_play_and_an_emptied_player_is_out_at_once() -> (
    None
):
    """rests: OR-33"""
    options = {"ten_discard": "on_clear", "equal_plays": True}
    hands = "A C3 / B C4 C5 / C D3"
    scene = table(options, hands, "A ST, B HT", turn="C")
    after(scene, "C pass, A pass")
    holds(scene, cleared=1, choice={"by": "A", "kind": "discard", "min": 0, "max": 1})
    after(scene, "A discard C3")
    holds(scene, out=["A"], choice={"by": "B", "kind": "discard", "min": 0, "max": 1})
    after(scene, "B discard")
    holds(scene, turn="B", choice=None)


def test_a_hand_that_ends_by_a_discard_at_the_clear_asks_nobody_else() -> None:
    options = {"ten_discard": "on_clear", "equal_plays": True, "hand_end": "first_out"}
    scene = table(options, "A C3 / B C4 C5 / C D3", "A ST, B HT", turn="C")
    after(scene, "C pass, A pass, A discard C3")
    holds(scene, ended=True, choice=None, places=["A", "C", "B"])


def test_a_joker_in_the_role_of_a_rank_has_its_effect_unless_the_option_says_no() -> None:
    """rests: AM-19"""
    hands = "A S7 JK S9 S3 / B H3"
    run = "A S7 JK S9 as S8"
    holds(after(table({"hachi_giri": True}, hands), run), cleared=1)
    real = {"hachi_giri": True, "joker_effects": False}
    holds(after(table(real, hands), run), cleared=0)


def test_a_gift_goes_to_the_next_with_cards_in_the_direction_before_the_play() -> None:
    """rests: OR-47"""
    options = {"nana_watashi": "may", "kyu_reverse": "hand"}
    hands = "A S7 S8 S9 C3 C4 / B / C D3 D4 / D D5 D6"
    scene = after(table(options, hands, out=["B"]), "A S7 S8 S9, A give C3")
    holds(scene, hand_C="C3 D3 D4", turn="D", direction="ccw")


def test_under_a_jack_the_run_that_none_could_beat_is_a_low_one_and_down_means_up() -> None:
    """rests: OR-19 OR-36"""
    jack = {"jack_back": "trick"}
    run = table(jack | {"top_sequence_clears": True}, "A S3 S4 S5 S9 / B H3 H4", jack=True)
    holds(after(run, "A S3 S4 S5"), cleared=1)
    down = table(jack | {"down_number": True}, "A S8 H9 / B H4 / C H5", "B SJ, C S7", jack=True)
    holds(after(down, "A S8"), turn="B")


def test_no_other_card_than_the_three_of_spades_answers_a_joker() -> None:
    """rests: PG-88 XV-spade_two"""
    after(table({"spade_three": "clears"}, "A S4 S9 / B H4", "B JK"), "A S4 !too_low")
    options = {"spade_three": "clears", "spade_two": "beatable", "kakumei": True}
    both = table(options, "A S2 S3 S9 / B H4 H5", "B JK", revolution=True)
    holds(after(both, "A S2"), cleared=0, turn="B")
