"""Who was here: when each bot asked for its turns last, and with which client.

Of this process and since it began; referees that share a database tell each other now and then.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import NamedTuple

from arena.errors import Unavailable
from arena.store.port import CounterRow, Store

HERE_MS = 45_000
"""A bot counts as connected for so long: a poll waits at most 30 s, and bots come back at once."""
TOLD_MS = 15_000
"""How often the other referees are told."""
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
        self._written_ms: dict[str, int] = {}

    def note(self, bot: str, now_ms: int, client: str = "") -> None:
        """A bot polls, or has just been answered. client: empty if it is as before."""
        known = self._visits.get(bot)
        named = client[:LONGEST_CLIENT] or (known.client if known else "")
        self._visits[bot] = Visit(now_ms, named)
        if self._store.shared and now_ms - self._written_ms.get(bot, 0) >= TOLD_MS:
            self._written_ms[bot] = now_ms
            with contextlib.suppress(Unavailable):  # the next poll tells it again
                self._store.write(CounterRow(seen_key(bot), now_ms))

    def of(self, bots: Sequence[str]) -> dict[str, Visit]:
        """The last visits of some bots, at whichever referee; of those that were here at all."""
        visits = {bot: self._visits[bot] for bot in bots if bot in self._visits}
        if self._store.shared:
            known = self._store.counters([seen_key(bot) for bot in bots])
            for bot in bots:
                seen_ms, own = known.get(seen_key(bot)), visits.get(bot)
                if seen_ms is not None and (own is None or own.seen_ms < seen_ms):
                    visits[bot] = Visit(seen_ms, own.client if own else "")
        return visits


def seen_key(bot: str) -> str:
    """Under which key referees tell each other when a bot was here."""
    return f"seen/{bot}"
