"""`arena check`, and a referee that is started on a damaged database: one line for each damage."""

from __future__ import annotations

import json
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.store import open_store
from tests.cli.shell import arena, check_shape, served
from tests.referee.table import Arena

pytestmark = pytest.mark.server

CHECKS = [
    *("file", "log", "schema", "pages", "references"),
    *("sessions", "entries", "tables", "hands", "steps", "chains", "audit"),
]


def url(file: Path) -> str:
    return f"sqlite:///{file.as_posix()}"


def play(file: Path) -> None:
    """A session that has ended, and one that is being played."""
    with open_store(url(file)) as store:
        table = Arena(store)
        table.session()
        table.play()
        table.session(name="Running", slug="running")
        table.play(at_most=40)
        assert table.status("running") == "running"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("played") / "arena.db"
    play(file)
    return file


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same as a killed process leaves it: with its log and the index of that."""
    folder = tmp_path_factory.mktemp("killed")
    with open_store(url(folder / "live.db")) as store:
        table = Arena(store)
        table.session(slug="running")
        table.play(at_most=40)
        for end in ("", "-wal", "-shm"):
            shutil.copyfile(folder / f"live.db{end}", folder / f"arena.db{end}")
    return folder / "arena.db"


def copied(file: Path, folder: Path) -> Path:
    for end in ("", "-wal", "-shm"):
        source = file.with_name(file.name + end)
        if source.exists():
            shutil.copyfile(source, folder / source.name)
    return folder / file.name


@pytest.fixture
def file(played: Path, tmp_path: Path) -> Path:
    """A copy of the closed database, to be damaged."""
    return copied(played, tmp_path)


def check(file: Path, *more: str, code: int = 0) -> str:
    done = arena("check", "--database", url(file), *more)
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    return done.stdout if code < 2 else done.stderr


def refused(file: Path, *more: str) -> str:
    """The line with which a referee does not start, and leaves the files as they are."""
    before = contents(file)
    done = arena("serve", "--port", "0", "--database", url(file), *more)
    assert done.returncode == 2, done
    assert "Traceback" not in done.stderr
    [line] = done.stderr.splitlines()
    assert contents(file) == before
    return line


def contents(file: Path) -> dict[str, bytes]:
    """The database and its log; the index beside them is made anew by whoever reads."""
    beside = [file, file.with_name(file.name + "-wal")]
    return {path.name: text for path in beside if path.exists() and (text := path.read_bytes())}


def run_sql(file: Path, *statements: str) -> None:
    """Damage rows behind the back of the schema."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = 0")
        connection.execute("PRAGMA ignore_check_constraints = 1")
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement


def overwrite(path: Path, at: int, text: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(text)


def truncate(path: Path, size: int) -> None:
    with path.open("r+b") as file:
        file.truncate(size)


# Nothing is wrong.


def test_a_whole_database_is_told_to_be_with_what_was_looked_at(file: Path) -> None:
    before = contents(file)
    text = check(file)
    assert "nothing wrong was found" in text
    assert [line.split()[0] for line in text.splitlines()[2 : 2 + len(CHECKS)]] == CHECKS
    told = json.loads(check(file, "--full", "--json"))
    check_shape(told, "check")
    looked_at = {each["check"]: each["looked_at"] for each in told["checks"]}
    assert told["ok"]
    assert (looked_at["sessions"], looked_at["entries"], looked_at["hands"]) == (2, 8, 3)
    assert all(number > 0 for name, number in looked_at.items() if name != "log")
    assert told["left_out"] == []
    assert contents(file) == before


def test_what_a_killed_process_leaves_is_whole(killed: Path, tmp_path: Path) -> None:
    file = copied(killed, tmp_path)
    told = json.loads(check(file, "--json"))
    assert told["ok"]
    assert told["checks"][1]["looked_at"] > 40
    with served(url(file)):
        pass


def test_a_database_is_checked_while_its_referee_runs(file: Path) -> None:
    with served(url(file)):
        assert "nothing wrong was found" in check(file)


def test_a_database_in_postgresql_is_looked_at_row_by_row(
    request: pytest.FixtureRequest,
) -> None:
    database = request.getfixturevalue("postgres").create()
    with open_store(database) as store:
        table = Arena(store)
        table.session()
        table.play(at_most=30)
        table.referee.stop()
    done = arena("check", "--json", "--database", database)
    told = json.loads(done.stdout)
    check_shape(told, "check")
    assert (done.returncode, told["ok"]) == (0, True)
    assert [each["check"] for each in told["checks"]] == CHECKS[5:]
    assert "PostgreSQL" in told["left_out"][0]


# What is no database of ours.


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"", "this one is empty"),
        (b"a poem, long enough to be looked at. " * 99, "a SQLite file"),
    ],
    ids=["empty", "text"],
)
def test_a_file_that_is_no_database_is_bad_input(
    tmp_path: Path, text: bytes, expected: str
) -> None:
    (tmp_path / "arena.db").write_bytes(text)
    assert expected in check(tmp_path / "arena.db", code=2)
    assert expected in refused(tmp_path / "arena.db")


def test_a_newer_version_another_program_and_nothing_are_bad_input(
    file: Path, tmp_path: Path
) -> None:
    run_sql(file, "PRAGMA user_version = 999")
    assert "written by a newer program" in check(file, code=2)
    assert "written by a newer program" in refused(file)
    other = tmp_path / "other.db"
    run_sql(other, "CREATE TABLE bots (id)")
    assert "one made by this program" in check(other, code=2)
    assert "a file that is there" in check(tmp_path / "none.db", code=2)
    done = arena("check", "--database", "memory:")
    assert (done.returncode, "a database that is kept" in done.stderr) == (2, True)


# Damage of the files.


def test_a_log_that_was_cut_in_half_is_told(killed: Path, tmp_path: Path) -> None:
    file = copied(killed, tmp_path)
    log = file.with_name("arena.db-wal")
    truncate(log, log.stat().st_size // 2)
    line = refused(file)
    assert "the database arena.db is damaged: the log arena.db-wal: it was cut" in line
    assert "arena check --database" in line
    assert "arena restore BACKUP --database" in line
    assert "committed pages have gone" in check(file, code=1)
    assert "committed pages have gone" in check(file, code=1)  # looking has not hidden it
    assert "committed pages have gone" in refused(file)
    with served(url(file), first=False, more=("--database-check", "off")):
        pass


def test_a_page_of_the_log_that_was_overwritten_is_told(killed: Path, tmp_path: Path) -> None:
    file = copied(killed, tmp_path)
    overwrite(file.with_name("arena.db-wal"), 32 + 20 * 4120 + 600, b"bad disk" * 50)
    assert "the log arena.db-wal" in refused(file)
    assert "the log arena.db-wal" in check(file, code=1)


def test_no_command_opens_a_file_whose_log_was_cut_and_so_hides_it(
    killed: Path, tmp_path: Path
) -> None:
    file = copied(killed, tmp_path)
    truncate(file.with_name("arena.db-wal"), file.with_name("arena.db-wal").stat().st_size // 2)
    for words in (
        ("admin", "token", "--name", "late"),
        ("standings", "running"),
        ("prune", "--days", "1", "--records", str(tmp_path / "old")),
        ("backup", str(tmp_path / "copy.db")),
    ):
        done = arena(*words, "--database", url(file))
        [line] = done.stderr.splitlines()
        assert (done.returncode, done.stdout) == (2, ""), words
        assert "the log arena.db-wal: it was cut" in line
        assert "arena restore BACKUP" in line
    assert not (tmp_path / "copy.db").exists()
    assert "it was cut" in refused(file)
    assert "committed pages have gone" in check(file, code=1)


# Damage of the rows.


def test_a_referee_does_not_start_where_a_hand_in_play_lacks_a_step(file: Path) -> None:
    """One whose log has no hashes, so that nobody knows what it was: with them, only its table does
    not go on. The other kinds of damage are tested without a process for each."""
    run_sql(file, "UPDATE steps SET hash = NULL")
    run_sql(file, "DELETE FROM steps WHERE hand_id LIKE 'running-%' AND seq = 0")
    line = refused(file)
    assert "arena.db is damaged: hand running-r01-t01-h001: step 0 is missing" in line
    told = json.loads(check(file, "--json", code=1))
    check_shape(told, "check")
    assert not told["ok"]
    run_sql(file, "UPDATE sessions SET status = 'cancelled' WHERE id = 'running'")
    with served(url(file)):  # what is not in play does not keep it from starting
        pass
    assert "faults. Copy the file" in check(file, code=1)
