"""A database that can only be read says so: at the start, and while the process runs."""

from __future__ import annotations

import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from arena.errors import Unavailable
from arena.store import open_store
from arena.store.connections import unavailable
from arena.store.sqlite import open_sqlite
from tests.store.rows import DEAL, HAND, WORLD

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
NOBODY = 65_534


@pytest.fixture
def file() -> Iterator[Path]:
    """A database in a folder that every user may enter."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    try:
        with open_sqlite(folder / "cup.db") as store:
            store.write(*WORLD)
        (folder / "cup.db").chmod(0o644)
        yield folder / "cup.db"
    finally:
        folder.chmod(0o755)
        shutil.rmtree(folder)


@contextmanager
def without_privileges() -> Iterator[None]:
    """As a user to whom the modes of files apply: they do not to root."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


def test_a_file_that_cannot_be_written_to_is_refused_before_anything_is_made(file: Path) -> None:
    file.chmod(0o444)
    file.parent.chmod(0o777)
    before = file.read_bytes(), sorted(file.parent.iterdir())
    for beside in (False, True):
        with without_privileges(), pytest.raises(Unavailable) as caught:
            open_store(f"sqlite:///{file}", beside=beside)
        assert "the database cup.db is read-only: the file cannot be written to" in str(
            caught.value
        )
    assert (file.read_bytes(), sorted(file.parent.iterdir())) == before


def test_a_folder_that_cannot_be_written_to_is_refused(file: Path) -> None:
    file.chmod(0o666)
    file.parent.chmod(0o555)
    with without_privileges(), pytest.raises(Unavailable, match="its folder cannot be written to"):
        open_store(f"sqlite:///{file}")


def test_a_new_file_needs_a_folder_that_can_be_written_to(file: Path) -> None:
    file.parent.chmod(0o555)
    with without_privileges(), pytest.raises(Unavailable, match="its folder cannot be written to"):
        open_store(f"sqlite:///{file.with_name('new.db')}")


def test_what_is_read_only_can_be_read(file: Path) -> None:
    file.chmod(0o444)
    with open_store(f"sqlite:///{file}", readonly=True) as store:
        assert store.steps(HAND.id) == (DEAL,)


def an_error(code: int, text: str) -> sqlite3.OperationalError:
    """An error as SQLite raises it."""
    error = sqlite3.OperationalError(text)
    error.sqlite_errorcode = code
    return error


@pytest.mark.parametrize(
    "error",
    [
        an_error(sqlite3.SQLITE_READONLY_DBMOVED, "attempt to write a readonly database"),
        an_error(sqlite3.SQLITE_IOERR_WRITE, "disk I/O error"),
        an_error(sqlite3.SQLITE_CANTOPEN, "unable to open database file"),
    ],
    ids=["read-only", "input and output", "opening"],
)
def test_a_disk_that_became_read_only_is_named_whatever_sqlite_says(
    file: Path, error: sqlite3.Error
) -> None:
    file.parent.chmod(0o555)
    with without_privileges():
        told = unavailable(file, error).detail
    assert told == f"the database cup.db: it is read-only: the file cannot be written to ({error})"


def test_an_error_of_a_disk_that_can_be_written_to_is_what_it_is(file: Path) -> None:
    told = unavailable(file, an_error(sqlite3.SQLITE_IOERR_WRITE, "disk I/O error")).detail
    assert told == "the database cup.db: the disk could not be read or written (disk I/O error)"
