"""Time: the clock port, the arena's own clock, and a session's clock that can be frozen.

Only this module reads the system's clock. All instants are whole milliseconds.

Three kinds of time, each a whole number of milliseconds that never goes back:

- *wall time*, since 1970, for people: `at_ms` of a step, `server_time`, `deadline`;
- *arena time*: wall time without the outages. A process that starts goes on where the last one was
  alive, so an outage is credited to every open clock and nobody has to keep a list of credits;
- *session time*: arena time without the pauses of that session. Deadlines are in session time.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from functools import lru_cache
from typing import Protocol

NS_PER_MS = 1_000_000


class Clock(Protocol):
    """Where instants come from."""

    def now_ms(self) -> int:
        """Milliseconds since 1970; never less than an earlier answer."""


class SystemClock:
    """The wall clock as it was at the start, driven on by the monotonic clock.

    now_ms: the instant of the start by a better clock than this machine's, if there is one.
    """

    def __init__(self, now_ms: int | None = None) -> None:
        start_ns = time.time_ns() if now_ms is None else now_ms * NS_PER_MS
        self._base_ns = start_ns - time.monotonic_ns()

    def now_ms(self) -> int:
        return (self._base_ns + time.monotonic_ns()) // NS_PER_MS


class ArenaClock:
    """Arena time; stands still until `go`, and again after `halt`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lag_ms = 0
        self._halted_ms: int | None = 0

    def go(self, alive_ms: int | None) -> None:
        """Go on from the arena time at which a process was last known to be alive."""
        wall_ms = self._clock.now_ms()
        self._lag_ms = 0 if alive_ms is None else wall_ms - alive_ms
        self._halted_ms = None

    def go_on(self, lag_ms: int) -> None:
        """Go on as all processes do that share this lag: the outages so far."""
        self._lag_ms = lag_ms
        self._halted_ms = None

    @property
    def halted_ms(self) -> int | None:
        """The arena time at which it stands still, None while it goes."""
        return self._halted_ms

    def halt(self) -> int:
        """Stand still from now on; the arena time that it shows."""
        self._halted_ms = self.now_ms()
        return self._halted_ms

    def now_ms(self) -> int:
        if self._halted_ms is not None:
            return self._halted_ms
        return self._clock.now_ms() - self._lag_ms

    def wall_ms(self) -> int:
        """Wall time, which never stands still."""
        return self._clock.now_ms()


class SessionClock:
    """Session time: arena time behind by `lag_ms`, or frozen at `frozen_ms`."""

    def __init__(self, arena: ArenaClock, *, lag_ms: int = 0, frozen_ms: int | None = None) -> None:
        self._arena = arena
        self.lag_ms = lag_ms
        self.frozen_ms = frozen_ms

    def now_ms(self) -> int:
        """Session time."""
        return self.at_ms(self._arena.now_ms())

    def at_ms(self, arena_ms: int) -> int:
        """The session time of an arena time."""
        return arena_ms - self.lag_ms if self.frozen_ms is None else self.frozen_ms

    def freeze(self) -> int:
        """Stand still; the session time that it shows."""
        self.frozen_ms = self.now_ms()
        return self.frozen_ms

    def lag_to_resume_ms(self) -> int:
        """The lag with which a frozen clock would go on from where it stands."""
        return self._arena.now_ms() - self.now_ms()

    def thaw(self, lag_ms: int) -> None:
        """Go on with this lag."""
        self.lag_ms = lag_ms
        self.frozen_ms = None


_MILLIS = tuple(f".{ms:03d}Z" for ms in range(1000))


def instant(wall_ms: int) -> str:
    """An instant for people and JSON: ``2026-01-31T09:00:00.250Z``."""
    return _second(wall_ms // 1000) + _MILLIS[wall_ms % 1000]


@lru_cache(maxsize=256)
def _second(wall_s: int) -> str:
    return f"{datetime.fromtimestamp(wall_s, UTC):%Y-%m-%dT%H:%M:%S}"
