"""How often a token may ask: one token bucket for each, of our own (a dozen lines).

A bucket holds at most `burst` and fills by `rate` a second. A request takes one. Answers may draw
a bucket below nothing, down to `-burst`, so that an empty bucket never costs a turn; only a flood
of refused answers meets that floor. What a request has cost beyond its unit is charged when it is
known, and may draw any bucket below nothing. This module may not know what a request is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Lock

from arena.web.api.problems import Code, retry

MOST_BUCKETS = 10_000
REFUSED_BYTES = 1_024
"""Of a request that was refused for its form: as many cost one unit."""
SENT_BYTES = 65_536
"""Of a document: as many, begun, cost one unit."""
LISTED = 100
"""Entries of a list: as many, begun, cost one unit."""


def rate_cost_of_refusal(received_bytes: int) -> int:
    """Units that a request costs beyond its first if it is refused for its form.

    Reading a body costs time for each byte, and saying what is wrong with it takes longer than
    accepting it. Whoever makes a mistake in a short request pays nothing more for it.
    """
    return received_bytes // REFUSED_BYTES


def rate_cost_of_document(sent_bytes: int) -> int:
    """Units that a document costs beyond the first: it is ready, but has to be sent."""
    return max(0, math.ceil(sent_bytes / SENT_BYTES) - 1)


def rate_cost_of_list(entries: int) -> int:
    """Units that a list costs beyond the first: each of its entries is read and written."""
    return max(0, math.ceil(entries / LISTED) - 1)


EVERYBODY = "everybody"
"""The key of all who have no token."""


class Buckets:
    """Token buckets by key. rate: units a second, 0 for no limit. burst: the most one holds."""

    def __init__(self, rate: float, burst: int, *, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._monotonic = monotonic
        self._levels: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def take(self, key: str, *, units: float = 1.0, in_debt: bool = False) -> int:
        """Take units, all or none; 0 if they were there, else the whole seconds until they will be.

        in_debt: the bucket may go below nothing, as far as `-burst`. Without it, more than a burst
        is never there: charge such afterwards.
        """
        if not self._rate:
            return 0
        floor = -self._burst if in_debt else 0.0
        with self._lock:
            level, now = self._level(key)
            if level - units >= floor:
                self._levels[key] = (level - units, now)
                return 0
        return max(1, math.ceil((floor + units - level) / self._rate))

    def take_or_refuse(self, key: str, detail: str, *, in_debt: bool = False) -> None:
        """Take a unit. Raises Problem (`too_many_requests`) with this detail if there is none."""
        seconds = self.take(key, in_debt=in_debt)
        if seconds:
            raise retry(Code.TOO_MANY_REQUESTS, detail, seconds)

    def charge(self, key: str, units: float) -> float:
        """Take what something has cost, after the fact and whether or not it is there; the seconds
        until half a burst is there again, so that who goes on spending leaves the other half.

        There is no floor: a bucket that is drawn to the floor would pay for nothing any more. One
        request is let through before each charge, so a debt is never more than the largest charge
        below the floor of `take`.
        """
        if not self._rate:
            return 0.0
        with self._lock:
            level, now = self._level(key)
            self._levels[key] = (level - units, now)
        return max(0.0, (self._burst / 2 - (level - units)) / self._rate)

    def credit(self, key: str, units: float) -> None:
        """Give back (or take, if negative) units after the fact, between `-burst` and `burst`; of
        what was charged below that, no more than the units is given back."""
        if not self._rate:
            return
        with self._lock:
            level, now = self._level(key)
            floor = min(level + max(0.0, units), -self._burst)
            self._levels[key] = (max(floor, min(self._burst, level + units)), now)

    def _level(self, key: str) -> tuple[float, float]:
        now = self._monotonic()
        bucket = self._levels.get(key)
        if bucket is None:
            self._drop_full(now)
            return self._burst, now
        level, since = bucket
        return min(self._burst, level + (now - since) * self._rate), now

    def _drop_full(self, now: float) -> None:
        """A full bucket is as good as none: drop those when there are very many."""
        if len(self._levels) < MOST_BUCKETS:
            return
        for key, (level, since) in tuple(self._levels.items()):
            if level + (now - since) * self._rate >= self._burst:
                del self._levels[key]
        if len(self._levels) >= MOST_BUCKETS:
            self._drop_oldest()

    def _drop_oldest(self) -> None:
        """None is full: those that were used longest ago make room, many at once to save work."""
        by_age = sorted(self._levels, key=lambda key: self._levels[key][1])
        for key in by_age[: MOST_BUCKETS // 10]:
            del self._levels[key]
