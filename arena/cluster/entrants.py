"""At which referees a bot has sessions in play. Kept in memory, read from the database when asked
for the first time and again when something of it may have changed.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from arena.cluster.leases import NOBODY, SessionLeases
from arena.store.port import Store
from arena.store.reading import all_entries, last_entry

MOST_KEPT = 20_000
TRIES = 3
"""How often the sessions of a bot are read if something changes meanwhile."""


class Entrants:
    """The sessions in play of each bot that asks."""

    def __init__(self, store: Store, leases: SessionLeases) -> None:
        self._store = store
        self._leases = leases
        self._lock = threading.Lock()
        self._sessions: dict[str, frozenset[str]] = {}
        self._forgotten = 0

    def homes(self, bot: str) -> tuple[str, ...]:
        """The homes of a bot's sessions in play, by name; of one that is not known now: none.

        Raises Unavailable.
        """
        sessions = self._sessions.get(bot)
        if sessions is None:
            sessions = self._read(bot)
        if len(sessions) == 1:  # nearly always
            home = self._leases.home(next(iter(sessions)))
            return (home,) if home else ()
        homes = {self._leases.home(session) for session in sessions} - {None, NOBODY}
        return tuple(sorted(filter(None, homes)))

    def main_home(self, bot: str) -> str | None:
        """Where most of a bot's sessions in play are; by name among several such."""
        homes = [self._leases.home(session) for session in self._sessions.get(bot, ())]
        known = sorted(filter(None, homes))
        return max(known, key=known.count, default=None)

    def seat(self, person: str) -> str | None:
        """The session that a person entered last, which is what the page of their seat shows; None
        for who has entered none. Raises Unavailable."""
        entry = last_entry(self._store, person)
        return None if entry is None else entry.session

    def _read(self, bot: str) -> frozenset[str]:
        """Read it, and keep it if nothing was to be forgotten since: what was read may be older."""
        for _ in range(TRIES):
            since = self._forgotten
            sessions = frozenset(self._store.leased_sessions(bot))
            with self._lock:
                if since == self._forgotten:
                    if len(self._sessions) >= MOST_KEPT:
                        self._sessions.clear()
                    self._sessions[bot] = sessions
                    break
        return sessions

    def changed(self, session: str) -> tuple[str, ...]:
        """The lease or the entries of a session have changed: forget what rests on it. Its bots."""
        bots = tuple(entry.bot for entry in all_entries(self._store, session))
        self.forget(bots)
        return bots

    def forget(self, bots: Iterable[str] | None = None) -> None:
        """Read anew where these bots play, or (None) all."""
        with self._lock:
            self._forgotten += 1
            if bots is None:
                self._sessions.clear()
                return
            for bot in bots:
                self._sessions.pop(bot, None)
