"""Moments of hands that are played at random, with what the seat that is asked has seen."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from arena.game import BLIND, HIDDEN, Position
from arena.game.places import kind_of
from arena.rules import EMPTY, Ruleset, State, decide, evolve, legal
from arena.rules.cards import ids
from arena.rules.events import Event
from tests.rules.dealing import deal

SHORT = "pagat"
"""The short form that the positions of these tests carry where nothing depends on it."""


class Moment(NamedTuple):
    """A seat is asked. events: all of the hand so far, unfiltered."""

    rules: Ruleset
    state: State
    seat: int
    events: tuple[Event, ...]

    def position(self, ruleset: str = SHORT) -> Position:
        return Position.of_events(self.rules, self.events, seat=self.seat, ruleset=ruleset)


def moments(rules: Ruleset, seed: int, *, share: float = 0.1) -> Iterator[Moment]:
    """Some of the moments of a hand, a later one of a sitting for odd seeds."""
    random = Random(seed)
    places = tuple(random.sample(range(rules.players), rules.players)) if seed % 2 else ()
    events = decide(rules, EMPTY, deal(rules, seed, places=places))
    state, log = evolve(EMPTY, events), list(events)
    for _ in range(5000):
        if state.over:
            return
        seat, _ = random.choice(state.open)
        if random.random() < share or state.questions:
            yield Moment(rules, state, seat, tuple(log))
        menu = legal(rules, state, seat)
        events = decide(rules, state, menu[random.randrange(len(menu))])
        state = evolve(state, events)
        log += events
    raise AssertionError("the hand does not end")


def place_of(state: State, card: int) -> int:
    """Where a card is: a seat, `HIDDEN` for all that is out of the game, `BLIND`, -1 the table."""
    for seat, held in enumerate(state.held):
        if held >> card & 1:
            return seat
    if state.table >> card & 1:
        return -1
    return HIDDEN if state.gone >> card & 1 else BLIND


def disagreements(position: Position, state: State) -> list[str]:
    """What a position says that is not so; for one pack with at most one joker."""
    found = []
    known = position.state
    for seat, cards in enumerate(known.held):
        found += [f"{card} not at {seat}" for card in ids(cards & ~state.held[seat])]
    rooms: dict[int, list[int]] = {}
    for number, _, never in position.places:
        rooms.setdefault(number, []).append(never)
    for card in ids(position.free):
        there = rooms.get(place_of(state, card), [])
        if all(never >> kind_of(card) & 1 for never in there):
            found.append(f"{card} may not be at {place_of(state, card)}")
    for cards, places, least in position.whereabouts:
        at = [place_of(state, card) for card in ids(cards)]
        if any(place not in places for place in at) or at.count(places[0]) < least:
            found.append(f"{list(ids(cards))} at {at}, not {places} {least}")
    return found
