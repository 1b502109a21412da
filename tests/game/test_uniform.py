"""Worlds against enumeration: the same ones, and each as often as it should be."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from scipy.stats import chi2

from arena.errors import BadInput
from arena.game import GameState, Position
from arena.rules import EMPTY, Ruleset, compile_ruleset, decide, evolve, legal
from arena.rules.commands import Command
from arena.rules.events import Event
from tests.game.enumeration import outcome, possible, ways
from tests.rules.dealing import deal

SMALL = "pagat,players=3,sequences=false"
CASES = {
    "a deal": f"{SMALL},suits=S",
    "blind cards": f"{SMALL},suits=S,jokers=0,blind_cards=2",
    "two jokers": f"{SMALL},suits=S,jokers=2",
    "two packs": "pagat,players=2,sequences=false,suits=S,decks=2,jokers=0,blind_cards=20",
    "the holder leads": f"{SMALL},suits=S,blind_cards=2,first_lead=holder:S3",
    "thrown away": f"{SMALL},suits=S,ten_discard=on_play,discard_ranks=3+4+5+6+7+8+9+J",
    "given on": f"{SMALL},suits=S,nana_watashi=must,nine_modoshi=may",
    "ranks named": f"{SMALL},suits=S,q_bomber=rank,nana_watashi=may",
    "all throw": f"{SMALL},suits=S,q_bomber=one_each",
}
TWO_EACH = "last:first:2:highest+first:last:2:any"
EXCHANGES = {
    "highest": f"{SMALL},suits=S,exchange={TWO_EACH},ten_discard=on_play",
    "asked": f"{SMALL},suits=S,exchange_pick=asked,nana_watashi=must",
    "together": f"{SMALL},suits=S,exchange_order=together",
    "no joker": f"{SMALL},suits=S,exchange_no_joker=true",
    "keeps the joker": f"{SMALL},suits=S,jokers=2,exchange_keep_joker=true",
}
DRAWS = 40
MOST_DRAWS = 12_000


def played(
    rules: Ruleset, seed: int, number: int, *, places: tuple[int, ...] = ()
) -> tuple[list[Command], list[Event]]:
    """The first commands of a hand played at random, with all events."""
    random = Random(seed)
    commands: list[Command] = [deal(rules, seed, places=places)]
    events = decide(rules, EMPTY, commands[0])
    state = evolve(EMPTY, events)
    while not state.over and len(commands) <= number:
        menu = legal(rules, state, random.choice(state.open)[0])
        commands.append(menu[random.randrange(len(menu))])
        more = decide(rules, state, commands[-1])
        state, events = evolve(state, more), events + more
    return commands, events


def compare(rules: Ruleset, commands: list[Command], events: list[Event], seat: int) -> None:
    """Fail where other deals are drawn than enumeration finds, or too unevenly."""
    expected = possible(rules, commands, seat)
    number = max(200, DRAWS * len(expected))
    if number > MOST_DRAWS:
        return
    position = Position.of_events(rules, events, seat=seat)
    found = Counter(outcome(w.state) for w in position.worlds(number, Random(1)))
    assert found.keys() == expected.keys()
    by_outcome = {each: ways(state, position.state) for each, state in expected.items()}
    one = number / sum(by_outcome.values())
    statistic = sum((found[each] - one * n) ** 2 / (one * n) for each, n in by_outcome.items())
    assert len(expected) == 1 or chi2.sf(statistic, len(expected) - 1) > 1e-6


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("case", CASES)
def test_worlds_are_those_that_enumeration_finds_and_uniform(case: str, seed: int) -> None:
    rules = compile_ruleset(CASES[case])
    hidden = case in ("thrown away", "given on", "ranks named", "all throw")
    for number in (4, 9) if hidden else (0, 3):
        commands, events = played(rules, seed, number)
        for seat in range(rules.players):
            compare(rules, commands, events, seat)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("case", EXCHANGES)
def test_so_they_are_for_those_who_exchange(case: str, seed: int) -> None:
    """Seat 1 is in the middle and takes no part: what it could conclude is not taken in."""
    rules = compile_ruleset(EXCHANGES[case])
    for number in (2, 7):
        commands, events = played(rules, seed, number, places=(0, 1, 2))
        for seat in (0, 2):
            compare(rules, commands, events, seat)


def test_a_weight_keeps_its_share_of_the_worlds() -> None:
    rules = compile_ruleset(CASES["a deal"])
    _, events = played(rules, 1, 0)
    position = Position.of_events(rules, events, seat=0)

    def has_joker(world: GameState) -> bool:
        return bool(world.state.held[1] >> 52 & 1)

    plain = sum(map(has_joker, position.worlds(2000, Random(1))))
    wanted = position.worlds(2000, Random(1), weight=lambda world: 1 if has_joker(world) else 0.25)
    share = 2000 * plain / (plain + 0.25 * (2000 - plain))
    assert abs(sum(map(has_joker, wanted)) - share) < 100
    with pytest.raises(BadInput, match="weight is 2; expected a share from 0 to 1"):
        position.worlds(1, Random(1), weight=lambda world: 2)
