"""Played examples of the options in `arena.rules.options.titles`."""

from __future__ import annotations

from arena.reference.scenes import Example, ExampleHand, ExampleTable

WHOLE = (
    "A S9 / B HK / C C5 C6 / D D4 D5",
    "A S9, B HK, C pass, D pass, C C5, D pass, C C6",
)

EXAMPLES: dict[str, Example] = {
    "titles": ExampleHand({"titles": "nihon"}, *WHOLE),
    "title_table": ExampleHand({"title_table": ["boss", "clerk", "trainee"]}, *WHOLE),
    "scoring": ExampleHand({"scoring": "dai2_fu1"}, *WHOLE),
    "score_table": ExampleHand({"scoring": "table", "score_table": [4, 2, 1, 0]}, *WHOLE),
    "session_end": ExampleTable({"session_end": "hands:2"}, 3),
    "overall_winner": ExampleTable({"overall_winner": "last_daifugo"}, 2),
    "forfeits": ExampleHand({"forfeits": True}, *WHOLE),
    "discard_view": ExampleHand(
        {"discard_view": "open"},
        "A SK S3 / B H4 H5 / C C9 D4",
        "A SK, B pass, C pass",
    ),
}
