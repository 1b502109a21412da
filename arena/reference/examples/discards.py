"""Played examples of the options in `arena.rules.options.discards`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "joker_effects": ExampleHand(
        {"hachi_giri": True, "joker_effects": False},
        "A S7 S9 JK H3 / B D9 DT DJ H4 / C C5 C6",
        "A S7 S9 JK as S8, B D9 DT DJ",
    ),
    "ten_discard": ExampleHand(
        {"ten_discard": "on_play"},
        "A ST HT S3 H4 H5 / B HK DK H3 / C C9 D4",
        "A ST HT, A throws S3 H4, B HK DK",
    ),
    "ten_discard_must": ExampleHand(
        {"ten_discard": "on_play", "ten_discard_must": True},
        "A ST S3 H4 / B HK H3 / C C9 D4",
        "A ST, A throws refused, A throws S3, B HK",
    ),
    "discard_ranks": ExampleHand(
        {"discard_ranks": ["7"]},
        "A S7 S3 H4 / B HK H3 / C C9 D4",
        "A S7, A throws S3, B HK",
    ),
    "nana_watashi": ExampleHand(
        {"nana_watashi": "may"},
        "A S7 S3 H4 / B HK H3 / C C9 D4",
        "A S7, A gives S3, B HK",
    ),
    "nine_modoshi": ExampleHand(
        {"nine_modoshi": "may"},
        "A S9 S3 H4 / B HK H3 / C CT D4",
        "A S9, A gives S3, B HK",
    ),
    "yagiri": ExampleHand(
        {"hachi_giri": True, "yagiri": True},
        "A S8 S3 H4 / B HK H3 / C CT D4",
        "A S8, A gives S3, A H4",
    ),
    "ace_take": ExampleHand(
        {"ace_take": True},
        "A SK S3 / B HA H4 / C C2 D4",
        "A SK, B HA, C C2, A pass, B pass",
    ),
    "four_take": ExampleHand(
        {"four_take": True},
        "A H3 S3 / B S4 H9 / C C2 D4",
        "A H3, B S4, C C2, A pass, B pass",
    ),
    "q_bomber": ExampleHand(
        {"q_bomber": "rank"},
        "A HQ S3 S5 / B H5 HK H4 / C D5 D4",
        "A HQ, A names 5, B HK",
    ),
}
