"""What a seat may know: the view of a state, and events with the rest taken out.

One function stands between the truth and each reader; nothing unfiltered leaves the rules. Seat
None is a spectator, who knows what the whole table knows.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

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
from arena.rules.state import State
from arena.rules.wiring import Ruleset


class Player(NamedTuple):
    """What everybody knows of a player; place: 1-based, None while it plays."""

    seat: int
    held: int
    passed: bool
    place: int | None
    title: str | None


class View(NamedTuple):
    """A hand as one seat may see it. held: the seat's own cards; the rest is public."""

    seat: int | None
    held: int
    pile: Meld | None
    owner: int
    turned: bool
    pending: bool
    direction: int
    suit_lock: int
    number_lock: bool
    question: Question | None
    to_move: int
    players: tuple[Player, ...]
    cleared: int


def see(rules: Ruleset, s: State, seat: int | None) -> View:
    """What `seat` may know of a state, and nothing else."""
    trick_marks = s.trick_marks
    return View(
        seat=seat,
        held=0 if seat is None else canonical(s.held[seat]),
        pile=s.pile,
        owner=s.owner,
        turned=s.turned,
        pending=s.pending,
        direction=s.direction,
        suit_lock=trick_marks.get("suit_lock", 0),
        number_lock=bool(trick_marks.get("number_lock", 0)),
        question=None if seat is None else s.question_for(seat),
        to_move=s.to_move,
        players=_players(s),
        cleared=canonical(s.cleared) if rules.table.open_discards else 0,
    )


def _players(s: State) -> tuple[Player, ...]:
    """The players in order of their seats."""
    lawful = s.places or [seat for seat in s.out if seat != s.fallen]
    finished = {seat: place for place, seat in enumerate(lawful, start=1)}
    passed = s.passed | s.barred
    return tuple(
        Player(seat, held.bit_count(), bool(passed >> seat & 1), finished.get(seat), s.titles[seat])
        for seat, held in enumerate(s.held)
    )


def redact(event: Event, seat: int | None) -> Event:
    """An event without what `seat` may not know; events that hide nothing come back as they are."""
    hide = _HIDE.get(type(event))
    return event if hide is None else hide(event, seat)


def _dealt(e: Dealt, seat: int | None) -> Dealt:
    own = tuple(cards if p == seat else 0 for p, cards in enumerate(e.hands))
    return replace(e, hands=own, blind=0, lots=None)


def _swapped(e: Swapped, seat: int | None) -> Swapped:
    return e if seat in (e.seat, e.to) else replace(e, cards=0, other=0)


def _asked(e: Asked, seat: int | None) -> Asked:
    shown = tuple(q._replace(ways=()) for q in e.questions)  # the seat's own are in its turn
    return replace(e, questions=shown, queue=(), due=None)


def _promised(e: Promised, seat: int | None) -> Promised:
    return e if seat == e.seat else replace(e, cards=0)


def _gave(e: Gave, seat: int | None) -> Gave:
    return e if seat in (e.seat, e.to) else replace(e, cards=0)


def _discarded(e: Discarded, seat: int | None) -> Discarded:
    return e if e.shown or seat == e.seat else replace(e, cards=0)


def _thrown(e: Thrown, seat: int | None) -> Thrown:
    return e if seat == e.seat else replace(e, shape=-1)


_HIDE: dict[type, Callable[[Any, int | None], Any]] = {
    Dealt: _dealt,
    Swapped: _swapped,
    Asked: _asked,
    Promised: _promised,
    Gave: _gave,
    Discarded: _discarded,
    Thrown: _thrown,
}
