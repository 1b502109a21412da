"""Played examples of the options in `arena.rules.options.reversals`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand

FOURS = (
    "A S5 H5 D5 C5 S9 ST / B H4 H6 / C C3 CK",
    "A S5 H5 D5 C5, B pass, C pass, A S9, B H6, C C3",
)

COUNTER = (
    "A S5 H5 D5 C5 S9 ST / B S4 H4 D4 C4 H9 / C C9 CK",
    "A S5 H5 D5 C5, B S4 H4 D4 C4",
)

EXAMPLES: dict[str, Example] = {
    "kakumei": ExampleHand({"kakumei": True}, *FOURS),
    "kakumei_timing": ExampleHand(
        {"kakumei": True, "kakumei_timing": "immediate"},
        "A S5 H5 D5 C5 S9 / B S4 H4 D4 C4 H9 / C C9 CK",
        "A S5 H5 D5 C5, B S4 H4 D4 C4, C pass",
    ),
    "kakumei_joker": ExampleHand(
        {"kakumei": True, "kakumei_joker": False},
        "A S5 H5 D5 JK S9 / B H4 H6 / C C3 CK",
        "A S5 H5 D5 JK, B pass, C pass, A S9",
    ),
    "kakumei_set": ExampleHand(
        {"kakumei": True, "kakumei_set": 3},
        "A S5 H5 D5 S9 ST / B H4 H6 / C C3 CK",
        "A S5 H5 D5, B pass, C pass, A S9, B H6",
    ),
    "kakumei_sequence": ExampleHand(
        {"kakumei": True, "kakumei_sequence": 5},
        "A S4 S5 S6 S7 S8 S9 ST / B H4 H6 / C C3 CK",
        "A S4 S5 S6 S7 S8, B pass, C pass, A S9, B H6",
    ),
    "kakumei_triples": ExampleHand(
        {"kakumei": True, "kakumei_triples": ["9"]},
        "A S9 H9 D9 ST SJ / B H4 H6 / C C3 CK",
        "A S9 H9 D9, B pass, C pass, A ST, B H6",
    ),
    "joker_kakumei": ExampleHand(
        {"joker_kakumei": True, "jokers": 2},
        "A JK JK S9 ST / B H4 H6 / C C3 CK",
        "A JK JK, B pass, C pass, A S9, B H6",
    ),
    "kakumei_optional": ExampleHand(
        {"kakumei": True, "kakumei_optional": True},
        FOURS[0],
        "A S5 H5 D5 C5, A declines, B pass, C pass, A S9, B H6 refused",
    ),
    "kakumei_counter": ExampleHand(
        {"kakumei": True, "kakumei_timing": "immediate", "kakumei_counter": False},
        *COUNTER,
    ),
    "kakumei_lock_at": ExampleHand(
        {"kakumei_sequence": 5, "kakumei_timing": "immediate", "kakumei_lock_at": 5},
        "A S5 S6 S7 S8 S9 ST / B H4 H5 H6 H7 H8 DJ / C C3 CK",
        "A S5 S6 S7 S8 S9, B H4 H5 H6 H7 H8",
    ),
    "omen_final": ExampleHand(
        {"kakumei_triples": ["6"], "kakumei": True, "omen_final": True},
        "A S6 H6 D6 S9 ST / B S4 H4 D4 C4 H8 / C C3 CK",
        "A S6 H6 D6, B pass, C pass, A S9, B H8, C C3, A pass, B pass, C CK, A pass, B S4",
    ),
    "kakumei_clears": ExampleHand(
        {"kakumei": True, "kakumei_clears": True},
        "A S5 H5 D5 C5 S9 ST / B H4 H6 / C C3 CK",
        "A S5 H5 D5 C5, A S9, B H6",
    ),
    "jack_back": ExampleHand(
        {"jack_back": "trick"},
        "A HJ S3 / B H9 HK / C C3 CK",
        "A HJ, B HK refused, B H9, C C3, A pass, B pass",
    ),
    "jack_back_again": ExampleHand(
        {"jack_back": "trick", "jack_back_again": "stay"},
        "A SJ SQ SK S3 / B H9 HT HJ HK / C D8 D9 DT CK",
        "A SJ SQ SK, B H9 HT HJ, C D8 D9 DT",
    ),
    "jack_back_optional": ExampleHand(
        {"jack_back": "trick", "jack_back_optional": True},
        "A HJ S3 / B H9 HK / C C3 CK",
        "A HJ, A declines, B HK",
    ),
    "jack_back_three": ExampleHand(
        {"jack_back": "trick", "jack_back_three": True},
        "A HJ SJ DJ S9 SK / B H9 HK / C C3 CK",
        "A HJ SJ DJ, B pass, C pass, A S9, B HK refused, B pass, C C3, A pass, B pass",
    ),
    "back_ranks": ExampleHand(
        {"back_ranks": ["2"]},
        "A H2 S3 / B H9 HK / C C3 CK",
        "A H2, B HK, C C3, A pass, B pass",
    ),
    "six_modoshi": ExampleHand(
        {"jack_back": "trick", "six_modoshi": True},
        "A HJ S3 / B H6 HK / C C9 C4",
        "A HJ, B H6, C C9",
    ),
}
