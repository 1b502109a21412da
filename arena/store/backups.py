"""Copies of a SQLite database: made while it is in use, checked, and put back.

A backup is one file, complete and at one instant, made through SQLite's backup interface by a
connection of its own: the referee that writes meanwhile does not notice. Files appear under their
names only when they are whole. A backup holds the secrets of running sessions and the hashes of all
tokens, so only its owner may read it. This module knows no tables but asks for no other database.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from arena.errors import BadInput
from arena.store.connections import GUEST, claim, connect, create, settle, unavailable
from arena.store.migrations import MIGRATIONS, pending
from arena.store.sqlite import version_of
from arena.store.wal import require_file, require_whole_log

SIDES = ("-wal", "-shm", "-journal")
WAITS = (("busy_timeout", 5_000),)
"""ms; a copy is made by a process of its own, which may block while another program has a lock."""


class Copy(NamedTuple):
    """A database file that was looked at. version: of its schema; bytes: its size."""

    version: int
    bytes: int


def back_up(source: Path, target: Path, *, force: bool = False) -> Copy:
    """Copy a database, in use or not, to a new file; what it holds at one instant.

    Raises BadInput if the source is no database of ours, or the target is there and not `force`;
    Unavailable if the source cannot be read or the target not be written, Damaged if the log of the
    source is.
    """
    _check_target(target, force=force)
    require_file(source)
    if not source.is_file():
        raise BadInput("the database", str(source), "a file that is there")
    with _explained(source):
        require_whole_log(source)
        with closing(connect(source, pragmas=WAITS, writable=False)) as connection:
            version_of(connection, source)
            part, copied = _copy(connection, target)
        _appear(part, target)
    return copied


def restore(backup: Path, target: Path, *, force: bool = False) -> Copy:
    """Put a backup in the place of a database that no process has open.

    The backup is checked first, its copy after it. Raises BadInput if it is damaged, not ours or of
    a newer program, or if the target is there and not `force`; Unavailable if the target is in use,
    Damaged if a log lies beside the backup that is.
    """
    _check_target(target, force=force)
    if not backup.is_file():
        raise BadInput("the backup", str(backup), "a file that is there")
    with _explained(target), closing(claim(target)), closing(claim(target, GUEST)):
        with _explained(backup):
            require_whole_log(backup)
            check(backup)
            connection = connect(backup, pragmas=WAITS, writable=False)
        with closing(connection):
            part, copied = _copy(connection, target)
        for side in SIDES:  # what belongs to the old one would be taken for a part of the new one
            target.with_name(target.name + side).unlink(missing_ok=True)
        _appear(part, target)
    return copied


def check(file: Path) -> Copy:
    """Look whether a file is a whole database of ours that this program can read.

    Raises BadInput if it is not.
    """
    with closing(connect(file, pragmas=WAITS, writable=False)) as connection:
        version = version_of(connection, file)
        if not version:
            raise BadInput("the backup", str(file), "a database with something in it")
        pending(version, MIGRATIONS)
        damage = connection.execute("PRAGMA integrity_check(1)").fetchone()[0]
        orphans = connection.execute("PRAGMA foreign_key_check").fetchone()
    if damage != "ok" or orphans is not None:
        raise BadInput("the backup", str(file), f"a database without damage ({damage})")
    return Copy(version, file.stat().st_size)


def _copy(connection: sqlite3.Connection, target: Path) -> tuple[Path, Copy]:
    """All of a database, checked and on the disk, in a file beside the target; that file."""
    part = target.with_name(target.name + ".part")
    part.unlink(missing_ok=True)
    try:
        create(part)
        with closing(sqlite3.connect(part, isolation_level=None)) as copy:
            connection.backup(copy)
            copy.execute("PRAGMA journal_mode = delete")  # one file, with nothing beside it
        copied = check(part)
        settle(part)
    except BaseException:
        with suppress(OSError):
            part.unlink(missing_ok=True)
        raise
    return part, copied


def _appear(part: Path, target: Path) -> None:
    """A file that is whole gets its name."""
    part.replace(target)
    settle(target.parent)


def _check_target(target: Path, *, force: bool) -> None:
    if target.exists() and (not force or not target.is_file()):
        raise BadInput("the file", str(target), "a name that is free, or --force to replace it")
    if not target.parent.is_dir():
        raise BadInput("the file", str(target), "a file in a folder that is there")


@contextmanager
def _explained(path: Path) -> Iterator[None]:
    """Errors of the database and of the system, as ours."""
    try:
        yield
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode & 0xFF in (sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_CORRUPT):
            raise BadInput("the database", str(path), f"a whole one ({error})") from error
        raise unavailable(path, error) from error
    except OSError as error:
        raise BadInput("the file", str(path), f"one that can be used ({error.strerror})") from error
