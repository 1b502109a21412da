"""Played examples of the options in `arena.rules.options.limits`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "iro_shibari": ExampleHand(
        {"iro_shibari": True},
        "A H5 S4 / B D7 H3 / C CK HQ C4",
        "A H5, B D7, C CK refused, C HQ",
    ),
    "restrict": ExampleHand(
        {"restrict": ["even", "hot_milk"]},
        "A S4 S3 / B H9 HT D5 / C CK CQ H4",
        "A S4, B H9 refused, B HT, C CK refused, C CQ",
    ),
}
