"""Locks of the names of referees: session-level advisory locks, on a connection that has no other
purpose.

The server frees them when the connection ends, so a referee that is killed is noticed at once, and
one whose host has gone silent as soon as the server's probes say so. A lock is no permission to
write: a process that was stopped for a while still has it. (What a write rests on is its lease.)
A pool that gives a transaction at a time another connection cannot stand in between.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from hashlib import blake2b
from typing import Any, TypeVar

import psycopg

from arena.errors import Unavailable
from arena.store.postgres_connections import Connection, Link, unavailable

Answer = TypeVar("Answer")

PURPOSE = "daifugo-arena referee"
KEY_BYTES = 8
TAKE = "SELECT pg_try_advisory_lock($1)"
KEYS = """
SELECT (classid::bigint << 32) | objid::bigint FROM pg_locks
WHERE locktype = 'advisory' AND objsubid = 1 AND granted
AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
"""
"""The 64 bits of each advisory lock of this database that anybody has."""


END = """
SELECT pg_terminate_backend(pid) FROM pg_stat_activity
WHERE datname = current_database() AND application_name LIKE $1 AND pid <> pg_backend_pid()
"""


def key_of(name: str, schema: str) -> int:
    """The number that PostgreSQL has for the lock of a name; arenas in one database differ by
    their schemas."""
    text = f"{PURPOSE} {schema} {name}"
    digest = blake2b(text.encode(), digest_size=KEY_BYTES).digest()
    return int.from_bytes(digest, "big", signed=True)


class PostgresNameLocks:
    """`NameLocks` on a connection of their own, which is made at the first call."""

    def __init__(self, parameters: dict[str, Any], process: str) -> None:
        self.process = process
        self._link = Link(parameters)
        self._lock = threading.Lock()
        self._connection: Connection | None = None  # which `_schema` and `_ours` are true of
        self._schema = ""
        self._ours: set[str] = set()
        self._closed = False

    def take(self, name: str) -> bool:
        def ask(connection: Connection) -> bool:
            if name in self._ours:
                connection.execute("SELECT 1")  # raises if the connection has gone, and the lock
                return True
            (taken,) = _one(connection, TAKE, key_of(name, self._schema))
            if taken:
                self._ours.add(name)
            return bool(taken)

        return self._ask(ask)

    def held(self, names: Sequence[str]) -> frozenset[str]:
        def ask(connection: Connection) -> frozenset[str]:
            keys = {key for (key,) in connection.execute(KEYS).fetchall()}
            return frozenset(name for name in names if key_of(name, self._schema) in keys)

        return self._ask(ask)

    def end(self, process: str) -> None:
        self._ask(lambda connection: connection.execute(END, (f"% {process}",)))

    def close(self) -> None:
        with self._lock:
            self._closed = True
            self._link.close()

    def _ask(self, ask: Callable[[Connection], Answer]) -> Answer:
        """One question; a connection that turns out to be lost is replaced once."""
        with self._lock:
            if self._closed:
                raise Unavailable("the locks of names are closed")
            fresh = self._link.is_lost()
            try:
                try:
                    return ask(self._prepared())
                except psycopg.Error:
                    if fresh or not self._link.is_lost():
                        raise
                    return ask(self._prepared())
            except psycopg.Error as error:
                raise unavailable(error) from error

    def _prepared(self) -> Connection:
        connection = self._link.get()
        if connection is not self._connection:
            (schema,) = _one(connection, "SELECT current_schema()")
            self._connection, self._schema, self._ours = connection, str(schema), set()
        return connection


def _one(connection: Connection, sql: str, *parameters: object) -> tuple[Any, ...]:
    row = connection.execute(sql, parameters).fetchone()
    if row is None:
        raise psycopg.InternalError("a question without an answer")
    return row
