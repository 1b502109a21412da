"""Played examples of the options in `arena.rules.options.equality`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "shimin_byodo": ExampleHand(
        {"kakumei": True, "shimin_byodo": True},
        "A S5 H5 D5 C5 S3 / B S6 H6 D6 C6 S4 / C D3 D4",
        "A S5 H5 D5 C5, B S6 H6 D6 C6",
    ),
}
