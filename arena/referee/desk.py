"""The desk: which turns wait for which bot, and who is absent. In memory, rebuilt from the log.

Every turn that is laid on the desk gets the next number, by which polls with a cursor know what
they have seen. Knows nothing of rules, stores and clocks.
"""

from __future__ import annotations

import threading

from arena.referee.live import Turn


class Desk:
    """The open turns of one process, by bot. first: below every number that will be given."""

    def __init__(self, first: int = 0) -> None:
        self._lock = threading.Lock()
        self._number = first
        self._turns: dict[str, dict[str, Turn]] = {}

    def start_from(self, first: int) -> None:
        """Give only numbers above this one (so that a new process is ahead of an old one)."""
        with self._lock:
            self._number = max(self._number, first)

    def lay(self, turn: Turn) -> None:
        """Offer a turn, or offer it once more under a new number."""
        with self._lock:
            self._number += 1
            turn.number = self._number
            mine = self._turns.setdefault(turn.bot, {})
            mine.pop(turn.id, None)
            mine[turn.id] = turn

    def take(self, turn: Turn) -> None:
        """A turn is no longer open; harmless if it is not there."""
        with self._lock:
            mine = self._turns.get(turn.bot)
            if mine is not None:
                mine.pop(turn.id, None)
                if not mine:
                    del self._turns[turn.bot]

    def of(self, bot: str, after: int | None = None) -> list[Turn]:
        """The turns of a bot with numbers above `after`, in the order in which they were laid."""
        with self._lock:
            mine = list(self._turns.get(bot, {}).values())
        return [turn for turn in mine if after is None or turn.number > after]

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._turns.values()))


class Presence:
    """Which bots are absent from which tables, until they poll again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._absent: dict[str, set[str]] = {}

    def miss(self, bot: str, table: str) -> None:
        """The bot is absent from this table from now on."""
        with self._lock:
            self._absent.setdefault(bot, set()).add(table)

    def came(self, bot: str) -> None:
        """The bot has polled: it is absent from nowhere."""
        if bot in self._absent:
            with self._lock:
                self._absent.pop(bot, None)

    def is_absent(self, bot: str, table: str) -> bool:
        """Is the seat of this bot to be answered for at once?"""
        return table in self._absent.get(bot, ())

    def forget(self, table: str) -> None:
        """A table is over."""
        with self._lock:
            for tables in self._absent.values():
                tables.discard(table)
