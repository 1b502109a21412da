"""A file that another program has locked: waited for with pauses in which all others go on."""

from __future__ import annotations

import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import Conflict, Unavailable
from arena.store import open_store
from arena.store.connections import PRAGMAS, SqliteReaders, claim, connect
from arena.store.patience import LONGEST_PAUSE_S, PATIENCE_S, Patience, pauses_s
from arena.store.port import CounterRow
from arena.store.sql import SqlStore
from arena.store.sqlite import SqliteWriter, open_sqlite
from tests.store.processes import command, environment
from tests.store.rows import DEAL, HAND, step


class Pauses:
    """A sleep that takes no time, notes how long it was to be, and may do something meanwhile."""

    def __init__(self) -> None:
        self.slept_s: list[float] = []
        self.meanwhile: Callable[[int], None] = lambda pauses: None

    def __call__(self, seconds: float) -> None:
        self.slept_s.append(seconds)
        self.meanwhile(len(self.slept_s))


@pytest.fixture
def other(file: Path) -> Iterator[sqlite3.Connection]:
    """The connection of another program, which does not wait either."""
    with closing(
        sqlite3.connect(file, timeout=0, isolation_level=None, check_same_thread=False)
    ) as connection:
        yield connection


@pytest.fixture
def pauses() -> Pauses:
    return Pauses()


@pytest.fixture
def store(file: Path, pauses: Pauses) -> Iterator[SqlStore]:
    """The store on `file`, which waits by way of `pauses`."""
    writer = SqliteWriter(
        file,
        claimed=claim(file),
        connection=connect(file, writable=True),
        patience=Patience(sleep=pauses),
    )
    with SqlStore(writer) as opened:
        yield opened


# Pauses.


@given(st.floats(0.0, 10.0))
def test_pauses_grow_and_last_as_long_as_the_patience(total_s: float) -> None:
    found = list(pauses_s(total_s))
    assert sum(found) == pytest.approx(total_s)
    assert found[:-1] == sorted(found[:-1])
    assert all(0 < pause <= LONGEST_PAUSE_S for pause in found)


def test_what_meets_no_lock_is_done_once_without_a_pause(pauses: Pauses) -> None:
    calls: list[int] = []
    Patience(sleep=pauses).call(lambda: calls.append(1))
    assert (calls, pauses.slept_s) == ([1], [])


def test_other_errors_are_not_waited_for(pauses: Pauses) -> None:
    with (
        closing(sqlite3.connect(":memory:")) as connection,
        pytest.raises(sqlite3.OperationalError, match="no such table"),
    ):
        Patience(sleep=pauses).call(lambda: connection.execute("SELECT * FROM neverland"))
    assert pauses.slept_s == []


def test_a_snapshot_that_became_old_is_a_lock_like_any_other(
    file: Path, other: sqlite3.Connection, pauses: Pauses
) -> None:
    """SQLITE_BUSY_SNAPSHOT: to write after a read, when somebody else has written in between."""
    with closing(connect(file, writable=True)) as ours:
        ours.execute("BEGIN")
        ours.execute("SELECT * FROM life").fetchall()
        other.execute("INSERT INTO life VALUES ('other', 1)")

        def write() -> None:
            ours.execute("INSERT INTO life VALUES ('ours', 1)")

        with pytest.raises(sqlite3.OperationalError) as caught:
            write()
        assert caught.value.sqlite_errorcode == sqlite3.SQLITE_BUSY_SNAPSHOT
        pauses.meanwhile = lambda _: ours.rollback()
        Patience(sleep=pauses).call(write)
    assert len(pauses.slept_s) == 1


# Nothing waits in C.


@pytest.mark.parametrize("writable", [True, False])
@pytest.mark.parametrize("pragmas", [PRAGMAS, ()], ids=["all pragmas", "none"])
def test_no_connection_has_a_busy_timeout(
    file: Path, writable: bool, pragmas: tuple[tuple[str, str | int], ...]
) -> None:
    with closing(connect(file, pragmas=pragmas, writable=writable)) as connection:
        assert connection.execute("PRAGMA busy_timeout").fetchone() == (0,)


# The writer.


@pytest.mark.parametrize("kind", ["IMMEDIATE", "EXCLUSIVE"])
def test_a_lock_that_goes_away_in_time_is_not_noticed_by_who_writes(
    store: SqlStore, other: sqlite3.Connection, pauses: Pauses, kind: str
) -> None:
    other.execute(f"BEGIN {kind}")
    pauses.meanwhile = lambda number: other.rollback() if number == 7 else None
    store.write(step(2))
    assert len(pauses.slept_s) == 7
    assert store.steps(HAND.id) == (DEAL, step(2))


def test_a_lock_that_stays_is_told_when_the_patience_is_at_its_end(
    store: SqlStore, other: sqlite3.Connection, pauses: Pauses
) -> None:
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(Unavailable, match="another program has locked it"):
        store.write(step(2))
    assert sum(pauses.slept_s) == pytest.approx(PATIENCE_S)
    other.rollback()
    assert store.steps(HAND.id) == (DEAL,)
    store.write(step(2))
    assert store.steps(HAND.id) == (DEAL, step(2))


def test_reads_go_on_while_a_write_waits_for_a_lock(
    store: SqlStore, other: sqlite3.Connection, pauses: Pauses
) -> None:
    seen: list[int] = []
    other.execute("BEGIN EXCLUSIVE")

    def meanwhile(number: int) -> None:
        seen.append(len(store.steps(HAND.id)))
        if number == 5:
            other.rollback()

    pauses.meanwhile = meanwhile
    store.write(step(2))
    assert seen == [1] * 5


def test_what_others_wrote_during_the_wait_is_what_the_next_try_meets(
    store: SqlStore, other: sqlite3.Connection, pauses: Pauses
) -> None:
    other.execute("BEGIN IMMEDIATE")
    other.execute("INSERT INTO steps SELECT hand_id, 2, 1, '', '', '', 1, '', NULL FROM steps")
    pauses.meanwhile = lambda number: other.commit() if number == 3 else None
    with pytest.raises(Conflict):
        store.write(step(2))
    assert [found.seq for found in store.steps(HAND.id)] == [0, 2]


def test_one_who_was_refused_before_the_lock_is_served_anew_after_it(
    store: SqlStore, other: sqlite3.Connection, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A refusal belongs to a try: here the commit of the first one meets a lock."""
    store.write(step(2))
    engine = store._engine
    assert isinstance(engine, SqliteWriter)
    commits: list[str] = []

    def commit_at_the_second_try(work: Callable[[], object]) -> None:
        commits.append("commit")
        if len(commits) > 1:
            work()
            return
        engine._connection.rollback()
        other.execute("DELETE FROM steps WHERE seq = 2")
        other.execute("BEGIN IMMEDIATE")
        engine._connection.execute("BEGIN IMMEDIATE")

    pauses.meanwhile = lambda number: other.rollback()
    monkeypatch.setattr(engine._blocking, "do", commit_at_the_second_try)
    store.write(step(2))
    assert commits == ["commit", "commit"]
    assert [found.seq for found in store.steps(HAND.id)] == [0, 2]


# SqliteReaders.


def test_a_reader_waits_for_a_file_that_is_not_in_wal_mode_and_locked(
    file: Path, pauses: Pauses
) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = delete")
        readers = SqliteReaders(file, PRAGMAS, patience=Patience(sleep=pauses))
        other.execute("BEGIN EXCLUSIVE")
        pauses.meanwhile = lambda number: other.rollback() if number == 4 else None
        assert readers.rows("SELECT seq FROM steps", ()) == [(0,)]
        assert len(pauses.slept_s) == 4
        other.execute("BEGIN EXCLUSIVE")
        pauses.meanwhile = lambda number: None
        with pytest.raises(Unavailable, match="another program has locked it"):
            readers.rows("SELECT seq FROM steps", ())
        readers.close()


# Opening.


def slept(monkeypatch: pytest.MonkeyPatch, pauses: Pauses) -> None:
    monkeypatch.setattr("arena.store.patience.time.sleep", pauses)


def test_a_lock_at_the_start_is_waited_for(
    file: Path, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept(monkeypatch, pauses)
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = delete")
        other.execute("BEGIN EXCLUSIVE")
        pauses.meanwhile = lambda number: other.rollback() if number == 3 else None
        with open_store(f"sqlite:///{file}") as store:
            assert store.steps(HAND.id) == (DEAL,)
    assert len(pauses.slept_s) == 3


def test_a_migration_waits_for_a_lock_and_is_made_once(
    tmp_path: Path, pauses: Pauses, monkeypatch: pytest.MonkeyPatch
) -> None:
    slept(monkeypatch, pauses)
    file = tmp_path / "new.db"
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("PRAGMA journal_mode = wal")
        other.execute("BEGIN IMMEDIATE")
        pauses.meanwhile = lambda number: other.rollback() if number == 3 else None
        with open_store(f"sqlite:///{file}") as store:
            store.write(CounterRow("alive", 1))
    assert len(pauses.slept_s) == 3


# On greenlets.


@pytest.mark.server
def test_other_greenlets_go_on_while_another_process_holds_the_lock(file: Path) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with subprocess.Popen(
            command("greenlets_under_a_lock.py", file, HAND.id, 2),
            env=environment(),
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as program:
            assert program.stdout is not None
            assert program.stdout.readline() == "going on\n", program.communicate()[1]
            other.execute("ROLLBACK")
            out, err = program.communicate(timeout=30)
    assert out.startswith("accepted "), err
    with open_sqlite(file) as store:
        assert [found.seq for found in store.steps(HAND.id)] == [0, 2]
