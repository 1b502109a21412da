"""The clock port: where instants come from, and how they are written.

Only this module reads the system's clock. All instants are whole milliseconds.
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


MILLIS = tuple(f".{ms:03d}Z" for ms in range(1000))


def instant(wall_ms: int) -> str:
    """An instant for people and JSON: ``2026-01-31T09:00:00.250Z``."""
    return _second(wall_ms // 1000) + MILLIS[wall_ms % 1000]


@lru_cache(maxsize=256)
def _second(wall_s: int) -> str:
    return f"{datetime.fromtimestamp(wall_s, UTC):%Y-%m-%dT%H:%M:%S}"
