"""Every deal that agrees with what a seat has seen, by trying them all."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from math import factorial

from arena.errors import Refused
from arena.game.places import kind_of
from arena.rules import EMPTY, Ruleset, State, decide, evolve, legal, redact
from arena.rules.cards import COPY, FIRST_JOKER, canonical, ids, mask_of
from arena.rules.commands import Command, Deal, Discard, Give
from arena.rules.events import Dealt, Event
from arena.rules.opening import begin_play, exchange_steps

Outcome = tuple[int, ...]
"""What seats hold, what is out of the game, and what is blind, without telling copies apart."""


def outcome(state: State) -> Outcome:
    """Where the cards are."""
    return (*map(canonical, state.held), canonical(state.gone), canonical(state.setup.blind))


def hidden_deals(rules: Ruleset, state: State, seat: int) -> Iterator[State]:
    """The state after a deal with all cards that a seat does not hold anywhere else."""
    others = [s for s in range(rules.players) if s != seat]
    free = [card for card in rules.deck if not state.held[seat] >> card & 1]
    blind = state.setup.blind.bit_count()
    for out in combinations([card for card in free if not FIRST_JOKER <= card < COPY], blind):
        left = [card for card in free if card not in out]
        sizes = [state.held[other].bit_count() for other in others]
        for parts in shared(left, sizes):
            held = list(state.held)
            for other, part in zip(others, parts, strict=True):
                held[other] = mask_of(part)
            setup = state.setup._replace(blind=mask_of(out))
            yield state.changed(held=tuple(held), setup=setup)


def shared(cards: list[int], sizes: list[int]) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Every way to share some cards."""
    if not sizes:
        yield ()
        return
    for part in combinations(cards, sizes[0]):
        rest = [card for card in cards if card not in part]
        yield from ((part, *more) for more in shared(rest, sizes[1:]))


def possible(rules: Ruleset, commands: list[Command], seat: int) -> dict[Outcome, State]:
    """All that agrees with what a seat has been shown of a hand; commands: as they were given.

    The hidden choices of the others are tried as well.
    """
    first = commands[0]
    assert isinstance(first, Deal)
    true = evolve(EMPTY, dealt := decide(rules, EMPTY, first))
    worlds = [
        again
        for state in hidden_deals(rules, base_of(dealt), seat)
        for again in follow(rules, state, dealt, seat)
    ]
    for command in commands[1:]:
        shown = decide(rules, true, command)
        seen = [redact(event, seat) for event in shown]
        secret = isinstance(command, Give | Discard) and command.seat != seat
        after = (
            each for world in worlds for each in answers(rules, world, command, seen, seat, secret)
        )
        worlds = list({repr(world): world for world in after}.values())
        true = evolve(true, shown)
    return {outcome(world): world for world in worlds}


def ways(state: State, known: State) -> int:
    """In how many ways the copies of cards that are not known may be dealt to an outcome."""
    number = 1
    hidden, known_hidden = state.gone & ~state.cleared, known.gone & ~known.cleared
    pairs = [*zip(state.held, known.held, strict=True), (hidden, known_hidden)]
    pairs.append((state.setup.blind, known.setup.blind))
    for kind in range(FIRST_JOKER + 1):
        parts = [copies(there, kind) - copies(sure, kind) for there, sure in pairs]
        number *= factorial(sum(parts))
        for part in parts:
            number //= factorial(part)
    return number


def copies(cards: int, kind: int) -> int:
    """How many copies of a card there are among some."""
    return sum(kind_of(card) == kind for card in ids(cards))


def base_of(dealt: list[Event]) -> State:
    """The state just after the cards are dealt."""
    return evolve(EMPTY, [event for event in dealt if isinstance(event, Dealt)])


def follow(rules: Ruleset, state: State, dealt: list[Event], seat: int) -> Iterator[State]:
    """The state when what follows the deal shows the seat the same."""
    steps = exchange_steps(rules, state) if state.setup.before else ()
    events = begin_play(rules, state, steps)
    if [redact(e, seat) for e in events] == [redact(e, seat) for e in dealt[1:]]:
        yield evolve(state, events)


def answers(
    rules: Ruleset, state: State, command: Command, seen: list[Event], seat: int, secret: bool
) -> Iterator[State]:
    """The states after a command that shows the seat the same; secret: any that might."""
    tried = list(legal(rules, state, command.seat)) if secret else [command]  # type: ignore[union-attr]
    for each in tried:
        try:
            events = decide(rules, state, each)
        except Refused:
            continue
        if [redact(event, seat) for event in events] == seen:
            yield evolve(state, events)
