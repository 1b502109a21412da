"""Played examples of the options in `arena.rules.options.clearing`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "hachi_giri": ExampleHand(
        {"hachi_giri": True},
        "A S8 S3 S4 / B HK H4 / C C9 D4",
        "A S8, A S3, B H4",
    ),
    "hachi_giri_sequences": ExampleHand(
        {"hachi_giri": True, "hachi_giri_sequences": False},
        "A S7 S8 S9 H3 / B C9 CT CJ D3 / C D5 DK",
        "A S7 S8 S9, B C9 CT CJ",
    ),
    "kyukyusha": ExampleHand(
        {"kyukyusha": True},
        "A H9 D9 S3 S4 / B CK DK H4 / C D5 C5",
        "A H9 D9, A S3",
    ),
    "rokurokubi": ExampleHand(
        {"rokurokubi": True},
        "A H6 D6 S3 S4 / B CK DK H4 / C D5 C5",
        "A H6 D6, A S3",
    ),
    "two_clears": ExampleHand(
        {"two_clears": True},
        "A H5 S3 / B D2 H4 S7 / C CK JK",
        "A H5, B D2, B H4",
    ),
    "kakumei_cuts": ExampleHand(
        {"kakumei": True, "kakumei_timing": "immediate", "kakumei_cuts": ["5"]},
        "A S9 H9 D9 C9 S5 S4 / B HK H3 / C CT D4",
        "A S9 H9 D9 C9, B pass, C pass, A S5, A S4",
    ),
    "igen": ExampleHand(
        {"igen": True},
        "A SJ SQ SK S3 / B HQ HK HA H4 / C C9 D4",
        "A SJ SQ SK, A S3",
    ),
    "ansatsu": ExampleHand(
        {"ansatsu": True},
        "A S9 S2 S4 / B H3 H5 H6 / C CT D4",
        "A S2, B H3, B H5",
    ),
    "six_card_clears": ExampleHand(
        {"six_card_clears": True, "max_set": 6, "jokers": 2},
        "A S7 H7 D7 C7 JK JK S3 S9 / B H8 HK / C CT C4",
        "A S7 H7 D7 C7 JK JK, A S9, B H8, C C4",
    ),
    "top_sequence_clears": ExampleHand(
        {"top_sequence_clears": True},
        "A SK SA S2 H3 H4 / B D9 DT / C C5 C6",
        "A SK SA S2, A H3",
    ),
    "spade_three": ExampleHand(
        {"spade_three": "clears"},
        "A JK H4 / B S3 D5 D6 / C CK C4",
        "A JK, B S3, B D5",
    ),
    "spade_two": ExampleHand(
        {"kakumei": True, "kakumei_timing": "immediate", "spade_two": "clears"},
        "A S9 H9 D9 C9 JK S4 / B S2 H3 / C CT D4",
        "A S9 H9 D9 C9, B pass, C pass, A JK, B S2, B H3",
    ),
    "joker_return": ExampleHand(
        {"joker_return": True, "jokers": 2},
        "A JK H4 / B JK D5 / C CK C4",
        "A JK, B JK, C pass, A pass",
    ),
    "sunaarashi": ExampleHand(
        {"sunaarashi": "clears"},
        "A DK CK H4 / B S3 H3 D3 D5 D6 / C C9 C4",
        "A DK CK, B S3 H3 D3, B D5",
    ),
    "down_number": ExampleHand(
        {"down_number": True},
        "A H9 H4 / B H8 C8 D5 / C CK C4",
        "A H9, B C8 refused, B H8, C CK",
    ),
    "agari_nagashi": ExampleHand(
        {"agari_nagashi": True},
        "A S9 / B HK H4 / C C9 D4",
        "A S9, B H4, C C9",
    ),
}
