"""Worlds: whole states that agree with what a seat knows, uniformly.

The cards that are not known are sorted into classes by the places where they may be, and places
that no class tells apart are joined. The ways to spread the classes over these groups are counted
exactly; a way is drawn by its number of deals, and then the cards within it. Nothing is assumed of
how anybody plays: for that there is the weight.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, MutableSequence, Sequence
from itertools import islice
from math import factorial
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from arena.errors import BadInput
from arena.game.asking import step_of, with_ways
from arena.game.hand_state import GameState
from arena.game.places import BLIND, HIDDEN, kind_of
from arena.rules import Ruleset, State
from arena.rules.cards import ids, mask_of
from arena.rules.commands import Lots
from arena.rules.events import Due, Promised
from arena.rules.legal import MOST_ANSWERS
from arena.rules.opening import first_leader
from arena.rules.questions import card_answers, form
from arena.rules.state import Setup
from arena.rules.wiring import JANKEN

if TYPE_CHECKING:
    from arena.game.position import Position

MOST_TRIES = 100_000
AGREES = "one that some deal agrees with"
SHAPES = 3


class Chance(Protocol):
    """What worlds need of a generator; `random.Random` has it."""

    def random(self) -> float: ...
    def randrange(self, stop: int, /) -> int: ...
    def shuffle(self, x: MutableSequence[Any], /) -> None: ...


class CardClass(NamedTuple):
    """Unknown cards that may be in the same groups of places."""

    cards: tuple[int, ...]
    groups: tuple[int, ...]


class Spreading:
    """The ways to spread the unknown cards of a position over their places."""

    def __init__(self, position: Position) -> None:
        self._position = position
        self._places = position.places
        by_places: dict[int, list[int]] = {}
        for card, allowed in self._allowed(position):
            by_places.setdefault(allowed, []).append(card)
        masks = sorted(by_places, key=int.bit_count)
        members: dict[tuple[int, ...], list[int]] = {}
        for place in range(len(self._places)):
            members.setdefault(tuple(mask >> place & 1 for mask in masks), []).append(place)
        self._groups = list(members.values())
        self._classes = [
            CardClass(
                tuple(by_places[mask]),
                tuple(g for g, group in enumerate(self._groups) if mask >> group[0] & 1),
            )
            for mask in masks
        ]
        self._rooms = tuple(sum(self._places[p][1] for p in group) for group in self._groups)
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}

    def _allowed(self, position: Position) -> Iterator[tuple[int, int]]:
        """Each unknown card with the mask of the places where it may be."""
        for card in ids(position.free):
            kind = kind_of(card)
            yield (
                card,
                sum(1 << p for p, place in enumerate(self._places) if not place[2] >> kind & 1),
            )
        for cards, numbers, _ in position.whereabouts:
            allowed = sum(1 << p for p, place in enumerate(self._places) if place[0] in numbers)
            yield from ((card, allowed) for card in ids(cards))

    def count(self) -> int:
        """How many ways there are in all; 0 if the position contradicts itself."""
        cards = sum(len(each.cards) for each in self._classes)
        return self._ways(0, self._rooms) if cards == sum(self._rooms) else 0

    def _ways(self, first: int, rooms: tuple[int, ...]) -> int:
        """The ways to spread the classes from `first` on over the rooms that are left."""
        if first == len(self._classes):
            return 1
        key = (first, rooms)
        if key not in self._known:
            self._known[key] = sum(ways for _, ways in self._shares(first, rooms))
        return self._known[key]

    def _shares(self, first: int, rooms: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], int]]:
        """Each way to share a class among the groups, by numbers, with all ways that it leaves."""
        cards, groups = self._classes[first]
        last = first == len(self._classes) - 1
        for share in [rooms] if last else _shares_of(len(cards), groups, rooms):
            if last and (sum(share) != len(cards) or any(share[g] for g in _others(groups, rooms))):
                continue
            left = tuple(room - part for room, part in zip(rooms, share, strict=True))
            ways = self._ways(first + 1, left) * factorial(len(cards))
            for part in share:
                ways //= factorial(part)
            if ways:
                yield share, ways

    def draw(self, rng: Chance) -> dict[int, int]:
        """The cards at each number of a place, drawn uniformly; `BadInput` if none are found."""
        for _ in range(MOST_TRIES):
            placed = self._draw(rng)
            if all(
                (placed.get(places[0], 0) & cards).bit_count() >= least
                for cards, places, least in self._position.whereabouts
            ):
                return placed
        raise BadInput("position", str(self._position), AGREES)

    def _draw(self, rng: Chance) -> dict[int, int]:
        """The same, whatever is known of how many cards are at a place at least."""
        rooms = self._rooms
        given: list[list[int]] = [[] for _ in rooms]
        for number, each in enumerate(self._classes):
            share = self._draw_share(number, rooms, rng)
            cards = list(each.cards)
            rng.shuffle(cards)
            for group, part in enumerate(share):
                given[group] += cards[:part]
                del cards[:part]
            rooms = tuple(room - part for room, part in zip(rooms, share, strict=True))
        placed: dict[int, int] = {}
        for places, dealt in zip(self._groups, given, strict=True):
            if len(self._classes) > 1:
                rng.shuffle(dealt)
            for place in places:
                number, room, _ = self._places[place]
                placed[number] = placed.get(number, 0) | mask_of(dealt[:room])
                del dealt[:room]
        return placed

    def _draw_share(self, first: int, rooms: tuple[int, ...], rng: Chance) -> tuple[int, ...]:
        """How many cards of a class each group gets, drawn by the ways that it leaves."""
        if first == len(self._classes) - 1:
            return rooms
        left = rng.randrange(self._ways(first, rooms))
        for share, ways in self._shares(first, rooms):
            left -= ways
            if left < 0:
                return share
        raise AssertionError("one of the ways is drawn")


def _others(groups: tuple[int, ...], rooms: tuple[int, ...]) -> Iterator[int]:
    """The groups where the cards of a class may not be."""
    return (group for group in range(len(rooms)) if group not in groups)


def _shares_of(
    number: int, groups: Sequence[int], rooms: tuple[int, ...]
) -> Iterator[tuple[int, ...]]:
    """Every way to share some cards among some groups, no group getting more than it has room for;
    the numbers by group."""
    if not groups:
        if not number:
            yield (0,) * len(rooms)
        return
    group, *others = groups
    for part in range(min(number, rooms[group]) + 1):
        for share in _shares_of(number - part, others, rooms):
            yield (*share[:group], part, *share[group + 1 :])


def draw_worlds(
    position: Position, n: int, rng: Chance, weight: Callable[[GameState], float] | None
) -> list[GameState]:
    """See `Position.worlds`."""
    if position.seat is None:
        return [position.game_state()] * n
    spread = Spreading(position)
    if not spread.count():
        raise BadInput("position", str(position), AGREES)
    return [_kept(position, spread, rng, weight) for _ in range(n)]


def _kept(
    position: Position,
    spread: Spreading,
    rng: Chance,
    weight: Callable[[GameState], float] | None,
) -> GameState:
    """A world that the weight keeps."""
    for _ in range(MOST_TRIES):
        world = GameState(position.rules, _world(position, spread.draw(rng), rng))
        if weight is None:
            return world
        share = weight(world)
        if not 0 <= share <= 1:
            raise BadInput("weight", share, "a share from 0 to 1")
        if rng.random() < share:
            return world
    raise BadInput("weight", "0", f"more than nothing for one of {MOST_TRIES} states")


def _world(position: Position, placed: dict[int, int], rng: Chance) -> State:
    """The state with the unknown cards where they were drawn, and all that hangs on them."""
    rules, state = position.rules, position.state
    blind = state.setup.blind | placed.get(BLIND, 0)
    lots = Lots(leader=_order(state.players, rng), idle=_order(state.players, rng))
    state = state.changed(
        held=tuple(cards | placed.get(seat, 0) for seat, cards in enumerate(state.held)),
        gone=state.gone | placed.get(HIDDEN, 0),
        setup=state.setup._replace(blind=blind, lots=lots),
    )
    if not state.questions:
        return state
    state = state.changed(setup=_with_choices(position, state, rng))
    if state.due is None and state.questions[0].kind == "accept":
        state = _with_the_others(rules, state)
    return with_ways(rules, state)


def _order(players: int, rng: Chance) -> tuple[int, ...]:
    """The seats in random order."""
    seats = list(range(players))
    rng.shuffle(seats)
    return tuple(seats)


def _with_choices(position: Position, state: State, rng: Chance) -> Setup:
    """What others have laid aside or thrown face down, drawn from all that they might have."""
    setup = state.setup
    if setup.promised:
        promised = tuple(
            each
            if each.cards or each.seat == position.seat
            else _promise(position, state, each, rng)
            for each in setup.promised
        )
        setup = setup._replace(promised=promised)
    if state.questions[0].kind == "throw" and setup.thrown:
        waiting = {question.seat for question in state.questions}
        among = setup.contenders or range(state.players)
        setup = setup._replace(
            thrown=tuple(
                rng.randrange(SHAPES) if s in among and s not in waiting and shape < 0 else shape
                for s, shape in enumerate(setup.thrown)
            )
        )
    return setup


def _promise(position: Position, state: State, promised: Promised, rng: Chance) -> Promised:
    """Cards that a seat may have laid aside."""
    step = step_of(position.rules, state, promised.seat, to=promised.to)
    question = form(position.rules, state, step)
    assert question is not None, "who has promised cards holds them"
    answers = list(islice(card_answers(question), MOST_ANSWERS))
    cards = answers[rng.randrange(len(answers))]
    return Promised(promised.seat, promised.to, cards, promised.size, promised.by)


def _with_the_others(rules: Ruleset, state: State) -> State:
    """Who else may go out before the first lead, and who leads then, by what all hold."""
    asked = state.questions[0].seat
    after = [pending for asks in rules.on_lead for pending in asks(state)]
    step = [
        (pending.seat - state.setup.dealer - 1) * state.direction % state.players
        for pending in after
    ]
    own = (asked - state.setup.dealer - 1) * state.direction % state.players
    queue = tuple(p for p, distance in zip(after, step, strict=True) if distance > own)
    leader = first_leader(rules, state)
    if leader == JANKEN:
        left = state.setup.contenders
        leader = left[0] if len(left) == 1 else state.setup.lots.leader[0]
    return state.changed(queue=queue, due=Due(leader, lead=True))
