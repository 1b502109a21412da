"""Played examples of the options in `arena.rules.options.exchange`."""

from __future__ import annotations

from arena.reference.scenes import Dealing, Example

LOW = "D S3 S4 S5 S6 S7 S8 S9 ST H3 H4 H5 H6 H7"

EXAMPLES: dict[str, Example] = {
    "exchange": Dealing(
        {"exchange": "denexa"},
        "A S3 H4 / D JK C2",
        "D gives C2 JK, A gives S3 H4",
        "ABCD",
    ),
    "exchange_order": Dealing(
        {"exchange_order": "together"},
        "A S3 / D JK",
        "A gives S3, D gives JK",
        "ABCD",
    ),
    "exchange_pick": Dealing(
        {"exchange_pick": "asked"},
        "A S3 / D JK HK",
        "A asks K, D gives HK, A gives S3",
        "ABCD",
    ),
    "exchange_keep_joker": Dealing(
        {"exchange_keep_joker": True, "players": 5},
        "A S3 S4 / B S5 / D DA / E JK C2 D2",
        "E gives C2 D2",
        "ABCDE",
    ),
    "exchange_no_joker": Dealing(
        {"exchange_no_joker": True},
        "A S3 / D JK C2 HK",
        "D gives JK refused, D gives C2",
        "ABCD",
    ),
    "exchange_ties": Dealing(
        {"exchange_ties": "suits"},
        "A JK S3 / D S2 H2",
        "D gives H2 refused, D gives S2",
        "ABCD",
    ),
    "dokusen": Dealing(
        {"dokusen": True, "exchange": "none"},
        "A S2 H2 D2 C2 JK",
        "",
        "ABCD",
    ),
    "both_jokers_reversal": Dealing(
        {"both_jokers_reversal": True, "jokers": 2},
        "D JK JK S3",
        "",
        "ABCD",
    ),
    "tenpen_chii": Dealing({"tenpen_chii": "ends"}, LOW, "", "ABCD"),
}
