"""Played examples of the options in `arena.rules.options.finishing`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

FIRST_OUT = ("A S9 S4 / B HK / C C5 C6 C7 / D D4 D5", "A S9, B HK")

EXAMPLES: dict[str, Example] = {
    "forbidden_finish": ExampleHand(
        {"forbidden_finish": ["high_set"]},
        "A S2 / B HK H4 / C C9 D4 / D D5 D6",
        "A S2, B pass, C pass, D pass, B H4",
    ),
    "forbidden_follow_jack": ExampleHand(
        {"forbidden_finish": ["high_set"], "forbidden_follow_jack": True, "jack_back": "trick"},
        "A SJ S4 / B D3 / C H5 H6 / D D5 D6",
        "A SJ, B D3",
    ),
    "forbidden_effect": ExampleHand(
        {"forbidden_finish": ["high_set"], "forbidden_effect": "refuse"},
        "A S9 S4 / B H2 / C C5 CK",
        "A S9, B H2 refused, B pass",
    ),
    "foul_clears": ExampleHand(
        {"forbidden_finish": ["high_set"], "foul_clears": True},
        "A S2 / B HK H4 / C C9 D4 / D D5 D6",
        "A S2, B H4",
    ),
    "miyako_ochi": ExampleHand({"miyako_ochi": "drop"}, *FIRST_OUT, "ABCD"),
    "gekokujo": ExampleHand({"gekokujo": True}, *FIRST_OUT, "ACDB"),
    "kyo_ochi": ExampleHand({"kyo_ochi": "drop"}, *FIRST_OUT, "BACD"),
    "fu_ochi": ExampleHand(
        {"miyako_ochi": "drop", "fu_ochi": True},
        "A S9 S4 / B HT H3 / C CK / D DA / E D5 D6 / F C5 C6",
        "A S9, B HT, C CK, D DA, E pass, F pass, E D5",
        "ABCDEF",
    ),
    "mura_hachibu": ExampleHand(
        {"miyako_ochi": "play_on", "mura_hachibu": True},
        "A S9 S4 SK / B HT / C C4 CK",
        "A S9, B HT, C CK",
        "ABC",
    ),
    "lucky_seven": ExampleHand(
        {"lucky_seven": True},
        "A S7 H7 D7 S3 H5 / B HK H4 / C C9 D4",
        "A S7 H7 D7, B pass, C pass, B H4",
    ),
    "dai_kakumei": ExampleHand(
        {"dai_kakumei": True},
        "A S2 H2 D2 C2 S3 H5 / B HK H4 / C C9 D4",
        "A S2 H2 D2 C2, B pass, C pass, B HK, C C9",
    ),
    "hand_end": ExampleHand({"hand_end": "first_out"}, *FIRST_OUT),
    "loser": ExampleHand({"hand_end": "first_out", "loser": "most_cards"}, *FIRST_OUT),
}
