"""Open turns: which turns wait for which bot, and which bots are there to answer. In memory only.

Every turn that is offered gets the next number, by which polls with a cursor know what
they have seen. Knows nothing of rules, stores and clocks.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable

from arena.referee.live import Turn

MARKS = 4_096
"""How many referees that share a database can be told apart by the numbers that they give."""


class OpenTurns:
    """The open turns of one process, by bot."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._number = 0
        self._step = 1
        self._turns: dict[str, dict[str, Turn]] = {}

    def start_from(self, first: int) -> None:
        """Give only numbers above this one (so that a new process is ahead of an old one)."""
        with self._lock:
            self._number = max(self._number, first)

    def mark(self, mark: int, now_ms: int) -> None:
        """Give numbers that this referee can be known by, mark: below MARKS; now_ms: they are above
        those of a process with the same mark that ended before."""
        with self._lock:
            self._step = MARKS
            self._number = now_ms * MARKS + mark

    def gave(self, cursor: int | None) -> bool:
        """Can this process have given a cursor (or is it none)?"""
        return cursor is None or (cursor - self._number) % self._step == 0

    def lay(self, turns: Iterable[Turn]) -> None:
        """Offer turns, or offer them once more under new numbers."""
        self.change((), turns)

    def take(self, turns: Iterable[Turn]) -> None:
        """Turns are no longer open; harmless if they are not there."""
        self.change(turns, ())

    def change(self, closed: Iterable[Turn], opened: Iterable[Turn]) -> None:
        """Take some turns and lay others."""
        with self._lock:
            for turn in closed:
                self._turns.get(turn.bot, {}).pop(turn.id, None)
            for turn in opened:
                self._number = turn.number = self._number + self._step
                mine = self._turns.setdefault(turn.bot, {})
                mine.pop(turn.id, None)
                mine[turn.id] = turn

    def find(self, bot: str, turn: str) -> Turn | None:
        """A turn of a bot by its id, if it is open."""
        return self._turns.get(bot, {}).get(turn)

    def of(self, bot: str, after: int | None = None) -> list[Turn]:
        """The turns of a bot with numbers above `after`, in the order in which they were laid."""
        with self._lock:
            mine = list(self._turns.get(bot, {}).values())
        return mine if after is None else [turn for turn in mine if turn.number > after]

    def __len__(self) -> int:
        with self._lock:
            return sum(map(len, self._turns.values()))


class Presence:
    """Which bots polled a moment ago, and which have seats on probation. All times in arena time.

    That a seat is on probation follows from its table; here it is noted by bot, so that a poll
    finds it at once. A poll that still waits is the bell's business.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until_ms: dict[str, int] = {}
        self._everybody_until_ms = 0
        self._probation: dict[str, set[str]] = {}

    def expect(self, bot: str, until_ms: int) -> None:
        """A poll of the bot has been answered; it counts as waiting for that long."""
        self._until_ms[bot] = until_ms

    def expect_everybody(self, until_ms: int) -> None:
        """All bots count as waiting for that long: they could not poll until now."""
        self._everybody_until_ms = until_ms

    def is_expected(self, bot: str, now_ms: int) -> bool:
        """Does a bot count as waiting, though no poll of it does?"""
        return now_ms <= max(self._until_ms.get(bot, 0), self._everybody_until_ms)

    def suspend(self, bot: str, table: str) -> bool:
        """The bot's seat at this table is on probation. Is that new?"""
        with self._lock:
            tables = self._probation.setdefault(bot, set())
            is_new = table not in tables
            tables.add(table)
        return is_new

    def restore(self, bot: str, table: str) -> bool:
        """It is not on probation any more; was it?"""
        if bot not in self._probation:
            return False
        with self._lock:
            return self._remove(bot, table)

    def forget(self, table: str) -> None:
        """A table is over."""
        with self._lock:
            for bot in tuple(self._probation):
                self._remove(bot, table)

    def _remove(self, bot: str, table: str) -> bool:
        tables = self._probation.get(bot, set())
        was_there = table in tables
        tables.discard(table)
        if not tables:
            self._probation.pop(bot, None)
        return was_there

    def is_on_probation(self, bot: str) -> bool:
        """Has the bot a seat on probation at any table?"""
        return bot in self._probation
