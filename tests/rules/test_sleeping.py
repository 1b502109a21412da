"""A rule whose trigger never occurs changes nothing: the same commands bring the same events."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any, NamedTuple

import pytest

from arena.rules import EMPTY, State, compile_ruleset, decide, evolve, legal
from arena.rules.cards import (
    ACE,
    EIGHT,
    FIVE,
    FOUR,
    JACK,
    KING,
    NINE,
    QUEEN,
    SEVEN,
    SIX,
    TEN,
    THREE,
    TWO,
)
from arena.rules.melds import Kind, Meld, suits_common
from arena.rules.options.limits import colours
from tests.rules.dealing import deal

Wakes = Callable[[State, Meld], bool]


class Sleeper(NamedTuple):
    """Options that sleep as long as no play `wakes` them, in a game of some other options."""

    options: dict[str, Any]
    wakes: Wakes
    game: dict[str, Any] = {}  # noqa: RUF012 - a constant of the table below


def has(*ranks: int) -> Wakes:
    return lambda s, m: any(m.count(rank, roles=True) for rank in ranks)


def never(s: State, m: Meld) -> bool:
    return False


def set_of(size: int) -> Wakes:
    return lambda s, m: m.kind is Kind.SET and m.size >= size


def run_of(size: int) -> Wakes:
    return lambda s, m: m.kind is Kind.SEQUENCE and m.size >= size


def shares_suits(s: State, m: Meld) -> bool:
    return s.pile is not None and bool(suits_common(s.pile.suits, m.suits))


def steps_up(s: State, m: Meld) -> bool:
    return s.pile is not None and abs(s.pile.low - m.low) == 1


def could_foul(s: State, m: Meld) -> bool:
    return s.held[s.to_move] & ~m.cards == 0


def on_lone_joker(s: State, m: Meld) -> bool:
    return s.pile is not None and s.pile.codes == ("JK",)


TWO_JOKERS = {"jokers": 2}
SLEEPERS = {
    "hachi_giri": Sleeper({"hachi_giri": True}, has(EIGHT)),
    "hachi_giri_sequences": Sleeper(
        {"hachi_giri_sequences": False}, run_of(3), {"hachi_giri": True}
    ),
    "kakumei": Sleeper({"kakumei": True}, set_of(4)),
    "kakumei_sequence": Sleeper({"kakumei_sequence": 4}, run_of(4)),
    "kakumei_triples": Sleeper({"kakumei_triples": ["3", "9", "7"]}, set_of(3)),
    "kakumei_joker": Sleeper(
        {"kakumei_joker": False}, lambda s, m: m.jokers > 0, {"kakumei": True, "jokers": 1}
    ),
    "jack_back": Sleeper({"jack_back": "trick"}, has(JACK)),
    "jack_back for the hand": Sleeper({"jack_back": "hand"}, has(JACK)),
    "ten_discard": Sleeper({"ten_discard": "on_play"}, has(TEN)),
    "ten_discard at the clear": Sleeper(
        {"ten_discard": "on_clear", "ten_discard_must": True}, has(TEN)
    ),
    "nana_watashi": Sleeper({"nana_watashi": "must"}, has(SEVEN)),
    "q_bomber": Sleeper({"q_bomber": "rank"}, has(QUEEN)),
    "go_tobi": Sleeper({"go_tobi": "per_card"}, has(FIVE)),
    "kyu_reverse": Sleeper({"kyu_reverse": "hand"}, has(NINE)),
    "kyu_reverse for the trick": Sleeper({"kyu_reverse": "trick"}, has(NINE)),
    "kyukyusha": Sleeper({"kyukyusha": True}, has(NINE)),
    "rokurokubi": Sleeper({"rokurokubi": True}, has(SIX)),
    "two_clears": Sleeper({"two_clears": True}, has(TWO)),
    "six_card_clears": Sleeper({"six_card_clears": True}, set_of(6), {"max_set": 6} | TWO_JOKERS),
    "top_sequence_clears": Sleeper({"top_sequence_clears": True}, run_of(3)),
    "spade_three": Sleeper({"spade_three": "clears"}, on_lone_joker),
    "wild_top": Sleeper({"spade_three": "wild_top"}, has(THREE)),
    "joker_return": Sleeper({"joker_return": True}, on_lone_joker, TWO_JOKERS),
    "sunaarashi": Sleeper({"sunaarashi": "clears"}, set_of(3)),
    "down_number": Sleeper({"down_number": True}, never),
    "emperor": Sleeper({"emperor": "kakumei"}, never),
    "spade_two": Sleeper({"spade_two": "clears"}, on_lone_joker, {"kakumei_sequence": 5}),
    "skip_ranks": Sleeper({"skip_ranks": ["K", "T"]}, has(KING, TEN)),
    "reverse_ranks": Sleeper({"reverse_ranks": ["Q", "6"]}, has(QUEEN, SIX)),
    "equal_skips": Sleeper(
        {"equal_skips": True},
        lambda s, m: s.pile is not None and s.pile.low == m.low,
        {"equal_plays": True},
    ),
    "back_ranks": Sleeper({"back_ranks": ["2", "T"]}, has(TWO, TEN)),
    "six_modoshi": Sleeper({"six_modoshi": True}, has(SIX), {"jack_back": "trick"}),
    "joker_kakumei": Sleeper(
        {"joker_kakumei": True}, lambda s, m: not m.ranks and m.size == 2, TWO_JOKERS
    ),
    "revolutions that stay": Sleeper(
        {"kakumei_counter": False, "kakumei_clears": True, "omen_final": True},
        set_of(3),
        {"kakumei": True, "kakumei_triples": ["6"]},
    ),
    "kakumei_set": Sleeper({"kakumei_set": 3}, set_of(3), {"kakumei": True}),
    "kakumei_cuts": Sleeper({"kakumei_cuts": ["5", "6"]}, set_of(4), {"kakumei": True}),
    "igen and ansatsu": Sleeper({"igen": True, "ansatsu": True}, has(KING, TWO, THREE)),
    "discard_ranks": Sleeper({"discard_ranks": ["7", "4"]}, has(SEVEN, FOUR)),
    "nine_modoshi": Sleeper({"nine_modoshi": "must"}, has(NINE)),
    "yagiri": Sleeper({"yagiri": True}, has(EIGHT), {"hachi_giri": True}),
    "q_bomber of own ranks": Sleeper({"q_bomber": "own_rank"}, has(QUEEN)),
    "q_bomber, one each": Sleeper({"q_bomber": "one_each"}, has(QUEEN)),
    "kyo_ochi in the first hand": Sleeper({"kyo_ochi": "drop"}, never),
    "four_stop": Sleeper({"four_stop": "any"}, has(EIGHT), {"hachi_giri": True}),
    "eight_answers": Sleeper(
        {"eight_answers": ["eight", "spade_seven", "ten"]}, has(EIGHT), {"hachi_giri": True}
    ),
    "q_toki": Sleeper({"q_toki": True}, has(QUEEN), {"shibari": "full"}),
    "nine_quick": Sleeper({"nine_quick": True}, has(NINE)),
    "complete_four": Sleeper(
        {"complete_four": True},
        lambda s, m: s.pile is not None and s.pile.low == m.low,
        {"equal_plays": True},
    ),
    "iro_shibari": Sleeper(
        {"iro_shibari": True},
        lambda s, m: s.pile is not None and colours(s.pile) == colours(m),
    ),
    "restrict": Sleeper(
        {"restrict": ["even", "odd", "no_court", "five_colour", "hot_milk"]},
        has(FOUR, FIVE, SIX, NINE),
    ),
    "three_stop": Sleeper({"three_stop": True}, has(FIVE), {"go_tobi": "one"}),
    "six_nine": Sleeper({"six_nine": True}, has(SIX, NINE)),
    "kakumei_optional": Sleeper({"kakumei_optional": True}, set_of(4), {"kakumei": True}),
    "jack_back_optional": Sleeper({"jack_back_optional": True}, has(JACK), {"jack_back": "trick"}),
    "jack_back_three": Sleeper(
        {"jack_back_three": True},
        lambda s, m: m.count(JACK, roles=True) > 2,
        {"jack_back": "trick"},
    ),
    "lucky_seven": Sleeper({"lucky_seven": True}, has(SEVEN)),
    "dai_kakumei": Sleeper({"dai_kakumei": True}, set_of(4)),
    "ace_take": Sleeper({"ace_take": True}, has(ACE)),
    "shibari": Sleeper({"shibari": "full"}, shares_suits),
    "kata_shibari": Sleeper({"shibari": "kata"}, shares_suits),
    "shibari_after": Sleeper({"shibari": "full", "shibari_after": 3}, shares_suits),
    "suu_shibari": Sleeper({"suu_shibari": True}, steps_up),
    "geki_shibari": Sleeper({"geki_shibari": True}, steps_up),
    "shibari_pair_link": Sleeper({"shibari_pair_link": True}, set_of(2)),
    "forbidden_finish": Sleeper(
        {"forbidden_finish": ["high_set", "high_sequence", "jack", "any_joker"]}, could_foul
    ),
    "foul_clears": Sleeper(
        {"foul_clears": True}, could_foul, {"forbidden_finish": ["high_set", "jack"]}
    ),
    "forbidden_finish, refused": Sleeper(
        {"forbidden_finish": ["high_set", "jack"], "forbidden_effect": "refuse"}, could_foul
    ),
    "miyako_ochi in the first hand": Sleeper({"miyako_ochi": "drop", "gekokujo": True}, never),
    "dokusen in the first hand": Sleeper({"dokusen": True}, never),
    "instant_wins": Sleeper(
        {"instant_wins": ["tenho", "monopoly", "tepodon"]}, set_of(6), {"max_set": 6} | TWO_JOKERS
    ),
    "shimin_byodo": Sleeper({"shimin_byodo": True}, set_of(4), {"kakumei": True}),
    "rob": Sleeper({"rob": ["thief", "nero"]}, set_of(3)),
    "four_take": Sleeper({"four_take": True}, has(FOUR)),
    "fu_ochi in the first hand": Sleeper(
        {"miyako_ochi": "play_on", "fu_ochi": True, "mura_hachibu": True}, never
    ),
    "agari_nagashi": Sleeper({"agari_nagashi": True}, could_foul),
    "max_set": Sleeper({"max_set": 6}, set_of(4), TWO_JOKERS),
    "sequence_past_two": Sleeper(
        {"sequence_past_two": True, "sequence_below_three": True},
        lambda s, m: m.kind is Kind.SEQUENCE and m.jokers > 0,
    ),
    "sequence_wrap": Sleeper({"sequence_wrap": "tunnel"}, run_of(3)),
    "exchange in the first hand": Sleeper(
        {"exchange": "ru", "exchange_pick": "asked", "tenpen_chii": "ends"}, never
    ),
    "both jokers in the first hand": Sleeper({"both_jokers_reversal": True}, never, TWO_JOKERS),
    "equal_plays": Sleeper(
        {"equal_plays": True}, lambda s, m: s.pile is not None and s.pile.low == m.low
    ),
    "max_idle_passes": Sleeper(
        {"max_idle_passes": 30, "idle_rank": "random"},
        lambda s, m: s.idle > 20,
        {"lead_pass": "always", "max_idle_passes": 40},
    ),
    "scoring": Sleeper({"scoring": "pay", "titles": "ru", "seats": "swap_ends"}, never),
}


@pytest.mark.parametrize("name", SLEEPERS)
def test_a_sleeping_rule_changes_nothing(name: str) -> None:
    sleeper = SLEEPERS[name]
    without = compile_ruleset({"options": sleeper.game})
    asleep = compile_ruleset({"options": sleeper.game | sleeper.options})
    played = 0
    for seed in range(4):
        random = Random(seed)
        command = deal(without, seed)
        state = EMPTY
        while True:
            events = decide(without, state, command)
            other = decide(asleep, state, command)
            assert without_titles(other) == without_titles(events)
            state = evolve(state, events)
            played += 1
            answers = [] if state.over else quiet_answers(without, state, sleeper.wakes)
            if not answers:
                break
            command = random.choice(answers)
    assert played > 60


def without_titles(events: list[Any]) -> list[Any]:
    """Events without the titles that a deal names."""
    return [replace(e, titles=()) if hasattr(e, "titles") else e for e in events]


def quiet_answers(rules: Any, state: State, wakes: Wakes) -> list[Any]:
    """The answers that wake nothing."""
    menu = legal(rules, state, state.to_move)
    loud = {i for i, m in enumerate(menu.melds, start=menu.may_pass) if wakes(state, m)}
    return [menu.answer(i) for i in range(len(menu)) if i not in loud]
