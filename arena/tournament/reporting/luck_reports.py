"""Reports of luck: results without what the cards explain, as a table and as data for JSON."""

from __future__ import annotations

import math
from collections.abc import Mapping

from arena.documents import Document
from arena.tournament.luck import BotLuck, Luck
from arena.tournament.reporting.documents import percent
from arena.tournament.reporting.markup import escaped, paragraph, printable, safe_form, table

HEADS = ("bot", "hands", "blocks", "ahead%", "+/-", "luck", "adjusted%", "+/-")


def luck_document(found: Luck, names: Mapping[str, str]) -> Document:
    """As one JSON object; percentages from 0 to 100, best adjusted share first."""
    return {
        "blocks": found.blocks,
        "variance_saved_percent": percent(found.saved),
        "bots": [
            {
                "bot": each.bot,
                "name": names.get(each.bot, each.bot),
                "hands": each.hands,
                "blocks": each.blocks,
                "ahead_percent": percent(each.plain.mean),
                "ahead_error_percent": _known(each.plain.error),
                "luck_percent": percent(each.luck),
                "adjusted_percent": percent(each.adjusted.mean),
                "adjusted_error_percent": _known(each.adjusted.error),
            }
            for each in _ordered(found)
        ],
    }


def luck_text(found: Luck, names: Mapping[str, str], *, form: str = "plain") -> str:
    """As a table with a sentence below. Raises BadInput for other forms."""
    safe = safe_form(form)
    rows = [
        [
            escaped(printable(names.get(each.bot, each.bot)), safe),
            str(each.hands),
            str(each.blocks),
            *_cells(each.plain.mean, each.plain.error),
            f"{100 * each.luck:+.1f}",
            *_cells(each.adjusted.mean, each.adjusted.error),
        ]
        for each in _ordered(found)
    ]
    more = f"{100 * found.saved:.0f} % of the variance is gone"
    notes = [
        f"Shares of hands played, without what dealt cards explain: {more}; ± is 95 %, by blocks.",
        "Not the official number: ratings and their order rest on the results as they are.",
    ]
    body = table(rows, HEADS, right=(False, *[True] * 7), form=safe)
    return f"{body}\n\n{paragraph(notes, safe)}\n"


def _ordered(found: Luck) -> list[BotLuck]:
    return sorted(found.bots, key=lambda each: (-round(each.adjusted.mean, 9), each.bot))


def _cells(mean: float, error: float) -> tuple[str, str]:
    return f"{100 * mean:.1f}", f"{100 * error:.1f}" if math.isfinite(error) else "-"


def _known(error: float) -> float | None:
    return percent(error) if math.isfinite(error) else None
