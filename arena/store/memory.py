"""The store in the memory of the process: a SQLite database without a file.

For tests, and for play that nobody needs to keep. One connection behind one lock: there is no disk
to wait for, so no thread of a writer, and no group commit either.
"""

from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from arena.errors import Unavailable
from arena.store.connections import unavailable
from arena.store.migrations import MIGRATIONS
from arena.store.port import Change
from arena.store.sql import SqlStore
from arena.store.sqlite import Unshared, make, upgrade

NAME = Path(":memory:")


def open_memory() -> SqlStore:
    """A new, empty store that is gone when it is closed."""
    return SqlStore(MemoryEngine())


class MemoryEngine(Unshared):
    """The engine of a store in memory: it makes every write at once, in the thread that asks."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._closed = False
        self._connection = sqlite3.connect(NAME, isolation_level=None, check_same_thread=False)
        # A database that was deserialized itself is slower to write, and has an upper limit.
        with closing(sqlite3.connect(NAME)) as source:
            source.deserialize(_empty_database())
            source.backup(self._connection)
        self._connection.execute("PRAGMA foreign_keys = 1")

    def submit(self, changes: tuple[Change, ...]) -> None:
        with self._lock:
            self._require_open()
            try:
                self._make_all(changes)
            except sqlite3.OperationalError as error:
                raise unavailable(NAME, error) from error

    def rows(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        with self._lock:
            self._require_open()
            return self._connection.execute(sql, parameters).fetchall()

    def queued(self) -> int:
        return 0

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._connection.close()

    def _make_all(self, changes: tuple[Change, ...]) -> None:
        if len(changes) == 1:  # a single statement is a transaction already
            make(self._connection, changes[0])
            return
        self._connection.execute("BEGIN")
        try:
            for change in changes:
                make(self._connection, change)
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def _require_open(self) -> None:
        if self._closed:
            raise Unavailable("the store is closed")


@cache
def _empty_database() -> bytes:
    """Our schema without rows. A copy of it takes 0.1 ms, the migrations take 3 ms."""
    with closing(sqlite3.connect(NAME, isolation_level=None)) as connection:
        upgrade(connection, NAME, migrations=MIGRATIONS)
        return connection.serialize()
