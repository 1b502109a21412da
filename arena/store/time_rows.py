"""Rows and changes of the times at which a session does something by itself.

A time waits until it has an outcome; whoever settles it first is the only one, so that what happens
at it happens once. This module may import nothing but the standard library, and does no I/O.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

WAITING = ""
"""The outcome of a time that waits, as the index of those that are due knows it."""


class TimeRow(NamedTuple):
    """When a session does what. (session, what) is unique."""

    session: str
    what: str  # opens | starts | freezes | ends | publishes | drops
    at_ms: int
    outcome: str = WAITING  # or done | void | failed
    settled_ms: int | None = None
    reason: str = ""  # of an outcome, for people


class SettleTime(NamedTuple):
    """Give a time that waits its outcome. Conflict: it is not there, has one, or is another."""

    session: str
    what: str
    at_ms: int
    outcome: str
    settled_ms: int
    reason: str = ""


class DropTime(NamedTuple):
    """Take a time away, which has this outcome. Conflict: it is not there, or has another one."""

    session: str
    what: str
    outcome: str


class DropTimes(NamedTuple):
    """Take away all times of a session, if there are any."""

    session: str


TimeChange = TimeRow | SettleTime | DropTime | DropTimes


class TimeStore(Protocol):
    """What a store answers about times."""

    def times(self, session: str) -> tuple[TimeRow, ...]:
        """All times of a session, by what is done at them."""

    def due_times(self, now_ms: int, *, limit: int = 100) -> tuple[TimeRow, ...]:
        """Times that wait and are due at an instant, the longest due first."""
