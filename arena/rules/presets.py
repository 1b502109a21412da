"""Named rulesets, as plain data.

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
    "house": Preset(
        "pagat",
        "A house game with the common card effects together: 5 skips, 7 passes on, 8 clears, "
        "9 turns, 10 discards, J turns back, Q bombs; spade 3, revolution, lock, miyako-ochi.",
        "surveys of rule sets and of public implementations",
        {
            "jokers": 2,
            "first_lead": "holder:D3",
            "kakumei": True,
            "kakumei_timing": "immediate",
            "go_tobi": "per_card",
            "nana_watashi": "may",
            "hachi_giri": True,
            "kyu_reverse": "hand",
            "ten_discard": "on_play",
            "jack_back": "trick",
            "q_bomber": "rank",
            "spade_three": "clears",
            "shibari": "full",
            "miyako_ochi": "drop",
            "exchange": "pagat_two_one",
            "titles": "nihon",
        },
    ),
    "school": Preset(
        "pagat",
        "What school classes play: revolution, 8 clears, J turns back, spade 3, lock, miyako-ochi, "
        "and no going out with a 2, a joker or an 8.",
        "the five official rules and foul finishes, as surveys of rule sets name them",
        {
            "first_lead": "holder:D3",
            "kakumei": True,
            "kakumei_timing": "immediate",
            "hachi_giri": True,
            "jack_back": "trick",
            "spade_three": "clears",
            "shibari": "full",
            "miyako_ochi": "drop",
            "forbidden_finish": ("high_set", "any_joker", "eight"),
            "exchange": "pagat_two_one",
            "titles": "nihon",
        },
    ),
}
