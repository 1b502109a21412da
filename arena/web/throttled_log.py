"""A log that says the same thing only now and then, and how often it was the case meanwhile.

For what clients can bring about as often as they like: a line for each would cost more than the
answer, and would bury what an operator has to see. This module may not know what is logged.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

EVERY_S = 5.0


class ThrottledLog:
    """Lines about a few kinds of events, at most one of each kind in `every_s` seconds.

    monotonic: seconds. A line that follows others that were left out tells how many as `more`.
    """

    def __init__(
        self,
        logger: logging.Logger,
        *,
        every_s: float = EVERY_S,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._logger = logger
        self._every_s = every_s
        self._monotonic = monotonic
        self._next_s: dict[str, float] = {}
        self._left_out: dict[str, int] = {}

    def log(self, level: int, kind: str, message: str, *args: object) -> None:
        """Write a line about an event of this kind, or count it. kind: one of a few fixed words."""
        now_s = self._monotonic()
        if now_s < self._next_s.get(kind, now_s):
            self._left_out[kind] = self._left_out.get(kind, 0) + 1
            return
        self._next_s[kind] = now_s + self._every_s
        more = self._left_out.pop(kind, 0)
        self._logger.log(level, message, *args, extra={"fields": {"more": more}} if more else None)
