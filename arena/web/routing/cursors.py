"""Cursors of polls that were answered from several homes: one number for a cursor of each of them.

The last ones of each bot are kept, in memory only: who has forgotten what a cursor stands for takes
it for none, and every open turn comes again. This module may not know what a turn is.
"""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from types import MappingProxyType

from arena.referee.open_turns import MARKS

KEPT = 16
"""Cursors of one bot: a client uses its newest one, or one of a moment ago."""
MOST_BOTS = 20_000
LEAST_OF_HOME = 2**51
"""Cursors that a home gives are above this: they hold the time, in milliseconds, by 4096."""
FIRST_BITS = 36
"""Where the numbers of one run begin is random, so that no other run gave the same ones."""

Cursors = Mapping[str, int]
"""The cursor of each home."""
NONE: Cursors = MappingProxyType({})


class MergedCursors:
    """The cursors of one referee. mark: by which they are known for its own."""

    def __init__(self, mark: Callable[[], int]) -> None:
        self._mark = mark
        self._lock = threading.Lock()
        self._count = secrets.randbits(FIRST_BITS)
        self._bots: OrderedDict[str, OrderedDict[int, Cursors]] = OrderedDict()

    def known(self, bot: str, cursor: int) -> Cursors:
        """What a number of this referee's stands for; nothing if that is not known."""
        with self._lock:
            kept = self._bots.get(bot)
            return NONE if kept is None else kept.get(cursor, NONE)

    def give(self, bot: str, cursors: Cursors) -> int | None:
        """A number for these cursors, the same as before where they are the newest already."""
        if not cursors:
            return None
        with self._lock:
            kept = self._bots.setdefault(bot, OrderedDict())
            self._bots.move_to_end(bot)
            newest = next(reversed(kept), None)
            if newest is not None and kept[newest] == cursors:
                return newest
            self._count += 1
            number = self._count * MARKS + self._mark()
            kept[number] = dict(cursors)
            if len(kept) > KEPT:
                kept.popitem(last=False)
            if len(self._bots) > MOST_BOTS:
                self._bots.popitem(last=False)
            return number


def is_merged(cursor: int) -> bool:
    """Does a number stand for cursors of several homes?"""
    return cursor < LEAST_OF_HOME
