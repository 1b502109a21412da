"""Played examples of the options in `arena.rules.options.locks`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "shibari": ExampleHand(
        {"shibari": "full"},
        "A S5 D5 H9 / B S7 D7 H3 / C HK CK SQ DQ",
        "A S5 D5, B S7 D7, C HK CK refused, C SQ DQ",
    ),
    "shibari_after": ExampleHand(
        {"shibari": "full", "shibari_after": 3},
        "A H5 HA S9 / B H7 C3 / C CK HQ C4",
        "A H5, B H7, C HQ, A HA",
    ),
    "shibari_sequences": ExampleHand(
        {"shibari": "full", "shibari_sequences": False},
        "A S4 S5 S6 D9 / B S5 S6 S7 D3 / C H6 H7 H8 C4",
        "A S4 S5 S6, B S5 S6 S7, C H6 H7 H8",
    ),
    "joker_lock": ExampleHand(
        {"shibari": "full", "joker_lock": "full"},
        "A S5 JK H9 / B S7 D7 H3 / C HK CK SQ DQ",
        "A S5 JK as D5, B S7 D7, C HK CK refused, C SQ DQ",
    ),
    "joker_lifts_lock": ExampleHand(
        {"shibari": "full", "spade_three": "beatable", "joker_lifts_lock": True},
        "A H5 S3 D3 / B H7 C4 D9 / C JK D6 D8",
        "A H5, B H7, C JK, A S3, B C4",
    ),
    "shibari_pair_link": ExampleHand(
        {"shibari_pair_link": True},
        "A S5 D5 H9 / B H7 C7 S7 H3 / C HK CK",
        "A S5 D5, B H7 C7 refused, B S7 C7, C HK CK",
    ),
    "suu_shibari": ExampleHand(
        {"suu_shibari": True},
        "A S5 H9 / B H6 H3 / C D9 C7 C4",
        "A S5, B H6, C D9 refused, C C7",
    ),
    "geki_shibari": ExampleHand(
        {"geki_shibari": True},
        "A S5 H9 / B S6 H3 / C S8 H7 S7 C4",
        "A S5, B S6, C H7 refused, C S8 refused, C S7",
    ),
    "q_toki": ExampleHand(
        {"shibari": "full", "q_toki": True},
        "A S9 SA / B ST D3 / C SQ D4 / D HK D5",
        "A S9, B ST, C SQ, D HK",
    ),
}
