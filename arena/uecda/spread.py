"""Cards that a seat does not see, spread over the other seats by their counts.

Pure, and no guess: which of the unseen cards a seat gets means nothing and no bot ever sees it. The
engine needs whole hands; this is how a player who knows one of them can ask it something.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from operator import or_
from typing import Final, NamedTuple

NOTHING_KNOWN: Final[Mapping[int, int]] = {}


class KnownCards(NamedTuple):
    """What is known of the cards. own: held by `seat`; counts: by seat, that of `seat` is not read;
    table: on the table; gone: played before; at: further cards by seat, known to be there."""

    seat: int
    own: int
    counts: Sequence[int]
    table: int = 0
    gone: int = 0
    at: Mapping[int, int] = NOTHING_KNOWN


def spread(order: Sequence[int], known: KnownCards) -> tuple[int, ...]:
    """The hands by seat. order: all card ids, in which the unseen ones are handed out.

    A server may let cards be played that the player does not hold: where too few are unseen, some
    that are gone come back. Where even those are too few, hands stay smaller than their counts.
    """
    placed = reduce(or_, known.at.values(), known.own) | known.table
    unseen = [card for card in order if not (placed | known.gone) >> card & 1]
    again = [card for card in order if known.gone & ~placed >> card & 1]
    left = iter([*unseen, *again])
    hands = []
    for seat, count in enumerate(known.counts):
        if seat == known.seat:
            hands.append(known.own)
            continue
        hand = known.at.get(seat, 0) & ~known.own
        missing = max(0, count - hand.bit_count())
        hands.append(hand | sum(1 << card for _, card in zip(range(missing), left, strict=False)))
    return tuple(hands)
