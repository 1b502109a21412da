"""The log beside the file: what has gone from it is noticed, and nothing is where nothing has."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.store.sqlite import open_sqlite
from arena.store.wal import FRAME_HEAD_BYTES, HEAD_BYTES, check_log, read_index, read_log
from tests.store.rows import WORLD, step

PAGE = 4096
FRAME = FRAME_HEAD_BYTES + PAGE


def log_of(file: Path) -> Path:
    return file.with_name(file.name + "-wal")


def index_of(file: Path) -> Path:
    return file.with_name(file.name + "-shm")


def cut(file: Path, frames: int, *, more: int = 0) -> None:
    """Leave only so many frames of the log."""
    log = log_of(file)
    log.write_bytes(log.read_bytes()[: HEAD_BYTES + frames * FRAME + more])


def overwrite(path: Path, at: int, text: bytes) -> None:
    with path.open("r+b") as file:
        file.seek(at)
        file.write(text)


def test_a_log_that_is_whole_has_all_frames_that_its_index_knows(crashed: Path) -> None:
    index, log = read_index(crashed), read_log(crashed)
    assert index is not None
    assert (log.salt, log.whole, log.stray) == (index.salt, index.frames, 0)
    assert log.whole > 40
    assert check_log(crashed) == (log.whole, None)


def test_our_sums_are_those_of_sqlite(crashed: Path) -> None:
    """SQLite reads as many commits from every cut log as we say are whole."""
    index_of(crashed).unlink()
    frames = read_log(crashed).whole
    whole = log_of(crashed).read_bytes()
    main = crashed.read_bytes()
    for left in range(frames - 12, frames + 1):
        log_of(crashed).write_bytes(whole[: HEAD_BYTES + left * FRAME])
        with closing(sqlite3.connect(crashed, isolation_level=None)) as connection:
            connection.execute("SELECT COUNT(*) FROM steps").fetchone()
            busy, pages, moved = connection.execute("PRAGMA wal_checkpoint").fetchone()
        assert (busy, moved) == (0, pages)
        log_of(crashed).write_bytes(whole[: HEAD_BYTES + left * FRAME])
        assert read_log(crashed).whole == pages
        crashed.write_bytes(main)
        index_of(crashed).unlink(missing_ok=True)


@pytest.mark.parametrize("more", [0, 1, 500])
def test_a_log_that_was_cut_is_noticed_wherever_it_was(crashed: Path, more: int) -> None:
    frames = read_log(crashed).whole
    whole = log_of(crashed).read_bytes()
    for left in range(0, frames, 5):
        log_of(crashed).write_bytes(whole)
        cut(crashed, left, more=more)
        _, told = check_log(crashed)
        assert told is not None
        assert "it was cut" in told


def test_a_log_that_has_gone_is_noticed(crashed: Path) -> None:
    for gone in (lambda: log_of(crashed).write_bytes(b""), log_of(crashed).unlink):
        gone()
        _, told = check_log(crashed)
        assert told is not None
        assert "it has gone" in told


def test_a_page_of_the_log_that_was_overwritten_is_noticed(crashed: Path) -> None:
    overwrite(log_of(crashed), HEAD_BYTES + 20 * FRAME + 99, b"bad disk")
    assert "it was cut" in str(check_log(crashed)[1])
    index_of(crashed).unlink()
    assert "whole commits behind it" in str(check_log(crashed)[1])


@pytest.mark.parametrize("damage", [bytes(FRAME), b"\xff" * FRAME])
def test_a_frame_that_is_no_frame_any_more_is_noticed_without_an_index(
    crashed: Path, damage: bytes
) -> None:
    index_of(crashed).unlink()
    overwrite(log_of(crashed), HEAD_BYTES + 10 * FRAME, damage)
    assert "whole commits behind it" in str(check_log(crashed)[1])


def test_a_torn_end_is_what_a_power_cut_leaves_and_no_damage(crashed: Path) -> None:
    """The last transaction: not acknowledged, so the index does not know of it."""
    index_of(crashed).unlink()
    frames = read_log(crashed).whole
    whole = log_of(crashed).read_bytes()
    for at in range(HEAD_BYTES + (frames - 1) * FRAME, HEAD_BYTES + frames * FRAME, 177):
        log_of(crashed).write_bytes(whole[:at])
        assert check_log(crashed)[1] is None
    log_of(crashed).write_bytes(whole)
    overwrite(log_of(crashed), len(whole) - 8, b"torn")
    assert check_log(crashed)[1] is None


def test_a_file_without_a_log_is_whole(tmp_path: Path) -> None:
    with open_sqlite(tmp_path / "arena.db") as store:
        store.write(*WORLD)
    assert check_log(tmp_path / "arena.db") == (0, None)


@pytest.mark.parametrize("at", [0, 8, 17, 25])
def test_a_log_without_its_head_is_noticed_without_an_index(crashed: Path, at: int) -> None:
    """SQLite would throw all of it away."""
    index_of(crashed).unlink()
    overwrite(log_of(crashed), at, b"\xfe\xff")
    assert "its head is damaged" in str(check_log(crashed)[1])


def test_a_log_that_never_got_beyond_its_head_holds_nothing_that_could_have_gone(
    crashed: Path,
) -> None:
    index_of(crashed).unlink()
    for head in (b"", b"torn", bytes(HEAD_BYTES)):
        log_of(crashed).write_bytes(head)
        assert check_log(crashed) == (0, None)


def test_a_log_without_its_head_whose_pages_are_all_in_the_file_is_no_damage(
    tmp_path: Path,
) -> None:
    """The index knows that nothing has gone with it."""
    with open_sqlite(tmp_path / "arena.db") as store:
        store.write(*WORLD)
        with closing(sqlite3.connect(tmp_path / "arena.db")) as other:
            other.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
        folder = tmp_path / "killed"
        folder.mkdir()
        for end in ("", "-wal", "-shm"):
            shutil.copyfile(tmp_path / f"arena.db{end}", folder / f"arena.db{end}")
    overwrite(log_of(folder / "arena.db"), 17, b"\xfe\xff")
    assert check_log(folder / "arena.db") == (0, None)


def test_an_index_that_is_damaged_or_of_another_log_says_nothing(crashed: Path) -> None:
    overwrite(index_of(crashed), 16, b"\xff\xff")
    assert read_index(crashed) is None
    cut(crashed, 30)
    assert check_log(crashed)[1] is None


def test_a_log_that_begins_anew_has_old_frames_behind_it_and_is_whole(tmp_path: Path) -> None:
    with open_sqlite(tmp_path / "arena.db") as store:
        store.write(*WORLD)
        with closing(sqlite3.connect(tmp_path / "arena.db")) as other:
            for seq in range(2, 60):
                store.write(step(seq))
                if seq % 9 == 0:
                    other.execute("PRAGMA wal_checkpoint(RESTART)").fetchall()
                assert check_log(tmp_path / "arena.db")[1] is None
