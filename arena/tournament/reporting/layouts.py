"""Layouts: standings as text, in every form that `tabulate` knows and as csv.

Chooses columns, writes cells, fits the table to a width. Pure and deterministic to the byte. It
computes no number and reads no terminal; the caller says how wide it is.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import NamedTuple

from arena.errors import BadInput
from arena.tournament.reporting.documents import Value, row_document
from arena.tournament.reporting.markup import (
    CSV,
    MARKDOWN,
    WIDTHLESS,
    csv_text,
    escaped,
    paragraph,
    printable,
    safe_form,
    shortened,
    table,
    width_of,
)
from arena.tournament.reporting.notices import footer, header, marks
from arena.tournament.standings import PROVISIONAL_BLOCKS, Row, Section, Standings

NAME_WIDTH = 12
"""Columns are left out before names get narrower than this."""
LEAST_WIDTH = 4
"""Names get no narrower than this."""
DISPENSABLE = (
    *("owner", "division", "ms/move", "forfeits", "faults", "opp", "points"),
    *("last%", "1st%", "place", "blocks", "range", "LOS>", "hands"),
)
"""Left out first to last where a table is too wide."""
NOTHING = "-"


class Column(NamedTuple):
    """head: as printed. text: a row's cell. fields: the members of the row's document in csv."""

    head: str
    text: Callable[[Row], str]
    fields: tuple[str, ...]
    right: bool = True


def _number(value: float | None, digits: int = 0) -> str:
    if value is None:
        return NOTHING
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if not float(text) else text


def _percent(share: float | None) -> str:
    return _number(None if share is None else 100 * share, 1)


def _range(row: Row) -> str:
    if row.ranks is None:
        return NOTHING
    low, high = row.ranks
    return str(low) if low == high else f"{low}-{high}"


def _elo(row: Row) -> str:
    return row.bound + _number(row.bound_elo if row.bound else row.elo)


def _error(row: Row) -> str:
    few = "~" if row.elo is not None and row.blocks < PROVISIONAL_BLOCKS else ""
    return few + (_number(row.error) if row.error is not None or not few else "")


def _points_a_hand(row: Row) -> float | None:
    return None if row.points is None or not row.hands else row.points / row.hands


def likelihood(share: float | None) -> str:
    """A probability in per cent; what is not quite sure is not printed as 0 or 100."""
    text = _percent(share)
    return {"100.0": ">99.9", "0.0": "<0.1"}.get(text, text)


def _column(head: str, text: Callable[[Row], str], *fields: str, right: bool = True) -> Column:
    return Column(head, text, fields, right=right)


COLUMNS: Mapping[str, Column] = MappingProxyType(
    {
        column.head: column
        for column in (
            _column("#", lambda row: str(row.position or NOTHING), "position"),
            _column("range", _range, "rank_low", "rank_high"),
            _column(
                "bot",
                lambda row: row.name,
                *("bot", "name", "status", "anchor", "withdrawn"),
                right=False,
            ),
            _column("Elo", _elo, "elo", "bound", "bound_elo"),
            _column("+/-", _error, "elo_error"),
            _column("ahead%", lambda row: _percent(row.ahead), "ahead_percent"),
            _column("place", lambda row: _number(row.place, 2), "place"),
            _column("1st%", lambda row: _percent(row.first), "first_percent"),
            _column("last%", lambda row: _percent(row.last), "last_percent"),
            _column("hands", lambda row: str(row.hands), "hands"),
            _column("blocks", lambda row: str(row.blocks), "blocks"),
            _column("LOS>", lambda row: likelihood(row.superiority), "superiority_percent"),
            _column("points", lambda row: _number(row.points, 1), "points"),
            _column("a hand", lambda row: _number(_points_a_hand(row), 2)),
            _column("opp", lambda row: _number(row.opposition), "opposition_elo"),
            _column("faults", lambda row: str(row.faults), "faults"),
            _column("forfeits", lambda row: str(row.forfeits), "forfeits"),
            _column("ms/move", lambda row: _number(row.move_ms), "move_ms"),
            _column("owner", lambda row: row.owner, "owner", right=False),
            _column("division", lambda row: row.division or NOTHING, "division", right=False),
        )
    }
)
"""Every column by its head."""

POINTS = "points"
"""The layout of a contest that counts points: in their order, and without ratings."""
FULL = (
    *("#", "range", "bot", "Elo", "+/-", "ahead%", "place", "1st%", "last%"),
    *("hands", "blocks", "LOS>"),
)
LAYOUTS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "full": FULL,
        "concise": ("#", "bot", "Elo", "+/-", "ahead%", "hands"),
        "wide": (*FULL, "points", "opp", "faults", "forfeits", "ms/move", "owner"),
        POINTS: ("#", "bot", "points", "a hand", "hands", "place", "1st%", "last%"),
    }
)
"""The columns of each layout."""


def render(
    standings: Standings,
    *,
    layout: str = "full",
    form: str = "plain",
    width: int | None = None,
    notes: Sequence[str] = (),
) -> str:
    """The standings as text that ends with a newline.

    `layout`: full, concise, wide or points. `form`: csv or a format of tabulate; those that escape
    nothing are answered in their safe twins. `width`: terminal columns to fit; first names are cut
    to 12 columns, then columns are left out (and named in the footer), then names are cut further.
    csv has one record per bot, named as in the JSON document, and no header or footer lines.
    `notes`: further lines of the footer. Raises BadInput for an unknown layout or form.
    """
    if layout not in LAYOUTS:
        raise BadInput("layout", layout, f"one of {', '.join(LAYOUTS)}")
    safe, rated = safe_form(form), layout != POINTS
    if not rated:
        standings = by_points(standings)
    if safe == CSV:
        return _csv(standings, _heads(standings, layout, csv=True))
    limit = None if safe in WIDTHLESS else width
    wanted = _heads(standings, layout, csv=False)
    heads, room = _fitted(standings, wanted, form=safe, width=limit)
    missing = [head for head in wanted if head not in heads]
    parts = [paragraph(header(standings, rated=rated), safe, width=limit)]
    parts += [_table(section.rows, heads, form=safe, room=room) for section in standings.sections]
    below = [*footer(standings, missing, rated=rated), *notes]
    parts.append(paragraph(below, safe, width=limit))
    return "\n\n".join(part for part in parts if part) + "\n"


def by_points(standings: Standings) -> Standings:
    """Standings with each section in the order of points, which its positions follow.

    Equal points share a position; whoever is disqualified or has no points has none.
    """
    sections = tuple(_section_by_points(section) for section in standings.sections)
    return replace(standings, sections=sections)


def _section_by_points(section: Section) -> Section:
    points = [row.points for row in section.rows if row.points is not None and _counts(row)]
    rows = [
        row._replace(
            position=1 + sum(each > row.points for each in points)
            if row.points is not None and _counts(row)
            else None,
            ranks=None,
        )
        for row in section.rows
    ]
    last = len(rows) + 1
    rows.sort(key=lambda row: (row.position or last, -(row.points or 0)))
    return section._replace(rows=tuple(rows))


def _counts(row: Row) -> bool:
    """Has a bot a place among the others?"""
    return row.hands > 0 and not row.disqualified


def _heads(standings: Standings, layout: str, *, csv: bool) -> tuple[str, ...]:
    """The columns of a layout; where the session has divisions these too, if it is wide or csv."""
    divided = bool(standings.facts.divisions) and (csv or layout == "wide")
    return (*LAYOUTS[layout], *(("division",) if divided else ()))


def _table(rows: Sequence[Row], heads: Sequence[str], *, form: str, room: int) -> str:
    columns = [COLUMNS[head] for head in heads]
    cells = [[_cell(row, column, form=form, room=room) for column in columns] for row in rows]
    return table(cells, heads, right=[column.right for column in columns], form=form)


def _cell(row: Row, column: Column, *, form: str, room: int) -> str:
    text = column.text(row)
    if column.right:
        return text
    behind = f" {marks(row)}" if column.head == "bot" and marks(row) else ""
    return escaped(shortened(printable(text), max(1, room - len(behind))), form) + behind


def _fitted(
    standings: Standings, heads: Sequence[str], *, form: str, width: int | None
) -> tuple[tuple[str, ...], int]:
    """The columns that fit and the room for names, in terminal columns."""
    rows = [row for section in standings.sections for row in section.rows]
    longest = max((_name_width(row) for row in rows), default=0)
    kept = tuple(heads)
    if width is None or not rows:
        return kept, max(longest, NAME_WIDTH, *(len(row.owner) * 2 for row in rows), 1)
    spare = [head for head in DISPENSABLE if head != "points" or "Elo" in heads]
    for unwanted in ("", *spare):
        kept = tuple(head for head in kept if head != unwanted)
        room = _room(rows, kept, form=form, width=width, longest=longest)
        if room >= min(longest, NAME_WIDTH):
            break
    return kept, max(room, LEAST_WIDTH)


def _room(rows: Sequence[Row], heads: Sequence[str], *, form: str, width: int, longest: int) -> int:
    """Terminal columns that are left for names; by steps, since escapes make some of them wider."""
    room = longest
    while room >= LEAST_WIDTH:
        excess = _width(rows, heads, form=form, room=room) - width
        if excess <= 0:
            break
        room -= excess if room == longest and form not in MARKDOWN else 1
    return room


def _name_width(row: Row) -> int:
    return width_of(printable(row.name)) + (len(marks(row)) + 1 if marks(row) else 0)


def _width(rows: Sequence[Row], heads: Sequence[str], *, form: str, room: int) -> int:
    lines = _table(rows, heads, form=form, room=room).splitlines()
    return max(width_of(line) for line in lines)


def _csv(standings: Standings, heads: Sequence[str]) -> str:
    fields = [field for head in heads for field in COLUMNS[head].fields]
    records: list[Sequence[object]] = [("group", *fields)]
    for number, section in enumerate(standings.sections, 1):
        documents = [row_document(row) for row in section.rows]
        records += [(number, *(_csv_value(row[f]) for f in fields)) for row in documents]
    return csv_text(records)


def _csv_value(value: Value) -> str:
    if isinstance(value, str):
        return escaped(printable(value), CSV)
    if isinstance(value, bool):
        return str(value).lower()
    return "" if value is None else str(value)
