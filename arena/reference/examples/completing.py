"""Played examples of the options in `arena.rules.options.completing`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "complete_four": ExampleHand(
        {"complete_four": True},
        "A S7 H7 S3 / B HK CK D4 / C C7 D7 C4",
        "A S7 H7, B pass, C C7 D7, C C4",
    ),
}
