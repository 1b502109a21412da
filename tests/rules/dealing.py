"""Deals for tests: seeded decks and lots, and random play."""

from random import Random

from arena.rules import EMPTY, Ruleset, State, decide, evolve, legal
from arena.rules.commands import Command, Deal, Lots
from arena.rules.events import Event


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
