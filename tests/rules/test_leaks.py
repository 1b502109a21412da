"""No leak: what a seat cannot know changes nothing that it is shown.

Two worlds: in the second one some cards that the seat never sees have changed places. The same
public actions are played; every byte that the seat, or a spectator, is given has to be the same.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from arena.errors import Refused
from arena.rules import EMPTY, Ruleset, decide, evolve, redact, see
from arena.rules.cards import FIRST_JOKER, IDS, ids
from arena.rules.commands import Command, Deal, Discard, Give
from arena.rules.events import Event, Named
from arena.wire import turn_fields, write_event
from tests.rules.dealing import deal, play_out
from tests.rules.strategies import rulesets

# Rules that tell everybody something of what is held are no leak: they are left out.
TELLING = {
    "auto_clear": False,
    "tenpen_chii": "off",
    "both_jokers_reversal": False,
    "mura_hachibu": False,
    "dokusen": False,
    "instant_wins": ["tepodon"],
}
Steps = list[tuple[Command, list[Event]]]


def shown_cards(steps: Steps, seat: int | None) -> int:
    """Every card that a seat, or everybody, gets to see in a hand."""
    seen = 0
    for _, events in steps:
        for event in events:
            seen |= seen_in(redact(event, seat))
    return seen


def seen_in(event: Any) -> int:
    found = 0
    for name in ("cards", "other", "blind"):
        found |= getattr(event, name, 0)
    for held in getattr(event, "hands", ()):
        found |= held
    meld = getattr(event, "meld", None)
    if isinstance(event, Named):
        found |= sum(0b1111 << 4 * rank for rank in event.ranks)  # all of a rank are shown
    return found | (meld.cards if meld is not None else 0)


def hidden_pairs(rules: Ruleset, steps: Steps, seat: int | None, random: Random) -> dict[int, int]:
    """Two cards that the seat never sees and that change places; none of the telling ones."""
    fixed = {IDS[v.removeprefix("holder:")] for v in leads(rules) if v.startswith("holder:")}
    seen = shown_cards(steps, seat)
    natural = [c for c in rules.deck if c < FIRST_JOKER]
    unseen = [c for c in natural if not seen >> c & 1 and c not in fixed]
    if len(unseen) < 2:
        return {}
    one, other = random.sample(unseen, 2)
    return {one: other, other: one}


def leads(rules: Ruleset) -> Iterable[str]:
    return rules.options["first_lead"], rules.options["next_lead"]


def moved(mask: int, swap: dict[int, int]) -> int:
    return sum(1 << swap.get(card, card) for card in ids(mask))


def in_other_world(command: Command, swap: dict[int, int]) -> Command:
    """The same public action where the cards have changed places."""
    if isinstance(command, Deal):
        return command._replace(deck=tuple(swap.get(card, card) for card in command.deck))
    if isinstance(command, Give | Discard):
        return replace(command, cards=moved(command.cards, swap))
    return command


def shown(rules: Ruleset, commands: list[Command], seat: int | None) -> list[str] | None:
    """Every byte that a seat is given in a hand; None if the actions are not possible."""
    state = EMPTY
    given_out = []
    for command in commands:
        try:
            events = decide(rules, state, command)
        except Refused:
            return None
        state = evolve(state, events)
        given_out += [json.dumps(write_event(redact(e, seat))) for e in events]
        given_out.append(repr(see(rules, state, seat)))
        if seat is not None and any(open_seat == seat for open_seat, _ in state.open):
            given_out.append(json.dumps(turn_fields(rules, state, seat, hints=True)))
    return given_out


@given(rulesets(decks=1, **TELLING), st.integers(0, 10**9))
def test_cards_that_a_seat_cannot_know_change_nothing_that_it_is_shown(
    rules: Ruleset, seed: int
) -> None:
    random = Random(seed)
    places = tuple(random.sample(range(rules.players), rules.players)) if seed % 2 else ()
    _, steps = play_out(rules, seed, places=places)
    steps = steps[: random.randrange(1, len(steps) + 1)]
    commands = [command for command, _ in steps]
    for seat in (None, *range(rules.players)):
        swap = hidden_pairs(rules, steps, seat, random)
        other = [in_other_world(command, swap) for command in commands]
        world = shown(rules, other, seat)
        if swap and world is not None:
            assert world == shown(rules, commands, seat)


def test_the_two_worlds_are_often_possible() -> None:
    """The test above would say nothing if every second world were impossible."""
    from arena.rules import compile_ruleset

    rules = compile_ruleset("pagat+tens")
    possible = 0
    for seed in range(30):
        _, steps = play_out(rules, seed)
        commands = [command for command, _ in steps[:20]]
        swap = hidden_pairs(rules, steps[:20], 0, Random(seed))
        other = [in_other_world(command, swap) for command in commands]
        possible += bool(swap) and shown(rules, other, 0) is not None
        assert deal(rules, seed) == commands[0]
    assert possible > 20
