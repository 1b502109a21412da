"""Record files that are kept on disk: written once, read by many, the least used ones dropped.

A file is written by a thread of its own, at the pace of its source. Who wants it meanwhile reads it
as it grows, so nobody waits for the whole and nobody writes it twice; whoever goes away does not
stop it. It is written under another name and gets its own when it is whole. What the folder holds
when a process starts is dropped: a database may have been put in the place of another one since.
This module knows no session and no request.
"""

from __future__ import annotations

import errno
import logging
import os
import shutil
import tempfile
import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from io import FileIO, RawIOBase
from pathlib import Path

from arena.errors import ArenaError

LOG = logging.getLogger("arena.web.exports")
PIECE = 65_536
"""Bytes that are read in one go: a few microseconds, for they are in memory or nearly so."""
ENDINGS = (".jsonl", ".gz", ".part")
MEGABYTE = 1_000_000
FAILED_S = 60.0
"""How long no file is begun after one could not be written: records are sent as they are read."""
SQLITE = "sqlite:///"
Source = Callable[[], Iterable[bytes]]


class IncompleteFile(Exception):
    """A file could not be written to its end, or has lost some of it. Never leaves the web."""


class ExportFile:
    """One file, whole or still growing. path: where it lies. size: bytes by now."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.size = 0
        self.whole = False
        self._broken = False
        self._changed = threading.Condition()

    def grow(self, size: int) -> None:
        """There is more of it."""
        with self._changed:
            self.size = size
            self._changed.notify_all()

    def end(self, *, broken: bool = False) -> None:
        """There will not be more of it."""
        with self._changed:
            self.whole, self._broken = not broken, broken
            self._changed.notify_all()

    def rename(self, name: str) -> None:
        """Give it another name; where it cannot have that while it is read, it stays."""
        own = self.path.with_name(name)
        with self._changed:
            try:
                self.path.replace(own)
            except OSError as error:
                LOG.info("the record file %s keeps its working name: %s", name, error)
            else:
                self.path = own

    def pieces(self, first: int = 0, end: int | None = None) -> Generator[bytes, None, None]:
        """Its bytes from here to there, or to the end, as they come. Raises IncompleteFile.

        It is open when this returns: it may be renamed or dropped from then on. Raises OSError if
        it has been dropped.
        """
        with self._changed:
            file = self.path.open("rb", buffering=0)
        pieces = self._pieces(file, first, end)
        next(pieces)  # from now on the file is closed with them
        return pieces

    def _pieces(self, file: FileIO, first: int, end: int | None) -> Generator[bytes, None, None]:
        with file:
            yield b""
            at = file.seek(first)
            while end is None or at < end:
                there = self._more_than(at)
                if not there and end is None:
                    return
                most = PIECE if end is None else min(PIECE, end - at)
                piece = file.read(most) if there else b""
                if not piece:  # to end here would tell the reader that this is all
                    raise IncompleteFile(self.path.name)
                at += len(piece)
                yield piece

    def _more_than(self, size: int) -> bool:
        """Wait until there is more than this; False if there never will be."""
        with self._changed:
            while self.size <= size and not self.whole:
                if self._broken:
                    raise IncompleteFile(self.path.name)
                self._changed.wait()
            return self.size > size


class ExportFiles:
    """The files of one folder by name. most: bytes that it may hold, but for those that grow.

    at_once: files that may grow at the same time. monotonic: seconds.
    """

    def __init__(
        self,
        folder: Callable[[], Path],
        *,
        most: int,
        at_once: int,
        monotonic: Callable[[], float],
    ) -> None:
        self._choose = folder
        self._folder: Path | None = None
        self._most = most
        self._at_once = at_once
        self._monotonic = monotonic
        self._not_before_s: float | None = None
        self._growing = 0
        self._files: OrderedDict[str, ExportFile] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, name: str) -> ExportFile | None:
        """A file that is whole or growing."""
        with self._lock:
            file = self._files.get(name)
            if file is not None:
                self._files.move_to_end(name)
            return file

    def make(self, name: str, source: Source, *, good: Callable[[], bool]) -> ExportFile | None:
        """Begin to make a file; None if that cannot be now, as for FAILED_S after one failed.

        source: called by the thread that makes it. good: called when it is whole: may it be kept?
        """
        with self._lock:
            if name in self._files:
                return self._files[name]
            if not self._has_room():
                return None
            try:
                part = self._prepared_folder() / f"{name}.part"
                part.touch(0o600)
            except OSError as error:
                LOG.warning("record files cannot be kept: %s", error)
                self._pause()
                return None
            file = self._files[name] = ExportFile(part)
            self._growing += 1
        work = threading.Thread(
            target=self._make, args=(name, file, source, good), name="export", daemon=True
        )
        work.start()
        return file

    def _has_room(self) -> bool:
        waits = self._not_before_s is not None and self._monotonic() < self._not_before_s
        return self._most > 0 and self._growing < self._at_once and not waits

    def _pause(self) -> None:
        """What could not be written now cannot be written in a moment either: a disk is full."""
        self._not_before_s = self._monotonic() + FAILED_S

    def sizes(self) -> dict[str, int]:
        """The bytes of each file, those first that were not asked for the longest."""
        with self._lock:
            return {name: kept.size for name, kept in self._files.items()}

    def _make(self, name: str, file: ExportFile, source: Source, good: Callable[[], bool]) -> None:
        """The thread's top: whatever goes wrong is logged, and those who read get an error."""
        try:
            with file.path.open("wb", buffering=0) as output:
                for piece in source():
                    write_all(output, piece)
                    file.grow(file.size + len(piece))
            keep = good()
            file.end()
        except (ArenaError, IncompleteFile, OSError) as error:
            LOG.warning("the record file %s could not be made: %s", name, error)
            keep = False
            if isinstance(error, OSError):
                self._pause()
            file.end(broken=True)
        except Exception:
            LOG.exception("the record file %s could not be made", name)
            keep = False
            file.end(broken=True)
        with self._lock:
            self._growing -= 1
            if keep:
                file.rename(name)
            else:
                self._drop(name)
            self._make_room()

    def _prepared_folder(self) -> Path:
        """The folder, emptied of what earlier processes left there when it is first needed."""
        if self._folder is None:
            folder = self._choose()
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for file in folder.iterdir():
                if file.suffix in ENDINGS:
                    file.unlink()
            self._folder = folder
        return self._folder

    def _make_room(self) -> None:
        whole = [name for name, kept in self._files.items() if kept.whole]
        held = sum(self._files[name].size for name in whole)
        for name in whole:
            if held <= self._most:
                return
            held -= self._files[name].size
            self._drop(name)

    def _drop(self, name: str) -> None:
        try:
            self._files.pop(name).path.unlink()
        except OSError as error:  # where files that are read cannot be dropped, the next start does
            LOG.info("the record file %s stays for now: %s", name, error)


def write_all(file: RawIOBase, piece: bytes) -> None:
    """Write all of a piece: where there is little room, a file takes only a part of it at a time.

    Raises OSError, also if nothing is taken any more.
    """
    left = memoryview(piece)
    while left:
        taken = file.write(left)
        if not taken:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        left = left[taken:]


def folder_for(setting: str, database: str) -> Path:
    """Where files are kept: as the setting says, or beside a SQLite database, or in a folder of the
    system that is gone with the process."""
    if setting:
        return Path(setting)
    file = Path(database.removeprefix(SQLITE))
    if database.startswith(SQLITE) and file.is_file():
        return file.with_name(f"{file.name}.exports")
    return _temporary_folder()


def _temporary_folder() -> Path:
    import atexit

    folder = Path(tempfile.mkdtemp(prefix="arena-exports-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.chmod(folder, 0o700)
    return folder
