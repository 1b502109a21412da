"""Played examples of the options in `arena.rules.options.turning`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "go_tobi": ExampleHand(
        {"go_tobi": "per_card"},
        "A S5 H5 S3 / B H7 D7 H3 / C C9 D9 D4 / D DK CK D3",
        "A S5 H5, D DK CK",
    ),
    "skip_ranks": ExampleHand(
        {"skip_ranks": ["K"]},
        "A SK S3 / B HA H3 / C DA D4",
        "A SK, C DA",
    ),
    "kyu_reverse": ExampleHand(
        {"kyu_reverse": "hand"},
        "A S9 S3 / B HK H3 / C CT D4",
        "A S9, C CT, B HK",
    ),
    "reverse_ranks": ExampleHand(
        {"reverse_ranks": ["Q"]},
        "A SQ S3 / B HA H3 / C CK D4",
        "A SQ, C CK, B HA",
    ),
    "nine_quick": ExampleHand(
        {"nine_quick": True},
        "A S9 SK S3 / B HQ H3 / C CA D4",
        "A S9, A SK, B pass, C CA",
    ),
    "equal_skips": ExampleHand(
        {"equal_plays": True, "equal_skips": True},
        "A S9 S3 / B H9 H3 / C CK D4",
        "A S9, B H9, A pass",
    ),
}
