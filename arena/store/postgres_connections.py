"""Connections to PostgreSQL: how each is set up, how a lost one comes back, what an error means.

What every connection is set to is written here and nowhere else. psycopg 3 waits by way of
`select`, so on greenlets nobody blocks the others. This module knows neither our tables nor group
commit.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

import psycopg
from psycopg import conninfo
from psycopg.adapt import AdaptersMap
from psycopg.types.numeric import Int8Dumper

from arena.errors import BadInput, Damaged, Unavailable

Connection = psycopg.Connection[tuple[Any, ...]]
Answer = TypeVar("Answer")

DEFAULTS = {
    "application_name": "daifugo-arena",
    "connect_timeout": 5,  # s
    "keepalives_idle": 10,  # s; a host that has gone silent is noticed in some 20 s
    "keepalives_interval": 3,
    "keepalives_count": 3,
    "tcp_user_timeout": 15_000,  # ms
}
"""What a URL may say otherwise."""

SETTINGS = (
    ("lock_timeout", "500ms"),  # two processes that wait for each other try again soon
    ("idle_in_transaction_session_timeout", "1s"),  # a process that hangs holds no locks
    ("statement_timeout", "30s"),
    ("tcp_keepalives_idle", "5"),  # s; a server notices a host that has gone in some 10 s,
    ("tcp_keepalives_interval", "2"),  # not after two hours, and frees what that one had locked
    ("tcp_keepalives_count", "3"),
    ("client_encoding", "UTF8"),
)
"""What every connection is set to."""

READ_ONLY = (("default_transaction_read_only", "on"),)
BACKOFF_S = (0.1, 0.5)
"""How long no connection is tried after a failure: at first, and at most."""
READERS = 8
DAMAGE = (psycopg.errors.DataCorrupted, psycopg.errors.IndexCorrupted)
PATIENCE_S = 10.0
"""How long a reading caller waits for a connection that another caller has."""


def adapters() -> AdaptersMap:
    """The driver's, with one type for all whole numbers, so that a statement is prepared once."""
    adapters_map = AdaptersMap(psycopg.adapters)
    adapters_map.register_dumper(int, Int8Dumper)
    return adapters_map


def read_url(url: str) -> dict[str, Any]:
    """The parameters of a database URL. Raises BadInput, without repeating the password."""
    try:
        return DEFAULTS | conninfo.conninfo_to_dict(url)
    except psycopg.Error as error:
        raise BadInput("the database url", "postgresql://...", "a URL that libpq reads") from error


def connect(parameters: dict[str, Any], *, readonly: bool = False) -> Connection:
    """A connection in autocommit mode, set up. Raises the errors of the driver."""
    connection: Connection = psycopg.connect(
        **parameters,
        autocommit=True,
        prepare_threshold=None,
        cursor_factory=psycopg.RawCursor,
        context=_Context(),
    )
    settings = (*SETTINGS, *(READ_ONLY if readonly else ()))
    try:
        connection.execute("; ".join(f"SET {name} = '{value}'" for name, value in settings))
        connection.prepare_threshold = 0
    except BaseException:
        connection.close()
        raise
    return connection


class _Context:
    """How psycopg is told of adapters."""

    connection = None

    def __init__(self) -> None:
        self.adapters = adapters()


def unavailable(error: psycopg.Error) -> Unavailable:
    """What to tell somebody whose request met this error of the database."""
    lines = str(error).strip().splitlines()
    kind = Damaged if isinstance(error, DAMAGE) else Unavailable
    what = lines[0] if lines else type(error).__name__
    if isinstance(error, psycopg.errors.ReadOnlySqlTransaction):
        what = f"it takes no writes, since it is read-only or a standby ({what})"
    return kind(f"the database: {what}")


def numbered(sql: str) -> str:
    """A statement with the placeholders of PostgreSQL: `$1`, `$2` ... for each `?` in order."""
    first, *rest = sql.split("?")
    return first + "".join(f"${n}{part}" for n, part in enumerate(rest, start=1))


class ConnectBackoff:
    """When a connection may be tried again after failures: a little later each time."""

    def __init__(self) -> None:
        self._wait_s = 0.0
        self._next_s = 0.0
        self._last: Unavailable | None = None

    def check(self) -> None:
        """Raises the last failure again if it is too early to try."""
        if self._last is not None and time.monotonic() < self._next_s:
            raise Unavailable(self._last.detail)

    def failed(self, error: Unavailable) -> None:
        """A try has failed."""
        least, most = BACKOFF_S
        self._wait_s = min(most, self._wait_s * 2) if self._wait_s else least
        self._next_s = time.monotonic() + self._wait_s
        self._last = error

    def worked(self) -> None:
        """A try has worked."""
        self._wait_s = 0.0
        self._last = None


class Link:
    """One connection that is made anew when it is lost. Used by one thread at a time."""

    def __init__(self, parameters: dict[str, Any], *, readonly: bool = False) -> None:
        self._parameters = parameters
        self._readonly = readonly
        self._backoff = ConnectBackoff()
        self._connection: Connection | None = None

    @property
    def pid(self) -> int:
        """The backend's process id, 0 without a connection."""
        connection = self._connection
        return 0 if connection is None or connection.closed else connection.info.backend_pid

    def get(self, *, now: bool = False) -> Connection:
        """The connection; made if there is none. now: without waiting for the next try.

        Raises Unavailable.
        """
        if self._connection is not None and not self._connection.closed:
            return self._connection
        if not now:
            self._backoff.check()
        try:
            self._connection = connect(self._parameters, readonly=self._readonly)
        except psycopg.Error as error:
            refusal = unavailable(error)
            self._backoff.failed(refusal)
            raise refusal from error
        self._backoff.worked()
        return self._connection

    def is_lost(self) -> bool:
        """Has the connection gone?"""
        return self._connection is None or self._connection.closed

    def close(self) -> None:
        """Let the connection go."""
        if self._connection is not None:
            with suppress(psycopg.Error):
                self._connection.close()


class PostgresReaders:
    """Connections for reading, lent for one statement at a time; at most READERS."""

    def __init__(self, parameters: dict[str, Any]) -> None:
        self._parameters = parameters
        self._idle: deque[Link] = deque()
        self._places = threading.BoundedSemaphore(READERS)
        self._closed = False

    def rows(self, sql: str, parameters: Sequence[object]) -> list[tuple[Any, ...]]:
        """All rows of one statement. A lost connection is replaced once without a word."""
        return self.use(lambda connection: connection.execute(sql, parameters).fetchall())

    def use(self, ask: Callable[[Connection], Answer]) -> Answer:
        """Lend a connection. Raises Unavailable instead of the errors of the driver."""
        if self._closed:
            raise Unavailable("the store is closed")
        if not self._places.acquire(timeout=PATIENCE_S):
            raise Unavailable("the database is too busy")
        try:
            return self._ask(ask)
        finally:
            self._places.release()

    def close(self) -> None:
        """Close what is idle now; what is lent is closed when it comes back."""
        self._closed = True
        while self._idle:
            self._idle.pop().close()

    def _ask(self, ask: Callable[[Connection], Answer]) -> Answer:
        link = self._idle.pop() if self._idle else Link(self._parameters, readonly=True)
        fresh = link.is_lost()
        try:
            try:
                return ask(link.get())
            except psycopg.OperationalError:
                if fresh or not link.is_lost():
                    raise
                return ask(link.get())
        except psycopg.Error as error:
            raise unavailable(error) from error
        finally:
            self._idle.append(link)
            if self._closed:
                self.close()
