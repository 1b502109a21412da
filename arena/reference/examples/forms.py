"""Played examples of the options in `arena.rules.options.forms`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "max_set": ExampleHand(
        {"max_set": 5},
        "A S7 H7 D7 C7 JK S3 / B HK H4 / C C9 D4",
        "A S7 H7 D7 C7 JK, B pass, C pass",
    ),
    "joker_wild": ExampleHand(
        {"joker_wild": False},
        "A S7 JK S3 / B HK H4 / C C9 D4",
        "A S7 JK refused, A S7, B HK",
    ),
    "equal_plays": ExampleHand(
        {"equal_plays": True},
        "A S7 D7 S3 / B H7 JK H4 / C C9 D9 D4",
        "A S7 D7, B H7 JK, C C9 D9",
    ),
    "sequences": ExampleHand(
        {"sequences": False},
        "A S4 S5 S6 H3 / B HK H4 / C C9 D4",
        "A S4 S5 S6 refused, A S4, B HK",
    ),
    "sequence_min": ExampleHand(
        {"sequence_min": 4},
        "A S4 S5 S6 S7 H3 / B HK H4 / C C9 D4",
        "A S4 S5 S6 refused, A S4 S5 S6 S7",
    ),
    "sequence_twos": ExampleHand(
        {"sequence_twos": False},
        "A SK SA S2 H3 / B HK H4 / C C9 D4",
        "A SK SA S2 refused, A S2",
    ),
    "sequence_wrap": ExampleHand(
        {"sequence_wrap": "tunnel"},
        "A SA S2 S3 H9 / B H3 H4 H5 HK / C C9 D4",
        "A SA S2 S3, B H3 H4 H5",
    ),
    "sequence_compare": ExampleHand(
        {"sequence_compare": "disjoint"},
        "A S5 S6 S7 H3 / B H6 H7 H8 H9 HT D3 / C C9 D4",
        "A S5 S6 S7, B H6 H7 H8 refused, B H8 H9 HT",
    ),
    "sequence_past_two": ExampleHand(
        {"sequence_past_two": True},
        "A SK SA S2 H3 / B HA H2 JK H4 / C C9 D4",
        "A SK SA S2, B HA H2 JK as JK",
    ),
    "sequence_below_three": ExampleHand(
        {"sequence_below_three": True},
        "A S3 S4 JK H9 / B H3 H4 H5 HK / C C9 D4",
        "A S3 S4 JK as JK, B H3 H4 H5",
    ),
    "emperor": ExampleHand(
        {"emperor": "kakumei"},
        "A S5 H6 D7 C8 S3 / B H9 HT / C C9 D4",
        "A S5 H6 D7 C8, B pass, C pass, A S3",
    ),
}
