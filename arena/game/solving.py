"""What a seat is sure of: places that it reaches whatever the others hold and whatever they do.

An answer is *sure* of a place if there is one plan that begins with it and ends at this place or a
better one, in every world that agrees with the position and against everything that the others may
answer. The plan may depend on what the seat is shown later, and on nothing that it is not; in a
position in which all is known it is shown all. The others may be taken to see all cards and to play
together: nothing is assumed of how they choose.

The search goes over sets of worlds: those that show the seat the same. It is exact: an answer that
is not sure has a defence to every plan. Pure, and it knows no rule.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from arena.errors import BadInput
from arena.game.every_world import every_world
from arena.game.solution import MOST_STEPS, Solution
from arena.rules import Ruleset, State, decide, evolve, legal, redact
from arena.rules.cards import canonical
from arena.rules.commands import Answer

if TYPE_CHECKING:
    from arena.game.position import Position

Worlds = tuple[State, ...]


def solve(
    position: Position, *, place: int | None = None, most_steps: int = MOST_STEPS
) -> Solution:
    """The places that each answer is sure of.

    place: ask for this place only, 1 the best: answers that are not sure of it count as sure of the
    last one, and what is better than it is not looked for. Raises `BadInput` where nobody is asked,
    another seat is asked than the one whose position it is, before the first lead, for a place
    that there is not, and where the position is too large.
    """
    last = position.rules.players
    if place is not None and not 1 <= place <= last:
        raise BadInput("place", place, f"a number from 1 to {last}")
    if position.asked < 0:
        raise BadInput("position", str(position), "a hand that is not over")
    menu = tuple(position.legal())
    worlds = tuple(world.state for world in every_world(position))
    search = Search(position, most_steps)
    among = range(1, last) if place is None else (place,)

    def best(answer: Answer) -> int:
        return next((each for each in among if search.keeps(worlds, answer, each)), last)

    try:
        places = tuple(map(best, menu))
    except RecursionError as error:  # many passes in a row are allowed
        raise BadInput("position", str(position), "a hand that ends within fewer turns") from error
    return Solution(search.seat, places, len(worlds), search.steps)


class Search:
    """A search with its memory. position: whose rules and whose asked seat it is for; steps: how
    many answers it has tried."""

    def __init__(self, position: Position, most_steps: int) -> None:
        self.seat = position.asked
        self.steps = 0
        self._position = position
        self._rules: Ruleset = position.rules
        self._most_steps = most_steps
        self._hides = position.seat is not None
        self._known: dict[Any, bool] = {}

    def keeps(self, worlds: Worlds, answer: Answer, place: int) -> bool:
        """Is the seat sure of a place after an answer of its own?"""
        after = self._groups((world, answer) for world in worlds)
        return all(self._sure(group, place) for group in after)

    def _sure(self, worlds: Worlds, place: int) -> bool:
        """The same where anybody may be asked, in worlds that have shown the seat the same."""
        settled = self._settled(worlds[0], place)
        if settled is not None:
            return settled
        key = (place, frozenset(map(_key, worlds)))
        known = self._known.get(key)
        if known is None:
            # What fails in one world alone, with its cards shown, fails among several.
            alone = len(worlds) == 1 or all(self._sure((world,), place) for world in worlds)
            known = self._known[key] = alone and self._searched(worlds, place)
        return known

    def _searched(self, worlds: Worlds, place: int) -> bool:
        first = worlds[0]
        asked = [seat for seat, _ in first.open]
        if self.seat in asked:  # before the others, if several are asked: it may not see more
            menu = legal(self._rules, first, self.seat)
            return any(self.keeps(worlds, answer, place) for answer in menu)
        tried = ((w, answer) for w in worlds for answer in legal(self._rules, w, asked[0]))
        return all(self._sure(group, place) for group in self._groups(tried))

    def _groups(self, tried: Iterable[tuple[State, Answer]]) -> list[Worlds]:
        """What follows from answers, sorted by what the seat is shown of it."""
        groups: dict[Any, dict[Any, State]] = {}
        for world, answer in tried:
            self._count()
            events = decide(self._rules, world, answer)
            after = evolve(world, events)
            key = _key(after)
            shown = tuple(redact(e, self.seat) for e in events) if self._hides else key
            groups.setdefault(shown, {}).setdefault(key, after)
        return [tuple(group.values()) for group in groups.values()]

    def _count(self) -> None:
        self.steps += 1
        if self.steps > self._most_steps:
            expected = f"one that is solved within {self._most_steps} steps of search"
            raise BadInput("position", str(self._position), expected)

    def _settled(self, s: State, place: int) -> bool | None:
        """Is it settled whether the seat reaches a place? None if not; all are shown what it hangs
        on."""
        if place >= s.players:
            return True
        if s.places:
            return self._final(s) <= place
        lawful = [seat for seat in s.out if seat not in s.fallen]
        if self.seat in lawful:
            return lawful.index(self.seat) < place
        if self.seat in s.fouled:
            return s.players - s.fouled.index(self.seat) <= place
        return False if len(lawful) >= place else None

    def _final(self, s: State) -> int:
        """The place of the seat in a hand that is over; at random, the worst that chance might have
        had for it."""
        holding = s.active.bit_count() > 1 and s.active >> self.seat & 1
        if self._rules.play.idle_by_lot and holding:
            return max(at for at, seat in enumerate(s.places, start=1) if s.active >> seat & 1)
        return s.places.index(self.seat) + 1


def _key(s: State) -> Any:
    """What decides how a hand goes on; equal for two states that only tell copies apart. Cards that
    are out of play follow from the others."""
    return (
        tuple(map(canonical, s.held)),
        s.trick,
        s.to_move,
        tuple(question._replace(since=0) for question in s.questions),
        s.queue,
        s.due,
        (s.active, s.passed, s.barred, s.acted, s.idle, s.lead_passes),
        (s.revolution, s.pending, s.jack, s.direction),
        tuple(sorted(s.trick_marks.items())),
        tuple(sorted(s.hand_marks.items())),
        (s.out, s.fouled, s.fallen, s.places),
    )
