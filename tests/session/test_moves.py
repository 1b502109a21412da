"""Moves: what is noted of a hand's events, on cards that can be read."""

from __future__ import annotations

import pytest

from arena.bench.statistics import ground
from arena.errors import BadInput
from arena.rules.cards import parse
from arena.rules.events import (
    Asked,
    Cleared,
    Dealt,
    Expired,
    Gave,
    Passed,
    Played,
    Question,
    Reversed,
)
from arena.rules.melds import Kind, meld
from arena.session.moves import hand_moves
from arena.tournament.moves import Gift, Reaction

SEATS = ("a", "b", "c")


def dealt(*hands, titles=(None, None, None)):
    masks = tuple(parse(hand.split()) for hand in hands)
    counts = tuple(mask.bit_count() for mask in masks)
    return Dealt(0, masks, counts, 0, (), titles, None)


def single(seat, card):
    mask = parse([card])
    return Played(seat, meld(Kind.SET, mask, (), "3456789TJQKA2".index(card[1])))


DEAL = dealt("S5 S9 SK", "H6 H8 H2", "D3 D4 D7")


def reactions(*events):
    return hand_moves([DEAL, *events], SEATS).reactions


def test_a_pass_is_noted_with_whose_play_it_let_stand():
    (reaction,) = reactions(single(0, "S5"), Passed(1, barred=True))
    assert (reaction.bot, reaction.other, reaction.passed) == ("b", "a", True)


def test_a_play_is_noted_with_what_it_spent_beyond_the_least():
    (reaction,) = reactions(single(0, "S5"), single(1, "H8"))
    assert reaction.spent == 2  # the 6 would have done, the 8 is two ranks higher
    assert reactions(single(0, "S5"), single(1, "H6"))[0].spent == 0


def test_who_could_not_have_beaten_it_is_not_noted():
    assert reactions(single(0, "S9"), Passed(2, barred=True)) == ()


def test_answers_of_the_referee_and_leads_are_not_noted():
    assert reactions(single(0, "S5"), Expired(1, "timeout"), Passed(1, barred=True)) == ()
    assert reactions(single(0, "S5"), Cleared(), single(1, "H6")) == ()


def test_in_the_reversed_order_the_lower_card_beats():
    played = (Reversed("hand", on=True), single(0, "S9"))
    assert [reaction.spent for reaction in reactions(*played, single(1, "H6"))] == [2]
    assert len(reactions(*played, Passed(2, barred=True))) == 1
    assert reactions(Reversed("trick", on=True), single(0, "S5"), Cleared(), single(0, "S9"),
                   Passed(2, barred=True)) == ()  # fmt: skip


def test_a_gift_is_as_strong_as_the_share_of_cards_it_beats():
    deal = dealt("S5 S9 SK", "H6 H8 H2", "D3 D4 D7", titles=("daifugo", None, "daihinmin"))
    asked = Asked((Question(0, "give", "exchange", 1, 1, (((parse(["S5", "S9", "SK"]), 1),),)),))
    best = Gave(0, 2, parse(["SK"]), 1, "exchange")
    worst = Gave(0, 2, parse(["S5"]), 1, "exchange")
    shares = [hand_moves([deal, asked, gave], SEATS).gifts for gave in (best, worst)]
    assert shares == [
        (Gift("a", "c", ("daifugo", "exchange"), 1.0),),
        (Gift("a", "c", ("daifugo", "exchange"), 0.0),),
    ]
    assert hand_moves([deal, best], SEATS).gifts == ()  # it had no choice


@pytest.mark.parametrize(
    "events", [[single(3, "S5")], [Dealt(0, (1,), (1,), 0, (), (None,), None)]]
)
def test_events_of_no_such_table_are_refused(events):
    with pytest.raises(BadInput):
        hand_moves(events, SEATS)


def test_a_real_hand_has_replies_of_its_bots_and_only_possible_savings():
    on = ground("uecda", 5)
    bots = ("lowest", "saving-5", "random", "sense-50", "heuristic")
    noted = []
    for hand in on.table(bots, "b", 3):
        events = [event for step in hand.steps for event in step.events]
        noted.append(hand_moves(events, [bots[player] for player in hand.seating]))
    found = [reaction for moves in noted for reaction in moves.reactions]
    assert all(
        isinstance(reaction, Reaction) and reaction.bot != reaction.other for reaction in found
    )
    assert {reaction.bot for reaction in found} == set(bots)
    passes = [reaction.passed for reaction in found if reaction.bot == "lowest"]
    assert sum(passes) < len(passes) / 2  # only where a lock binds it
    assert len(noted[1].gifts) == 2  # those of the two richest; the poor have no choice
