"""Roster files: CSV with a line for each bot, read with the line of an error, written safely.

What is read is what spreadsheets write: with or without a byte order mark, names in quotes where
needed. Text that a spreadsheet would run as a formula is written with an apostrophe in front, which
is taken off again when read. This module talks to no arena.
"""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.errors import BadInput
from arena.session.confusables import skeleton
from arena.session.names import check_name, check_owner
from arena.session.owners import owner_key
from arena.tournament.reporting.markup import FORMULA_STARTS

COLUMNS = ("name", "owner")
DIVISION = "division"
"""A column that a roster may have besides."""
TOKEN_COLUMNS = ("name", "owner", "bot", "token")
GUARDED = (*FORMULA_STARTS, "'")
"""What text begins with that is written with an apostrophe in front; so it can be taken off."""
PRIVATE = 0o600
MOST_FAULTS = 50
"""The most bad lines that are listed."""


class RosterLine(NamedTuple):
    """A bot of a roster file, and the line it begins on. division: empty for none."""

    number: int
    name: str
    owner: str
    division: str = ""


class Known(NamedTuple):
    """A bot of a token file. token: empty if it is not known."""

    name: str
    owner: str
    bot: str
    token: str


def read_roster(file: Path) -> list[RosterLine]:
    """The bots of a file with the columns name and owner, and division if it has that; others are
    passed over.

    Raises BadInput for what cannot be registered, with all bad lines.
    """
    lines: list[RosterLine] = []
    bad: list[tuple[int, BadInput]] = []
    first_lines: dict[str, RosterLine] = {}
    for number, cells in _records(file, COLUMNS, DIVISION):
        line = RosterLine(number, *cells)
        try:
            _check(line, first_lines)
        except BadInput as error:
            bad.append((number, error))
        first_lines.setdefault(skeleton(line.name), line)
        lines.append(line)
    if bad:
        raise BadLines(file, bad)
    if not lines:
        raise BadInput(str(file), "empty", "a line for each bot below the heads")
    return lines


def read_owners(file: Path) -> list[str]:
    """The owners of a file: its column `owner`, or, if it has one column only, all its lines.

    Each once, also if it has several lines. Raises BadInput for what can be no owner and for two
    spellings of one, with all bad lines.
    """
    bad: list[tuple[int, BadInput]] = []
    first_lines: dict[str, tuple[int, str]] = {}
    for number, owner in _owner_cells(file):
        try:
            check_owner(owner)
            first, spelling = first_lines.setdefault(owner_key(owner), (number, owner))
            if spelling != owner:
                expected = f"one spelling of an owner: line {first} has {spelling!r}"
                raise BadInput("owner", owner, expected)
        except BadInput as error:
            bad.append((number, error))
    if bad:
        raise BadLines(file, bad)
    if not first_lines:
        raise BadInput(str(file), "empty", "a line for each owner")
    return [owner for _, owner in first_lines.values()]


def _owner_cells(file: Path) -> Iterator[tuple[int, str]]:
    heads = [head.strip().casefold() for head in next(_rows(file), (1, []))[1]]
    if "owner" in heads or len(heads) > 1:
        yield from ((number, cell) for number, [cell] in _records(file, ("owner",)))
        return
    for number, cells in _rows(file):
        if len(cells) > 1:
            raise BadInput(f"{file}, line {number}: cells", len(cells), "1, as in line 1")
        if cells and cells[0].strip():
            yield number, unguarded(cells[0].strip())


def _check(line: RosterLine, first_lines: dict[str, RosterLine]) -> None:
    check_name(line.name)
    check_owner(line.owner)
    other = first_lines.get(skeleton(line.name))
    if other is None:
        return
    if other.name == line.name:
        raise BadInput("name", line.name, f"every name once: it is in line {other.number} too")
    expected = f"a name that does not look like {other.name!r} in line {other.number}"
    raise BadInput("name", line.name, expected)


class BadLines(BadInput):
    """The lines of a file that cannot be used, all of them. faults: (number, what is wrong)."""

    def __init__(self, file: Path, faults: Sequence[tuple[int, BadInput]]) -> None:
        number, first = faults[0]
        super().__init__(f"{file}, line {number}: {first.thing}", first.value, first.expected)
        if len(faults) > 1:
            lines = [f"\n  line {number}: {fault}" for number, fault in faults[:MOST_FAULTS]]
            more = len(faults) - MOST_FAULTS
            lines += [f"\n  and {more} more"] if more > 0 else []
            self.args = (f"{file} has {len(faults)} lines that cannot be used:{''.join(lines)}",)


def _records(file: Path, columns: Sequence[str], *optional: str) -> Iterator[tuple[int, list[str]]]:
    """The wanted columns of each record that is not blank, and those optional ones that there are,
    with the line it begins on."""
    rows = _rows(file)
    _, first = next(rows, (1, []))
    heads = [head.strip().casefold() for head in first]
    if not set(columns) <= set(heads):
        expected = f"the heads {','.join(columns)}, with commas between"
        raise BadInput(f"{file}, line 1", ",".join(heads)[:80], expected)
    wanted = [*columns, *(column for column in optional if column in heads)]
    at = [heads.index(column) for column in wanted]
    for begins, cells in rows:
        if len(cells) != len(heads):
            expected = f"{len(heads)}, as in the heads"
            raise BadInput(f"{file}, line {begins}: cells", len(cells), expected)
        yield begins, [unguarded(cells[i]) for i in at]


def _rows(file: Path) -> Iterator[tuple[int, list[str]]]:
    """The first record, and all others that are not blank, with the line each begins on."""
    try:
        text = file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput("file", str(file), f"a readable CSV file in UTF-8 ({error})") from error
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        begins = 1
        for cells in reader:
            if begins == 1 or any(cell.strip() for cell in cells):
                yield begins, cells
            begins = reader.line_num + 1
    except csv.Error as error:
        raise BadInput(f"{file}, line {reader.line_num}", str(error), "CSV") from error


def guarded(text: str) -> str:
    """Text that no spreadsheet runs."""
    return "'" + text if text.startswith(GUARDED) else text


def unguarded(text: str) -> str:
    """The text that `guarded` was given."""
    return text[1:] if text[:1] == "'" and text[1:2] in GUARDED else text


def csv_line(cells: Sequence[object]) -> str:
    """A record of a CSV file, with its line end."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n").writerow(
        [guarded(cell) if isinstance(cell, str) else cell for cell in cells]
    )
    return sink.getvalue()


class RosterTokens:
    """A CSV file of bots and their tokens, which only its owner may read.

    What it holds already is in `known`; what is added is on the disk when `add` returns.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.known: dict[str, Known] = {}
        whole = True
        if path.exists() and path.stat().st_size:
            whole = path.read_bytes().endswith(b"\n")
            for _, (name, owner, bot, token) in _records(path, TOKEN_COLUMNS):
                self.known[name] = Known(name, owner, bot, token)
        try:
            self._handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, PRIVATE)
            os.chmod(path, PRIVATE)
        except OSError as error:
            expected = f"a file to write to ({error.strerror})"
            raise BadInput("output", str(path), expected) from error
        if not os.fstat(self._handle).st_size:
            self._write(TOKEN_COLUMNS)
        elif not whole:
            os.write(self._handle, b"\n")

    def add(self, row: Known) -> None:
        """Write down a bot."""
        self._write(row)
        self.known[row.name] = row

    def _write(self, cells: Sequence[object]) -> None:
        os.write(self._handle, csv_line(cells).encode())
        os.fsync(self._handle)

    def close(self) -> None:
        """Done."""
        os.close(self._handle)
