"""4s that take what they beat, and an exchange without jokers."""

from __future__ import annotations

from arena.rules import compile_ruleset, decide, evolve, legal
from arena.rules.cards import parse
from arena.rules.commands import Ask, Give, Play
from arena.rules.events import Took
from tests.rules.dealing import dealt_with
from tests.rules.shorthand import names
from tests.rules.table import after, holds, table

FOURS = {"four_take": True}
OTHER_TWOS = {0: "H2 SA CA", 1: "D2", 2: "C2"}


def test_a_four_takes_the_cards_that_it_beats() -> None:
    """rests: XV-salvage"""
    scene = after(table(FOURS, "A S4 S9 / B HK H4 / C C2 C5", "C C3"), "A S4")
    holds(scene, hand_A="C3 S9", turn="B")
    pair = table(FOURS, "A S4 JK S9 / B HK H4", "B D3 C3")
    events = decide(pair.rules, pair.state, Play(0, parse(["S4", "JK"])))
    assert [(e.seat, e.cards, e.size) for e in events if isinstance(e, Took)] == [
        (0, parse(["C3", "D3"]), 2)
    ]
    holds(after(pair, "A S4 JK"), hand_A="C3 D3 S9")


def test_under_a_revolution_a_four_takes_high_cards() -> None:
    """rests: XV-salvage"""
    scene = after(table(FOURS, "A S4 S9 / B H3 H4", "B CK", revolution=True), "A S4")
    holds(scene, hand_A="CK S9")


def test_a_four_takes_no_fours_nothing_as_a_last_card_and_nothing_in_a_run() -> None:
    """rests: XV-salvage"""
    holds(
        after(table(FOURS | {"equal_plays": True}, "A S4 S9 / B HK", "B C4"), "A S4"), hand_A="S9"
    )
    last = after(table(FOURS, "A S4 / B HK H4 / C C5 C6", "B C3"), "A S4")
    holds(last, out=["A"], hand_A="")
    run = table(FOURS, "A S4 S5 S6 S9 / B HK H4", "B D3 D4 D5")
    holds(after(run, "A S4 S5 S6"), hand_A="S9")
    holds(after(table(FOURS, "A S4 S9 / B HK H4"), "A S4"), hand_A="S9")


def test_where_jokers_are_left_out_the_loser_gives_his_highest_other_cards() -> None:
    """rests: XV-exchange_forms"""
    rules = compile_ruleset({"options": {"exchange_no_joker": True, "exchange": "denexa"}})
    state = dealt_with(rules, OTHER_TWOS | {3: "JK S2 HA DA"})
    listed = {names(answer.cards) for answer in legal(rules, state, 3).others}
    assert listed == {("S2", "HA"), ("S2", "DA")}


def test_a_joker_that_is_asked_for_is_not_given() -> None:
    """rests: XV-exchange_forms AM-65"""
    rules = compile_ruleset({"options": {"exchange_no_joker": True, "exchange_pick": "asked"}})
    state = dealt_with(rules, OTHER_TWOS | {3: "JK S2 HA"})
    state = evolve(state, decide(rules, state, Ask(0, ((13, None),))))
    assert [answer.cards for answer in legal(rules, state, 3).others] == [parse(["S2"])]
    state = evolve(state, decide(rules, state, Give(3, parse(["S2"]))))
    assert "S2" in names(state.held[0])


def test_jokers_go_where_there_are_too_few_other_cards() -> None:
    """rests: XV-exchange_forms AM-67"""
    options = {"exchange_no_joker": True, "jokers": 4, "players": 8, "suits": ["S"]}
    rules = compile_ruleset({"options": options | {"exchange": "denexa"}})
    state = dealt_with(rules, {7: "JK S2"}, places=tuple(range(8)))
    assert [names(answer.cards) for answer in legal(rules, state, 7).others] == [("S2", "JK")]


def test_losers_may_choose_freely_by_a_patch() -> None:
    """rests: XV-exchange_forms"""
    rules = compile_ruleset("pagat+exchange_free")
    state = dealt_with(rules, {3: "JK S2 HA"})
    held = state.held[3].bit_count()
    assert len(legal(rules, state, 3).others) == held * (held - 1) // 2
