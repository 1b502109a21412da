"""Played examples of the options in `arena.rules.options.instant_wins`."""

from __future__ import annotations

from arena.reference.scenes import Dealing, Example

HEARTS = "C H3 H4 H5 H6 H7 H8 H9 HT HJ HQ HK HA H2"

EXAMPLES: dict[str, Example] = {
    "instant_wins": Dealing(
        {"instant_wins": ["monopoly"], "first_lead": "dealer_left"}, HEARTS, "C accepts"
    ),
}
