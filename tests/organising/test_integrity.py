"""Is a database whole? Damage of its rows and its file, one fault for each; at a start and later.

The files are damaged for real, behind the back of the schema. That a process refuses to start and
what it prints is tested with the command line.
"""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

import arena.organising.integrity
from arena.errors import Damaged
from arena.organising.consistency import check_rows
from arena.organising.integrity import check_at_start, check_database
from arena.store import open_store
from arena.store.memory import open_memory
from arena.store.port import SetTableStatus, Store, TableRow
from tests.referee.table import Arena


def url(file: Path) -> str:
    return f"sqlite:///{file.as_posix()}"


def play(store: Store) -> Arena:
    """A session that has ended, and one that is being played."""
    table = Arena(store)
    table.session()
    table.play()
    table.session(name="Running", slug="running")
    table.play(at_most=40)
    assert table.status("running") == "running"
    return table


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("played") / "arena.db"
    with open_store(url(file)) as store:
        play(store)
    return file


@pytest.fixture
def file(played: Path, tmp_path: Path) -> Path:
    """A copy of the closed database, to be damaged."""
    return Path(shutil.copyfile(played, tmp_path / "arena.db"))


def found(file: Path, *, full: bool = False) -> str:
    """All faults, one a line."""
    return "\n".join(map(str, check_database(url(file), full=full).faults))


def refused(file: Path, extent: str = "quick") -> str:
    """What keeps a referee from starting; the file stays as it is."""
    before = file.read_bytes()
    with pytest.raises(Damaged) as caught:
        check_at_start(url(file), extent)
    assert file.read_bytes() == before
    return caught.value.detail


def run_sql(file: Path, *statements: str) -> None:
    """Damage rows behind the back of the schema."""
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = 0")
        connection.execute("PRAGMA ignore_check_constraints = 1")
        for statement in statements:
            assert connection.execute(statement).rowcount != 0, statement


# Nothing is wrong.


def test_nothing_is_wrong_with_what_the_referee_has_written(file: Path) -> None:
    assert found(file, full=True) == ""
    for extent in ("off", "quick", "full"):
        check_at_start(url(file), extent)


def test_the_rows_of_every_kind_of_store_are_looked_at_alike() -> None:
    table = play(open_memory())
    checks = {check.name: check for check in check_rows(table.store, live=False)}
    assert {name: check.fault_count for name, check in checks.items()} == dict.fromkeys(checks, 0)
    assert (checks["sessions"].looked_at, checks["hands"].looked_at) == (2, 3)
    live = {check.name: check.looked_at for check in check_rows(table.store, live=True)}
    assert (live["sessions"], live["tables"], live["hands"], live["audit"]) == (1, 1, 1, 0)


def test_what_organisers_do_leaves_nothing_wrong() -> None:
    """Paused, voided and played again, cancelled: every way in which something ends early."""
    table = play(open_memory())
    referee = table.referee
    referee.set_session("running", "pause", "admin")
    assert faults(table.store) == []
    referee.set_session("running", "resume", "admin")
    table.session(bots=8, name="Wide", slug="wide")
    table.play(at_most=20)
    referee.void("wide-r01-t01", "a test", "admin")
    assert faults(table.store) == []
    referee.replay("wide-r01-t01", "admin")
    table.play(at_most=20)
    assert faults(table.store) == []
    for session in ("running", "wide"):
        referee.set_session(session, "cancel", "admin")
    assert faults(table.store) == []


def faults(store: Store) -> list[str]:
    """What is wrong with the rows."""
    return [str(fault) for check in check_rows(store, live=False) for fault in check.faults]


class ChangedMeanwhile:
    """A store in which a table ends between two reads."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stale = True

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    def table(self, table: str) -> TableRow | None:
        row = self._store.table(table)
        if self._stale and row is not None and row.status == "playing":
            self._stale = False
            return row._replace(status="finished")
        return row


def test_what_is_wrong_only_while_others_write_is_not_wrong() -> None:
    store = play(open_memory()).store
    assert faults(ChangedMeanwhile(store)) == []  # type: ignore[arg-type]
    store.write(SetTableStatus("running-r01-t01", "finished", was="playing"))
    assert "but its table is finished" in "".join(faults(store))


# Damage of the file.


def test_a_file_that_was_cut_is_told(file: Path) -> None:
    with file.open("r+b") as handle:
        handle.truncate(file.stat().st_size // 2)
    assert "arena.db is damaged: the file arena.db: it was cut" in refused(file)
    assert "pages are there" in found(file)


def overwrite_audit(file: Path) -> None:
    """Damage a page that belongs to nothing that is being played."""
    with closing(sqlite3.connect(file)) as connection:
        sql = "SELECT rootpage FROM sqlite_master WHERE name = 'audit'"
        (page,) = connection.execute(sql).fetchone()
    with file.open("r+b") as handle:
        handle.seek((page - 1) * 4096)
        handle.write(b"\xff" * 4096)


def test_an_overwritten_page_is_told_by_a_check_and_by_every_start(file: Path) -> None:
    overwrite_audit(file)
    assert "the database arena.db" in found(file)
    for extent in ("quick", "full"):
        assert "arena.db is damaged: the database arena.db" in refused(file, extent)


def test_a_row_whose_parent_has_gone_is_told_by_every_start(file: Path) -> None:
    run_sql(file, f"DELETE FROM hands WHERE id = {ENDED}")
    assert "names a row of hands that is not there" in found(file)
    for extent in ("quick", "full"):
        assert "names a row of hands that is not there" in refused(file, extent)


def test_a_quick_start_leaves_the_pages_of_a_large_file_to_a_check(
    file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    overwrite_audit(file)
    monkeypatch.setattr(arena.organising.integrity, "SMALL_BYTES", file.stat().st_size - 1)
    check_at_start(url(file), "quick")
    assert "arena.db is damaged" in refused(file, "full")
    monkeypatch.setattr(arena.organising.integrity, "SMALL_BYTES", file.stat().st_size)
    assert "arena.db is damaged" in refused(file)


def test_a_table_that_has_gone_is_told(file: Path) -> None:
    run_sql(file, "DROP TABLE notes")
    assert "the schema: no such table: notes" in refused(file)
    assert "the schema: no such table: notes" in found(file)


def test_a_database_that_is_still_to_be_brought_up_to_date_is_looked_at_without_its_rows(
    file: Path,
) -> None:
    run_sql(file, "PRAGMA user_version = 1", "DROP TABLE notes")
    report = check_database(url(file))
    assert report.faults == ()
    assert "older version" in report.left_out[0]
    check_at_start(url(file), "quick")


# Damage of the rows.

PLAYING = "(SELECT id FROM hands WHERE status = 'playing')"
ENDED = "(SELECT id FROM hands WHERE status = 'finished' ORDER BY id LIMIT 1)"
LAST_PLAYED = f"(SELECT MAX(seq) FROM steps WHERE hand_id = {PLAYING})"
LAST_ENDED = f"(SELECT MAX(seq) FROM steps WHERE hand_id = {ENDED})"
SECOND_BOT = "(SELECT bot_id FROM entries WHERE session_id = 'running' AND number = 2)"
THIRD = "(SELECT seq FROM steps WHERE hand_id = {hand} ORDER BY seq LIMIT 1 OFFSET 2)"

LOGS = {
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
}
IN_PLAY = {
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
ENDED_LOGS = {
    "a step in the middle": (
        f"DELETE FROM steps WHERE hand_id = {ENDED} AND seq = {THIRD.format(hand=ENDED)}",
        "is missing: the log goes on at step",
    ),
    "the last step": (
        f"DELETE FROM steps WHERE hand_id = {ENDED} AND seq = {LAST_ENDED}",
        "is missing: the log stops before its end",
    ),
}
ANYWHERE = {
    "a result": (f"UPDATE hands SET result = NULL WHERE id = {ENDED}", "but has no result"),
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


OLDER = "UPDATE steps SET hash = NULL"
"""As an older program wrote them: what is damaged there is not found by hashes."""
META = {
    "nothing": ("'{}'", "its meta has no clock_ms"),
    "no time": ("json_remove(meta, '$.clock_ms')", "its meta has no clock_ms"),
    "a time that is a word": (
        "json_set(meta, '$.clock_ms', '12')",
        "the clock_ms of its meta is '12' instead of a whole number",
    ),
    "no seat": ("json_remove(meta, '$.seat')", "its meta has no seat"),
    "a seat that is not there": (
        "json_set(meta, '$.seat', 4)",
        "the seat of its meta is 4 instead of",
    ),
    "a seat below the first": ("json_set(meta, '$.seat', -1)", "the seat of its meta is -1"),
    "no charge": ("json_remove(meta, '$.charged_ms')", "its meta has no charged_ms"),
    "a charge of null": (
        "json_set(meta, '$.charged_ms', NULL)",
        "the charged_ms of its meta is None",
    ),
    "lateness in figures": (
        "json_set(meta, '$.late', 1)",
        "the late of its meta is 1 instead of true or false",
    ),
    "refusals that are none": (
        "json_set(meta, '$.refused', json('true'))",
        "the refused of its meta is True instead of a whole number",
    ),
}


@pytest.mark.parametrize(("meta", "told"), META.values(), ids=META.keys())
def test_a_step_whose_meta_cannot_be_used_is_told(file: Path, meta: str, told: str) -> None:
    run_sql(
        file,
        f"UPDATE steps SET meta = {meta} WHERE hand_id = {PLAYING} AND seq = {LAST_PLAYED}",
    )
    assert told in found(file)
    check_at_start(url(file), "quick")
    run_sql(file, OLDER)
    assert f": {told}" in refused(file)
    assert told in found(file)


def test_the_first_step_of_a_hand_is_nobodys_and_needs_only_its_time(file: Path) -> None:
    run_sql(file, OLDER, f"UPDATE steps SET meta = '{{}}' WHERE hand_id = {PLAYING} AND seq = 0")
    assert "step 0: its meta has no clock_ms" in refused(file)
    run_sql(
        file,
        f"""UPDATE steps SET meta = '{{"clock_ms":1}}' WHERE hand_id = {PLAYING} AND seq = 0""",
    )
    check_at_start(url(file), "quick")


@pytest.mark.parametrize(("damage", "told"), LOGS.values(), ids=LOGS.keys())
def test_damage_of_a_log_with_hashes_is_told_and_a_referee_starts(
    file: Path, damage: str, told: str
) -> None:
    run_sql(file, damage)
    assert told in found(file)
    check_at_start(url(file), "quick")


@pytest.mark.parametrize(
    ("damage", "told"),
    [each for name, each in LOGS.items() if name != "the whole log"],
    ids=[name for name in LOGS if name != "the whole log"],
)
def test_damage_of_a_log_without_hashes_keeps_a_referee_from_starting(
    file: Path, damage: str, told: str
) -> None:
    run_sql(file, OLDER, damage)
    assert told in refused(file)


@pytest.mark.parametrize(("damage", "told"), ENDED_LOGS.values(), ids=ENDED_LOGS.keys())
def test_damage_of_a_log_that_has_ended_is_told_by_a_check_and_by_a_full_start(
    file: Path, damage: str, told: str, caplog: pytest.LogCaptureFixture
) -> None:
    run_sql(file, damage)
    assert told in found(file)
    check_at_start(url(file), "quick")
    check_at_start(url(file), "full")
    assert told in caplog.text


HASHES = {
    "a byte of an answer": "command = replace(command, 'seat', 'seal')",
    "a byte of an event": "events = replace(events, 'seat', 'seal')",
    "a time": "at_ms = at_ms + 1",
    "what a turn was charged": "meta = json_set(meta, '$.charged_ms', 7)",
    "a hash": "hash = zeroblob(32)",
    "no hash": "hash = NULL",
}


@pytest.mark.parametrize("change", HASHES.values(), ids=HASHES.keys())
def test_whatever_is_changed_in_a_log_does_not_fit_its_hash(file: Path, change: str) -> None:
    step = THIRD.format(hand=PLAYING)
    run_sql(file, f"UPDATE steps SET {change} WHERE hand_id = {PLAYING} AND seq = {step}")
    [fault] = check_database(url(file)).faults
    assert fault.where.startswith("hand running-r01-t01-h001, step ")
    assert fault.found in (
        "its hash does not fit what is stored",
        "it has no hash, but the step before has one",
    )


def test_a_commitment_that_was_changed_does_not_fit_the_log(file: Path) -> None:
    run_sql(file, f"UPDATE hands SET commitment = '{'ab' * 32}' WHERE id = {PLAYING}")
    assert "h001, step 0: its hash does not fit what is stored" in found(file)


@pytest.mark.parametrize(("damage", "told"), IN_PLAY.values(), ids=IN_PLAY.keys())
def test_damage_of_what_is_being_played_keeps_a_referee_from_starting(
    file: Path, damage: str, told: str
) -> None:
    run_sql(file, damage)
    assert told in refused(file)
    assert told in found(file)


@pytest.mark.parametrize(("damage", "told"), ANYWHERE.values(), ids=ANYWHERE.keys())
def test_damage_of_what_has_ended_is_told_by_a_check_and_by_a_full_start(
    file: Path, damage: str, told: str
) -> None:
    run_sql(file, damage)
    assert told in found(file)
    assert "arena.db is damaged" in refused(file, "full")
    check_at_start(url(file), "quick")
    check_at_start(url(file), "off")


def test_each_fault_is_told_once_with_its_place(file: Path) -> None:
    run_sql(file, LOGS["a step of a hand in play"][0], ANYWHERE["a result"][0])
    report = check_database(url(file))
    assert report.fault_count == 2
    assert [fault.where for fault in report.faults] == [
        "hand cup-r01-t01-h001",
        "hand running-r01-t01-h001",
    ]


def test_only_the_first_faults_are_told_and_all_are_counted(file: Path) -> None:
    run_sql(file, "UPDATE steps SET meta = 'x'")
    [steps] = [check for check in check_database(url(file)).checks if check.name == "chains"]
    assert len(steps.faults) == 100
    assert steps.fault_count == steps.looked_at > 100
