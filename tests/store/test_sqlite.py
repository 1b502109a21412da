"""What is special about the SQLite store: pragmas, one writer, errors of the disk, indexes."""

from __future__ import annotations

import os
import sqlite3
import stat
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.errors import BadInput, Conflict, Unavailable
from arena.store import Store, open_store
from arena.store.backups import back_up, restore
from arena.store.connections import PRAGMAS, SqliteReaders, claim, connect
from arena.store.patience import Patience
from arena.store.port import CounterRow, SetTableStatus
from arena.store.sql import SqlStore
from arena.store.sqlite import SqliteWriter, open_sqlite
from arena.store.statements import READS
from tests.store import rows
from tests.store.processes import python
from tests.store.rows import ALICE, CUP, DEAL, HAND, TABLE, step


@pytest.fixture
def connection(file: Path) -> sqlite3.Connection:
    """The writer's own connection of the fixture `store`, for a test to meddle with."""
    return connect(file, writable=True)


@pytest.fixture
def store(file: Path, connection: sqlite3.Connection) -> Iterator[Store]:
    """The store on `file`."""
    quick = Patience(total_s=0.001)
    writer = SqliteWriter(file, claimed=claim(file), connection=connection, patience=quick)
    with SqlStore(writer) as opened:
        yield opened


# Pragmas.


@pytest.mark.parametrize("writable", [True, False])
def test_every_connection_has_all_pragmas(file: Path, writable: bool) -> None:
    connection = connect(file, writable=writable)
    found = {name: connection.execute(f"PRAGMA {name}").fetchone()[0] for name, _ in PRAGMAS}
    (query_only,) = connection.execute("PRAGMA query_only").fetchone()
    connection.close()
    assert found == {**dict(PRAGMAS), "synchronous": 2}  # FULL
    assert found["journal_mode"] == "wal"
    assert found["foreign_keys"] == 1
    assert query_only == (not writable)


def test_a_reader_cannot_write(file: Path) -> None:
    readers = SqliteReaders(file, PRAGMAS)
    with pytest.raises(Unavailable, match="read-only"):
        readers.rows("DELETE FROM steps", ())
    readers.close()


# Reading while writing.


def test_readers_see_the_last_commit_while_somebody_writes(
    store: Store, connection: sqlite3.Connection
) -> None:
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("UPDATE tables SET status = 'aborted'")
    assert store.table(TABLE.id) == TABLE
    connection.execute("COMMIT")
    assert store.table(TABLE.id) == TABLE._replace(status="aborted")


def test_a_write_is_seen_by_the_next_read(store: Store) -> None:
    for seq in range(2, 40):
        store.write(step(seq))
        assert store.steps(HAND.id)[-1].seq == seq


def test_a_second_store_may_read_beside_the_writer(file: Path, store: Store) -> None:
    with open_store(f"sqlite:///{file}", readonly=True) as beside:
        store.write(step(2))
        assert [found.seq for found in beside.steps(HAND.id)] == [0, 2]
        with pytest.raises(Unavailable, match="reading only"):
            beside.write(step(3))


@pytest.mark.server
def test_another_process_may_read_beside_the_writer(file: Path, store: Store) -> None:
    store.write(step(2))
    seen = python("read_steps.py", file, HAND.id)
    assert seen.stdout.split() == ["0", "2"]


def test_reading_alone_leaves_the_data_as_it_was(file: Path) -> None:
    before = file.read_bytes()
    with open_store(f"sqlite:///{file}", readonly=True) as store:
        assert store.steps(HAND.id) == (DEAL,)
    assert file.read_bytes() == before


# One writing process.


def test_a_second_writer_is_refused_until_the_first_is_closed(file: Path) -> None:
    with open_sqlite(file), pytest.raises(Unavailable, match="another arena process"):
        open_sqlite(file)
    open_sqlite(file).close()


def test_a_second_writer_is_refused_under_another_name_of_the_file(file: Path) -> None:
    link = file.with_name("link.db")
    try:
        link.symlink_to(file)
    except OSError:
        pytest.skip("this system lets us make no symbolic links")
    with open_sqlite(file), pytest.raises(Unavailable):
        open_sqlite(link)


@pytest.mark.server
def test_another_process_is_refused_as_second_writer(file: Path, store: Store) -> None:
    refused = python("append_until_killed.py", file, HAND.id, 2, fails=True)
    assert "arena.db is in use: another arena process writes to it" in refused.stderr
    store.write(step(2))


# What stops the database: told, nothing half written, and it goes on when the cause has gone.


def big_step(seq: int) -> rows.StepRow:
    return step(seq, command="x" * 400_000)


def test_a_full_disk_is_told_and_passes(store: Store, connection: sqlite3.Connection) -> None:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages + 5}")
    with pytest.raises(Unavailable, match=r"arena\.db: the disk is full"):
        store.write(big_step(2))
    with pytest.raises(Unavailable, match="the disk is full"):
        store.write(SetTableStatus(TABLE.id, "finished", was="playing"), big_step(2))
    assert store.steps(HAND.id) == (DEAL,)
    assert store.table(TABLE.id) == TABLE
    connection.execute("PRAGMA max_page_count = 1000000")
    store.write(big_step(2))
    assert len(store.steps(HAND.id)) == 2


def test_a_read_only_database_is_told_and_passes(
    store: Store, connection: sqlite3.Connection
) -> None:
    connection.execute("PRAGMA query_only = 1")
    with pytest.raises(Unavailable, match="read-only"):
        store.write(step(2))
    assert store.steps(HAND.id) == (DEAL,)
    connection.execute("PRAGMA query_only = 0")
    store.write(step(2))


def test_a_database_locked_by_another_program_is_told_and_passes(store: Store, file: Path) -> None:
    shell = sqlite3.connect(file, isolation_level=None)
    shell.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="another program has locked it"):
        store.write(step(2))
    assert store.steps(HAND.id) == (DEAL,)
    shell.execute("ROLLBACK")
    shell.close()
    store.write(step(2))


def test_a_damaged_schema_fails_the_write_and_not_the_next_one(
    store: Store, connection: sqlite3.Connection
) -> None:
    connection.execute("ALTER TABLE life RENAME TO gone")
    with pytest.raises(Unavailable, match="no such table"):
        store.write(step(2), CounterRow("alive", 1))
    assert store.steps(HAND.id) == (DEAL,)
    store.write(step(2))


def test_a_value_that_sqlite_cannot_hold_fails_its_caller_alone(store: Store) -> None:
    with pytest.raises(OverflowError):
        store.write(step(2**63))
    with pytest.raises(sqlite3.ProgrammingError):
        store.write(step(2), step(3)._replace(meta={"not": "text"}))  # type: ignore[arg-type]
    with pytest.raises(Conflict):
        store.write(DEAL)
    store.write(step(2))
    assert [found.seq for found in store.steps(HAND.id)] == [0, 2]


# Files.


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_only_the_owner_may_read_the_file(file: Path) -> None:
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600


def test_a_file_that_is_no_database_is_refused_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "poem.txt"
    file.write_text("no database at all, but long enough to be looked at. " * 9)
    before = file.read_bytes()
    with pytest.raises(BadInput, match="a SQLite file"):
        open_sqlite(file)
    assert file.read_bytes() == before


def test_the_database_of_another_program_is_refused_and_stays(tmp_path: Path) -> None:
    file = tmp_path / "other.db"
    other = sqlite3.connect(file)
    other.execute("CREATE TABLE bots (id)")
    other.close()
    before = file.read_bytes()
    with pytest.raises(BadInput, match="one made by this program"):
        open_sqlite(file)
    assert file.read_bytes() == before


def test_a_closed_store_leaves_one_file_and_its_lock(file: Path) -> None:
    assert sorted(path.name for path in file.parent.iterdir()) == ["arena.db", "arena.db.lock"]


# Indexes.

ALL = ("referees", "leases_digest")
"""They ask for all rows of a table that has one for each referee, or for each session in play."""


@pytest.mark.parametrize("question", sorted(READS))
def test_no_question_reads_a_whole_table_or_sorts(file: Path, question: str) -> None:
    sql = READS[question]
    connection = connect(file, writable=False)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {sql}", ("",) * sql.count("?")).fetchall()
    connection.close()
    steps = [row[3] for row in plan]
    if question not in ALL:
        assert [line for line in steps if line.startswith("SCAN")] == []
    if not question.endswith("_counts"):  # they sort the few statuses that they count
        assert [line for line in steps if "TEMP B-TREE" in line] == []


def test_a_session_with_many_tables_finds_its_open_ones_by_an_index(file: Path) -> None:
    with open_sqlite(file) as store:
        store.write(*(rows.table(n, 1, status="finished") for n in range(2, 300)))
        store.write(rows.table(300, 1))
        assert store.open_tables(CUP.id) == (TABLE, rows.table(300, 1))
        assert store.bot(ALICE.id) == ALICE
    connection = connect(file, writable=False)
    plan = connection.execute(f"EXPLAIN QUERY PLAN {READS['open_tables']}", (CUP.id,)).fetchall()
    connection.close()
    assert "tables_open" in plan[0][3]


# A guest beside the writer.


def test_one_guest_may_tidy_up_beside_the_writer(store: Store, file: Path) -> None:
    url = f"sqlite:///{file.as_posix()}"
    with open_store(url, beside=True) as guest:
        guest.write(CounterRow("guest", 1))
        store.write(CounterRow("writer", 2))
        assert (store.counter("guest"), guest.counter("writer")) == (1, 2)
        with pytest.raises(Unavailable, match="in use"):
            open_store(url, beside=True)
    open_store(url, beside=True).close()


def test_nothing_is_put_in_the_place_of_a_file_that_a_guest_has_open(
    file: Path, tmp_path: Path
) -> None:
    back_up(file, tmp_path / "copy.db")
    with (
        open_store(f"sqlite:///{file.as_posix()}", beside=True),
        pytest.raises(Unavailable, match="in use"),
    ):
        restore(tmp_path / "copy.db", file, force=True)


def test_a_guest_makes_no_file_and_brings_none_up_to_date(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="a file that is there"):
        open_sqlite(tmp_path / "none.db", beside=True)
    (tmp_path / "empty.db").touch()
    with pytest.raises(BadInput, match="up to date"):
        open_sqlite(tmp_path / "empty.db", beside=True)
    assert (tmp_path / "empty.db").stat().st_size == 0
