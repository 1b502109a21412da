"""Scripts of a mock arena: what may stand in them, and how what is wrong is told."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena import sitting
from arena.errors import BadInput
from arena.match.tables import TableSetup
from arena.mock import read_script
from arena.mock.playing import ScriptedDeals
from arena.rules import EMPTY, decide, evolve
from arena.rules.cards import CODES, codes
from arena.rules.presets import PRESETS

RULES = {"preset": "pagat", "options": {"players": 3, "suits": ["S"], "jokers": 0}}


def hand(**members):
    """A script of one hand."""
    return {"ruleset": RULES, "seats": 3, "hands": [members]}


def dealt(script, number=1):
    """The cards of each seat right after the deal."""
    rules = script.rules
    setting = TableSetup(
        rules,
        block="",
        pool="",
        bots=("x",) * rules.players,
        hands=1,
        seed=script.seed,
        shuffles="",
        seats="",
    )
    seating = tuple(range(rules.players))
    _, deal = ScriptedDeals(script, setting).deal(sitting.start(rules), seating, number)
    state = evolve(EMPTY, decide(rules, EMPTY, deal)[:1])
    return [list(codes(cards)) for cards in state.held]


def test_the_seats_get_the_cards_that_are_named_and_others_besides():
    first, second, third = dealt(read_script(hand(deal={"0": "S2 S3", "2": "SA SK SQ SJ"})))
    assert {"S2", "S3"} < set(first)
    assert {"SJ", "SQ", "SK", "SA"} <= set(third)
    assert sorted(map(len, (first, second, third))) == [4, 4, 5]


def test_the_rest_of_the_pack_is_the_same_each_time_and_another_with_another_seed():
    script = read_script(hand(deal={"0": "S2"}))
    assert dealt(script) == dealt(script)
    assert any(
        dealt(read_script({**hand(deal={"0": "S2"}), "seed": n})) != dealt(script) for n in range(9)
    )


@settings(max_examples=60, deadline=None)
@given(data=st.data())
def test_whatever_the_ruleset_a_seat_holds_what_the_script_names(data):
    name = data.draw(st.sampled_from(sorted(PRESETS)))
    empty = read_script({"ruleset": name})
    players, pack = empty.rules.players, [CODES[card] for card in empty.rules.deck]
    pack = data.draw(st.permutations(pack))
    least = (len(pack) - empty.rules.deal.blind) // players
    deal, at = {}, 0
    for seat in data.draw(st.sets(st.integers(0, players - 1), min_size=1)):
        many = data.draw(st.integers(1, least))
        deal[str(seat)], at = " ".join(pack[at : at + many]), at + many
    left = [card for card in pack[at:] if card != "JK"]
    if len(left) < empty.rules.deal.blind:
        return
    hands = dealt(read_script({"ruleset": name, "hands": [{"deal": deal}]}))
    for seat, cards in deal.items():
        held = list(hands[int(seat)])
        for card in cards.split():
            held.remove(card)


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"deal": {"0": "S3 S3"}}, "hand 1: deal of seat 0 is 'S3'.*more often"),
        ({"deal": {"0": "S3", "1": "S3"}}, "hand 1: deal of seat 1 is 'S3'.*more often"),
        ({"deal": {"0": "H3"}}, "hand 1: deal of seat 0 is 'H3'.*more often"),
        ({"deal": {"0": "S1"}}, "deal of seat 0 is 'S1'.*cards with spaces"),
        ({"deal": {"3": "S3"}}, "hand 1: deal is '3'.*seats from 0 to 2"),
        ({"deal": "S3"}, "hand 1: deal is 'S3'.*by seat"),
        ({"deal": {"0": 3}}, "deal of seat 0 is 3.*a text"),
        ({"dealer": 3}, "hand 1: dealer is 3.*from 0 to 2"),
        ({"dealer": True}, "hand 1: dealer is True"),
        ({"answers": "pass"}, "hand 1: answers is 'pass'.*a list"),
        ({"answers": ["pas"]}, "hand 1: answers, number 1 is 'pas'.*cards such as S4S5"),
        ({"expect": [7]}, "hand 1: expect, number 1 is 7"),
        ({"cards": []}, "hand 1 is 'cards'.*members deal, dealer, leader"),
    ],
)
def test_a_hand_that_cannot_be_is_refused_with_its_place(members, message):
    with pytest.raises(BadInput, match=message):
        read_script(hand(**members))


@pytest.mark.parametrize(
    ("members", "message"),
    [
        ({"seat": 3}, "seat is 3.*from 0 to 2"),
        ({"hands": []}, "hands is .*one or more"),
        ({"hands": [3]}, "hand 1 is 3"),
        ({"script": 1}, "script is 'script'.*members name"),
        ({"others": 3}, "others is 3"),
        ({"ruleset": "nothing"}, "nothing"),
    ],
)
def test_a_script_that_cannot_be_is_refused(members, message):
    with pytest.raises(BadInput, match=message):
        read_script({**hand(), **members})


def test_more_cards_than_a_seat_gets_are_refused_when_the_hand_is_dealt():
    script = read_script(hand(deal={"0": "S3 S4 S5 S6 S7 S8"}))
    with pytest.raises(BadInput, match=r"hand 1: deal of seat 0 is 6.*at most [45] cards"):
        dealt(script)


def test_what_is_taken_out_unseen_has_to_be_left_over():
    blind = {**RULES, "options": {**RULES["options"], "blind_cards": 1}}
    everything = " ".join(CODES[card] for card in read_script(hand()).rules.deck)
    script = read_script({**hand(deal={"0": everything}), "ruleset": blind})
    with pytest.raises(BadInput, match=r"0 cards left.*1 cards left, which are taken out unseen"):
        dealt(script)
