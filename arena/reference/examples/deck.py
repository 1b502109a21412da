"""Played examples of the options in `arena.rules.options.deck`."""

from __future__ import annotations

from arena.reference.scenes import Dealing, Example, ExampleHand, ExampleTable

EXAMPLES: dict[str, Example] = {
    "players": Dealing({"players": 5, "first_lead": "dealer_left"}),
    "players_range": ExampleTable({"players_range": (3, 8)}, 1),
    "decks": Dealing(
        {"decks": 2, "jokers": 2, "first_lead": "dealer_left"},
        "A S4 S4 / B H5 H5",
        "A S4 S4, B H5 H5",
    ),
    "jokers": Dealing(
        {"jokers": 2, "first_lead": "dealer_left"},
        "A SK HK / B S2 H2 / C JK JK",
        "A SK HK, B S2 H2, C JK JK",
    ),
    "suits": Dealing({"suits": ["S", "H", "D"], "players": 3, "first_lead": "dealer_left"}),
    "direction": ExampleHand(
        {"direction": "ccw"},
        "A S3 H5 / B HK H4 / C C9 D4",
        "A S3, C C9, B HK",
    ),
    "blind_cards": Dealing({"blind_cards": 1, "first_lead": "dealer_left"}),
    "deal_start": Dealing({"deal_start": "dealer", "first_lead": "dealer_left"}),
    "first_dealer": ExampleTable({"first_dealer": "host"}, 1),
    "next_dealer": ExampleTable({"next_dealer": "rotate"}, 3),
    "reset_every": ExampleTable({"reset_every": 2}, 4),
}
