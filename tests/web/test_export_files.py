"""Record files on disk: made once, read while they grow, dropped when there are too many."""

from __future__ import annotations

import stat
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.web.export_files import Broken, ExportFiles, folder_for


def yes() -> bool:
    return True


def files(folder: Path, *, most: int = 1_000, at_once: int = 2) -> ExportFiles:
    return ExportFiles(lambda: folder, most=most, at_once=at_once)


def made(store: ExportFiles, name: str, data: bytes) -> bytes:
    """Make a file and read all of it, which takes until it is whole."""
    kept = store.make(name, lambda: [data], good=yes)
    assert kept is not None
    return b"".join(kept.pieces())


def settled(store: ExportFiles) -> None:
    """Wait until no file grows."""
    for thread in threading.enumerate():
        if thread.name == "export":
            thread.join(20)


def test_a_file_is_read_while_it_grows(tmp_path: Path) -> None:
    more = threading.Event()

    def source() -> Iterator[bytes]:
        yield b"one "
        assert more.wait(20)
        yield b"two"

    store = files(tmp_path)
    kept = store.make("a.jsonl", source, good=yes)
    assert kept is not None
    early, pieces = kept.pieces(), kept.pieces()
    assert next(early) == b"one "
    assert not kept.whole
    more.set()
    assert b"".join(early) == b"two"
    assert b"".join(pieces) == b"one two"
    settled(store)
    assert (tmp_path / "a.jsonl").read_bytes() == b"one two"
    assert stat.S_IMODE((tmp_path / "a.jsonl").stat().st_mode) == 0o600
    assert b"".join(kept.pieces(4, 6)) == b"tw"
    assert store.get("a.jsonl") is kept


def test_a_file_is_made_once(tmp_path: Path) -> None:
    store = files(tmp_path)
    assert made(store, "a.jsonl", b"one") == b"one"
    assert made(store, "a.jsonl", b"other") == b"one"


def test_what_is_not_so_any_more_is_not_kept(tmp_path: Path) -> None:
    store = files(tmp_path)
    kept = store.make("a.jsonl", lambda: [b"one"], good=lambda: False)
    assert kept is not None
    settled(store)
    assert store.get("a.jsonl") is None
    assert list(tmp_path.iterdir()) == []


def test_a_source_that_fails_is_told_to_readers_and_not_kept(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    go_on = threading.Event()

    def source() -> Iterator[bytes]:
        yield b"one"
        assert go_on.wait(20)
        raise OSError("the disk is full")

    store = files(tmp_path)
    kept = store.make("a.jsonl", source, good=yes)
    assert kept is not None
    pieces = kept.pieces()
    assert next(pieces) == b"one"
    go_on.set()
    with pytest.raises(Broken):
        next(pieces)
    settled(store)
    assert store.get("a.jsonl") is None
    assert "the disk is full" in caplog.text


def test_the_least_used_files_make_room(tmp_path: Path) -> None:
    store = files(tmp_path, most=10)
    for name in ("a.jsonl", "b.jsonl"):
        made(store, name, b"12345")
        settled(store)
    assert store.get("a.jsonl") is not None
    made(store, "c.jsonl", b"12345")
    settled(store)
    assert list(store.sizes()) == ["a.jsonl", "c.jsonl"]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["a.jsonl", "c.jsonl"]


def test_a_file_that_is_too_large_for_the_folder_is_read_and_dropped(tmp_path: Path) -> None:
    store = files(tmp_path, most=10)
    assert made(store, "a.jsonl", b"12345678901") == b"12345678901"
    settled(store)
    assert store.sizes() == {}


def test_only_so_many_grow_at_once(tmp_path: Path) -> None:
    go_on = threading.Event()

    def source() -> Iterator[bytes]:
        assert go_on.wait(20)
        yield b"x"

    store = files(tmp_path, at_once=1)
    assert store.make("a.jsonl", source, good=yes) is not None
    assert store.make("b.jsonl", source, good=yes) is None
    go_on.set()
    settled(store)
    assert made(store, "b.jsonl", b"x") == b"x"


def test_nothing_is_kept_where_there_is_to_be_no_room(tmp_path: Path) -> None:
    assert files(tmp_path, most=0).make("a.jsonl", lambda: [b"x"], good=yes) is None


def test_a_folder_that_cannot_be_written_is_no_reason_to_fail(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    (tmp_path / "file").touch()
    store = files(tmp_path / "file" / "folder")
    assert store.make("a.jsonl", lambda: [b"x"], good=yes) is None
    assert "cannot be kept" in caplog.text


def test_what_an_earlier_process_left_is_dropped(tmp_path: Path) -> None:
    for name in ("a.jsonl", "a.gz", "a.jsonl.part", "notes.txt"):
        (tmp_path / name).write_bytes(b"old")
    made(files(tmp_path), "b.jsonl", b"new")
    assert {file.name for file in tmp_path.iterdir()} - {"b.jsonl.part"} <= {"notes.txt", "b.jsonl"}


def test_files_lie_beside_a_sqlite_database_or_where_the_setting_says(tmp_path: Path) -> None:
    database = tmp_path / "cup.db"
    database.touch()
    url = f"sqlite:///{database.as_posix()}"
    assert folder_for("", url) == tmp_path / "cup.db.exports"
    assert folder_for(str(tmp_path / "x"), url) == tmp_path / "x"
    passing = folder_for("", "memory:")
    assert stat.S_IMODE(passing.stat().st_mode) == 0o700
