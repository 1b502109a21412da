"""Migrations: old databases are brought up to date, newer ones refused, a half one never stays."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from arena.errors import BadInput, Unavailable
from arena.store.connections import connect, create
from arena.store.migrations import MIGRATIONS, Migration, pending, statements
from arena.store.port import BotRow, CodeRow, StepRow
from arena.store.sqlite import DIALECT, open_sqlite, upgrade
from arena.store.statements import READS, WRITES
from tests.store.rows import DEAL, HAND

_NAMES = next(each.number for each in MIGRATIONS if each.name == "name keys")
NEXT = len(MIGRATIONS) + 1
COLUMN = Migration(NEXT, "a column", ("ALTER TABLE bots ADD COLUMN motto TEXT",))
INDEX = Migration(NEXT + 1, "an index", ("CREATE INDEX mottos ON bots (motto)",))
BROKEN = Migration(NEXT + 1, "broken", ("CREATE TABLE extra (id TEXT)", "CREATE TABLE bots (id)"))


def version(file: Path) -> int:
    connection = connect(file, writable=False)
    (found,) = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return int(found)


def test_migrations_are_numbered_from_one_without_gaps() -> None:
    assert [migration.number for migration in MIGRATIONS] == [*range(1, NEXT)]


def test_a_new_file_gets_all_migrations(file: Path) -> None:
    assert version(file) == len(MIGRATIONS)


def test_an_older_database_gets_what_it_lacks_and_keeps_its_rows(file: Path) -> None:
    with open_sqlite(file, migrations=(*MIGRATIONS, COLUMN, INDEX)) as store:
        assert store.steps(HAND.id) == (DEAL,)
    assert version(file) == INDEX.number
    open_sqlite(file, migrations=(*MIGRATIONS, COLUMN, INDEX)).close()


def test_rows_of_an_older_database_have_no_name_key_and_exclude_nobody(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    create(path)
    connection = connect(path, writable=True)
    upgrade(connection, path, migrations=MIGRATIONS[: _NAMES - 1])
    rows = [("b-1", "alice-1", "1"), ("b-2", "Alice-1", "2")]
    for row in rows:
        connection.execute(
            "INSERT INTO bots (id, name, owner, token_hash, created_ms, revoked, kind)"
            " VALUES (?, ?, 'o', ?, 1, FALSE, 'bot')",
            row,
        )
    connection.close()
    with open_sqlite(path) as store:
        assert [row.name for row in store.bots_without_key()] == ["alice-1", "Alice-1"]


def test_a_migration_that_fails_leaves_the_version_before_it(file: Path) -> None:
    with pytest.raises(Unavailable):
        open_sqlite(file, migrations=(*MIGRATIONS, COLUMN, BROKEN))
    assert version(file) == COLUMN.number
    with open_sqlite(file, migrations=(*MIGRATIONS, COLUMN, INDEX)) as store:
        assert store.steps(HAND.id) == (DEAL,)


@pytest.mark.parametrize("readonly", [True, False])
def test_a_database_of_a_newer_program_is_refused(file: Path, readonly: bool) -> None:
    open_sqlite(file, migrations=(*MIGRATIONS, COLUMN)).close()
    with pytest.raises(BadInput, match="written by a newer program") as refused:
        open_sqlite(file, readonly=readonly)
    assert refused.value.value == COLUMN.number
    assert version(file) == COLUMN.number


def test_an_older_database_is_not_read_until_it_has_been_brought_up_to_date(file: Path) -> None:
    with pytest.raises(BadInput, match="opening it once for writing"):
        open_sqlite(file, readonly=True, migrations=(*MIGRATIONS, COLUMN))
    assert version(file) == len(MIGRATIONS)


def test_what_is_pending_depends_on_the_version() -> None:
    every = (*MIGRATIONS, COLUMN, INDEX)
    assert pending(0, every) == every
    assert pending(COLUMN.number, every) == (INDEX,)
    assert pending(INDEX.number, every) == ()


def test_the_schema_alone_can_be_run_by_sqlite() -> None:
    connection = sqlite3.connect(":memory:")
    for migration in MIGRATIONS:
        for statement in statements(migration, DIALECT):
            connection.execute(statement)
    connection.close()


# The statements are for PostgreSQL too.

ONLY_SQLITE = ("OR IGNORE", "OR REPLACE", "PRAGMA", "ROWID", "STRICT", "AUTOINCREMENT", "IFNULL")


def every_statement() -> list[str]:
    schema = [statement for migration in MIGRATIONS for statement in migration.statements]
    return [*schema, *READS.values(), *(write.sql for write in WRITES.values())]


@pytest.mark.parametrize("word", ONLY_SQLITE)
def test_no_statement_uses_what_only_sqlite_knows(word: str) -> None:
    assert [sql for sql in every_statement() if word in sql.upper()] == []


def test_placeholders_can_be_translated() -> None:
    assert [sql for sql in every_statement() if "%" in sql or "'?'" in sql] == []


def test_every_field_of_a_step_has_a_placeholder() -> None:
    assert WRITES[StepRow].sql.count("?") == len(StepRow._fields)


def test_bots_and_codes_of_an_older_program_keep_their_owners_unproven(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    open_sqlite(path, migrations=MIGRATIONS[:2]).close()
    with sqlite3.connect(path) as connection:
        connection.execute(
            "INSERT INTO bots (id, name, owner, token_hash, created_ms, revoked, kind)"
            " VALUES ('b-1', 'alice-1', 'Alice', 'hash', 1, FALSE, 'bot')"
        )
        connection.execute(
            "INSERT INTO codes (code_hash, label, uses_left, expires_ms)"
            " VALUES ('one', 'team red', 1, 9), ('many', '4b', 30, 9)"
        )
    connection.close()
    with open_sqlite(path) as store:
        assert store.bot("b-1") == BotRow("b-1", "alice-1", "Alice", "hash", 1, False, "bot")
        assert store.code("one") == CodeRow("one", "team red", 1, 9, owner="", uses=1)
        assert store.code("many") == CodeRow("many", "4b", 30, 9, uses=30)
