"""Every whole state that agrees with what a seat knows, one by one: for small positions.

Where `arena.game.worlds` draws some, this lists all of them. Chance plays no part in it: lots are
in the order of the seats, and what others have chosen face down before the first lead is not tried.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from arena.errors import BadInput
from arena.game.asking import with_ways
from arena.game.hand_state import GameState
from arena.game.places import BLIND, HIDDEN, kind_of
from arena.game.worlds import AGREES
from arena.rules import State
from arena.rules.cards import canonical, ids
from arena.rules.commands import Lots

if TYPE_CHECKING:
    from arena.game.position import Position

MOST_WORLDS = 5_000
"""How many are listed; of a larger position there are too many to try each."""


def every_world(position: Position, *, most: int = MOST_WORLDS) -> list[GameState]:
    """All states that agree with a position, each once: two that only tell copies of a card apart
    are one, and so are two that differ in cards which nobody can play any more.

    Raises `BadInput` where nothing agrees with it, where there are more than `most`, and before
    the first lead.
    """
    from arena.game.position import opening

    if opening(position.state):
        raise BadInput("position", str(position), "a hand after its exchange and its first lead")
    if position.seat is None:
        return [position.game_state()]
    found: dict[tuple[int, ...], GameState] = {}
    for placed in _placements(position):
        state = _filled(position.state, placed)
        found.setdefault(tuple(map(canonical, state.held)), GameState(position.rules, state))
        if len(found) > most:
            raise BadInput("position", str(position), f"one that at most {most} worlds agree with")
    if not found:
        raise BadInput("position", str(position), AGREES)
    return [GameState(w.rules, with_ways(w.rules, w.state)) for w in found.values()]


def _filled(state: State, placed: dict[int, int]) -> State:
    """The state with the unknown cards at their places."""
    order = tuple(range(state.players))
    blind = state.setup.blind | placed.get(BLIND, 0)
    return state.changed(
        held=tuple(cards | placed.get(seat, 0) for seat, cards in enumerate(state.held)),
        gone=state.gone | placed.get(HIDDEN, 0),
        setup=state.setup._replace(blind=blind, lots=Lots(leader=order, idle=order)),
    )


def _placements(position: Position) -> Iterator[dict[int, int]]:
    """Every way to spread the unknown cards: the cards at each number of a place."""
    unknown = sorted(_allowed(position), key=lambda each: len(each[1]))
    rooms = [room for _, room, _ in position.places]
    if len(unknown) != sum(rooms):
        return
    numbers = [number for number, _, _ in position.places]
    for dealt in _dealt(unknown, 0, rooms):
        placed: dict[int, int] = {}
        for (card, _), place in zip(unknown, dealt, strict=True):
            placed[numbers[place]] = placed.get(numbers[place], 0) | 1 << card
        if all(
            (placed.get(places[0], 0) & cards).bit_count() >= least
            for cards, places, least in position.whereabouts
        ):
            yield placed


def _allowed(position: Position) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Each unknown card with the indices of the places where it may be."""
    places = position.places
    for card in ids(position.free):
        kind = kind_of(card)
        yield card, tuple(p for p, (_, _, never) in enumerate(places) if not never >> kind & 1)
    for cards, numbers, _ in position.whereabouts:
        among = tuple(p for p, (number, _, _) in enumerate(places) if number in numbers)
        yield from ((card, among) for card in ids(cards))


def _dealt(
    unknown: list[tuple[int, tuple[int, ...]]], first: int, rooms: list[int]
) -> Iterator[tuple[int, ...]]:
    """The places of the unknown cards from `first` on, in every way that there is room for."""
    if first == len(unknown):
        yield ()
        return
    for place in unknown[first][1]:
        if rooms[place]:
            rooms[place] -= 1
            yield from ((place, *more) for more in _dealt(unknown, first + 1, rooms))
            rooms[place] += 1
