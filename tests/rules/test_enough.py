"""What an option needs at least is enough: rulesets that lack nothing by one card."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import BadInput
from arena.rules import compile_ruleset
from arena.rules.options import OPTIONS
from arena.rules.options.titles import titles_for
from arena.rules.ruleset import resolve
from tests.rules.test_needs import freeze

JUST_ENOUGH: list[dict[str, Any]] = [
    {"four_stop": "any", "hachi_giri": True, "max_set": 2},
    {"three_stop": True, "go_tobi": "one", "max_set": 2},
    {"kyukyusha": True, "max_set": 2},
    {"rokurokubi": True, "max_set": 2},
    {"shibari_pair_link": True, "max_set": 2},
    {"joker_kakumei": True, "jokers": 2, "max_set": 2},
    {"sunaarashi": "beats", "max_set": 3},
    {"kakumei_triples": ["3"], "max_set": 3},
    {"lucky_seven": True, "max_set": 3},
    {"rob": ["thief"], "max_set": 3},
    {"jack_back": "trick", "jack_back_three": True, "max_set": 3},
    {"dai_kakumei": True, "suits": ["S", "H", "D"], "max_set": 4},
    {"six_card_clears": True, "max_set": 6, "jokers": 2},
    {"spade_two": "clears", "kakumei": True, "jokers": 1},
    {"joker_return": True, "jokers": 2},
    {"both_jokers_reversal": True, "jokers": 2},
    {"exchange_no_joker": True, "jokers": 1},
    {"exchange_keep_joker": True, "jokers": 1, "titles": "denexa"},
    {"joker_lifts_lock": True, "shibari": "full", "jokers": 1},
    {"forbidden_finish": ["single_joker"], "jokers": 1},
    {"dokusen": True, "suits": ["S"], "jokers": 4},
    {"complete_four": True, "suits": ["S", "H"], "decks": 2},
    {"emperor": "form", "suits": ["S", "H", "D"], "jokers": 1},
    {"instant_wins": ["tenho"], "suits": ["S"], "decks": 2},
    {"instant_wins": ["tepodon"], "max_set": 6, "jokers": 2},
    {"kakumei": True, "suits": ["S", "H", "D"], "jokers": 1, "max_set": 4},
    {"kakumei_lock_at": 5, "kakumei_sequence": 4},
    {"sequence_wrap": "tunnel", "sequence_min": 3},
    {"igen": True, "sequence_min": 3},
    {"spade_three": "clears", "jokers": 1},
    {"restrict": ["hot_milk"], "suits": ["S", "H"]},
    {"title_table": list("abcdefgh")},
]


@pytest.mark.parametrize("options", JUST_ENOUGH)
def test_just_enough_is_taken(options: dict[str, Any]) -> None:
    """rests: OR-72"""
    table = resolve({"options": options})
    assert all(table[name] == freeze(value) for name, value in options.items())


BY_RANK = """
    back_ranks discard_ranks go_tobi hachi_giri jack_back kakumei_cuts kyu_reverse kyukyusha
    nana_watashi nine_modoshi nine_quick q_bomber q_toki reverse_ranks rokurokubi six_modoshi
    skip_ranks ten_discard two_clears yagiri
"""


def test_jokers_in_the_role_of_a_rank_matter_with_each_rule_that_goes_by_one() -> None:
    """rests: AM-19 OR-72"""
    assert {name for name, option in OPTIONS.items() if option.by_rank} == set(BY_RANK.split())


def test_a_revolution_that_stays_needs_one_and_there_are_no_more_than_eight_titles() -> None:
    """rests: OR-72 XV-classes7"""
    with pytest.raises(BadInput, match="a play that makes a revolution"):
        resolve({"options": {"kakumei_lock_at": 5, "max_set": 5}})
    with pytest.raises(BadInput, match="at most 8 words"):
        resolve({"options": {"title_table": list("abcdefghi")}})


@pytest.mark.parametrize(
    ("titles", "players", "points"),
    [
        ("pagat", 4, (1, 0, 0, -1)),
        ("pagat", 5, (2, 1, 0, -1, -2)),
        ("denexa", 4, (2, 1, -1, -2)),
        ("ru", 4, (2, 0, 0, -2)),
        ("nihon", 4, (2, 1, -1, -2)),
        ("king", 7, (3, 2, 1, 0, -1, -2, -3)),
    ],
)
def test_the_poor_pay_what_the_rich_get_by_the_titles(
    titles: str, players: int, points: tuple[int, ...]
) -> None:
    """rests: PG-104 C-8"""
    options = {"titles": titles, "players": players, "scoring": "pay"}
    assert compile_ruleset({"options": options}).table.points == points


@pytest.mark.parametrize(
    ("scheme", "titles"),
    [
        ("pagat", "fugo hinmin"),
        ("pagat", "fugo - hinmin"),
        ("pagat", "fugo - - hinmin"),
        ("pagat", "dai_fugo fugo - hinmin dai_hinmin"),
        ("pagat", "dai_fugo fugo - - hinmin dai_hinmin"),
        ("denexa", "daifugo destitute"),
        ("denexa", "daifugo commoner destitute"),
        ("denexa", "daifugo millionaire poor destitute"),
        ("denexa", "daifugo millionaire commoner poor destitute"),
        ("ru", "very_rich very_poor"),
        ("ru", "very_rich - - very_poor"),
        ("nihon", "daifugo daihinmin"),
        ("nihon", "daifugo heimin daihinmin"),
        ("nihon", "daifugo fugo hinmin daihinmin"),
        ("nihon", "daifugo fugo heimin hinmin daihinmin"),
        ("king", "king daifugo fugo heimin hinmin daihinmin slave"),
    ],
)
def test_each_place_has_the_title_that_its_scheme_gives(scheme: str, titles: str) -> None:
    """rests: PG-44 DX-11 RU-23 XV-classes7"""
    by_place = tuple(None if title == "-" else title for title in titles.split())
    assert titles_for(scheme, len(by_place)) == by_place
