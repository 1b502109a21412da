"""The default database: one SQLite file, one writer with group commit, readers beside it.

A group is one transaction. It is tried in one go first; if any of it fails, the group is undone and
made again with a savepoint for each caller, so that what one of them may not do is undone for that
one alone. What stops the database (a full disk, a lock) stops the whole group, which then is as if
it had never been. Callers are woken after the commit; while it is on its way to the disk the next
group gathers. A group that meets the lock of another program is tried again for a while, with
pauses in which everybody else goes on.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from contextlib import ExitStack, closing, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import Any

from arena.errors import ArenaError, BadInput, Damaged, Unavailable
from arena.store.cluster_rows import NameLocks
from arena.store.connections import (
    GUEST,
    PRAGMAS,
    SqliteReaders,
    check_writable,
    claim,
    connect,
    create,
    settle,
    unavailable,
)
from arena.store.group import GroupWriter, Job
from arena.store.migrations import MIGRATIONS, Dialect, Migration, pending, statements
from arena.store.os_thread import blocking_calls
from arena.store.patience import OPENING_PATIENCE_S, Patience, code_of
from arena.store.port import Change, OnTopics, Waiting
from arena.store.sql import Engine, SqlStore
from arena.store.statements import WRITES, batches, leases_first
from arena.store.store_errors import clash, misfit, missed, orphan
from arena.store.wal import require_file, require_whole_log

DIALECT = Dialect(bytes="BLOB", serial="INTEGER PRIMARY KEY", by_code_point="")

APPLICATION_ID = 0x44614667
"""Marks a file as ours ("DaFg" in ASCII): a database of another program is never touched."""

EMPTY = (
    "a file with something in it; this one is empty: put a backup in its place (arena restore), or"
    " delete it to begin anew"
)

CALLERS_OWN = (
    sqlite3.IntegrityError,
    sqlite3.DataError,
    sqlite3.ProgrammingError,
    sqlite3.InterfaceError,
)
"""Errors that come from what one caller gave; any other error of SQLite stops the whole group."""

_Group = Sequence[Job[tuple[Change, ...]]]


def open_sqlite(
    path: Path,
    *,
    readonly: bool = False,
    beside: bool = False,
    verify_log: bool = True,
    pragmas: Sequence[tuple[str, str | int]] = PRAGMAS,
    migrations: Sequence[Migration] = MIGRATIONS,
    patience: Patience | None = None,
) -> SqlStore:
    """Open (and create, and bring up to date) the file, or only read it beside its writer.

    beside: write beside its writer, which meanwhile waits: for short writes only. verify_log: see
    `arena.store.open_store`. patience: how long a write waits for the lock of another program.

    Raises BadInput if the file cannot be ours, Unavailable if it cannot be used now, Damaged if its
    log is.
    """
    path = path.resolve()

    def opened() -> Engine:
        if readonly:
            return _reader(path, migrations, verify_log=verify_log)
        if beside:
            return _guest(path, migrations, verify_log=verify_log)
        return _writer(path, migrations, pragmas=pragmas, patience=patience, verify_log=verify_log)

    try:
        return SqlStore(Patience(total_s=OPENING_PATIENCE_S).call(opened))
    except sqlite3.Error as error:
        if code_of(error) == sqlite3.SQLITE_NOTADB:
            raise BadInput("the database", str(path), "a SQLite file") from error
        raise unavailable(path, error) from error
    except OSError as error:
        raise BadInput("the database", str(path), f"a usable file ({error.strerror})") from error


class Unshared:
    """What an engine answers whose database no other process writes to."""

    shared = False

    def follow(self, on_topics: OnTopics) -> None:
        """Nobody else writes here."""

    def while_unwritable(self, waiting: Waiting) -> None:
        """Who only reads, waits for nobody."""

    def now_ms(self) -> int | None:
        return None

    def name_locks(self) -> NameLocks:
        raise TypeError("a file has no locks of names")


class SqliteWriter(Unshared):
    """The engine of the one process that writes."""

    def __init__(
        self,
        path: Path,
        *,
        claimed: sqlite3.Connection,
        connection: sqlite3.Connection,
        patience: Patience | None = None,
    ) -> None:
        self._path = path
        self._patience = patience or Patience()
        self._waiting: Waiting = nullcontext
        self._claimed = claimed
        self._connection = connection
        self._blocking = blocking_calls()
        self._group = GroupWriter(self._commit)
        self.submit = self._group.submit
        self.queued = self._group.queued
        self._readers = SqliteReaders(path, PRAGMAS, patience=patience)
        self.rows = self._readers.rows

    def while_unwritable(self, waiting: Waiting) -> None:
        self._waiting = waiting

    def close(self) -> None:
        self._group.close()
        self._blocking.close()
        self._readers.close()
        self._connection.close()  # the last one: it empties the log into the file
        self._claimed.close()

    def _commit(self, group: _Group) -> None:
        """One transaction for all, when nobody else's lock is in the way. Runs in the writer thread
        alone."""
        try:
            self._patience.call(partial(self._transact, group), self._waiting)
        except sqlite3.Error as error:
            for job in group:  # also those refused before: their reason may have gone with the rest
                job.error = unavailable(self._path, error)

    def _transact(self, group: _Group) -> None:
        """Make and commit everything, or leave no trace. Raises what stops the database."""
        try:
            if not self._all_at_once(group):
                self._roll_back()
                self._one_by_one(group)
            self._blocking.do(self._connection.commit)
        except sqlite3.Error:
            self._roll_back()
            for job in group:  # what one was refused for may be otherwise at the next try
                job.error = None
            raise

    def _all_at_once(self, group: _Group) -> bool:
        """Make the changes of all callers; False, with some of them made, if any cannot be."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            for batch in batches(leases_first(job.work for job in group)):
                sql = WRITES[batch.kind].sql
                if self._connection.executemany(sql, batch.parameters).rowcount < batch.changed:
                    return False
        except Exception as error:  # whatever it is, it will come again when its caller is served
            if not _is_callers_own(error):
                raise
            return False
        return True

    def _one_by_one(self, group: _Group) -> None:
        """Make each caller's changes, or leave no trace of them and remember why."""
        self._connection.execute("BEGIN IMMEDIATE")
        for job in group:
            try:
                self._make_all(job.work)
            except Exception as error:  # it belongs to the caller, who is waiting for it
                if not _is_callers_own(error):
                    raise
                job.error = error

    def _roll_back(self) -> None:
        if self._connection.in_transaction:
            with suppress(sqlite3.Error):  # then the next group's BEGIN fails, and tries this again
                self._connection.execute("ROLLBACK")

    def _make_all(self, changes: tuple[Change, ...]) -> None:
        self._connection.execute("SAVEPOINT caller")
        try:
            for change in changes:
                make(self._connection, change)
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK TO caller")
                self._connection.execute("RELEASE caller")
            raise
        self._connection.execute("RELEASE caller")


class SqliteReader(Unshared):
    """The engine of a process that only reads, beside the writer or alone."""

    def __init__(self, readers: SqliteReaders) -> None:
        self._readers = readers

    def submit(self, changes: tuple[Change, ...]) -> None:
        raise Unavailable("the store was opened for reading only")

    def rows(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        return self._readers.rows(sql, parameters)

    def queued(self) -> int:
        return 0

    def close(self) -> None:
        self._readers.close()


def _reader(path: Path, migrations: Sequence[Migration], *, verify_log: bool) -> SqliteReader:
    require_file(path)
    if not path.is_file():
        raise BadInput("the database", str(path), "a file that is there")
    if verify_log:
        require_whole_log(path)
    readers = SqliteReaders(path, PRAGMAS)
    try:
        version = readers.use(lambda connection: version_of(connection, path))
        if pending(version, migrations):
            raise BadInput(
                "the version of the database",
                version,
                f"{migrations[-1].number} (opening it once for writing brings it up to date)",
            )
    except BaseException:
        readers.close()
        raise
    return SqliteReader(readers)


def _writer(
    path: Path,
    migrations: Sequence[Migration],
    *,
    pragmas: Sequence[tuple[str, str | int]],
    patience: Patience | None,
    verify_log: bool,
) -> SqliteWriter:
    check_writable(path)
    with ExitStack() as undo:
        claimed = undo.enter_context(closing(claim(path)))
        require_file(path)
        if not path.exists():
            _make(path, migrations, pragmas=pragmas)
        elif verify_log:
            require_whole_log(path, claimed=True)
        _check_before_upgrade(path, migrations)
        connection = undo.enter_context(closing(connect(path, pragmas=pragmas, writable=True)))
        upgrade(connection, path, migrations=migrations)
        undo.pop_all()
    return SqliteWriter(path, claimed=claimed, connection=connection, patience=patience)


def _guest(path: Path, migrations: Sequence[Migration], *, verify_log: bool) -> SqliteWriter:
    """One that tidies up beside the writer; it changes nothing of the schema."""
    check_writable(path)
    _reader(
        path, migrations, verify_log=verify_log
    ).close()  # is the file there, and at our version?
    with ExitStack() as undo:
        claimed = undo.enter_context(closing(claim(path, GUEST)))
        connection = undo.enter_context(closing(connect(path, writable=True)))
        undo.pop_all()
    return SqliteWriter(path, claimed=claimed, connection=connection)


def _make(
    path: Path, migrations: Sequence[Migration], *, pragmas: Sequence[tuple[str, str | int]]
) -> None:
    """A new database, which gets its name when it is whole: an empty file is never one of ours."""
    part = path.with_name(path.name + ".new")
    for end in ("", "-wal", "-shm"):
        part.with_name(part.name + end).unlink(missing_ok=True)
    create(part)
    with closing(connect(part, pragmas=pragmas, writable=True)) as connection:
        upgrade(connection, part, migrations=migrations)
    part.replace(path)
    settle(path.parent)


def _check_before_upgrade(path: Path, migrations: Sequence[Migration]) -> None:
    """Refuse a file that is not ours while nothing has been changed in it, and one that is to be
    brought up to date if it is damaged: that would make it worse."""
    if not path.stat().st_size:
        raise BadInput("the database", str(path), EMPTY)
    with closing(connect(path, pragmas=(), writable=False)) as connection:
        if not pending(version_of(connection, path), migrations):
            return
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
    if verdict != "ok":
        raise Damaged(
            f"the database {path.name} is damaged ({verdict}), so it is not brought up to date; put"
            " a backup in its place: arena restore"
        )


def version_of(connection: sqlite3.Connection, path: Path) -> int:
    """The version of our schema in this database, 0 if it is empty. BadInput if it is not ours."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (things,) = connection.execute("SELECT COUNT(*) FROM sqlite_master").fetchone()
    if application != APPLICATION_ID and (application or things or version):
        raise BadInput("the database", str(path), "one made by this program, or a new file")
    return int(version)


def upgrade(connection: sqlite3.Connection, path: Path, *, migrations: Sequence[Migration]) -> None:
    """Apply what is pending, each migration in the transaction that records it."""
    for migration in pending(version_of(connection, path), migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            for statement in statements(migration, DIALECT):
                connection.execute(statement)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {migration.number}")
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def _is_callers_own(error: Exception) -> bool:
    """Does an error come from what a caller gave, and not from the database?"""
    return not isinstance(error, sqlite3.Error) or isinstance(error, CALLERS_OWN)


def make(connection: sqlite3.Connection, change: Change) -> None:
    """Make one change. Raises Conflict, NotFound or BadInput as `Store.write` does."""
    write = WRITES[type(change)]
    try:
        cursor = connection.execute(write.sql, write.parameters(change))
    except sqlite3.IntegrityError as error:
        raise _refusal(change, error) from error
    except UnicodeError as error:
        raise misfit(change) from error
    if cursor.rowcount < write.least:
        raise missed(change)


def _refusal(change: Change, error: sqlite3.IntegrityError) -> ArenaError:
    if error.sqlite_errorcode == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY:
        return orphan(change)
    if error.sqlite_errorcode in (
        sqlite3.SQLITE_CONSTRAINT_PRIMARYKEY,
        sqlite3.SQLITE_CONSTRAINT_UNIQUE,
        sqlite3.SQLITE_CONSTRAINT_ROWID,
    ):
        return clash(change)
    return misfit(change)
