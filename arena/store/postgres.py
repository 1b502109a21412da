"""The database for several processes and hosts: PostgreSQL, one batched writer in each process.

A group of callers is one transaction, as in `sqlite`. It is tried in one go first, all statements
in one pipeline; if any of them fails, the group is undone and made again with a savepoint for each
caller. A deadlock or a lost connection costs no caller anything: nothing was done, the group is
tried again.

Every transaction leaves a mark in a row of its writer's own. If the connection is lost while the
commit is on its way, the mark tells what became of it: locking its row waits for a commit that goes
on without us. (Asking for the transaction's status by its number would not do: after a crash the
server gives the numbers of lost transactions to new ones.) Needs psycopg 3.
"""

from __future__ import annotations

import itertools
import logging
import random
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, nullcontext, suppress
from typing import Any

import orjson
import psycopg
from psycopg import errors

from arena.errors import ArenaError, BadInput, Conflict, NotFound, Unavailable
from arena.store.cluster_rows import CheckLease, NameLocks
from arena.store.group import GroupWriter, Job
from arena.store.migrations import MIGRATIONS, Migration, pending
from arena.store.port import Change, OnTopics, StepRow, Waiting
from arena.store.postgres_bell import Listener, ring
from arena.store.postgres_connections import (
    DAMAGE,
    Connection,
    Link,
    PostgresReaders,
    numbered,
    read_url,
    unavailable,
)
from arena.store.postgres_names import PostgresNameLocks
from arena.store.postgres_schema import upgrade, version
from arena.store.sql import SqlStore
from arena.store.statements import READS, STEP, WRITES, WriteBatch, batches, leases_first
from arena.store.store_errors import clash, misfit, missed, orphan
from arena.store.topics import messages

TRIES = 8
"""How often a group is tried that meets locks of another process or a lost connection."""
DOUBT_S = 10.0
"""How long a commit may stay in doubt before its callers are told that it failed."""
REST_S = 0.05
MOST_UNHEARD = 100
"""Messages that are kept while the far bell cannot be rung."""
LONGEST_APPLICATION = 40
"""Characters of a name of the application that are kept before the process; PostgreSQL keeps 63."""


class _Undone(psycopg.OperationalError):
    """The connection was lost, and it is known that nothing was done."""


MARK = (
    "INSERT INTO life (name, at_ms) VALUES ($1, $2)"
    " ON CONFLICT (name) DO UPDATE SET at_ms = excluded.at_ms"
)
STEPS = f"""
INSERT INTO steps ({STEP}) SELECT
    step ->> 0, (step ->> 1)::bigint, (step ->> 2)::bigint, step ->> 3, step ->> 4, step ->> 5,
    (step ->> 6)::bigint, step ->> 7, decode(step ->> 8, 'hex')
FROM json_array_elements($1::json) WITH ORDINALITY AS of (step, place) ORDER BY place
"""
"""Any number of steps as one value, a list of rows: a third of the work of a row at a time."""
ONE_LEASE = "SELECT 1 FROM leases WHERE session_id = $1 AND home = $2 AND epoch = $3 FOR SHARE"
LEASES = """
SELECT 1 FROM unnest($1::text[], $2::text[], $3::bigint[]) AS fence (session_id, home, epoch)
JOIN leases USING (session_id, home, epoch) ORDER BY session_id FOR SHARE OF leases
"""
"""Any number of leases, each once: it finds as many rows as there are if all are as they were. Who
moves one of them waits for our commit, and we wait for theirs; then the row is read anew. A row
that is only locked is not written: no new version, which an UPDATE would leave behind each time."""
READ_MARK = "SELECT at_ms FROM life WHERE name = $1 FOR UPDATE"
DROP_MARKS = "DELETE FROM life WHERE name = $1 OR (name LIKE 'writer/%' AND at_ms < $2)"
OLD_MS = 7 * 86_400_000
"""A mark that old belongs to a process that was killed."""

AGAIN = (
    errors.DeadlockDetected,
    errors.IdleInTransactionSessionTimeout,
    errors.LockNotAvailable,
    errors.SerializationFailure,
    _Undone,
)
CALLERS_OWN = (
    psycopg.IntegrityError,
    psycopg.DataError,
    psycopg.ProgrammingError,
    ArenaError,
)
_Group = Sequence[Job[tuple[Change, ...]]]


def open_postgres(
    url: str, *, readonly: bool = False, migrations: Sequence[Migration] = MIGRATIONS
) -> SqlStore:
    """Open the database, and bring it up to date unless it is only to be read.

    Raises BadInput if the database cannot be ours, Unavailable if it cannot be used now.
    """
    # A pipeline that fails is business as usual here, of which the driver would warn each time.
    logging.getLogger("psycopg").setLevel(logging.ERROR)
    parameters, process = read_url(url), secrets.token_hex(8)
    link = Link(parameters if readonly else _named(parameters, process), readonly=readonly)
    try:
        connection = link.get()
        if readonly:
            _check(connection, migrations)
            link.close()
            return SqlStore(PostgresReader(PostgresReaders(parameters)))
        upgrade(connection, migrations)
        return SqlStore(PostgresWriter(link, parameters, process=process))
    except psycopg.Error as error:
        link.close()
        raise unavailable(error) from error
    except BaseException:
        link.close()
        raise


def _named(parameters: dict[str, Any], process: str) -> dict[str, Any]:
    """The parameters of a connection by which the server knows the process."""
    name = str(parameters["application_name"])[:LONGEST_APPLICATION]
    return parameters | {"application_name": f"{name} {process}"}


def _check(connection: Connection, migrations: Sequence[Migration]) -> None:
    number = version(connection)
    if pending(number, migrations):
        raise BadInput(
            "the version of the database",
            number,
            f"{migrations[-1].number} (opening it once for writing brings it up to date)",
        )


class _Reading:
    """How both engines read."""

    shared = True

    def __init__(self, readers: PostgresReaders) -> None:
        self._readers = readers
        self._asks = {sql: numbered(sql) for sql in READS.values()}

    def while_unwritable(self, waiting: Waiting) -> None:
        """Who only reads waits for nobody."""

    def rows(self, sql: str, parameters: tuple[object, ...]) -> list[tuple[Any, ...]]:
        if any(isinstance(given, str) and "\0" in given for given in parameters):
            return []  # no text here has this character, so there is nothing to be found
        return self._readers.rows(self._asks[sql], parameters)

    def now_ms(self) -> int | None:
        sql = "SELECT (EXTRACT(EPOCH FROM clock_timestamp()) * 1000)::bigint"
        return int(self._readers.rows(sql, ())[0][0])


class PostgresReader(_Reading):
    """The engine of a process that only reads."""

    def name_locks(self) -> NameLocks:
        raise Unavailable("the store was opened for reading only")

    def submit(self, changes: tuple[Change, ...]) -> None:
        raise Unavailable("the store was opened for reading only")

    def follow(self, on_topics: OnTopics) -> None:
        """Who only reads, reads again."""

    def queued(self) -> int:
        return 0

    def close(self) -> None:
        self._readers.close()


class PostgresWriter(_Reading):
    """The engine of one of the processes that write. process: what its link is known by."""

    def __init__(self, link: Link, parameters: dict[str, Any], *, process: str) -> None:
        super().__init__(PostgresReaders(parameters))
        self._link = link
        self._parameters = parameters
        self._listener = Listener(parameters, own=lambda: link.pid)
        self._makes = {kind: numbered(write.sql) for kind, write in WRITES.items()}
        self._makes[CheckLease] = ONE_LEASE
        self._process = process
        self._mark = f"writer/{process}"
        self._marked = 0
        self._waiting: Waiting = nullcontext
        self._outage = ExitStack()
        self._is_out = False
        self._unheard: tuple[str, ...] = ()
        link.get().execute(MARK, (self._mark, self._next_mark()))
        self._group = GroupWriter(self._commit, self._notify)

    def while_unwritable(self, waiting: Waiting) -> None:
        self._waiting = waiting

    def submit(self, changes: tuple[Change, ...]) -> None:
        self._group.submit(changes)

    def follow(self, on_topics: OnTopics) -> None:
        self._listener.start(on_topics)

    def name_locks(self) -> NameLocks:
        return PostgresNameLocks(self._parameters, self._process)

    def queued(self) -> int:
        return self._group.queued()

    def close(self) -> None:
        self._group.close()
        if not self._link.is_lost():
            with suppress(psycopg.Error):
                self._link.get().execute(DROP_MARKS, (self._mark, self._next_mark() - OLD_MS))
        self._listener.stop()
        self._link.close()
        self._readers.close()

    def _notify(self, group: _Group) -> None:
        """Ring the far bell for what has been committed; where that fails, with the next group.
        Runs in the writer thread alone."""
        changes = itertools.chain.from_iterable(job.work for job in group if job.error is None)
        self._unheard += messages(changes)
        if self._unheard and not self._link.is_lost() and ring(self._link.get(), self._unheard):
            self._unheard = ()
        self._unheard = self._unheard[-MOST_UNHEARD:]

    def _commit(self, group: _Group) -> None:
        """One transaction for all. Runs in the writer thread alone."""
        self._is_out = False
        with ExitStack() as self._outage:
            self._persist(sorted(group, key=_order) if len(group) > 1 else group)

    def _begin_outage(self) -> None:
        """Until this group is written, or given up, its callers wait for the database."""
        if not self._is_out:
            self._is_out = True
            self._outage.enter_context(self._waiting())

    def _persist(self, group: _Group) -> None:
        for attempt in range(TRIES):
            try:
                self._transact(group)
                return
            except Unavailable:  # there is no connection
                self._begin_outage()
                raise
            except psycopg.Error as error:
                if not isinstance(error, DAMAGE):  # which others do not meet
                    self._begin_outage()
                again = isinstance(error, AGAIN) or (self._link.is_lost() and attempt == 0)
                self._roll_back()
                if not again or attempt + 1 == TRIES:
                    raise unavailable(error) from error
            if attempt:
                time.sleep(random.uniform(0, REST_S))

    def _transact(self, group: _Group) -> None:
        connection = self._link.get()
        for job in group:
            job.error = None
        mark = self._next_mark()
        if not self._all_at_once(connection, group, mark):
            self._roll_back()
            self._one_by_one(connection, group, mark)
            with self._in_doubt(mark):
                connection.execute("COMMIT")

    @contextmanager
    def _in_doubt(self, mark: int) -> Iterator[None]:
        """While a commit is on its way: if the connection is lost, find out what became of it."""
        try:
            yield
        except psycopg.Error as error:
            if not self._link.is_lost():
                raise
            self._begin_outage()
            if not self._was_committed(mark):
                raise _Undone(str(error)) from error

    def _next_mark(self) -> int:
        """Another number for every transaction; also a time, so that old marks can be told."""
        self._marked = max(self._marked + 1, time.time_ns() // 1_000_000)
        return self._marked

    def _all_at_once(self, connection: Connection, group: _Group, mark: int) -> bool:
        """Make and commit everything in one pipeline; False, not committed, if something failed.

        The commit belongs into the pipeline: when that ends the driver sends a Flush, upon which
        the server forgets that it is to end a transaction in which nothing happens.
        """
        doubt = ExitStack()
        expected: list[tuple[psycopg.Cursor[Any], int]] = []
        try:
            with doubt, connection.pipeline() as pipeline:
                connection.execute("BEGIN")
                connection.execute(MARK, (self._mark, mark))
                for batch in batches(leases_first(job.work for job in group)):
                    expected.append((self._send(connection, batch), batch.changed))
                pipeline.sync()
                if any(cursor.rowcount < rows for cursor, rows in expected):
                    return False
                doubt.enter_context(self._in_doubt(mark))
                connection.execute("COMMIT")
        except (*CALLERS_OWN, UnicodeError, errors.PipelineAborted):
            return False
        return True

    def _send(self, connection: Connection, batch: WriteBatch) -> psycopg.Cursor[Any]:
        """Make a batch of changes with one statement: steps travel together, as one value."""
        if batch.kind is StepRow:
            return connection.execute(STEPS, (_as_json(batch.parameters),))
        if batch.kind is CheckLease and len(batch.parameters) > 1:
            sessions, homes, epochs = map(list, zip(*batch.parameters, strict=True))
            return connection.execute(LEASES, (sessions, homes, epochs))
        return connection.execute(self._makes[batch.kind], batch.parameters[0])

    def _one_by_one(self, connection: Connection, group: _Group, mark: int) -> None:
        """Make each caller's changes, or leave no trace of them and remember why."""
        connection.execute("BEGIN")
        connection.execute(MARK, (self._mark, mark))
        for job in group:
            connection.execute("SAVEPOINT caller")
            try:
                for change in job.work:
                    self._make(connection, change)
            except CALLERS_OWN as error:
                connection.execute("ROLLBACK TO caller")
                job.error = error
            connection.execute("RELEASE caller")

    def _make(self, connection: Connection, change: Change) -> None:
        write = WRITES[type(change)]
        try:
            cursor = connection.execute(self._makes[type(change)], write.parameters(change))
        except (psycopg.IntegrityError, psycopg.DataError, UnicodeError) as error:
            raise _refusal(change, error) from error
        if cursor.rowcount < write.least:
            raise missed(change)

    def _roll_back(self) -> None:
        if self._link.is_lost():
            return
        with suppress(psycopg.Error):
            self._link.get().execute("ROLLBACK")

    def _was_committed(self, mark: int) -> bool:
        """What became of a commit whose answer was lost? Raises Unavailable if nobody can tell."""
        until_s = time.monotonic() + DOUBT_S
        while True:
            try:
                row = self._link.get(now=True).execute(READ_MARK, (self._mark,)).fetchone()
            except (psycopg.Error, Unavailable) as error:
                if time.monotonic() > until_s:
                    raise Unavailable(
                        "the database went away while this was being written; whether it was is"
                        " not known yet"
                    ) from error
            else:
                return row == (mark,)
            time.sleep(REST_S)


def _order(job: Job[tuple[Change, ...]]) -> tuple[str, ...]:
    """Groups of different processes take their locks in the same order, as far as can be."""
    first = job.work[0]
    return (type(first).__name__, str(first[0]))


def _as_json(steps: list[tuple[Any, ...]]) -> str:
    """Steps as the value that `STEPS` takes apart. Raises DataError for what is no Unicode."""
    try:
        return orjson.dumps(steps, default=bytes.hex).decode()
    except orjson.JSONEncodeError as error:
        raise psycopg.DataError(str(error)) from error


def _refusal(change: Change, error: Exception) -> Conflict | NotFound | ArenaError:
    if isinstance(error, errors.UniqueViolation):
        return clash(change)
    if isinstance(error, errors.ForeignKeyViolation):
        return orphan(change)
    return misfit(change)
