"""Reports of lineages: the versions of bots as a table, and as plain data for JSON.

Rounded like `documents`; adds no number.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.documents import Document
from arena.tournament.lineages import Lineage, Version
from arena.tournament.reporting.documents import BOUNDS, percent, rounded
from arena.tournament.reporting.layouts import likelihood
from arena.tournament.reporting.markup import (
    SPREADSHEETS,
    escaped,
    paragraph,
    printable,
    safe_form,
    table,
)

HEADS = ("bot", "version", "hands", "blocks", "Elo", "+/-", "change", "from", "to", "better%")
NONE = (
    "No bot is here in several versions (one owner, and a name with the version behind an @, as in"
    " otter@2)."
)
NOTHING = "-"


def versions_document(session: str, lineages: Sequence[Lineage]) -> Document:
    """The lineages as one JSON object (`schemas/versions.schema.json`)."""
    return {"session": session, "lineages": [_lineage_document(each) for each in lineages]}


def _lineage_document(lineage: Lineage) -> Document:
    return {
        "name": lineage.name,
        "owner": lineage.owner,
        "versions": [_version_document(version) for version in lineage.versions],
    }


def _version_document(version: Version) -> Document:
    row, change = version.row, version.change
    return {
        "version": version.version,
        "bot": row.bot,
        "name": row.name,
        "hands": row.hands,
        "blocks": row.blocks,
        "elo": rounded(row.elo, 2),
        "elo_error": rounded(row.error, 2),
        "bound": BOUNDS[row.bound],
        "bound_elo": rounded(row.bound_elo, 2),
        "change_elo": None if change is None else rounded(change.gap, 2),
        "change_low_elo": None if change is None else rounded(change.low, 2),
        "change_high_elo": None if change is None else rounded(change.high, 2),
        "superiority_percent": None if change is None else percent(change.superiority),
    }


def versions_text(lineages: Sequence[Lineage], *, form: str = "plain") -> str:
    """The lineages as a table, each change with its 95 % interval. Raises BadInput."""
    safe = safe_form(form)
    if not lineages:
        return paragraph([NONE], safe) + "\n"
    listed = [(lineage, version) for lineage in lineages for version in lineage.versions]
    nothing = "" if safe in SPREADSHEETS else NOTHING
    rows = [
        [cell or nothing for cell in (*_names(lineage, version, safe), *_numbers(version))]
        for lineage, version in listed
    ]
    return table(rows, HEADS, right=(False, False, *[True] * 8), form=safe) + "\n"


def _names(lineage: Lineage, version: Version, form: str) -> list[str]:
    return [escaped(printable(text), form) for text in (lineage.name, version.version)]


def _numbers(version: Version) -> list[str]:
    row, change = version.row, version.change
    elo = row.bound_elo if row.bound else row.elo
    cells = [
        str(row.hands),
        str(row.blocks),
        "" if elo is None else f"{row.bound}{round(elo)}",
        "" if row.error is None else f"{row.error:.0f}",
    ]
    if change is None:
        return [*cells, *[""] * 4]
    ends = ["" if end is None else f"{end:+.0f}" for end in (change.low, change.high)]
    return [*cells, f"{change.gap:+.0f}", *ends, likelihood(change.superiority)]
