"""Connections to a SQLite file: how each is set up, who may write, and what an error means.

The pragmas are set here and nowhere else. This module knows neither our tables nor group commit.
"""

from __future__ import annotations

import os
import sqlite3
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any, TypeVar

from arena.errors import BadInput, Damaged, Unavailable
from arena.store.patience import Patience, code_of

PRAGMAS: tuple[tuple[str, str | int], ...] = (
    ("busy_timeout", 0),  # waiting in C stops every greenlet: see `arena.store.patience`
    ("journal_mode", "wal"),  # readers never wait for the writer
    ("synchronous", "full"),  # a commit survives a power cut, not only a crash
    ("fullfsync", 1),  # macOS: without it fsync leaves the data in the drive's cache
    ("checkpoint_fullfsync", 1),
    ("foreign_keys", 1),
    ("journal_size_limit", 64 * 2**20),  # bytes; a log grown by a burst shrinks again
)
"""What every connection is set to, in this order. They are per connection, all but journal_mode."""

_Answer = TypeVar("_Answer")

READ_ONLY = (("query_only", 1),)

MEANINGS = {
    sqlite3.SQLITE_FULL: "the disk is full",
    sqlite3.SQLITE_READONLY: "it is read-only",
    sqlite3.SQLITE_BUSY: "another program has locked it",
    sqlite3.SQLITE_LOCKED: "it is locked",
    sqlite3.SQLITE_IOERR: "the disk could not be read or written",
    sqlite3.SQLITE_CANTOPEN: "it cannot be opened",
    sqlite3.SQLITE_CORRUPT: "it is damaged",
    sqlite3.SQLITE_NOTADB: "it is not a SQLite database",
}
DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
MAY_BE_READ_ONLY = (sqlite3.SQLITE_READONLY, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_CANTOPEN)
"""The errors of SQLite for a file that cannot be written to: a disk that the system has made
read-only after an error, for one, is an error of input and output to it."""


def unavailable(path: Path, error: sqlite3.Error) -> Unavailable:
    """What to tell somebody whose request met this error of the database."""
    meaning = MEANINGS.get(code_of(error))
    barred = unwritable(path) if code_of(error) in MAY_BE_READ_ONLY else None
    if barred is not None:
        meaning = f"it is read-only: {barred} cannot be written to"
    kind = Damaged if code_of(error) in DAMAGE else Unavailable
    return kind(f"the database {path.name}: {f'{meaning} ({error})' if meaning else error}")


def unwritable(path: Path) -> str | None:
    """Which of a database's file and folder this process may not write to; None if it may."""
    if path.exists() and not _may_write(path):
        return "the file"
    return None if _may_write(path.parent) else "its folder"


def _may_write(place: Path) -> bool:
    """Also False on a disk that is mounted read-only, whoever asks."""
    return os.access(place, os.W_OK, effective_ids=os.access in os.supports_effective_ids)


def check_writable(path: Path) -> None:
    """Raises Unavailable for a file that can only be read, before anything is made beside it."""
    barred = unwritable(path)
    if barred is not None:
        raise Unavailable(
            f"the database {path.name} is read-only: {barred} cannot be written to. Let this user"
            f" write to {path} and to its folder (the log lies beside the file), or name another"
            " file"
        )


def connect(
    path: Path, *, pragmas: Sequence[tuple[str, str | int]] = PRAGMAS, writable: bool
) -> sqlite3.Connection:
    """A connection in autocommit mode, usable from any thread (one at a time), pragmas set."""
    mode = "rw" if writable else "ro"
    connection = sqlite3.connect(
        f"{path.absolute().as_uri()}?mode={mode}",
        timeout=0,
        uri=True,
        isolation_level=None,
        check_same_thread=False,
    )
    try:
        _set(connection, pragmas if writable else _of_a_reader(pragmas))
    except BaseException:
        connection.close()
        raise
    return connection


def _of_a_reader(pragmas: Sequence[tuple[str, str | int]]) -> list[tuple[str, str | int]]:
    """A reader takes the file as it is: a backup, for one, is in another journal mode."""
    return [*(each for each in pragmas if each[0] != "journal_mode"), *READ_ONLY]


def _set(connection: sqlite3.Connection, pragmas: Sequence[tuple[str, str | int]]) -> None:
    for name, value in pragmas:
        answer = connection.execute(f"PRAGMA {name} = {value}").fetchone()
        if name == "journal_mode" and answer != (value,):
            raise BadInput(
                "the journal mode of the database",
                answer[0],
                f"{value!r} (a network drive cannot do that: put the file on a local disk)",
            )


def create(path: Path) -> None:
    """Make an empty file that only its owner may read: it will hold the secrets of deals."""
    os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def settle(path: Path) -> None:
    """See to it that a file, or the names in a folder, are on the disk."""
    try:
        handle = os.open(path, os.O_RDONLY if path.is_dir() else os.O_RDWR)
    except OSError:  # Windows opens no folders, and does not need to
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


WRITER = ".lock"
GUEST = ".guest-lock"
"""Two claims to a file: to be its writer, and to be the one that tidies up beside the writer."""
CLAIM_WAIT_S = 0.1


def claim(path: Path, what: str = WRITER) -> sqlite3.Connection:
    """Become the one process that writes to this file; closing the connection gives it up.

    The claim is a transaction on a second, empty database beside the file: SQLite takes the right
    kind of lock on every system, and the system drops it when the process ends, however it ends.
    `is_claimed` holds it for an instant in which it looks, hence the short wait. Raises Unavailable
    if somebody else holds it.
    """
    file = path.with_name(path.name + what)
    claimed = sqlite3.connect(
        file, timeout=CLAIM_WAIT_S, isolation_level=None, check_same_thread=False
    )
    try:
        claimed.execute("BEGIN EXCLUSIVE")
    except sqlite3.Error as error:
        claimed.close()
        if code_of(error) != sqlite3.SQLITE_BUSY:
            raise
        raise Unavailable(
            f"the database {path.name} is in use: another arena process writes to it. Stop that"
            " one, or name another file (several processes need postgresql)"
        ) from error
    return claimed


def is_claimed(path: Path) -> bool:
    """Does a process write to this file now? Nothing is made or changed to find out.

    False also where nobody can tell, since the claim cannot be read.
    """
    file = path.with_name(path.name + WRITER)
    if not file.exists():
        return False
    try:
        with closing(
            sqlite3.connect(f"{file.absolute().as_uri()}?mode=ro", timeout=0, uri=True)
        ) as it:
            it.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    except sqlite3.Error as error:
        return code_of(error) == sqlite3.SQLITE_BUSY
    return False


class SqliteReaders:
    """Connections for reading, lent for one statement at a time.

    A pool and not one per thread: a server on greenlets has thousands of threads, of which only one
    reads at any instant. patience: for locks, which readers meet only where the file is not (or not
    yet) in WAL mode, or is being recovered.
    """

    KEPT = 8

    def __init__(
        self,
        path: Path,
        pragmas: Sequence[tuple[str, str | int]],
        *,
        patience: Patience | None = None,
    ) -> None:
        self._path = path
        self._pragmas = pragmas
        self._patience = patience or Patience()
        self._idle: deque[sqlite3.Connection] = deque()
        self._closed = False

    def rows(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        """All rows of one statement: a consistent view of one instant."""
        return self.use(lambda connection: connection.execute(sql, parameters).fetchall())

    def use(self, ask: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        """Lend a connection, again after a lock: `ask` may be called more than once.

        Raises Unavailable instead of the errors of the driver.
        """
        if self._closed:
            raise Unavailable("the store is closed")
        try:
            return self._patience.call(lambda: self._lend(ask))
        except sqlite3.Error as error:
            raise unavailable(self._path, error) from error

    def close(self) -> None:
        """Close what is idle now; what is lent is closed when it comes back."""
        self._closed = True
        self._shrink(0)

    def _lend(self, ask: Callable[[sqlite3.Connection], _Answer]) -> _Answer:
        connection = self._take()
        try:
            return ask(connection)
        finally:
            self._give(connection)

    def _take(self) -> sqlite3.Connection:
        try:
            return self._idle.pop()
        except IndexError:
            return connect(self._path, pragmas=self._pragmas, writable=False)

    def _give(self, connection: sqlite3.Connection) -> None:
        self._idle.append(connection)
        self._shrink(0 if self._closed else self.KEPT)

    def _shrink(self, size: int) -> None:
        while len(self._idle) > size:
            try:
                self._idle.popleft().close()
            except IndexError:  # somebody else took it
                return
