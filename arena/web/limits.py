"""How often a token may ask: one token bucket for each, of our own (a dozen lines).

A bucket holds at most `burst` and fills by `rate` a second. A request takes one. Answers may draw
a bucket below nothing, down to `-burst`, so that an empty bucket never costs a turn; only a flood
of refused answers meets that floor. This module may not know what a request is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from threading import Lock
from typing import Final

MOST_BUCKETS: Final = 10_000
EVERYBODY: Final = "everybody"
"""The key of all who have no token."""


class Buckets:
    """Token buckets by key. rate: units a second, 0 for no limit. burst: the most one holds."""

    def __init__(self, rate: float, burst: int, *, monotonic: Callable[[], float]) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._monotonic = monotonic
        self._levels: dict[str, tuple[float, float]] = {}
        self._lock = Lock()

    def take(self, key: str, *, in_debt: bool = False) -> int:
        """Take one unit; 0 if it was there, else the whole seconds until it will be.

        in_debt: the bucket may go below nothing, as far as `-burst`.
        """
        if not self._rate:
            return 0
        floor = -self._burst if in_debt else 0.0
        with self._lock:
            level, now = self._level(key)
            if level - 1.0 >= floor:
                self._levels[key] = (level - 1.0, now)
                return 0
        return max(1, math.ceil((floor + 1.0 - level) / self._rate))

    def credit(self, key: str, units: float) -> None:
        """Give back (or take, if negative) units after the fact, between `-burst` and `burst`."""
        if not self._rate:
            return
        with self._lock:
            level, now = self._level(key)
            self._levels[key] = (max(-self._burst, min(self._burst, level + units)), now)

    def charge(self, key: str, units: float) -> float:
        """Take units after the fact, into debt if need be; the seconds until half a burst is there
        again, so that who goes on spending leaves the other half for what else the key does."""
        if not self._rate:
            return 0.0
        with self._lock:
            level, now = self._level(key)
            left = max(-self._burst, level - units)
            self._levels[key] = (left, now)
        return max(0.0, (self._burst / 2 - left) / self._rate)

    def _level(self, key: str) -> tuple[float, float]:
        now = self._monotonic()
        found = self._levels.get(key)
        if found is None:
            self._forget_the_full(now)
            return self._burst, now
        level, since = found
        return min(self._burst, level + (now - since) * self._rate), now

    def _forget_the_full(self, now: float) -> None:
        """A full bucket is as good as none: drop those when there are very many."""
        if len(self._levels) < MOST_BUCKETS:
            return
        for key, (level, since) in tuple(self._levels.items()):
            if level + (now - since) * self._rate >= self._burst:
                del self._levels[key]
