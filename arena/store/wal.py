"""The write-ahead log of a SQLite file, looked at before SQLite does: has anything of it gone?

SQLite takes a log up to the last commit that is whole, and says nothing of what lies behind: after
a power cut that is right, since nothing behind has been acknowledged. Three things tell a log
that lost more than that. The index beside it (`-shm`), as the last process left it, knows how many
frames were committed; and where two whole transactions lie one after the other behind a bad frame,
the bad one had been on the disk, for the second began when the first was. Last, pages behind a head
that is none: a head is on the disk before the first page is written, and the next one is written
over it in one piece (32 bytes of one sector of the disk). A log that was cut where the index has
gone (the machine was started anew), at the end of a transaction, cannot be told from one that is
whole: there the chain of hashes over the moves would help, nothing here can.

When SQLite opens a file it makes the index of the log anew, and takes from a log that was cut what
is left of it: the old index is the only witness of the rest. So whoever opens a file, if only to
read it, calls `require_whole_log` first, before any connection of SQLite is made. And a log whose
file has gone is not left to a new file (`require_file`): that would hide it as well.

The formats are SQLite's: https://www.sqlite.org/walformat.html. This module only reads.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from arena.errors import Damaged
from arena.store.connections import is_claimed

LOG = "-wal"
INDEX = "-shm"
HEAD_BYTES = 32
FRAME_HEAD_BYTES = 24
MAGIC = 0x377F0682
"""The first word of a log, less its last bit: that says in which order its sums take words."""
INDEX_BYTES = 100
INDEX_VERSION = 3_007_000
LOOKS = 5
"""How often a log is read that begins anew meanwhile, since its referee runs."""

Sums = tuple[int, int]


class LogIndex(NamedTuple):
    """What the index knows: of which log (salt), how many frames were committed, and how many of
    them are in the file itself."""

    salt: bytes
    frames: int
    in_file: int


class LogContents(NamedTuple):
    """A log as it was found. whole: frames up to the last whole commit. stray: whole transactions
    in a row behind a bad frame. salt: which log it is, b"" if it has no valid head. headless:
    there is something behind a head that is not valid."""

    salt: bytes
    whole: int
    stray: int
    headless: bool = False


def require_whole_log(path: Path, *, claimed: bool = False) -> None:
    """Raises Damaged, in one line, if something of the log beside a file has gone; OSError.

    claimed: whether the caller holds the claim to write. Another process that holds it uses the
    log, which then is whole, or was looked at when that process began: it is not read again.
    """
    beside = [path.with_name(path.name + end) for end in (LOG, INDEX)]
    if not any(file.exists() for file in beside) or (not claimed and is_claimed(path)):
        return
    _, defect = check_log(path)
    if defect is not None:
        raise Damaged(
            f"the database {path.name} is damaged: the log {path.name}{LOG}: {defect}. Nothing was"
            f" changed. All that is wrong: arena check --database sqlite:///{path}. To go back to a"
            f" backup: arena restore BACKUP --database sqlite:///{path} --force. To go on with what"
            " is left: arena serve --database-check off"
        )


def require_file(path: Path) -> None:
    """Raises Damaged if a file has gone whose log is still there: a new one is no place for it."""
    log = path.with_name(path.name + LOG)
    if log.exists() and not path.exists():
        raise Damaged(
            f"the file {path.name} is missing, but its log {log.name} is there, which has what was"
            f" written last. Nothing was changed. If {path.name} was moved, put it back beside the"
            f" log. To go back to a backup: arena restore BACKUP --database sqlite:///{path}. To"
            f" begin anew: move {log.name} away"
        )


def check_log(file: Path) -> tuple[int, str | None]:
    """How many committed frames a database's log has, and what is wrong with it, if anything.

    To be called before SQLite opens the file, which makes the index anew. Raises OSError.
    """
    for _ in range(LOOKS):
        index = read_index(file)
        log = read_log(file)
        if _salt(file) == log.salt and not log.headless:
            break
    return log.whole, _verdict(log, index)


def _verdict(log: LogContents, index: LogIndex | None) -> str | None:
    if index is not None and log.salt == index.salt and log.whole < index.frames:
        lost = index.frames - log.whole
        return f"it was cut: {lost} of its {index.frames} committed pages have gone"
    if index is not None and not log.salt and index.in_file < index.frames:
        lost = index.frames - index.in_file
        return f"it has gone, with {lost} committed pages that were not in the file yet"
    if index is None and log.headless:
        return "its head is damaged, so that SQLite would ignore all its pages"
    if log.stray > 1:
        return f"page {log.whole + 1} or one after it is damaged, with whole commits behind it"
    return None


def read_index(file: Path) -> LogIndex | None:
    """What the index beside a database says, None if there is none, or none that is valid."""
    try:
        with _beside(file, INDEX).open("rb") as source:
            record = source.read(INDEX_BYTES)
    except FileNotFoundError:
        return None
    if len(record) < INDEX_BYTES or record[:48] != record[48:96]:
        return None
    version, _, _, begun, _, _, frames, _ = struct.unpack("=IIIBBHII", record[:24])
    (in_file,) = struct.unpack("=I", record[96:100])
    native = "<" if sys.byteorder == "little" else ">"
    if sums(record[:40], native) != struct.unpack("=II", record[40:48]):
        return None
    if version != INDEX_VERSION or not begun:
        return None
    return LogIndex(record[32:40], frames, in_file)


def read_log(file: Path) -> LogContents:
    """The log beside a database; an empty one if there is none."""
    try:
        with _beside(file, LOG).open("rb") as source:
            return _read(source)
    except FileNotFoundError:
        return LogContents(b"", 0, 0)


def _read(source: BinaryIO) -> LogContents:
    head = source.read(HEAD_BYTES)
    order, page, before = _parse(head)
    if order is None:
        return LogContents(b"", 0, 0, headless=bool(source.read(1)))
    salt = head[16:24]
    whole, stray, run, good = 0, 0, 0, True
    for number, (frame, own) in enumerate(_frames(source, page), start=1):
        valid = frame[8:16] == salt and sums(frame[:8] + own, order, before) == _sums(frame)
        before = _sums(frame)
        commit = valid and frame[4:8] != bytes(4)
        good = good and valid
        if good:
            whole = number if commit else whole
        else:
            run = run + commit if valid else 0
            stray = max(stray, run)
    return LogContents(salt, whole, stray)


def _parse(head: bytes) -> tuple[str | None, int, Sums]:
    """How a log's sums take words, the size of its pages and the sums of its head."""
    if len(head) < HEAD_BYTES:
        return None, 0, (0, 0)
    magic, _, page = struct.unpack(">III", head[:12])
    order = ">" if magic & 1 else "<"
    own: Sums = struct.unpack(">II", head[24:32])
    if magic & ~1 != MAGIC or sums(head[:24], order) != own:
        return None, 0, (0, 0)
    return order, page, own


def _frames(source: BinaryIO, page: int) -> Iterator[tuple[bytes, bytes]]:
    """The head and the page of every frame that is there in full length."""
    while len(frame := source.read(FRAME_HEAD_BYTES + page)) == FRAME_HEAD_BYTES + page:
        yield frame[:FRAME_HEAD_BYTES], frame[FRAME_HEAD_BYTES:]


def _sums(frame: bytes) -> Sums:
    pair: Sums = struct.unpack(">II", frame[16:24])
    return pair


def sums(text: bytes, order: str, before: Sums = (0, 0)) -> Sums:
    """SQLite's two sums over an even number of words, continued from those before."""
    first, second = before
    words = iter(struct.unpack(f"{order}{len(text) // 4}I", text))
    for even, odd in zip(words, words, strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second


def _salt(file: Path) -> bytes:
    """Which log lies beside the file now."""
    try:
        with _beside(file, LOG).open("rb") as source:
            head = source.read(HEAD_BYTES)
    except FileNotFoundError:
        return b""
    return b"" if _parse(head)[0] is None else head[16:24]


def _beside(file: Path, end: str) -> Path:
    return file.with_name(file.name + end)
