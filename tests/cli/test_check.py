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

CHECKS = [
    *("file", "log", "schema", "pages", "references"),
    *("sessions", "entries", "tables", "hands", "steps", "audit"),
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


def test_a_file_that_was_cut_is_told(file: Path) -> None:
    truncate(file, file.stat().st_size // 2)
    file.with_name("arena.db-wal").unlink(missing_ok=True)
    line = refused(file)
    assert "arena.db is damaged: the file arena.db: it was cut" in line
    assert "pages are there" in check(file, code=1)


def test_an_overwritten_page_is_told_by_a_check_and_by_a_full_start(file: Path) -> None:
    with closing(sqlite3.connect(file)) as connection:
        (page,) = connection.execute(
            "SELECT rootpage FROM sqlite_master WHERE name = 'audit'"
        ).fetchone()
    overwrite(file, (page - 1) * 4096, b"\xff" * 4096)
    told = check(file, code=1)
    assert "the database arena.db" in told
    assert "arena.db is damaged" in refused(file, "--database-check", "full")


def test_a_table_that_has_gone_is_told(file: Path) -> None:
    run_sql(file, "DROP TABLE notes")
    assert "the schema: no such table: notes" in refused(file)
    assert "the schema: no such table: notes" in check(file, code=1)


# Damage of the rows.

PLAYING = "(SELECT id FROM hands WHERE status = 'playing')"
ENDED = "(SELECT id FROM hands WHERE status = 'finished' ORDER BY id LIMIT 1)"
LAST_PLAYED = f"(SELECT MAX(seq) FROM steps WHERE hand_id = {PLAYING})"
LAST_ENDED = f"(SELECT MAX(seq) FROM steps WHERE hand_id = {ENDED})"
SECOND_BOT = "(SELECT bot_id FROM entries WHERE session_id = 'running' AND number = 2)"
THIRD = "(SELECT seq FROM steps WHERE hand_id = {hand} ORDER BY seq LIMIT 1 OFFSET 2)"

IN_PLAY = {
    "a step of a hand in play": (
        f"DELETE FROM steps WHERE hand_id = {PLAYING} AND seq = {THIRD.format(hand=PLAYING)}",
        "is missing: the log goes on at step",
    ),
    "the first step": (
        f"DELETE FROM steps WHERE hand_id = {PLAYING} AND seq = 0",
        "step 0 is miss",
    ),
    "the whole log": (f"DELETE FROM steps WHERE hand_id = {PLAYING}", "it has no log"),
    "the number of a step": (
        f"UPDATE steps SET seq = seq + 1000 WHERE hand_id = {PLAYING} AND seq = {LAST_PLAYED}",
        "is missing: the log goes on at step",
    ),
    "the count of a step": (
        f"UPDATE steps SET event_count = 99 WHERE hand_id = {PLAYING} AND seq = 0",
        "events instead of 99",
    ),
    "the events of a step": (
        f"UPDATE steps SET events = '[{{' WHERE hand_id = {PLAYING} AND seq = 0",
        "its events cannot be read",
    ),
    "the document of a session": (
        "UPDATE sessions SET document = 'x' WHERE id = 'running'",
        "session running: its document cannot be read",
    ),
    "the schedule of a session": (
        "UPDATE sessions SET schedule = NULL WHERE id = 'running'",
        "session running: it is running, but has no schedule",
    ),
    "a bot that has entered": (
        f"DELETE FROM bots WHERE id = {SECOND_BOT}",
        "of entry 2 is unknown",
    ),
    "an entry": (
        "DELETE FROM entries WHERE session_id = 'running' AND number = 2",
        "session running: entry 3 follows entry 1",
    ),
    "a line-up": (
        "UPDATE tables SET players = '{}' WHERE session_id = 'running'",
        "its line-up is not a list",
    ),
}
ANYWHERE = {
    "a step in the middle": (
        f"DELETE FROM steps WHERE hand_id = {ENDED} AND seq = {THIRD.format(hand=ENDED)}",
        "is missing: the log goes on at step",
    ),
    "the last step": (
        f"DELETE FROM steps WHERE hand_id = {ENDED} AND seq = {LAST_ENDED}",
        "is missing: the log stops before its end",
    ),
    "a result": (f"UPDATE hands SET result = NULL WHERE id = {ENDED}", "but has no result"),
    "a row that others name": (f"DELETE FROM hands WHERE id = {ENDED}", "names a row of hands"),
    "a hand left open": (f"UPDATE hands SET status = 'playing' WHERE id = {ENDED}", "its table is"),
    "a session left open": (
        "UPDATE sessions SET status = 'finished' WHERE id = 'running'",
        "it is playing, but session running is finished",
    ),
    "the audit log": (
        "UPDATE audit SET detail = 'x' WHERE number = 3",
        "audit entry 3: its detail",
    ),
}


@pytest.mark.parametrize(("damage", "told"), IN_PLAY.values(), ids=IN_PLAY.keys())
def test_damage_of_what_is_being_played_keeps_a_referee_from_starting(
    file: Path, damage: str, told: str
) -> None:
    run_sql(file, damage)
    assert told in refused(file)
    assert told in check(file, code=1)


@pytest.mark.parametrize(("damage", "told"), ANYWHERE.values(), ids=ANYWHERE.keys())
def test_damage_of_what_has_ended_is_told_by_a_check_and_by_a_full_start(
    file: Path, damage: str, told: str
) -> None:
    run_sql(file, damage)
    assert told in check(file, code=1)
    assert "arena.db is damaged" in refused(file, "--database-check", "full")


def test_a_referee_starts_beside_damage_in_the_past_and_on_any_if_it_is_told_to(
    file: Path,
) -> None:
    run_sql(file, ANYWHERE["the audit log"][0])
    with served(url(file)):
        pass
    run_sql(file, IN_PLAY["an entry"][0])
    assert "entry 3 follows" in refused(file)
    with served(url(file), first=False, more=("--database-check", "off")):
        pass


def test_each_fault_is_told_once_with_its_place(file: Path) -> None:
    run_sql(file, IN_PLAY["a step of a hand in play"][0], ANYWHERE["a result"][0])
    told = json.loads(check(file, "--json", code=1))
    check_shape(told, "check")
    faults = {each["check"]: each["faults"] for each in told["checks"] if each["faults"]}
    assert set(faults) == {"hands", "steps"}
    assert faults["steps"][0]["where"].startswith("hand running-r01-t01-h001")
    assert "2 faults" in check(file, code=1)
