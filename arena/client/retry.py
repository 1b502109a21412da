"""When to try again, and how long to wait before: pure arithmetic, no clock and no network.

Backoff doubles from `first_s` to `most_s`, each wait shortened by a random part so that a class of
bots does not come back all at once. What the arena says in Retry-After is never undercut.
"""

from __future__ import annotations

import email.utils
import time
from collections.abc import Callable
from typing import NamedTuple

SAFE_TO_REPEAT = frozenset({429, 503})  # refused at the door: nothing was done
REPEAT_IF_IDEMPOTENT = frozenset({500, 502, 504})


class Backoff(NamedTuple):
    """Waits between attempts, in seconds."""

    first_s: float = 0.1
    most_s: float = 5.0

    def wait_s(self, attempt: int, *, chance: float, retry_after_s: float | None = None) -> float:
        """Wait after attempt number 0, 1, 2 ...; `chance` is a random number in 0..1."""
        step: float = min(self.most_s, self.first_s * 2 ** min(attempt, 16))
        if retry_after_s is not None:
            return retry_after_s + self.first_s * chance
        return step * (0.5 + 0.5 * chance)


class Attempts:
    """The attempts at one request. `patience_s`: for how long it is tried from the first failure
    on; `clock`: seconds; `chance`: a random number in 0..1."""

    def __init__(
        self,
        backoff: Backoff,
        *,
        patience_s: float,
        clock: Callable[[], float],
        chance: Callable[[], float],
    ) -> None:
        self._backoff, self._patience_s = backoff, patience_s
        self._clock, self._chance = clock, chance
        self._failing_since: float | None = None
        self.failed = 0

    def pause_s(self, retry_after_s: float | None = None) -> float | None:
        """After a failure: how long to wait before the next attempt; None: patience is at its
        end. `retry_after_s`: what the arena asked for."""
        now = self._clock()
        since = self._failing_since = now if self._failing_since is None else self._failing_since
        chance = self._chance()
        pause_s = self._backoff.wait_s(self.failed, chance=chance, retry_after_s=retry_after_s)
        self.failed += 1
        return pause_s if now + pause_s - since <= self._patience_s else None

    @property
    def worth_saying(self) -> bool:
        """Of many failures of one request: the 3rd, the 6th, and every 10th are told aloud."""
        return self.failed in (3, 6) or self.failed % 10 == 0


def worth_repeating(status: int, *, idempotent: bool) -> bool:
    """May a request that got this status be sent again?"""
    return status in SAFE_TO_REPEAT or (idempotent and status in REPEAT_IF_IDEMPOTENT)


def read_retry_after(value: str | float | None) -> float | None:
    """Seconds from a Retry-After header (a number or an HTTP date); None if there is none."""
    if value is None or value == "":
        return None
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        when = email.utils.parsedate_to_datetime(str(value))
    except ValueError:
        return None
    return max(0.0, when.timestamp() - time.time())
