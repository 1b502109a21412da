"""Patience: a database file that another program has locked is asked again, a little later.

SQLite can wait for a lock by itself, but it sleeps in C: on greenlets, which share one thread, that
stops the whole process, polls and health checks included. So no connection has a busy timeout;
whoever meets a lock sleeps here, by way of `time.sleep`, which gevent replaces, and tries again.
This module knows no statements and no tables.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

_Answer = TypeVar("_Answer")

PATIENCE_S = 1.0
"""How long a request waits for a lock in all, before it is answered that there is one."""
OPENING_PATIENCE_S = 5.0
"""The same for a process that starts, or is a command: nobody else waits for it."""
FIRST_PAUSE_S = 0.001
LONGEST_PAUSE_S = 0.05


def code_of(error: sqlite3.Error) -> int:
    """The primary result code of SQLite, 0 if the error does not come from the library."""
    code: int = getattr(error, "sqlite_errorcode", 0)
    return code & 0xFF


def is_locked(error: sqlite3.Error) -> bool:
    """Did somebody else's lock cause this error? A stale snapshot and a recovery count as locks."""
    return code_of(error) == sqlite3.SQLITE_BUSY


def pauses_s(total_s: float) -> Iterator[float]:
    """Pauses that double from a millisecond to the longest, and last so long together."""
    pause_s = FIRST_PAUSE_S
    while total_s > 0:
        yield min(pause_s, total_s)
        total_s -= pause_s
        pause_s = min(2 * pause_s, LONGEST_PAUSE_S)


def _sleep(seconds: float) -> None:
    """Looked up at every call, so that it sleeps as the process does by then."""
    time.sleep(seconds)


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long locks are waited for: all pauses of one piece of work last `total_s` together."""

    total_s: float = PATIENCE_S
    sleep: Callable[[float], None] = _sleep

    def call(
        self,
        work: Callable[[], _Answer],
        waiting: Callable[[], AbstractContextManager[None]] = nullcontext,
    ) -> _Answer:
        """Do the work, again after each lock that it meets; it must leave nothing when it fails.

        waiting: entered at the first lock, left when the work is done or fails, with its error.
        Raises what the work raises; the last error of a lock when the patience is at its end.
        """
        try:
            return work()
        except sqlite3.Error as error:
            if not is_locked(error):
                raise
            last = error
        with waiting():
            for pause_s in pauses_s(self.total_s):
                self.sleep(pause_s)
                try:
                    return work()
                except sqlite3.Error as error:
                    if not is_locked(error):
                        raise
                    last = error
            raise last
