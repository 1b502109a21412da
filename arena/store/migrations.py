"""The schema, as numbered migrations: plain SQL that SQLite and PostgreSQL both read.

A migration is never edited once it has been released: a change of the schema is a new one at the
end. A store applies each in the transaction that records its number, so that a database is always
at one whole version. Where the two databases differ there is a word in braces, which the store
fills in from its `Dialect`. Statuses have no CHECK: they are words of the referee, and a new one
needs no migration. This module may import the standard library only, and does no I/O.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.errors import BadInput


class Dialect(NamedTuple):
    """The words for what has no common name: bytes, a key that counts up, code point order."""

    bytes: str
    serial: str
    by_code_point: str


class Migration(NamedTuple):
    """One step of the schema. Numbers count from 1 without gaps."""

    number: int
    name: str
    statements: tuple[str, ...]


def pending(version: int, migrations: Sequence[Migration]) -> tuple[Migration, ...]:
    """The migrations that a database of this version (0: empty) still needs, in order.

    Raises BadInput if the database is newer than this program.
    """
    newest = migrations[-1].number
    if version > newest:
        raise BadInput(
            "the version of the database",
            version,
            f"at most {newest} (it was written by a newer program: use that one)",
        )
    return tuple(migration for migration in migrations if migration.number > version)


def statements(migration: Migration, dialect: Dialect) -> tuple[str, ...]:
    """The SQL of a migration for one kind of database."""
    return tuple(statement.format(**dialect._asdict()) for statement in migration.statements)


FIRST = Migration(
    1,
    "bots, sessions, tables, hands and their log",
    (
        """
        CREATE TABLE bots (
            id TEXT PRIMARY KEY {by_code_point},
            name TEXT NOT NULL UNIQUE {by_code_point},
            owner TEXT NOT NULL,
            token_hash TEXT NOT NULL UNIQUE,
            created_ms BIGINT NOT NULL,
            revoked BOOLEAN NOT NULL,
            kind TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE sessions (
            id TEXT PRIMARY KEY {by_code_point},
            status TEXT NOT NULL,
            document TEXT NOT NULL,
            secret {bytes} NOT NULL,
            created_ms BIGINT NOT NULL,
            schedule TEXT
        )
        """,
        "CREATE INDEX sessions_by_age ON sessions (created_ms, id)",
        "CREATE INDEX sessions_by_status ON sessions (status, created_ms, id)",
        """
        CREATE TABLE entries (
            session_id TEXT NOT NULL {by_code_point} REFERENCES sessions (id),
            bot_id TEXT NOT NULL REFERENCES bots (id),
            number BIGINT NOT NULL,
            status TEXT NOT NULL,
            entered_ms BIGINT NOT NULL,
            PRIMARY KEY (session_id, bot_id),
            UNIQUE (session_id, number)
        )
        """,
        "CREATE INDEX entries_by_bot ON entries (bot_id, session_id)",
        """
        CREATE TABLE tables (
            id TEXT PRIMARY KEY,
            session_id TEXT NOT NULL REFERENCES sessions (id),
            round BIGINT NOT NULL,
            number BIGINT NOT NULL,
            players TEXT NOT NULL,
            status TEXT NOT NULL,
            UNIQUE (session_id, round, number)
        )
        """,
        """
        CREATE INDEX tables_open ON tables (session_id, round, number)
        WHERE status IN ('waiting', 'playing')
        """,
        """
        CREATE TABLE hands (
            id TEXT PRIMARY KEY,
            table_id TEXT NOT NULL REFERENCES tables (id),
            number BIGINT NOT NULL,
            seating TEXT NOT NULL,
            status TEXT NOT NULL,
            commitment TEXT NOT NULL,
            result TEXT,
            started_ms BIGINT NOT NULL,
            ended_ms BIGINT,
            UNIQUE (table_id, number)
        )
        """,
        "CREATE INDEX hands_playing ON hands (table_id) WHERE status = 'playing'",
        """
        CREATE TABLE steps (
            hand_id TEXT NOT NULL REFERENCES hands (id),
            seq BIGINT NOT NULL CHECK (seq >= 0),
            at_ms BIGINT NOT NULL,
            turn TEXT NOT NULL,
            command TEXT NOT NULL,
            events TEXT NOT NULL,
            event_count BIGINT NOT NULL CHECK (event_count > 0),
            meta TEXT NOT NULL,
            PRIMARY KEY (hand_id, seq)
        )
        """,
        """
        CREATE TABLE audit (
            number {serial},
            at_ms BIGINT NOT NULL,
            actor TEXT NOT NULL,
            action TEXT NOT NULL,
            detail TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE codes (
            code_hash TEXT PRIMARY KEY {by_code_point},
            label TEXT NOT NULL,
            uses_left BIGINT NOT NULL,
            expires_ms BIGINT NOT NULL
        )
        """,
        "CREATE TABLE life (name TEXT PRIMARY KEY, at_ms BIGINT NOT NULL)",
    ),
)

SECOND = Migration(2, "notes", ("CREATE TABLE notes (name TEXT PRIMARY KEY, text TEXT NOT NULL)",))

THIRD = Migration(
    3,
    "who owns a bot, and whose a code is",
    (
        "ALTER TABLE bots ADD COLUMN owner_key TEXT NOT NULL {by_code_point} DEFAULT ''",
        "ALTER TABLE bots ADD COLUMN founder BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE bots ADD COLUMN proven BOOLEAN NOT NULL DEFAULT FALSE",
        "ALTER TABLE bots ADD COLUMN origin TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE bots ADD COLUMN code TEXT NOT NULL DEFAULT ''",
        "CREATE INDEX bots_by_owner ON bots (owner_key, name)",
        "CREATE UNIQUE INDEX bots_founders ON bots (owner_key) WHERE founder",
        "CREATE INDEX bots_by_kind ON bots (kind, revoked)",
        "CREATE INDEX bots_by_origin ON bots (origin, created_ms)",
        "ALTER TABLE codes ADD COLUMN owner TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE codes ADD COLUMN created_ms BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE codes ADD COLUMN made_by TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE codes ADD COLUMN uses BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE codes ADD COLUMN revoked BOOLEAN NOT NULL DEFAULT FALSE",
        # No owner, also with one use left: nobody knows how many there were, and whose label it is.
        "UPDATE codes SET uses = uses_left",
        "CREATE INDEX codes_by_age ON codes (created_ms)",
    ),
)

NAME_KEYS = Migration(
    4,
    "name keys",
    (
        "ALTER TABLE bots ADD COLUMN name_key TEXT",
        "CREATE UNIQUE INDEX bots_by_name_key ON bots (name_key)",
        "CREATE INDEX staff ON bots (name) WHERE kind NOT IN ('bot', 'house')",
    ),
)
"""The referee fills in the keys of older rows when it starts: they are no business of SQL."""

NOTICES = Migration(
    5,
    "notices of bots, deliveries of sessions, and why somebody was taken out",
    (
        "ALTER TABLE bots ADD COLUMN notices BIGINT NOT NULL DEFAULT 0",
        """
        CREATE TABLE notices (
            bot_id TEXT NOT NULL REFERENCES bots (id),
            number BIGINT NOT NULL,
            session_id TEXT NOT NULL REFERENCES sessions (id),
            at_ms BIGINT NOT NULL,
            kind TEXT NOT NULL,
            data TEXT NOT NULL,
            PRIMARY KEY (bot_id, number)
        )
        """,
        "CREATE INDEX notices_by_session ON notices (session_id)",
        """
        CREATE TABLE deliveries (
            id TEXT PRIMARY KEY {by_code_point},
            session_id TEXT NOT NULL REFERENCES sessions (id),
            at_ms BIGINT NOT NULL,
            kind TEXT NOT NULL,
            body TEXT NOT NULL,
            due_ms BIGINT NOT NULL,
            status TEXT NOT NULL,
            tries BIGINT NOT NULL,
            outcome TEXT NOT NULL
        )
        """,
        "CREATE INDEX deliveries_due ON deliveries (due_ms) WHERE status = 'waiting'",
        "CREATE INDEX deliveries_by_session ON deliveries (session_id, at_ms, id)",
        "ALTER TABLE entries ADD COLUMN reason TEXT NOT NULL DEFAULT ''",
        "ALTER TABLE sessions ADD COLUMN reason TEXT NOT NULL DEFAULT ''",
    ),
)

TIMES = Migration(
    6,
    "times of sessions",
    (
        """
        CREATE TABLE times (
            session_id TEXT NOT NULL REFERENCES sessions (id),
            what TEXT NOT NULL,
            at_ms BIGINT NOT NULL,
            outcome TEXT NOT NULL,
            settled_ms BIGINT,
            reason TEXT NOT NULL,
            PRIMARY KEY (session_id, what)
        )
        """,
        "CREATE INDEX times_due ON times (at_ms) WHERE outcome = ''",
    ),
)

PROOFS = Migration(
    7,
    "hashes of logs, and what bots give to chance",
    (
        "ALTER TABLE steps ADD COLUMN hash {bytes}",
        "ALTER TABLE entries ADD COLUMN chance {bytes}",
    ),
)
"""Steps of older programs have no hash, and their hands are read without: what was not written down
then cannot be checked now."""

CLUSTER = Migration(
    8,
    "referees that share a database, and leases of sessions",
    (
        """
        CREATE TABLE referees (
            name TEXT PRIMARY KEY {by_code_point},
            incarnation TEXT NOT NULL,
            address TEXT NOT NULL,
            mark BIGINT NOT NULL,
            version TEXT NOT NULL,
            status TEXT NOT NULL,
            detail TEXT NOT NULL,
            started_ms BIGINT NOT NULL,
            beats BIGINT NOT NULL,
            arena_ms BIGINT NOT NULL,
            sessions BIGINT NOT NULL,
            turns BIGINT NOT NULL,
            secret_hash TEXT NOT NULL
        )
        """,
        """
        CREATE TABLE leases (
            session_id TEXT PRIMARY KEY {by_code_point},
            home TEXT NOT NULL {by_code_point} CHECK (home <> ''),
            epoch BIGINT NOT NULL
        )
        """,
        "CREATE INDEX leases_by_home ON leases (home, session_id)",
    ),
)
"""A lease does not refer to its session, nor to its home: either may go first."""

MIGRATIONS: tuple[Migration, ...] = (
    FIRST,
    SECOND,
    THIRD,
    NAME_KEYS,
    NOTICES,
    TIMES,
    PROOFS,
    CLUSTER,
)
