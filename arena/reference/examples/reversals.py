"""Played examples of the options in `arena.rules.options.reversals`."""

from arena.reference.scenes import Example, ExampleHand

_FOURS = (
    "A S5 H5 D5 C5 S9 ST / B H4 H6 / C C3 CK",
    "A S5 H5 D5 C5, B pass, C pass, A S9, B H6, C C3",
)

EXAMPLES: dict[str, Example] = {
    "kakumei": ExampleHand({"kakumei": True}, *_FOURS),
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
}
