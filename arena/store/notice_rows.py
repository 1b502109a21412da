"""Rows and changes of what owners and organisers are told: notices of bots, deliveries of sessions.

A notice is numbered within its bot: the row of the bot counts them, so that whoever commits later
has the greater number, and a reader who goes on from the last number that it has misses none.
A delivery waits until it has been sent or given up; who sends it first moves its `due_ms`, as a
lease that others respect. This module may import nothing but the standard library, and does no I/O.
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

KEPT_NOTICES = 1_000
"""The most notices of one bot; the oldest go first."""
WAITING = "waiting"
"""The status of a delivery that is to be sent, as the index of those that are due knows it."""


class NoticeRow(NamedTuple):
    """What a bot is told. number: given by the store, from 1 for each bot; leave it 0 when writing.

    Write it as `numbered` gives it, never by itself.
    """

    bot: str
    session: str
    at_ms: int
    kind: str
    data: str  # JSON
    number: int = 0


class NumberNotice(NamedTuple):
    """Count one more notice of a bot; its row follows in the same write. NotFound: no such bot."""

    bot: str


class TrimNotices(NamedTuple):
    """Take away all but the newest notices of a bot."""

    bot: str
    kept: int


class DropNotices(NamedTuple):
    """Take away all notices of a session, if there are any."""

    session: str


class DeliveryRow(NamedTuple):
    """A message for the address of a session. due_ms: when it is to be sent, or looked after."""

    id: str
    session: str
    at_ms: int
    kind: str
    body: str  # JSON, as it is sent
    due_ms: int
    status: str = WAITING  # waiting | delivered | failed
    tries: int = 0
    outcome: str = ""  # of the latest try, for people


class SetDelivery(NamedTuple):
    """Move on a delivery that waits and is due at `was`. Conflict: somebody else has done so."""

    delivery: str
    status: str
    due_ms: int
    tries: int
    outcome: str
    was: int


class PostponeDeliveries(NamedTuple):
    """All deliveries of a session that are due at `now_ms` are due at `due_ms` instead."""

    session: str
    due_ms: int
    now_ms: int


class DropDeliveries(NamedTuple):
    """Take away all deliveries of a session, if there are any."""

    session: str


NoticeChange = (
    NoticeRow
    | NumberNotice
    | TrimNotices
    | DropNotices
    | DeliveryRow
    | SetDelivery
    | PostponeDeliveries
    | DropDeliveries
)


def numbered(row: NoticeRow) -> tuple[NoticeChange, ...]:
    """What writes a notice, and keeps the number of its bot's notices within bounds."""
    return NumberNotice(row.bot), row, TrimNotices(row.bot, KEPT_NOTICES)


class NoticeStore(Protocol):
    """What a store answers about notices and deliveries."""

    def notices(self, bot: str, *, after: int = 0, limit: int = 100) -> tuple[NoticeRow, ...]:
        """The notices of a bot by number; `after` is a number."""

    def last_notice(self, bot: str) -> int:
        """The number of a bot's newest notice, 0 if it never had one (or is not there)."""

    def due_deliveries(self, now_ms: int, *, limit: int = 100) -> tuple[DeliveryRow, ...]:
        """Deliveries that wait and are due at an instant, the longest due first."""

    def deliveries(self, session: str, *, limit: int = 100) -> tuple[DeliveryRow, ...]:
        """The deliveries of a session, newest first (then by id, descending)."""
