"""Chunks: the lines of a record file taken together by table, and what checking them gives.

A chunk is checked by a `ChunkChecker`, in this process or another; the chunks of a table go to one
of them, in order. Its results say no more of a line than what the file as a whole is judged by.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arena.documents import Document
from arena.errors import ArenaError, BadInput
from arena.records.checks import as_text, short
from arena.records.findings import in_short
from arena.records.headings import KnownSession, read_session
from arena.records.reading import read_line
from arena.records.receipts import ReceiptFile, check_receipts
from arena.records.tables import TableCheck, TableProgress
from arena.session.record_format import HAND, HANDS, HEAD, KNOWN, SESSIONS
from arena.session.results import pool_of, rated_result
from arena.tournament.results import HandResult

MOST_LINES = 64
MOST_BYTES = 1_000_000
BEGINNING = re.compile(
    rb'\{"format":"(daifugo-arena/(?:hand|head)/[12])","session":"([^"\\]{1,200})",'
    rb'"table":"([^"\\]{1,200})"'
)
"""How the arena begins the line of a hand, so that most lines are parsed once only."""


class HeaderLine(NamedTuple):
    """The header of a session, and its line."""

    number: int
    line: bytes


class Chunk(NamedTuple):
    """Lines of one table, in a row. opening: the line number of its session's header, 0 without
    one; header: that line, None where the checker has it already. first: are these the first of
    the table? number: of the first line."""

    opening: int
    header: bytes | None
    session: str
    table: str
    first: bool
    number: int
    lines: tuple[bytes, ...]
    receipts: ReceiptFile


class LineResult(NamedTuple):
    """What is known of a line that has been checked. head: of its hand, None where it has none;
    status: empty for a line that could not be read; result: None if it does not count, or is not
    known. at_ms: of the last step."""

    findings: tuple[str, ...]
    status: str = ""
    round: int = 0
    head: bytes | None = None
    result: HandResult | None = None
    at_ms: int = 0
    receipts: tuple[int, ...] = ()


class ChunkResult(NamedTuple):
    """What checking a chunk has given. done: what was checked, counted."""

    lines: tuple[LineResult, ...]
    state: TableProgress
    done: Counter[str]


class ChunkChecker:
    """Checks chunks; those of a table in their order, without those of others in between."""

    def __init__(self) -> None:
        self._opening = 0
        self._known: KnownSession | None = None
        self._table: TableCheck | None = None

    def check(self, chunk: Chunk) -> ChunkResult:
        """Check the lines of a chunk."""
        if chunk.opening != self._opening:
            self._opening, self._known = chunk.opening, _known(chunk.header)
        if chunk.first or self._table is None:
            self._table = TableCheck(chunk.table, self._known)
        table, drawn = self._table, _is_drawn(self._known)
        table.done = Counter()
        lines = tuple(_line(table, line, chunk, drawn=drawn) for line in chunk.lines)
        return ChunkResult(lines, table.state, table.done)


def _known(header: bytes | None) -> KnownSession | None:
    """What a header says; None if there is none that can be read, which is said where it stands."""
    try:
        return None if header is None else read_session(read_line(header))
    except ArenaError:
        return None


def _is_drawn(known: KnownSession | None) -> bool:
    """Are rounds drawn from results?"""
    return known is not None and known.schedule is not None and bool(known.schedule.programme.draws)


def _line(table: TableCheck, line: bytes, chunk: Chunk, *, drawn: bool) -> LineResult:
    findings: list[str] = []
    try:
        document = read_line(line)
        if document.get("format") not in (*HANDS, HEAD):
            raise BadInput("format", short(document.get("format")), _expected(document))
        if document.get("table") != table.id:
            raise BadInput("table", short(document.get("table")), table.id)
        for what in table.line(document):
            findings.append(what)
        receipts = check_receipts(document, table.last, chunk.receipts)
    except ArenaError as error:
        table.forget()
        return LineResult((*findings, f"cannot be read: {in_short(error)}"))
    findings += receipts.findings
    table.done.update(receipts.done)
    return LineResult(
        tuple(findings),
        document["status"],
        document["round"],
        bytes.fromhex(document["head"]) if document["format"] in (HAND, HEAD) else None,
        _result(document) if drawn and document["format"] in HANDS else None,
        document["steps"][-1]["at_ms"] if document.get("steps") else 0,
        receipts.used,
    )


def _result(document: Document) -> HandResult | None:
    """The result of a hand that counts."""
    if document.get("void") is not None:
        return None
    pool = pool_of(document["fingerprint"], len(document["bots"]))
    return rated_result(
        document["result"], players=document["bots"], block=document["block"], pool=pool
    )


class Loose(NamedTuple):
    """A line that is of no table, and what is wrong with it."""

    number: int
    what: str


def in_chunks(
    lines: Iterable[bytes], receipts: ReceiptFile
) -> Iterator[HeaderLine | Loose | Chunk]:
    """The lines of a file taken together."""
    taken = _Taken(receipts)
    for number, line in enumerate(lines, start=1):
        yield from taken.line(number, line)
    yield from taken.rest()


class _Taken:
    """The lines that are being taken together."""

    def __init__(self, receipts: ReceiptFile) -> None:
        self._receipts = receipts
        self._opening = 0
        self._header: bytes | None = None
        self._place: tuple[str, str] | None = None
        self._first = True
        self._lines: list[bytes] = []
        self._bytes = self._number = 0

    def line(self, number: int, line: bytes) -> Iterator[HeaderLine | Loose | Chunk]:
        """One line more."""
        try:
            place = _place(line)
        except BadInput as error:
            if self._place is None:
                yield Loose(number, f"cannot be read: {in_short(error)}")
                return
            place = self._place  # most likely of this table; that is checked again there
        if place is None:
            yield from self.rest()
            self._opening, self._header, self._place = number, line, None
            yield HeaderLine(number, line)
            return
        if place != self._place or len(self._lines) >= MOST_LINES or self._bytes > MOST_BYTES:
            yield from self.rest()
            self._first = place != self._place
        if not self._lines:
            self._number = number
        self._place = place
        self._lines.append(line)
        self._bytes += len(line)

    def rest(self) -> Iterator[Chunk]:
        """What has been taken so far."""
        if self._place is not None and self._lines:
            session, table = self._place
            lines, receipts = tuple(self._lines), self._receipts.of_table(table)
            yield Chunk(
                self._opening,
                self._header,
                session,
                table,
                self._first,
                self._number,
                lines,
                receipts,
            )
            self._first = False
        self._lines, self._bytes = [], 0


def _place(line: bytes) -> tuple[str, str] | None:
    """Session and table of a line; None for a header. Raises BadInput."""
    match = BEGINNING.match(line)
    if match is not None:
        return match[2].decode(errors="replace"), match[3].decode(errors="replace")
    document = read_line(line)
    form = document.get("format")
    if form in SESSIONS:
        return None
    if form not in (*HANDS, HEAD):
        raise BadInput("format", short(form), _expected(document))
    return as_text("session", document.get("session")), as_text("table", document.get("table"))


def _expected(document: Document) -> str:
    form = document.get("format")
    later = isinstance(form, str) and re.fullmatch(r"daifugo-arena/(hand|head|session)/\d+", form)
    return f"{KNOWN}; this program is too old for the file" if later else KNOWN
