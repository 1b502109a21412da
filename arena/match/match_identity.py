"""What makes a match this match and no other: bots with their code, terms, the version played by.

Two processes that agree on this play the same blocks. How many are played is not part of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from arena.documents import Document
from arena.match.code import code_digest
from arena.match.local import Match
from arena.rules import compile_ruleset
from arena.version import __version__

LONGEST = 80


def identity(match: Match) -> Document:
    """The members that have to be the same, the most telling first."""
    terms = match.terms
    line_up = match.line_up(match.seats)
    return {
        "bots": dict(line_up),
        "fingerprint": compile_ruleset(dict(terms.ruleset)).fingerprint,
        "hands_per_table": terms.hands_per_table,
        "deals": terms.deals,
        "reseat_every": terms.reseat_every,
        "seed": str(terms.seed),
        "record": match.record,
        "version": __version__,
        "code": {source: code_digest(source) for source in dict.fromkeys(dict(line_up).values())},
    }


def difference(
    there: Mapping[str, Any], here: Mapping[str, Any], path: str = ""
) -> tuple[str, str, str] | None:
    """The first member that differs: its name, its value there, and here; None if none does."""
    for name in {**here, **there}:
        theirs, ours = there.get(name), here.get(name)
        place = f"{path}{name}"
        if isinstance(theirs, dict) and isinstance(ours, dict):
            inside = difference(theirs, ours, f"{place}.")
            if inside is not None:
                return inside
        elif theirs != ours or type(theirs) is not type(ours):
            return place, _shown(theirs), _shown(ours)
    return None


def _shown(value: Any) -> str:
    text = "not given" if value is None else str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
