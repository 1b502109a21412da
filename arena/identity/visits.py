"""Who was here: when each bot asked for its turns last, and with which client.

Of this process and since it began; processes that share a store tell each other now and then.
"""

from __future__ import annotations

import contextlib
from typing import NamedTuple

from arena.errors import Unavailable
from arena.store.port import CounterRow, Store

HERE_MS = 45_000
"""A bot counts as connected for so long: a poll waits at most 30 s, and bots come back at once."""
TOLD_MS = 15_000
"""How often other processes are told."""
ASKED_MS = 5_000
"""How old what the others have told may be."""
LONGEST_CLIENT = 80


class Visit(NamedTuple):
    """seen_ms: wall time of the last poll. client: what it calls itself; empty if not known."""

    seen_ms: int
    client: str

    def connected(self, now_ms: int) -> bool:
        """Was it here a moment ago?"""
        return now_ms - self.seen_ms <= HERE_MS


class Visits:
    """The last visit of each bot. Times in ms of the wall clock."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._visits: dict[str, Visit] = {}
        self._told_ms: dict[str, int] = {}
        self._elsewhere: dict[str, int] = {}
        self._asked_ms = -ASKED_MS

    def note(self, bot: str, now_ms: int, client: str = "") -> None:
        """A bot polls, or has just been answered. client: empty if it is as before."""
        known = self._visits.get(bot)
        named = client[:LONGEST_CLIENT] or (known.client if known else "")
        self._visits[bot] = Visit(now_ms, named)
        if self._store.shared and now_ms - self._told_ms.get(bot, 0) >= TOLD_MS:
            self._told_ms[bot] = now_ms
            with contextlib.suppress(Unavailable):  # the next poll tells it again
                self._store.write(CounterRow(seen_key(bot), now_ms))

    def of(self, bot: str, now_ms: int) -> Visit | None:
        """The last visit of a bot, at whichever process; None if there was none."""
        own, told_ms = self._visits.get(bot), self._told_elsewhere(now_ms).get(bot)
        if told_ms is None or (own is not None and own.seen_ms >= told_ms):
            return own
        return Visit(told_ms, own.client if own else "")

    def _told_elsewhere(self, now_ms: int) -> dict[str, int]:
        """What processes have told of visits, asked for now and then."""
        if self._store.shared and now_ms - self._asked_ms >= ASKED_MS:
            self._asked_ms = now_ms
            self._elsewhere = self._store.counters(seen_key(""))
        return self._elsewhere


def seen_key(bot: str) -> str:
    """Under which key processes tell each other when a bot was here."""
    return f"seen/{bot}"
