"""Played examples of the options in `arena.rules.options.robbing`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "rob": ExampleHand(
        {"rob": ["thief"]},
        "A S4 H4 D4 S3 / B HK CK H9 / C C9 D9",
        "A S4 H4 D4, B pass, C pass, A HK",
    ),
}
