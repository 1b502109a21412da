"""Luck of the deal: how many cards of each rank a bot was dealt beyond what was to be expected.

Every order of the deck is equally likely, so the expectation of a packet follows from its size and
the deck alone, whoever gets it. Not so where cards are taken out unseen: these are natural ones
from the end of the deck, which moves jokers to its end, and to whoever gets the last cards. Pure:
it reads the deal of a hand and nothing that happened later.
"""

from __future__ import annotations

from arena.rules.cards import JOKERS, RANK_MASKS
from arena.rules.events import Dealt

RANKS = (*RANK_MASKS, JOKERS)


def deal_luck(event: Dealt) -> tuple[tuple[float, ...], ...] | None:
    """By seat and rank the cards dealt beyond what was expected. None if that is not known: where
    cards were taken out, and in a log in which they are hidden."""
    if event.blind or tuple(hand.bit_count() for hand in event.hands) != tuple(event.counts):
        return None
    dealt = sum(hand.bit_count() for hand in event.hands)
    expected = [sum((hand & rank).bit_count() for hand in event.hands) / dealt for rank in RANKS]
    return tuple(
        tuple(
            (hand & rank).bit_count() - hand.bit_count() * each
            for rank, each in zip(RANKS, expected, strict=True)
        )
        for hand in event.hands
    )
