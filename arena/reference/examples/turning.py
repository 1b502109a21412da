"""Played examples of the options in `arena.rules.options.turning`."""

from arena.reference.scenes import Example, ExampleHand

EXAMPLES: dict[str, Example] = {
    "go_tobi": ExampleHand(
        {"go_tobi": "per_card"},
        "A S5 H5 S3 / B H7 D7 H3 / C C9 D9 D4 / D DK CK D3",
        "A S5 H5, D DK CK",
    ),
    "kyu_reverse": ExampleHand(
        {"kyu_reverse": "hand"},
        "A S9 S3 / B HK H3 / C CT D4",
        "A S9, C CT, B HK",
    ),
}
