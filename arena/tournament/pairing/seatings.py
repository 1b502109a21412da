"""Seatings: who sits where in each hand of a table.

Who sits directly before a bot moves its score, so a table goes through a list of cyclic orders in
which everybody follows everybody equally often. Pure: the seating of a hand is a function of the
seed and the hand's number alone. It may not know rules, results or names.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from arena.errors import BadInput
from arena.tournament.random_stream import RandomStream, Seed

Order = tuple[int, ...]
"""A cyclic order of a table: the player (index at the table) at seat 0, seat 1, ..."""


def _orders(text: str) -> tuple[Order, ...]:
    return tuple(tuple(int(player) for player in word) for word in text.split())


BALANCED: Mapping[int, tuple[Order, ...]] = MappingProxyType(
    {
        2: _orders("01"),
        3: _orders("012 021"),
        4: _orders("0123 0132 0213 0231 0312 0321"),
        5: _orders("01234 02413 03142 04321"),
        6: _orders(
            "013245 014253 021345 021534 031542 035241 043251 043512 052314 054123",
        ),
        7: _orders("0123456 0246315 0352614 0416253 0513642 0654321"),
        8: _orders("01452673 02463157 03564172 04253716 05136274 06123475 07654321"),
    }
)
"""Per number of seats: cyclic orders in which every player sits directly after every other equally
often (once; twice for 4 and 6 seats)."""


def seating(k: int, hand_number: int, *, seed: Seed, reseat_every: int = 1) -> tuple[int, ...]:
    """The seating of one hand: element s is the player (index at the table) on seat s.

    `hand_number` counts from 1. Every `reseat_every` hands the table takes the next order of its
    list, which is shuffled anew each time it has been gone through, and a random rotation of it.
    With `reseat_every` 0 (never) the table keeps the order its schedule gave it, which is already
    balanced over the schedule, in one random rotation.
    Give every table a seed of its own. Raises BadInput for other than 2 to 8 seats.
    """
    _check(k, hand_number, reseat_every=reseat_every)
    if reseat_every == 0:
        return _rotated(tuple(range(k)), RandomStream(seed, "rotation", 0).below(k))
    sitting = (hand_number - 1) // reseat_every
    return _rotated(_order(k, sitting, seed=seed), RandomStream(seed, "rotation", sitting).below(k))


def _order(k: int, sitting: int, *, seed: Seed) -> Order:
    orders = BALANCED[k]
    lap, step = divmod(sitting, len(orders))
    return RandomStream(seed, "orders", lap).shuffled(orders)[step]


def _rotated(order: Order, by: int) -> Order:
    return order[by:] + order[:by]


def _check(k: int, hand_number: int, *, reseat_every: int) -> None:
    if k not in BALANCED:
        raise BadInput("seats", k, f"{min(BALANCED)} to {max(BALANCED)}")
    if hand_number < 1:
        raise BadInput("hand_number", hand_number, "1 for the first hand, 2, 3 ...")
    if reseat_every < 0:
        raise BadInput("reseat_every", reseat_every, "0 (never) or a number of hands")
