"""Played examples of the options in `arena.rules.options.answering`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "four_stop": ExampleHand(
        {"hachi_giri": True, "four_stop": "single"},
        "A S8 S3 S5 / B HK H9 / C C4 D4 D9",
        "A S8, B HK refused, B pass, C C4 D4, C D9",
    ),
    "eight_answers": ExampleHand(
        {"hachi_giri": True, "eight_answers": ["spade_seven", "ten"]},
        "A H8 S3 S5 / B S7 H9 / C DT D9",
        "A H8, B S7, C DT",
    ),
    "six_nine": ExampleHand(
        {"six_nine": True},
        "A S6 S3 / B H7 H9 / C D6 DK",
        "A S6, B H7 refused, B H9, C D6",
    ),
    "three_stop": ExampleHand(
        {"go_tobi": "one", "three_stop": True},
        "A S5 S4 / B H3 C3 H9 HK / C D6 DK",
        "A S5, B HK refused, B H3 C3, B H9",
    ),
}
