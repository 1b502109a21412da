"""The laws of `test_laws`, on rulesets in which a variant is on for sure and meets its neighbours.

A random ruleset of all options has each of them only now and then; here everyone has its turn.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from arena.rules import EMPTY, compile_ruleset, decide, evolve, legal
from arena.rules.cards import mask_of
from tests.rules import brute
from tests.rules.dealing import deal
from tests.rules.shorthand import names
from tests.rules.test_laws import opened, parts, walk

EVERYTHING = {"shibari": "kata", "jokers": 2, "equal_plays": True, "kakumei": True}
VARIANTS: dict[str, dict[str, Any]] = {
    "iro_shibari": {"iro_shibari": True, "shibari": "full", "q_toki": True},
    "iro_shibari and runs": {"iro_shibari": True, "suits": ["S", "H", "D"]},
    "restrict": {"restrict": ["even", "odd", "no_court", "hot_milk"]} | EVERYTHING,
    "complete_four": {"complete_four": True, "suu_shibari": True, "equal_plays": True},
    "complete_four and eights": {
        "complete_four": True,
        "hachi_giri": True,
        "four_stop": "any",
        "eight_answers": ["eight", "ten"],
    },
    "complete_four of two packs": {"complete_four": True, "decks": 2, "max_set": 3},
    "fu_ochi": {"fu_ochi": True, "miyako_ochi": "drop", "players": 6},
    "fu_ochi and fouls": {
        "fu_ochi": True,
        "miyako_ochi": "play_on",
        "mura_hachibu": True,
        "players": 7,
        "forbidden_finish": ["high_set", "any_joker"],
    },
    "dokusen": {"dokusen": True, "players": 2, "suits": ["S", "H"], "decks": 2, "jokers": 2},
    "instant_wins": {
        "instant_wins": ["tenho", "monopoly", "tepodon"],
        "players": 8,
        "jokers": 2,
        "max_set": 6,
        "first_lead": "holder:D3",
        "first_lead_show": True,
    },
    "instant_wins of few cards": {
        "instant_wins": ["tenho"],
        "players": 8,
        "decks": 2,
        "blind_cards": 20,
        "suits": ["S", "H"],
        "janken_mode": "interactive",
    },
    "shimin_byodo": {
        "shimin_byodo": True,
        "kakumei_triples": ["3", "7"],
        "kakumei_optional": True,
        "kakumei_sequence": 4,
    },
    "rob": {"rob": ["thief", "nero"], "jokers": 2, "decks": 2, "kakumei": True, "players": 5},
    "four_take": {"four_take": True, "equal_plays": True, "jack_back": "trick", "decks": 2},
    "exchange_no_joker": {"exchange_no_joker": True, "jokers": 4, "exchange_pick": "asked"},
    "five_colour": {"restrict": ["five_colour"], "iro_shibari": True, "spade_three": "beatable"},
}


@pytest.mark.parametrize("name", VARIANTS)
def test_what_may_be_played_is_what_brute_force_finds(name: str) -> None:
    rules = compile_ruleset({"options": VARIANTS[name]})
    options = dict(rules.options)
    compared = 0
    for seed in range(12):
        for state, _, _ in walk(rules, opened(rules, seed, cards=5), Random(seed)):
            if state.questions or state.held[state.to_move].bit_count() > 8:
                continue
            seat = state.to_move
            listed = [(m.codes, m.role_codes) for m in legal(rules, state, seat).melds]
            table = brute.table_of(options, state, seat)
            assert set(listed) == brute.plays(options, names(state.held[seat]), table)
            compared += 1
    assert compared > 90


@pytest.mark.parametrize("name", VARIANTS)
def test_no_card_is_lost_and_every_hand_ends(name: str) -> None:
    rules = compile_ruleset({"options": VARIANTS[name]})
    for seed in range(8):
        places = tuple(Random(seed).sample(range(rules.players), rules.players)) if seed else ()
        state = evolve(EMPTY, decide(rules, EMPTY, deal(rules, seed, places=places)))
        for before, _, events in walk(rules, state, Random(seed)):
            state = evolve(before, events)
            assert sum(parts(state)) == mask_of(rules.deck)
        assert sorted(state.places) == list(range(rules.players))
