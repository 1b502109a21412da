"""The settled readings OR-61 to OR-76, each played; OR-72 is in `test_needs.py`, OR-75 with the
sessions (`tests/organising/test_hands_per_table.py`)."""

from __future__ import annotations

import pytest

from arena.rules import compile_ruleset, decide, legal, resolve
from arena.rules.cards import IDS, codes, parse
from arena.rules.commands import Play
from arena.rules.events import Marked
from arena.rules.options.exchange import asked
from arena.rules.options.finishing import most_cards
from arena.wire import legal_entries
from tests.rules.table import after, holds, table

BOMB = {"q_bomber": "rank"}
ANY_LEAD = {"lead_pass": "always", "max_idle_passes": 3}
HELD = "A S3 S4 / B HK / C D5 D6 / D C5 C6 C7"


@pytest.mark.parametrize("answer", ["give H5", "discard H5", "name 5", "H5", "pass"])
def test_an_answer_by_another_seat_than_the_one_asked_meets_a_choice_that_is_pending(
    answer: str,
) -> None:
    """rests: OR-61"""
    scene = table({"nana_watashi": "may"}, "A S7 S9 / B H5 H8 / C D4 D5")
    after(scene, f"A S7, B {answer} !choice_pending, C {answer.replace('H', 'D')} !choice_pending")
    after(scene, "A discard S9 !choice_pending, A give S9")
    holds(scene, hand_B="H5 H8 S9", turn="B")


def test_where_the_first_out_ends_the_hand_all_that_a_queen_empties_are_out_and_one_has_won() -> (
    None
):
    """rests: OR-62"""
    scene = table(BOMB | {"hand_end": "first_out"}, "A SQ S5 S6 / B H5 / C D5 / D S7 S8 S9 ST")
    after(scene, "A SQ, A name 5")
    holds(scene, ended=True, out=["B", "C"], places=["B", "C", "A", "D"])


def test_every_card_above_the_tunnel_is_above_its_three() -> None:
    """rests: OR-63"""
    options = {"sequence_wrap": "tunnel", "sequence_compare": "disjoint"}
    scene = table(options, "A SA S2 S3 S9 / B H3 H4 H5 H6 / C D4 D5")
    after(scene, "A SA S2 S3, B H3 H4 H5 !too_low, B H4 H5 H6")
    holds(scene, turn="C")


def test_under_a_revolution_the_tunnel_answers_what_lies_above_its_three() -> None:
    """rests: OR-63"""
    options = {"sequence_wrap": "tunnel", "sequence_compare": "disjoint", "kakumei": True}
    hands = "A HA H2 H3 S9 / B DA D2 D3 D9 / C C3 C4 C5 C9"
    scene = table(options, hands, "C D4 D5 D6", revolution=True)
    after(scene, "A HA H2 H3, B DA D2 D3 !too_low")
    scene = table(options, hands, "C D3 D4 D5", revolution=True)
    after(scene, "A HA H2 H3 !too_low")


def test_a_run_that_nothing_answers_but_the_tunnel_does_not_clear() -> None:
    """rests: OR-63 OR-19"""
    options = {
        "sequence_wrap": "tunnel",
        "sequence_compare": "disjoint",
        "kakumei": True,
        "top_sequence_clears": True,
    }
    hands = "A H3 H4 H5 S4 S5 S6 S9 / B DA D2 / C C3"
    holds(after(table(options, hands, revolution=True), "A S4 S5 S6"), cleared=0)
    holds(after(table(options, hands, revolution=True), "A H3 H4 H5"), cleared=1)


def test_cards_made_up_go_by_suit_and_the_suit_of_a_named_rank_is_the_losers() -> None:
    """rests: OR-64"""
    hand = parse(["SK", "HK", "DK", "S5", "H5", "C4"])
    nine, king, five = (IDS[card] // 4 for card in ("S9", "SK", "S5"))
    ((made_up, count),) = asked(hand, 2, ((nine, None),), by_suit=True)
    assert (codes(made_up), count) == (("SK", "HK"), 2)
    ways = asked(hand, 2, ((five, None),), by_suit=True)
    assert sorted((codes(cards), n) for cards, n in ways) == [(("S5", "H5"), 1), (("SK",), 1)]
    ways = asked(hand, 2, ((king, None), (nine, None)), by_suit=True)
    assert sorted((codes(cards), n) for cards, n in ways) == [(("HK", "DK"), 1), (("SK",), 1)]


@pytest.mark.parametrize("kind", ["drop", "play_on"])
def test_the_old_winner_falls_where_passes_end_the_hand_and_another_is_first(kind: str) -> None:
    """Above the offender, who is last of all.

    rests: OR-65
    """
    options = ANY_LEAD | {"miyako_ochi": kind, "forbidden_finish": ["jack"], "max_idle_passes": 4}
    before = ["A", "B", "C", "D", "E"]
    hands = "A S3 S4 / B HK / C D5 D6 / D C5 C6 C7 / E"
    scene = table(options, hands, players=[*"ABCDE"], fouled=["E"], prev_places=before)
    after(scene, "A pass, B pass, C pass, D pass")
    holds(scene, ended=True, fallen="A", places=["B", "C", "D", "A", "E"])


def test_the_old_winner_who_is_first_where_passes_end_the_hand_does_not_fall() -> None:
    """rests: OR-65"""
    options = ANY_LEAD | {"miyako_ochi": "drop", "max_idle_passes": 4}
    scene = table(options, HELD, prev_places=["B", "A", "C", "D"])
    after(scene, "A pass, B pass, C pass, D pass")
    holds(scene, ended=True, fallen=None, places=["B", "A", "C", "D"])


def test_the_old_winner_falls_where_all_leaders_are_stuck() -> None:
    """rests: OR-65 OR-02"""
    options = {
        "forbidden_finish": ["high_set", "jack"],
        "forbidden_effect": "refuse",
        "miyako_ochi": "drop",
    }
    scene = table(options, "A S2 / B HJ / C D2", prev_places=["A", "B", "C"], turn="B")
    after(scene, "B pass, C pass, A pass")
    holds(scene, ended=True, fallen="A", places=["B", "C", "A"])


def test_the_last_of_the_hand_before_who_is_first_by_passes_overturns_nothing() -> None:
    """rests: OR-65 OR-50"""
    options = ANY_LEAD | {"miyako_ochi": "drop", "gekokujo": True, "max_idle_passes": 4}
    scene = table(options, HELD, prev_places=["A", "C", "D", "B"])
    after(scene, "A pass, B pass, C pass, D pass")
    holds(scene, ended=True, gekokujo=False, fallen="A", places=["B", "C", "D", "A"])


def test_the_second_falls_where_passes_make_the_old_winner_first_again() -> None:
    """rests: OR-65 XV-kyo_ochi"""
    options = ANY_LEAD | {"kyo_ochi": "drop", "max_idle_passes": 4}
    scene = table(options, HELD, prev_places=["B", "A", "C", "D"])
    after(scene, "A pass, B pass, C pass, D pass")
    holds(scene, ended=True, fallen="A", places=["B", "C", "D", "A"])


def test_the_holder_may_not_pass_before_the_card_has_been_shown() -> None:
    """rests: OR-66"""
    options = ANY_LEAD | {"first_lead": "holder:D3", "first_lead_show": True}
    options["max_idle_passes"] = 9
    scene = table(options, "A D3 S3 S9 / B HJ H4 / C D2 D5", must_show="D3")
    assert not legal(scene.rules, scene.state, 0).may_pass
    assert {"pass": True} not in legal_entries(scene.rules, scene.state, 0)
    after(scene, "A pass !must_lead, A S9 !must_show, A D3 S3, B pass, C pass")
    assert legal(scene.rules, scene.state, 0).may_pass
    events = decide(scene.rules, scene.state, Play(0, parse(["S9"])))
    assert not any(isinstance(event, Marked) for event in events)
    later = table(options, "A D3 S3 S9 / B HJ H4 / C D2 D5")
    after(later, "A S9")


def test_places_rank_by_cards_whatever_the_loser_is_called() -> None:
    """rests: OR-67"""
    for loser in ("last_holding", "most_cards"):
        options = ANY_LEAD | {"loser": loser, "max_idle_passes": 4}
        scene = after(table(options, HELD), "A pass, B pass, C pass, D pass")
        holds(scene, places=["B", "A", "C", "D"])


def test_only_the_players_own_going_out_clears() -> None:
    """rests: OR-68"""
    options = BOMB | {"agari_nagashi": True}
    scene = table(options, "A SQ S6 / B H5 / C D7 D8 / D S8 S9")
    after(scene, "A SQ, A name 5")
    holds(scene, out=["B"], cleared=0, turn="C")
    scene = table(options, "A SQ S5 / B H5 / C D7 D8 / D S8 S9")
    after(scene, "A SQ, A name 5")
    holds(scene, out=["A", "B"], cleared=1, turn="C")


def test_a_table_that_clears_by_itself_is_led_on_by_who_would_lead_after_the_passes() -> None:
    """rests: OR-69"""
    options = {"auto_clear": True, "out_lead": "sole_survivor", "pass_lockout": True}
    hands = "A S2 / B H4 H5 / C D4 D5 / D C4 C5"
    scene = after(table(options, hands), "A S2")
    holds(scene, cleared=1, turn="D")
    by_hand = after(table(options | {"auto_clear": False}, hands), "A S2, B pass, C pass")
    holds(by_hand, cleared=1, turn="D")


def test_a_table_that_clears_by_itself_goes_to_the_left_where_that_is_the_rule() -> None:
    """rests: OR-69"""
    scene = after(table({"auto_clear": True}, "A S2 / B H4 H5 / C D4 D5"), "A S2")
    holds(scene, cleared=1, turn="B")


def test_equals_rank_from_the_first_out_in_the_direction_of_play() -> None:
    """rests: OR-70"""
    options = {"hand_end": "first_out", "kyu_reverse": "hand"}
    hands = "A S9 / B H4 H5 / C D4 D5 / D C4 C5"
    holds(after(table(options, hands), "A S9"), places=["A", "B", "C", "D"])
    scene = table(options, hands, direction="ccw")
    after(table(options | {"kyu_reverse": "off"}, hands), "A S9")
    holds(after(scene, "A S9"), places=["A", "D", "C", "B"])
    assert most_cards({"B": 2, "C": 2, "D": 1}, "A", ["A", "B", "C", "D"]) == "C"


def test_the_daihinmin_may_keep_a_joker_though_there_is_one_poor_class() -> None:
    """rests: OR-71"""
    for titles, ways in (("nihon", 2), ("pagat", 1)):
        options = {"titles": titles, "players": 3, "exchange_keep_joker": True}
        scene = table(options, "A S3 / B S4 / C JK S2 S5", prev_places=["A", "B", "C"])
        assert len(scene.rules.deal.highest(scene.state, 2, 1)) == ways


def test_in_a_set_of_more_than_four_a_joker_may_be_any_card_of_its_rank() -> None:
    """rests: OR-73"""
    options = {"jokers": 2, "max_set": 6, "shibari": "full", "joker_lock": "full"}
    five = "S5 H5 D5 JK JK"
    scene = table(options, f"A {five} S9 / B H4 H6 / C D4 D6")
    after(scene, f"A {five} as S5 S5")
    scene = table(options, "A SJ HJ DJ CJ JK JK S9 / B H4 H6 / C D4 D6")
    after(scene, "A SJ HJ DJ CJ JK JK as SJ SJ")
    scene = table(options, "A S5 H5 JK S9 / B H4 H6 / C D4 D6")
    after(scene, "A S5 H5 JK as S5 !bad_shape, A S5 H5 JK as D5")


def test_the_same_rank_named_twice_is_no_name() -> None:
    """rests: OR-74"""
    scene = table(BOMB, "A SQ HQ S4 / B H5 H6 / C D5 D6")
    after(scene, "A SQ HQ, A name 5 5 !bad_name, A name 5 !too_few, A name 5 6 7 !too_many")
    after(scene, "A name 5 6")
    holds(scene, out=["B", "C"])


def test_a_foul_finish_clears_the_table_where_the_ruleset_says_so() -> None:
    """rests: OR-76"""
    options = {"forbidden_finish": ["jack"], "foul_clears": True}
    hands = "A SJ / B HQ H4 / C D2 D4"
    scene = after(table(options, hands, "C D4"), "A SJ")
    holds(scene, fouled=["A"], cleared=1, turn="B")
    scene = after(table({"forbidden_finish": ["jack"]}, hands, "C D4"), "A SJ, B HQ")
    holds(scene, fouled=["A"], cleared=0, turn="C")
    scene = after(table(options, "A SK / B HA H4 / C D2 D4", "C D4"), "A SK, B HA")
    holds(scene, out=["A"], cleared=0, turn="C")


def test_dragon_quest_clears_after_a_foul_finish() -> None:
    """rests: OR-76"""
    assert resolve("dqx")["foul_clears"] is True
    assert compile_ruleset("pagat").options["foul_clears"] is False
    scene = table({}, "A S2 / B HQ H4 / C D3 D4", "C D5", preset="dqx")
    holds(after(scene, "A S2"), fouled=["A"], cleared=1, turn="B")
