"""Backup, restore and prune: what an operator does with a database, by the command line."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
import stat
import threading
import time
from pathlib import Path

import pytest

from arena.client import ArenaProblem, Client
from arena.records.verify import verify
from arena.store import open_store
from arena.store.backups import back_up, check
from arena.store.port import StepRow
from tests.cli.shell import arena, served
from tests.referee.table import Arena, FakeClock
from tests.store.rows import HAND, WORLD

pytestmark = pytest.mark.server


def url(file: Path) -> str:
    return f"sqlite:///{file.as_posix()}"


def said(*words: object, code: int = 0) -> str:
    done = arena(*map(str, words))
    assert done.returncode == code, done
    assert "Traceback" not in done.stderr
    return done.stdout if code == 0 else done.stderr


def two_days_ago() -> FakeClock:
    """A clock that stands still at that time: commands go by the real one."""
    return FakeClock(time.time_ns() // 1_000_000 - 2 * 86_400_000)


@pytest.fixture
def played(tmp_path: Path) -> Path:
    """The database of a session that was played to its end two days ago."""
    file = tmp_path / "arena.db"
    with open_store(url(file)) as store:
        table = Arena(store, two_days_ago())
        table.session()
        table.play()
        assert table.status("cup") == "finished"
    return file


def test_a_backup_is_made_while_the_referee_runs_and_brings_everything_back(
    tmp_path: Path,
) -> None:
    file, copy = tmp_path / "arena.db", tmp_path / "copy.db"
    with served(url(file)) as server:
        with Client(server.url) as client:
            client.register("before")
        assert "checked" in said("backup", "--database", url(file), copy)
        with Client(server.url) as client:
            client.register("after")
        assert "in use" in said("restore", copy, "--database", url(file), "--force", code=2)
    assert "free" in said("backup", "--database", url(file), copy, code=2)
    assert "free" in said("restore", copy, "--database", url(file), code=2)
    assert "checked" in said("restore", copy, "--database", url(file), "--force")
    with open_store(url(file)) as store:
        assert {bot.name for bot in store.bots()} == {"admin", "before"}
        actions = [entry.action for entry in store.audit()]
        assert actions == ["database.restore", "organiser.create"]
    assert not (tmp_path / "arena.db.part").exists()


def test_a_backup_is_one_instant_of_a_database_that_is_written_to(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(url(file)) as store:
        store.write(*WORLD)
        done = threading.Event()

        def write() -> None:
            seq = 2
            while not done.is_set():
                store.write(StepRow(HAND.id, seq, 0, "", "x" * 500, "[]", 1, "{}"))
                seq += 1

        thread = threading.Thread(target=write)
        thread.start()
        counts = []
        for number in range(5):
            before = len(store.steps(HAND.id))
            back_up(file, tmp_path / f"{number}.db")
            after = len(store.steps(HAND.id))
            with open_store(url(tmp_path / f"{number}.db"), readonly=True) as copy:
                steps = [step.seq for step in copy.steps(HAND.id)]
            assert steps == [0, *range(2, len(steps) + 1)]
            assert before <= len(steps) <= after + 1
            counts.append(len(steps))
        done.set()
        thread.join()
    assert counts[-1] > counts[0]


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such permissions")
def test_only_the_owner_may_read_a_backup(played: Path, tmp_path: Path) -> None:
    back_up(played, tmp_path / "copy.db")
    assert stat.S_IMODE(os.stat(tmp_path / "copy.db").st_mode) == 0o600


def test_what_is_no_good_backup_is_refused_and_touches_nothing(
    played: Path, tmp_path: Path
) -> None:
    back_up(played, tmp_path / "copy.db")
    whole = (tmp_path / "copy.db").read_bytes()
    (tmp_path / "cut.db").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "torn.db").write_bytes(whole[:9_000] + bytes(20_000) + whole[29_000:])
    (tmp_path / "poem.db").write_text("no database, but long enough to be looked at. " * 99)
    (tmp_path / "empty.db").write_bytes(b"")
    shutil.copy(tmp_path / "copy.db", tmp_path / "newer.db")
    with sqlite3.connect(tmp_path / "newer.db") as newer:
        newer.execute("PRAGMA user_version = 999")
    newer.close()
    before = played.read_bytes()
    for name in ("cut", "torn", "poem", "empty", "newer"):
        file = tmp_path / f"{name}.db"
        assert said("restore", file, "--database", url(played), "--force", code=2)
        assert played.read_bytes() == before, name
    assert check(played).version


def test_what_the_old_database_left_beside_it_does_not_get_into_the_new_one(
    played: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy.db"
    back_up(played, copy)
    folder = tmp_path / "crashed"
    folder.mkdir()
    with open_store(url(played)) as store:  # a crash: the log was not emptied into the file
        store.write(WORLD[0])
        for end in ("", "-wal", "-shm"):
            shutil.copy(f"{played}{end}", folder / f"arena.db{end}")
    assert (folder / "arena.db-wal").stat().st_size
    said("restore", copy, "--database", url(folder / "arena.db"), "--force")
    with open_store(url(folder / "arena.db")) as store:
        assert store.bot(WORLD[0].id) is None
        assert store.session("cup") is not None


def test_a_postgresql_database_is_not_copied_by_us() -> None:
    assert "sqlite:///FILE" in said("backup", "--database", "postgresql://x@y/z", "f", code=2)
    assert "pg_dump" in said("backup", "--help")
    assert "pg_restore" in said("restore", "--help")


def test_old_sessions_go_after_their_records_are_written(played: Path, tmp_path: Path) -> None:
    words = ("prune", "--database", url(played), "--records", tmp_path / "old")
    assert "No session is that old" in said(*words, "--days", "3")
    dry = said(*words, "--days", "1", "--dry-run")
    assert "cup" in dry
    assert "1 sessions would go" in dry
    assert not (tmp_path / "old").exists()
    assert "cup.jsonl, dropped" in said(*words, "--days", "1")
    lines = (tmp_path / "old" / "cup.jsonl").read_text().splitlines()
    assert verify(lines).ok
    assert json.loads(lines[0])["hands"] == len(lines) - 1 == 2
    with open_store(url(played)) as store:
        assert store.session("cup") is None
        assert store.sessions() == ()
        assert store.bot_by_name("bot-1") is not None
        assert store.audit()[0].action == "session.prune"
    assert check(played).version


def test_old_sessions_go_while_a_referee_plays_another_one(played: Path, tmp_path: Path) -> None:
    with open_store(url(played)) as store:
        admin = Arena(store).referee.registry.create_admin()
    words = ("prune", "--database", url(played), "--records", tmp_path / "old", "--days", "1")
    with served(url(played), first=False) as server, Client(server.url, admin) as organiser:
        session = {"name": "new", "slug": "new", "schedule": {"rounds": 1}, "seats": 3}
        organiser.request("POST", "/sessions", body=session)
        tokens = []
        for number in range(3):
            with Client(server.url) as bot:
                tokens.append(bot.register(f"fresh-{number}")["token"])
            organiser.request("PUT", f"/sessions/new/entries/fresh-{number}")
        organiser.request("POST", "/sessions/new/start")
        assert "cup.jsonl, dropped" in said(*words)
        with pytest.raises(ArenaProblem, match="there is no session 'cup'"):
            organiser.session("cup")
        assert organiser.session("new")["progress"]["hands_playing"] == 1
        asked = [bot.turns()["turns"] for bot in [Client(server.url, token) for token in tokens]]
        [turn] = [turn for turns in asked for turn in turns]
        busy = next(token for token, turns in zip(tokens, asked, strict=True) if turns)
        with Client(server.url, busy) as bot:
            assert bot.answer(turn["turn"], {"choice": 0})["accepted"]
    assert verify((tmp_path / "old" / "cup.jsonl").read_text().splitlines()).ok
    assert check(played).version


def test_a_session_that_is_played_or_whose_file_is_another_one_stays(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    with open_store(url(file)) as store:
        table = Arena(store, two_days_ago())
        table.session()
        table.play(at_most=10)
    words = ("prune", "--database", url(file), "--days", "1", "--records", tmp_path)
    assert "No session is that old" in said(*words)
    with open_store(url(file)) as store:
        other = Arena(store, two_days_ago())
        other.referee.set_session("cup", "cancel", "admin")
    (tmp_path / "cup.jsonl").write_text('{"session": "cup", "hands": 0}\n')
    assert "the records of session 'cup'" in said(*words, code=2)
    with open_store(url(file)) as store:
        assert store.session("cup") is not None
