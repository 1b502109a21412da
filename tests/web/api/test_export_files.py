"""Record files on disk: made once, read while they grow, dropped when there are too many."""

from __future__ import annotations

import stat
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.web.api.export_files import (
    ExportFile,
    ExportFiles,
    IncompleteFile,
    folder_for,
    write_all,
)
from tests.web.fakes import FakeClock


def yes() -> bool:
    return True


def files(
    folder: Path, *, most: int = 1_000, at_once: int = 2, clock: FakeClock | None = None
) -> ExportFiles:
    return ExportFiles(lambda: folder, most=most, at_once=at_once, monotonic=clock or FakeClock())


def made(store: ExportFiles, name: str, data: bytes) -> bytes:
    """Make a file and read all of it, which takes until it is whole."""
    kept = store.make(name, lambda: [data], good=yes)
    assert kept is not None
    return b"".join(kept.pieces())


def opened(store: ExportFiles, name: str, source: Callable[[], Iterable[bytes]]) -> Iterator[bytes]:
    """Make a file of which nothing is written before it is open for reading: one that is not kept
    may be gone again before a reader comes."""
    go_on = threading.Event()

    def gated() -> Iterator[bytes]:
        assert go_on.wait(20)
        yield from source()

    kept = store.make(name, gated, good=yes)
    assert kept is not None
    pieces = kept.pieces()
    go_on.set()
    return pieces


def settled(store: ExportFiles) -> None:
    """Wait until no file grows."""
    for thread in threading.enumerate():
        if thread.name == "export":
            thread.join(20)


@contextmanager
def files_of_at_most(size: int) -> Iterator[None]:
    """No file of this process may grow beyond this size: a write that would is short, and the
    next one fails, as on a disk that is nearly full."""
    resource = pytest.importorskip("resource", reason="this system sets no limits for files")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


class TakesFew:
    """A file that takes three bytes at a time, and none any more once it holds `most`."""

    def __init__(self, most: int) -> None:
        self.data = b""
        self._most = most

    def write(self, data: memoryview) -> int:
        taken = bytes(data[: min(3, self._most - len(self.data))])
        self.data += taken
        return len(taken)


def test_a_piece_is_written_to_its_end_however_little_is_taken_at_a_time() -> None:
    file = TakesFew(100)
    write_all(file, b"0123456789")
    assert file.data == b"0123456789"


def test_a_file_that_takes_nothing_any_more_is_an_error() -> None:
    with pytest.raises(OSError, match="No space left"):
        write_all(TakesFew(7), b"0123456789")


def test_a_file_for_which_the_disk_has_no_room_is_not_sent_as_complete(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    store = files(tmp_path, most=1_000_000)
    with files_of_at_most(100_000):
        with pytest.raises(IncompleteFile):
            list(opened(store, "a.jsonl", lambda: [b"x" * 150_000]))
        settled(store)
    assert store.get("a.jsonl") is None
    assert "could not be made" in caplog.text


def test_after_a_write_that_failed_no_file_is_begun_for_a_minute(tmp_path: Path) -> None:
    clock = FakeClock()
    store = files(tmp_path, most=1_000_000, clock=clock)
    with files_of_at_most(100_000), pytest.raises(IncompleteFile):
        list(opened(store, "a.jsonl", lambda: [b"x" * 150_000]))
    settled(store)
    assert store.make("a.jsonl", lambda: [b"one"], good=yes) is None
    clock.now += 59
    assert store.make("b.jsonl", lambda: [b"one"], good=yes) is None
    clock.now += 1
    assert made(store, "a.jsonl", b"one") == b"one"


def test_files_that_are_there_are_read_while_no_others_can_be_made(tmp_path: Path) -> None:
    store = files(tmp_path, most=1_000_000)
    made(store, "a.jsonl", b"one")
    settled(store)
    with files_of_at_most(100_000), pytest.raises(IncompleteFile):
        list(opened(store, "b.jsonl", lambda: [b"x" * 150_000]))
    settled(store)
    kept = store.get("a.jsonl")
    assert kept is not None
    assert b"".join(kept.pieces()) == b"one"


def test_a_source_that_breaks_off_does_not_keep_others_from_being_made(tmp_path: Path) -> None:
    def source() -> Iterator[bytes]:
        yield b"one"
        raise IncompleteFile("a.jsonl")

    store = files(tmp_path)
    with pytest.raises(IncompleteFile):
        list(opened(store, "a.gz", source))
    settled(store)
    assert made(store, "b.jsonl", b"one") == b"one"


def test_a_folder_that_could_not_be_written_is_tried_again_later(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    clock = FakeClock()
    (tmp_path / "folder").touch()
    store = files(tmp_path / "folder", clock=clock)
    for _ in range(3):
        assert store.make("a.jsonl", lambda: [b"x"], good=yes) is None
    assert len(caplog.records) == 1, "one line a minute, not one for each request"
    (tmp_path / "folder").unlink()
    clock.now += 60
    assert made(store, "a.jsonl", b"x") == b"x"


@pytest.mark.parametrize("end", [None, 10])
def test_a_whole_file_that_has_lost_bytes_is_not_sent_as_complete(
    tmp_path: Path, end: int | None
) -> None:
    store = files(tmp_path)
    made(store, "a.jsonl", b"0123456789")
    settled(store)
    (tmp_path / "a.jsonl").write_bytes(b"01234")
    kept = store.get("a.jsonl")
    assert kept is not None
    pieces = kept.pieces(0, end)
    assert next(pieces) == b"01234"
    with pytest.raises(IncompleteFile):
        next(pieces)


def test_more_than_a_file_holds_is_not_sent_as_if_it_were_all(tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b"01234")
    kept = ExportFile(tmp_path / "a.jsonl")
    kept.grow(5)
    kept.end()
    pieces = kept.pieces(0, 6)
    assert next(pieces) == b"01234"
    with pytest.raises(IncompleteFile):
        next(pieces)


def test_a_file_that_is_made_from_one_that_breaks_off_is_no_fault_of_ours(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    def source() -> Iterator[bytes]:
        yield b"one"
        raise IncompleteFile("a.jsonl")

    store = files(tmp_path)
    with pytest.raises(IncompleteFile):
        list(opened(store, "a.gz", source))
    settled(store)
    assert {record.levelname for record in caplog.records} == {"WARNING"}


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


def test_a_source_that_fails_is_an_error_for_readers_and_not_kept(
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
    with pytest.raises(IncompleteFile):
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
    assert b"".join(opened(store, "a.jsonl", lambda: [b"12345678901"])) == b"12345678901"
    settled(store)
    assert store.sizes() == {}


def test_the_number_that_grow_at_once_is_limited(tmp_path: Path) -> None:
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
