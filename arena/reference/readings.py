"""The settled readings: every id in the tables of `arena/rules/RULES.md`, with its sentence.

AM: an ambiguity of the documents; OR: a question that came up later; C: a correction; XV: a variant
from elsewhere.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from arena.reference.inventory import Statement

ABSENT = "## Variants that are no options"
ABSENT_ROW = re.compile(r"^\| ([^|]+) \| ([^|]+) \| ([^|]+) \|$", re.MULTILINE)
ROW = re.compile(r"^\| ((?:AM|OR|C|XV)-\w+) \| (.+?) \| [^|]* \|$", re.MULTILINE)


@cache
def readings() -> dict[str, Statement]:
    """The readings by id, in the order of the page."""
    page = _page()
    return {id_: Statement(id_, says, True) for id_, says in ROW.findall(page)}


class Absent(NamedTuple):
    """Variants that are no options. names: in Japanese; reading: and other names; why: they are
    none."""

    names: str
    reading: str
    why: str


@cache
def absent() -> tuple[Absent, ...]:
    """The variants that are no options, in the order of the page."""
    _, _, section = _page().partition(ABSENT)
    _head, *rows = ABSENT_ROW.findall(section)
    return tuple(Absent(*row) for row in rows)


def _page() -> str:
    return files("arena.rules").joinpath("RULES.md").read_text(encoding="utf-8")
