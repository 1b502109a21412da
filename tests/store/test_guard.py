"""Whoever opens a SQLite file looks at its log first: opening it would hide what has gone."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

import arena.store.wal
from arena.errors import Damaged, Unavailable
from arena.store import open_store
from arena.store.backups import back_up, restore
from arena.store.connections import claim, is_claimed
from arena.store.inspection import inspect_files
from arena.store.wal import check_log
from tests.store.rows import DEAL, HAND, WORLD

SIDES = ("", "-wal", "-shm")


@pytest.fixture
def cut(crashed: Path) -> Path:
    """The same with half of its log."""
    log = crashed.with_name("arena.db-wal")
    log.write_bytes(log.read_bytes()[: log.stat().st_size // 2])
    return crashed


def contents(file: Path) -> list[bytes]:
    return [file.with_name(file.name + end).read_bytes() for end in SIDES]


def url(file: Path) -> str:
    return f"sqlite:///{file}"


WAYS: dict[str, Callable[[Path], object]] = {
    "the writer": lambda file: open_store(url(file)),
    "a reader": lambda file: open_store(url(file), readonly=True),
    "a writer beside it": lambda file: open_store(url(file), beside=True),
    "a backup": lambda file: back_up(file, file.with_name("copy.db")),
    "a restore from it": lambda file: restore(file, file.with_name("copy.db")),
}


@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_a_cut_log_is_refused_by_everybody_and_stays_visible(
    cut: Path, way: Callable[[Path], object]
) -> None:
    before = contents(cut)
    for _ in range(2):
        with pytest.raises(Damaged, match=r"the log arena\.db-wal: it was cut: \d+ of its") as told:
            way(cut)
        assert "\n" not in told.value.detail
    assert contents(cut) == before
    assert "it was cut" in str(check_log(cut)[1])
    assert not cut.with_name("copy.db").exists()


@pytest.mark.parametrize(
    "way",
    [
        *(way for name, way in WAYS.items() if name != "a restore from it"),
        lambda file: open_store(url(file), verify_log=False),
        inspect_files,
    ],
)
def test_a_log_without_its_file_is_no_new_database(
    crashed: Path, way: Callable[[Path], object]
) -> None:
    elsewhere = crashed.with_name("elsewhere")
    crashed.rename(elsewhere)
    before = crashed.with_name("arena.db-wal").read_bytes()
    for _ in range(2):
        with pytest.raises(
            Damaged, match=r"the file arena\.db is missing, but its log arena\.db-wal is there"
        ) as refused:
            way(crashed)
        assert "arena restore BACKUP" in refused.value.detail
        assert "\n" not in refused.value.detail
    assert not crashed.exists()
    assert not crashed.with_name("copy.db").exists()
    assert crashed.with_name("arena.db-wal").read_bytes() == before
    elsewhere.rename(crashed)
    with open_store(url(crashed)) as store:
        assert len(store.steps(HAND.id)) == 21


def test_a_log_without_its_file_gives_way_to_a_backup(crashed: Path) -> None:
    backup = crashed.with_name("backup.db")
    back_up(crashed, backup)
    crashed.unlink()
    restore(backup, crashed)
    with open_store(url(crashed)) as store:
        assert len(store.steps(HAND.id)) == 21


def test_who_moves_the_log_away_begins_anew(crashed: Path) -> None:
    crashed.unlink()
    log = crashed.with_name("arena.db-wal")
    log.rename(crashed.with_name("old-log"))
    with open_store(url(crashed)) as store:
        assert store.sessions() == ()


def test_what_is_left_of_a_damaged_log_can_be_had_on_demand(cut: Path) -> None:
    with open_store(url(cut), verify_log=False) as store:
        assert store.steps(HAND.id)[0] == DEAL
    with open_store(url(cut)) as store:
        assert 1 < len(store.steps(HAND.id)) < 21


@pytest.mark.parametrize("readonly", [False, True])
def test_a_whole_log_is_opened(crashed: Path, readonly: bool) -> None:
    with open_store(url(crashed), readonly=readonly) as store:
        assert len(store.steps(HAND.id)) == 21


def test_the_log_of_a_file_that_is_written_to_is_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "arena.db"
    read: list[Path] = []

    def counted(path: Path) -> tuple[int, str | None]:
        read.append(path)
        return check_log(path)

    monkeypatch.setattr(arena.store.wal, "check_log", counted)
    with open_store(url(file)) as store:
        store.write(*WORLD)
        assert file.with_name("arena.db-wal").stat().st_size
        for beside in (False, True):
            open_store(url(file), readonly=not beside, beside=beside).close()
        back_up(file, tmp_path / "copy.db")
        assert read == []
        for end in SIDES:
            shutil.copyfile(f"{file}{end}", f"{tmp_path / 'left.db'}{end}")
    open_store(url(tmp_path / "left.db"), readonly=True).close()
    assert read == [tmp_path / "left.db"]


def test_asking_whether_a_file_is_written_to_takes_nothing_from_its_writer(tmp_path: Path) -> None:
    file = tmp_path / "arena.db"
    assert not is_claimed(file)
    assert list(tmp_path.iterdir()) == []
    with closing(claim(file)):
        assert is_claimed(file)
        assert is_claimed(file)
        with pytest.raises(Unavailable, match="in use"):
            claim(file)
    assert not is_claimed(file)
    claim(file).close()


def test_a_claim_that_cannot_be_read_is_none(tmp_path: Path) -> None:
    (tmp_path / "arena.db.lock").mkdir()
    assert not is_claimed(tmp_path / "arena.db")


def test_a_file_in_another_journal_mode_has_no_log_to_look_at(crashed: Path) -> None:
    with closing(sqlite3.connect(crashed)) as connection:
        connection.execute("PRAGMA journal_mode = delete")
    assert not crashed.with_name("arena.db-wal").exists()
    with open_store(url(crashed), readonly=True) as store:
        assert len(store.steps(HAND.id)) == 21
