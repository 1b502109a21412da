"""Robbing: three 4s and three kings."""

from __future__ import annotations

from arena.rules import decide, redact
from arena.rules.cards import COPY, parse
from arena.rules.commands import Play
from arena.rules.events import Gave
from arena.rules.options.robbing import strongest
from tests.rules.shorthand import names
from tests.rules.table import after, holds, table

THIEF = {"rob": ["thief"]}
NERO = {"rob": ["nero"]}


def test_three_fours_take_the_strongest_card_of_the_next_player() -> None:
    """rests: XV-rob"""
    scene = after(table(THIEF, "A S4 H4 D4 S3 / B HK CK H9 / C C9 D9"), "A S4 H4 D4")
    holds(scene, hand_A="HK S3", hand_B="CK H9", hand_C="C9 D9", turn="B")
    joker = after(table(THIEF, "A S4 H4 D4 S3 / B HK JK H9 / C C9 D9"), "A S4 H4 D4")
    holds(joker, hand_A="JK S3", hand_B="HK H9")


def test_under_a_revolution_the_strongest_card_is_a_low_one() -> None:
    """rests: XV-rob"""
    hands = "A S4 H4 D4 S3 / B C3 HK H9 / C C9 D9"
    scene = after(table(THIEF, hands, revolution=True), "A S4 H4 D4")
    holds(scene, hand_A="C3 S3", hand_B="H9 HK")
    assert names(strongest(parse(["HK", "SK", "H9"]), order_reversed=False)) == ("SK",)
    assert names(strongest(parse(["HK", "C9", "D9"]), order_reversed=True)) == ("D9",)
    assert names(strongest(parse(["DA", "SK", "H9"]), order_reversed=False)) == ("DA",)
    assert strongest(parse(["DA"]) << COPY, order_reversed=False) == parse(["DA"])
    jack = THIEF | {"jack_back": "trick"}
    scene = table(jack, "A S4 H4 D4 S3 / B C3 HK H9 / C C9", "C SJ HJ DJ", jack_reversal=True)
    holds(after(scene, "A S4 H4 D4"), hand_A="C3 S3")


def test_only_the_two_of_them_see_what_was_robbed() -> None:
    """rests: XV-rob"""
    scene = table(THIEF, "A S4 H4 D4 S3 / B HK CK H9 / C C9 D9")
    events = decide(scene.rules, scene.state, Play(0, parse(["S4", "H4", "D4"])))
    (gift,) = [event for event in events if isinstance(event, Gave)]
    seen = [redact(gift, seat).cards for seat in (0, 1, 2, None) if isinstance(gift, Gave)]
    assert seen == [parse(["HK"]), parse(["HK"]), 0, 0]
    assert gift.size == 1


def test_of_two_jokers_one_is_robbed_and_nobody_who_is_out_nor_by_a_run() -> None:
    """rests: XV-rob"""
    assert strongest(parse(["JK", "JK", "S2"]), order_reversed=False).bit_count() == 1
    second = table(THIEF | {"jokers": 2}, "A S4 H4 D4 S3 / B JK / C JK D9", turn="C")
    assert strongest(second.state.held[2], order_reversed=False) == parse(["JK"])
    hands = "A S4 H4 D4 S5 S6 S3 / B / C C9 D9 / D CK DK"
    holds(after(table(THIEF, hands, out=["B"]), "A S4 H4 D4"), hand_A="D9 S3 S5 S6", hand_C="C9")
    holds(after(table(THIEF, hands, out=["B"]), "A S4 S5 S6"), hand_C="C9 D9")
    kings = "A SK HK DK S3 / B CK / C C9 D9"
    holds(after(table(THIEF, kings), "A SK HK DK"), hand_A="S3", choice=None, turn="B")
    sixes = "A S6 H6 D6 S3 / B CK / C C9 D9"
    holds(after(table(THIEF, sixes), "A S6 H6 D6"), hand_A="S3", hand_B="CK")


def test_who_is_robbed_of_his_last_card_is_out() -> None:
    """rests: XV-rob"""
    scene = after(table(THIEF, "A S4 H4 D4 S3 / B HK / C C9 D9"), "A S4 H4 D4")
    holds(scene, out=["B"], hand_A="HK S3", turn="C")


def test_last_cards_and_two_or_four_fours_rob_nobody() -> None:
    """rests: XV-rob"""
    scene = after(table(THIEF, "A S4 H4 D4 / B HK CK / C C9 D9"), "A S4 H4 D4")
    holds(scene, out=["A"], hand_B="CK HK")
    hands = "A S4 H4 D4 C4 S3 / B HK CK / C C9 D9"
    holds(after(table(THIEF, hands), "A S4 H4"), hand_B="CK HK")
    holds(after(table(THIEF, hands), "A S4 H4 D4 C4"), hand_B="CK HK")
    holds(after(table(THIEF, "A S4 H4 JK S3 / B HK CK"), "A S4 H4 JK"), hand_B="CK")


def test_for_three_kings_everybody_else_gives_a_card_of_his_own_choice() -> None:
    """rests: XV-rob"""
    scene = after(table(NERO, "A SK HK DK S3 / B HA C9 / C C4 D9"), "A SK HK DK")
    holds(scene, choice={"by": "B", "kind": "give", "min": 1, "max": 1})
    after(scene, "A give S3 !choice_pending, B give C9")
    holds(scene, choice={"by": "C", "kind": "give", "min": 1, "max": 1})
    holds(after(scene, "C give C4"), hand_A="C4 C9 S3", turn="B", choice=None)
    before = NERO | {"discard_ranks": ["K"]}
    scene = after(table(before, "A SK HK DK S3 / B HA C9 / C C4 D9"), "A SK HK DK")
    after(scene, "B give C9, C give C4, A discard C4 C9")
    holds(scene, hand_A="S3", turn="B")


def test_who_gives_his_last_card_is_out_and_who_is_out_gives_nothing() -> None:
    """rests: XV-rob"""
    hands = "A SK HK DK S3 / B HA / C / D C4 D9"
    scene = after(table(NERO, hands, out=["C"]), "A SK HK DK, B give HA, D give C4")
    holds(scene, out=["C", "B"], hand_A="C4 HA S3", turn="D")
    last = after(table(NERO, "A SK HK DK / B HA H3 / C C4 D9"), "A SK HK DK")
    holds(last, out=["A"], choice=None, hand_B="H3 HA")
