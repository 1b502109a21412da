"""Deals for tests: seeded decks and lots, and random play."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from arena.rules import EMPTY, Ruleset, State, decide, evolve, legal
from arena.rules.cards import CODES, COPY, IDS
from arena.rules.commands import Command, Deal, Lots
from arena.rules.events import Event
from arena.sitting import Sitting, after_hand, next_deal, seating_for, start


def lots(players: int, random: Random) -> Lots:
    """Lots drawn by a seeded generator."""

    def order() -> tuple[int, ...]:
        return tuple(random.sample(range(players), players))

    throws = tuple(tuple(random.randrange(3) for _ in range(players)) for _ in range(64))
    return Lots(order(), order(), order(), order(), throws)


def deal(rules: Ruleset, seed: int = 0, *, places: tuple[int, ...] = ()) -> Deal:
    """A deal command from a seed."""
    random = Random(seed)
    deck = tuple(random.sample(rules.deck, len(rules.deck)))
    drawn = lots(rules.players, random)
    return Deal(deck, drawn.dealer[0], drawn, places)


def dealt(rules: Ruleset, seed: int = 0, *, places: tuple[int, ...] = ()) -> State:
    """The state after a deal."""
    return evolve(EMPTY, decide(rules, EMPTY, deal(rules, seed, places=places)))


def play_out(
    rules: Ruleset, seed: int = 0, *, places: tuple[int, ...] = (), limit: int = 5000
) -> tuple[State, list[tuple[Command, list[Event]]]]:
    """A hand played at random: its last state and every command with its events."""
    random = Random(seed + 1)
    first: Command = deal(rules, seed, places=places)
    steps = [(first, decide(rules, EMPTY, first))]
    state = evolve(EMPTY, steps[0][1])
    while not state.over:
        assert len(steps) < limit, "the hand does not end"
        seat, _ = random.choice(state.open)
        menu = legal(rules, state, seat)
        command = menu.answer(random.randrange(len(menu)))
        events = decide(rules, state, command)
        state = evolve(state, events)
        steps.append((command, events))
    return state, steps


def dealt_with(
    rules: Ruleset, wanted: dict[int, str], *, places: tuple[int, ...] = (0, 1, 2, 3)
) -> State:
    """The state after `deal_of`."""
    return evolve(EMPTY, decide(rules, EMPTY, deal_of(rules, wanted, places=places)))


def deal_of(
    rules: Ruleset, wanted: dict[int, str], *, places: tuple[int, ...] = (0, 1, 2, 3)
) -> Deal:
    """A deal that gives some seats some cards; the dealer sits on seat 0, the lots name seat 0."""
    n = rules.players
    deck = [CODES[c] for c in rules.deck]
    slots: list[str | None] = [None] * len(deck)
    for seat, cards in wanted.items():
        free = [i for i in range(len(rules.deck)) if (i + 1) % n == seat]
        for place, card in zip(free, cards.split(), strict=False):
            slots[place] = card
            deck.remove(card)
    filled = [card or deck.pop(0) for card in slots]
    seen: dict[str, int] = {}
    ids = []
    for name in filled:
        ids.append(IDS[name] + seen.get(name, 0) * (1 if name == "JK" else COPY))
        seen[name] = seen.get(name, 0) + 1
    order = tuple(range(n))
    return Deal(tuple(ids), 0, Lots(order, order, order, order, ()), places)


class PlayedHand(NamedTuple):
    """A hand of a sitting. opening: the state after the deal; end: the last state."""

    sitting: Sitting
    deal: Deal
    opening: State
    end: State
    steps: list[tuple[Command, list[Event]]]


def play_sitting(rules: Ruleset, hands: int, *, seed: int = 0) -> Iterator[PlayedHand]:
    """Hands in a row, played at random; `sitting` is what carries over after each."""
    sitting, seating = start(rules), tuple(range(rules.players))
    for number in range(hands):
        random = Random(f"{seed}/{number}")
        seating = seating_for(rules, sitting, seating)
        deck = random.sample(rules.deck, len(rules.deck))
        command = next_deal(rules, sitting, seating, deck=deck, lots=lots(rules.players, random))
        opening = evolve(EMPTY, decide(rules, EMPTY, command))
        end, steps = _played(rules, opening, random)
        sitting = after_hand(rules, sitting, seating, end)
        yield PlayedHand(sitting, command, opening, end, steps)


def _played(
    rules: Ruleset, state: State, random: Random
) -> tuple[State, list[tuple[Command, list[Event]]]]:
    steps = []
    while not state.over:
        seat, _ = random.choice(state.open)
        menu = legal(rules, state, seat)
        command = menu.answer(random.randrange(len(menu)))
        events = decide(rules, state, command)
        state = evolve(state, events)
        steps.append((command, events))
    return state, steps
