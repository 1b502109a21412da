"""The settled readings: every id in the tables of `arena/rules/RULES.md`, with its sentence.

AM: an ambiguity of the documents; OR: a question that came up later; C: a correction; XV: a variant
from elsewhere.
"""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files

from arena.reference.inventory import Statement

_ROW = re.compile(r"^\| ((?:AM|OR|C|XV)-\w+) \| (.+?) \| [^|]* \|$", re.MULTILINE)


@cache
def readings() -> dict[str, Statement]:
    """The readings by id, in the order of the page."""
    page = files("arena.rules").joinpath("RULES.md").read_text(encoding="utf-8")
    return {id_: Statement(id_, says, True) for id_, says in _ROW.findall(page)}
