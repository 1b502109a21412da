"""The journal of a match: every block that was counted, durable, so that the match can go on.

JSON lines. The first says which match it is, each other is a block, in order. A line that was not
written to its end, since the process was killed, is cut off; whatever else is wrong is an error. It
may not play or count anything.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

import orjson

from arena.client.tokens import try_lock
from arena.documents import Document
from arena.errors import BadInput, Conflict, Unavailable
from arena.match.block_documents import read_block, write_block
from arena.match.local import Block, Match
from arena.match.match_identity import difference

FORMAT = "arena match journal 1"
NO_JOURNAL = "a journal that arena match --resume has written"


class MatchJournal:
    """An open journal; get it from `open_journal`. kept: blocks in it."""

    def __init__(self, path: Path, file: BinaryIO, head: Mapping[str, Any]) -> None:
        self.kept = 0
        self._path = path
        self._file = file
        self._head = orjson.dumps(head) + b"\n"
        self._size = self._checked(head)
        file.truncate(self._size)
        if not self._size:
            self._write(self._head)

    def blocks(self, match: Match) -> Iterator[Block]:
        """The blocks that are in it. Raises BadInput for a line that is none, with its number."""
        self._file.seek(0)
        self._file.readline()
        for number in range(1, self.kept + 1):
            where = f"{self._path}, line {number + 1}"
            try:
                yield read_block(match, number, orjson.loads(self._file.readline()))
            except orjson.JSONDecodeError as error:
                raise BadInput(where, str(error), "a block of a match as JSON") from error
            except BadInput as error:
                raise BadInput(f"{where}: {error.thing}", error.value, error.expected) from error

    def append(self, block: Block) -> None:
        """Add the next block; it is durable when this returns. Raises Unavailable."""
        self.kept += 1
        self._write(orjson.dumps(write_block(self.kept, block)) + b"\n")

    def _write(self, line: bytes) -> None:
        try:
            self._file.seek(0, os.SEEK_END)
            self._file.write(line)
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError as error:
            raise Unavailable(f"{self._path} cannot be written: {error.strerror}") from error

    def _checked(self, head: Mapping[str, Any]) -> int:
        """How many bytes of the file are whole lines. Raises BadInput for another match's."""
        first = self._file.readline()
        if not first.endswith(b"\n") and self._head.startswith(first):
            return 0  # nothing, or killed before the first line was written
        self._check_head(first, head)
        size = len(first)
        for line in self._file:
            if line.endswith(b"\n"):
                size += len(line)
                self.kept += 1
        return size

    def _check_head(self, line: bytes, head: Mapping[str, Any]) -> None:
        try:
            there = orjson.loads(line) if line.endswith(b"\n") else None
        except orjson.JSONDecodeError:
            there = None
        if not isinstance(there, dict) or there.get("format") != FORMAT:
            raise BadInput("--resume", str(self._path), NO_JOURNAL)
        differs = difference(there, head)
        if differs is not None:
            member, theirs, ours = differs
            expected = f"the journal of this match; {member} is {theirs} there, {ours} here"
            raise BadInput("--resume", str(self._path), expected)


@contextmanager
def open_journal(path: Path, head: Document) -> Iterator[MatchJournal]:
    """The journal in a file, which is made if it is not there. head: the identity of the match.

    Raises BadInput for a file that cannot be used or is of another match, Conflict if another
    process has it.
    """
    try:
        file = os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT, 0o666), "r+b")
    except OSError as error:
        raise BadInput("--resume", str(path), f"a file to write ({error.strerror})") from error
    with file:
        if not try_lock(file):
            raise Conflict("journal", f"{path} is being written by another arena match")
        yield MatchJournal(path, file, {"format": FORMAT, **head})
