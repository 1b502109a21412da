"""What a seat may know: the view of a state, and events with the rest taken out.

One function stands between the truth and each reader; nothing unfiltered leaves the rules. Seat
None is a spectator, who knows what the whole table knows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any, Final, NamedTuple

from arena.rules.cards import canonical
from arena.rules.events import (
    Asked,
    Dealt,
    Discarded,
    Event,
    Gave,
    Promised,
    Question,
    Swapped,
    Thrown,
)
from arena.rules.melds import Meld
from arena.rules.ruleset import Ruleset
from arena.rules.state import State


class View(NamedTuple):
    """A hand as one seat may see it. held: the seat's own cards; the rest is public.

    By seat: counts: cards held; passed; places: 1-based, None while it plays; titles. colour_lock:
    1 black, 2 red; rank_limit: the ranks that may be laid, as bits; 0 for no limit.
    """

    seat: int | None
    held: int
    pile: Meld | None
    owner: int
    order_reversed: bool
    pending: bool
    direction: int
    suit_lock: int
    number_lock: bool
    colour_lock: int
    rank_limit: int
    question: Question | None
    to_move: int
    counts: tuple[int, ...]
    passed: tuple[bool, ...]
    places: tuple[int | None, ...]
    titles: tuple[str | None, ...]
    cleared: int


def see(rules: Ruleset, s: State, seat: int | None) -> View:
    """What `seat` may know of a state, and nothing else."""
    top = s.trick[-1] if s.trick else None
    marks = s.trick_marks
    return View(  # in the order of its fields: by name would take half as long again
        seat,
        0 if seat is None else canonical(s.held[seat]),
        None if top is None else top.meld,
        -1 if top is None else top.seat,
        s.order_reversed,
        s.pending,
        s.direction,
        marks.get("suit_lock", 0) if marks else 0,
        bool(marks.get("number_lock", 0)) if marks else False,
        marks.get("colour_lock", 0) if marks else 0,
        marks.get("rank_limit", 0) if marks else 0,
        s.question_for(seat) if s.questions and seat is not None else None,
        s.to_move,
        tuple(map(_how_many, s.held)),
        SEATS[s.passed | s.barred][: len(s.held)],
        _places(s),
        s.setup.titles,
        canonical(s.cleared) if rules.table.open_discards else 0,
    )


_how_many = int.bit_count
SEATS: Final = tuple(tuple(bool(mask >> seat & 1) for seat in range(8)) for mask in range(256))
"""For each mask of seats: is a seat in it?"""


def _places(s: State) -> tuple[int | None, ...]:
    """The place of each seat, as far as it has one."""
    lawful = s.places or s.out
    if not lawful:
        return (None,) * len(s.held)
    if not s.places:
        lawful = tuple(seat for seat in s.out if seat not in s.fallen)
    finished = {seat: place for place, seat in enumerate(lawful, start=1)}
    return tuple(map(finished.get, range(len(s.held))))


def hides(events: Iterable[Event]) -> bool:
    """May any of these events hide something from somebody?"""
    return not HIDE.keys().isdisjoint(map(type, events))


def redact(event: Event, seat: int | None) -> Event:
    """An event without what `seat` may not know; events that hide nothing come back as they are."""
    hide = HIDE.get(type(event))
    return event if hide is None else hide(event, seat)


def _dealt(e: Dealt, seat: int | None) -> Dealt:
    own = tuple(cards if p == seat else 0 for p, cards in enumerate(e.hands))
    return replace(e, hands=own, blind=0, lots=None)


def _swapped(e: Swapped, seat: int | None) -> Swapped:
    return e if seat in (e.seat, e.to) else replace(e, cards=0, other=0)


def _asked(e: Asked, seat: int | None) -> Asked:
    """What follows is worked out from what all have seen, but for who else could go out at once
    and who leads then, before the first lead."""
    public = tuple(q._replace(ways=()) for q in e.questions)  # the seat's own are in its turn
    if e.due is not None and e.due.lead and e.questions[0].kind == "accept":
        return replace(e, questions=public, queue=(), due=None)
    return replace(e, questions=public)


def _promised(e: Promised, seat: int | None) -> Promised:
    return e if seat == e.seat else replace(e, cards=0)


def _gave(e: Gave, seat: int | None) -> Gave:
    return e if seat in (e.seat, e.to) else replace(e, cards=0)


def _discarded(e: Discarded, seat: int | None) -> Discarded:
    return e if e.shown or seat == e.seat else replace(e, cards=0)


def _thrown(e: Thrown, seat: int | None) -> Thrown:
    return e if seat == e.seat else replace(e, shape=-1)


HIDE: Final[dict[type, Callable[[Any, int | None], Any]]] = {
    Dealt: _dealt,
    Swapped: _swapped,
    Asked: _asked,
    Promised: _promised,
    Gave: _gave,
    Discarded: _discarded,
    Thrown: _thrown,
}
