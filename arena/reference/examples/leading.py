"""Played examples of the options in `arena.rules.options.leading`."""

from __future__ import annotations

from arena.reference.scenes import Dealing, Example

EXAMPLES: dict[str, Example] = {
    "first_lead": Dealing({"first_lead": "holder:D3"}, "C D3"),
    "first_lead_show": Dealing(
        {"first_lead": "holder:D3", "first_lead_show": True},
        "C D3 S4",
        "C S4 refused, C D3",
    ),
    "next_lead": Dealing({"next_lead": "winner", "exchange": "none"}, "", "", "ABCD"),
    "janken_mode": Dealing(
        {"janken_mode": "interactive"},
        "C S4",
        "A chooses rock, B chooses paper, C chooses paper, D chooses rock, "
        "B chooses rock, C chooses paper, C S4",
    ),
}
