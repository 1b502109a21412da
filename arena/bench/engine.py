"""The engine alone: hands played out at random through legal, decide and evolve, and through
`arena.game`, on one core."""

from __future__ import annotations

import time
from collections.abc import Mapping
from random import Random
from statistics import median
from typing import Any, NamedTuple

from arena.game import GameState
from arena.rules import EMPTY, Ruleset, compile_ruleset, decide, evolve, legal
from arena.rules.commands import Deal, Lots

PARTS = 20

Spec = str | Mapping[str, Any]

SPINE: Mapping[str, Any] = {
    "preset": "pagat",
    "options": {
        "kakumei": True,
        "kakumei_sequence": 5,
        "hachi_giri": True,
        "shibari": "full",
        "jack_back": "trick",
        "spade_three": "clears",
        "pass_lockout": True,
        "forbidden_finish": ["high_set", "high_sequence", "single_joker", "eight"],
        "miyako_ochi": "drop",
    },
}
ASLEEP: Mapping[str, Any] = {
    "preset": "pagat",
    "options": {
        "joker_effects": False,
        "kakumei_joker": False,
        "kakumei_timing": "immediate",
        "kakumei_sequence": 5,
        "kyukyusha": True,
        "rokurokubi": True,
        "sunaarashi": "beats",
        "top_sequence_clears": True,
        "shibari_pair_link": True,
        "sequence_past_two": True,
        "sequence_compare": "disjoint",
        "exchange_order": "together",
        "exchange_pick": "asked",
        "exchange_keep_joker": True,
        "exchange_ties": "suits",
        "tenpen_chii": "ends",
        "gekokujo": True,
        "miyako_ochi": "drop",
        "reset_every": 100,
        "scoring": "pay",
        "titles": "nihon",
        "out_lead": "sole_survivor",
        "first_dealer": "host",
        "next_dealer": "rotate",
        "deal_start": "first_place",
        "discard_view": "open",
        "seats": "poor_first",
        "overall_winner": "most_points",
        "forfeits": True,
        "first_lead": "lot",
    },
}


class PlayOut(NamedTuple):
    """What a run of random hands came to.

    decisions: in a hand, on average; quickest, middle: seconds for a decision, in the quickest of
    the parts and in the middle one; states: the quickest through `arena.game`; baseline: rounds in
    a second.
    """

    decisions: float
    quickest: float
    middle: float
    states: float
    baseline: float

    @property
    def hands_per_s(self) -> float:
        """Hands in a second, at the pace of the quickest part."""
        return 1 / (self.quickest * self.decisions)

    @property
    def middle_hands_per_s(self) -> float:
        """Hands in a second, at the pace of the middle part."""
        return 1 / (self.middle * self.decisions)

    @property
    def states_hands_per_s(self) -> float:
        """Hands in a second through `arena.game`, at the pace of the quickest part."""
        return 1 / (self.states * self.decisions)

    @property
    def ratio(self) -> float:
        """Hands for each round of the baseline."""
        return self.hands_per_s / self.baseline


def random_deal(rules: Ruleset, random: Random) -> Deal:
    """A deal of a first hand."""
    players = range(rules.players)

    def order() -> tuple[int, ...]:
        return tuple(random.sample(players, len(players)))

    throws = tuple(tuple(random.randrange(3) for _ in players) for _ in range(64))
    lots = Lots(order(), order(), order(), order(), throws)
    return Deal(tuple(random.sample(rules.deck, len(rules.deck))), lots.dealer[0], lots)


def play_out(spec: Spec, hands: int, *, seed: int = 1) -> PlayOut:
    """Play hands at random; every legal answer is as likely as any other.

    In CPU time, in several parts of which the quickest measures what the engine can do: neighbours
    on the machine only ever make a part slower. The baseline is measured around each part, in the
    same way.
    """
    rules = compile_ruleset(spec)
    random = Random(seed)
    each = max(1, hands // PARTS)
    _play(rules, [random_deal(rules, random) for _ in range(each)], random)  # tables fill up
    rounds, decisions, paces, states = baseline(), 0, [], []
    for _ in range(PARTS):
        deals = [random_deal(rules, random) for _ in range(each)]
        began = time.process_time()
        made = _play(rules, deals, random)
        paces.append((time.process_time() - began) / made)
        rounds = max(rounds, baseline())
        decisions += made
        others = [random_deal(rules, random) for _ in range(each)]  # that no table has met yet
        began = time.process_time()
        made = _play_states(rules, others, random)
        states.append((time.process_time() - began) / made)
    per_hand = decisions / (PARTS * each)
    return PlayOut(per_hand, min(paces), median(paces), min(states), rounds)


def _play(rules: Ruleset, deals: list[Deal], random: Random) -> int:
    """Play deals to their ends; the number of decisions."""
    decisions = 0
    chance = random.random
    for deal in deals:
        state = evolve(EMPTY, decide(rules, EMPTY, deal))
        while not state.places:
            seat = state.to_move
            menu = legal(rules, state, seat if seat >= 0 else state.open[0][0])
            answer = menu.answer(int(chance() * menu.size))
            state = evolve(state, decide(rules, state, answer))
            decisions += 1
    return decisions


def _play_states(rules: Ruleset, deals: list[Deal], random: Random) -> int:
    """The same through `arena.game`, as a bot plays hands out."""
    decisions = 0
    chance = random.random
    for deal in deals:
        hand = GameState(rules, evolve(EMPTY, decide(rules, EMPTY, deal)))
        while hand.result() is None:
            menu = hand.legal()
            hand = hand.play(menu[int(chance() * len(menu))])
            decisions += 1
    return decisions


def baseline(loops: int = 300) -> float:
    """Rounds of a fixed piece of plain Python in a second: 1,000 integers and a dictionary."""
    began = time.process_time()
    for _ in range(loops):
        table = {}
        for number in range(1000):
            table[number & 63] = number & -number
    return loops / (time.process_time() - began)
