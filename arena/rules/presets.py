"""Named rulesets and named variations of them, as plain data.

Each is written as differences from the defaults of the catalogue. Nothing here is code: names and
values are checked against the catalogue when a ruleset is resolved, and by a test for all of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

Differences = Mapping[str, Any]


class Preset(NamedTuple):
    """A named ruleset. document: prefix of its patches; says: one sentence; source: where from."""

    document: str
    says: str
    source: str
    options: Differences


PRESETS: dict[str, Preset] = {
    "pagat": Preset(
        "pagat",
        "The basic game of the Pagat page: one joker, sets and sequences, nothing else.",
        "Pagat (documents A and B)",
        {},
    ),
    "denexa": Preset(
        "denexa",
        "Denexa's game: no jokers, no sequences, a pass bars, the winner leads.",
        "Denexa (document D)",
        {
            "players": 5,
            "players_range": (3, 8),
            "jokers": 0,
            "sequences": False,
            "first_lead": "dealer_left",
            "next_lead": "winner",
            "pass_lockout": True,
            "out_lead": "sole_survivor",
            "titles": "denexa",
            "exchange": "denexa",
            "session_end": "hands:10",
            "overall_winner": "last_daifugo",
        },
    ),
    "qcsalon_forum": Preset(
        "forum",
        "The game as asked for in QuentinC's Playroom: the basic game of Pagat.",
        "forum post (document F)",
        {},
    ),
    "ru": Preset(
        "ru",
        "The Russian page: equal plays, one turn each in a trick, the first out ends the hand.",
        "Russian page (document R)",
        {
            "next_dealer": "rotate",
            "first_lead": "lot",
            "next_lead": "lot",
            "equal_plays": True,
            "trick": "one_lap",
            "hand_end": "first_out",
            "loser": "most_cards",
            "titles": "ru",
            "exchange": "ru",
            "exchange_order": "winner_first",
        },
    ),
    "japan_league": Preset(
        "japan_league",
        "The rules of the Japanese federation (日本大富豪連盟).",
        "the federation's glossary, and public implementations of its rules",
        {
            "jokers": 2,
            "blind_cards": 2,
            "max_set": 6,
            "first_lead": "lot",
            "pass_lockout": True,
            "lead_pass": "never",
            "kakumei": True,
            "kakumei_timing": "immediate",
            "hachi_giri": True,
            "hachi_giri_sequences": False,
            "miyako_ochi": "drop",
            "shibari": "full",
            "spade_three": "clears",
            "forbidden_finish": ("high_set", "any_joker", "eight", "spade_three"),
            "exchange": "pagat_two_one",
            "exchange_order": "together",
            "six_card_clears": True,
            "top_sequence_clears": True,
            "titles": "nihon",
        },
    ),
    "uecda": Preset(
        "uecda",
        "The computer Daihinmin contest of the University of Electro-Communications.",
        "the official C devkit of 2018",
        {
            "players": 5,
            "players_range": (5, 5),
            "first_lead": "holder:D3",
            "next_lead": "holder:D3",
            "pass_lockout": True,
            "lead_pass": "always",
            "trick": "unbeaten_self",
            "max_set": 5,
            "sequence_compare": "disjoint",
            "sequence_past_two": True,
            "sequence_below_three": True,
            "kakumei": True,
            "kakumei_timing": "immediate",
            "kakumei_sequence": 5,
            "hachi_giri": True,
            "shibari": "full",
            "joker_lock": "full",
            "joker_lifts_lock": True,
            "spade_three": "clears",
            "deal_start": "first_place",
            "exchange_ties": "suits",
            "max_idle_passes": 20,
            "idle_rank": "random",
            "reset_every": 100,
            "scoring": "table",
            "score_table": (5, 4, 3, 2, 1),
            "titles": "nihon",
        },
    ),
    "tycoon_p5r": Preset(
        "tycoon_p5r",
        "Tycoon, the game inside Persona 5 Royal.",
        "write-ups of the game and a public engine",
        {
            "jokers": 2,
            "sequences": False,
            "max_set": 4,
            "first_lead": "holder:D3",
            "kakumei": True,
            "kakumei_timing": "immediate",
            "hachi_giri": True,
            "spade_three": "clears",
            "miyako_ochi": "drop",
            "exchange": "pagat_two_one",
            "session_end": "hands:3",
            "titles": "nihon",
        },
    ),
    "dqx": Preset(
        "dqx",
        "Daifugō as played inside Dragon Quest X.",
        "the official play guide, and surveys of rule sets",
        {
            "first_lead": "holder:D3",
            "lead_pass": "never",
            "kakumei": True,
            "kakumei_timing": "immediate",
            "hachi_giri": True,
            "shibari": "full",
            "spade_three": "clears",
            "jack_back": "trick",
            "forbidden_finish": (
                "high_set",
                "high_sequence",
                "any_joker",
                "eight",
                "spade_three",
            ),
            "forbidden_follow_jack": True,
            "miyako_ochi": "drop",
            "exchange": "pagat_two_one",
            "session_end": "hands:4",
        },
    ),
}

_PAGAT: dict[str, Differences] = {
    "eight_players": {"players_range": (3, 8)},
    "double_deck": {"decks": 2, "jokers": 2},
    "kakumei": {"kakumei": True},
    "kakumei_run5": {"kakumei": True, "kakumei_sequence": 5},
    "kakumei_run4": {"kakumei": True, "kakumei_sequence": 4},
    "kakumei_333": {"kakumei": True, "kakumei_triples": ("3",)},
    "kakumei_genuine": {"kakumei": True, "kakumei_joker": False},
    "no_joker": {"jokers": 0},
    "two_jokers": {"jokers": 2},
    "early_1979": {"jokers": 2, "sequences": False, "both_jokers_reversal": True},
    "no_twos": {"sequence_twos": False},
    "miyako_ochi": {"miyako_ochi": "drop"},
    "shibari": {"shibari": "full"},
    "kata_shibari": {"shibari": "kata"},
    "shibari_three": {"shibari": "full", "shibari_after": 3},
    "no_high_finish": {"forbidden_finish": ("high_set", "high_sequence", "single_joker")},
    "no_joker_finish": {"forbidden_finish": ("single_joker",)},
    "spade_three": {"spade_three": "beatable"},
    "hachi_giri": {"hachi_giri": True},
    "hachi_giri_no_finish": {"hachi_giri": True, "forbidden_finish": ("eight",)},
    "jack": {"jack_back": "trick"},
    "tens": {"ten_discard": "on_play"},
    "pass_lockout": {"pass_lockout": True},
    "seats": {"seats": "poor_first"},
    "seats_reverse": {"seats": "rich_first", "next_lead": "winner"},
    "exchange_two_one": {"exchange": "pagat_two_one"},
    "keep_joker": {"exchange_keep_joker": True},
    "ask": {"exchange_pick": "asked"},
    "score": {"scoring": "dai2_fu1"},
    "score_pay": {"scoring": "pay"},
}

PATCHES: dict[str, dict[str, Differences]] = {
    "pagat": _PAGAT,
    "denexa": {
        "timed": {"session_end": "minutes:60"},
        "forfeits": {"forfeits": True},
    },
    "forum": {
        name: _PAGAT[name]
        for name in ("eight_players", "double_deck", "kakumei", "kakumei_run5", "score")
    },
    "ru": {
        "eight": {"players": 8, "decks": 2, "jokers": 2},
        "eight_one_deck": {"players": 8},
        "kakumei": {"kakumei": True, "kakumei_timing": "immediate"},
        "kakumei_run": {"kakumei": True, "kakumei_timing": "immediate", "kakumei_sequence": 5},
        "two_jokers": {"jokers": 2},
        "no_twos": {"sequence_twos": False},
        "miyako_ochi": {"miyako_ochi": "play_on"},
        "shibari": {"shibari_pair_link": True},
        "no_two_finish": {"forbidden_finish": ("high_set",), "forbidden_effect": "refuse"},
        "spade_three": {"spade_three": "beatable"},
        "hachi_giri": {"hachi_giri": True},
        "jack": {"jack_back": "hand"},
        "tens": {"ten_discard": "on_clear"},
        "seats": {"seats": "swap_ends"},
    },
}

ADDING = ("forbidden_finish", "kakumei_triples")  # a patch adds to these lists (C-12)
