"""The fold: one small function for each event, with no knowledge of any rule.

`evolve` copies the state once, lets each event write into the copy, and returns it. Nothing else in
the project writes to a state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from arena.rules.cards import claim
from arena.rules.events import (
    Accepted,
    Asked,
    Cleared,
    Dealt,
    Discarded,
    Ended,
    Event,
    Expired,
    Fell,
    Fouled,
    Freed,
    Gave,
    Marked,
    Named,
    Out,
    Passed,
    Played,
    Promised,
    Retitled,
    Reversed,
    Shown,
    Skipped,
    Swapped,
    Thrown,
    ToMove,
    Took,
    Turned,
    Wished,
)
from arena.rules.state import NO_MARKS, Setup, State


def evolve(state: State, events: Iterable[Event]) -> State:
    """The state after some events; the given state stays as it was."""
    new = State(state)
    for event in events if isinstance(events, list) else list(events):
        new.seq += 1
        if isinstance(event, ToMove):  # the four that happen most, without looking them up
            new.to_move, new.since = event.seat, new.seq
            new.queue, new.due = (), None
        elif isinstance(event, Passed):
            _passed(new, event)
        elif isinstance(event, Played):
            _played(new, event)
        elif isinstance(event, Cleared):
            _cleared(new, event)
        else:
            APPLY[type(event)](new, event)
    return new


def _put(held: tuple[int, ...], seat: int, cards: int) -> tuple[int, ...]:
    """The hands with one replaced."""
    return (*held[:seat], cards, *held[seat + 1 :])


def _answered(s: State, seat: int) -> None:
    """Close the question that waited for a seat."""
    if s.questions:
        s.questions = tuple(q for q in s.questions if q.seat != seat)


def _dealt(s: State, e: Dealt) -> None:
    s.held = e.hands
    s.active = (1 << len(e.hands)) - 1
    lots = s.setup.lots if e.lots is None else e.lots
    s.setup = Setup(e.dealer, e.blind, e.places, e.titles, lots)


def _retitled(s: State, e: Retitled) -> None:
    s.setup = s.setup._replace(before=e.places, titles=e.titles)


def _swapped(s: State, e: Swapped) -> None:
    one, other = s.held[e.seat], s.held[e.to]
    s.held = _put(_put(s.held, e.seat, other), e.to, one)


def _asked(s: State, e: Asked) -> None:
    s.questions = tuple(q._replace(since=s.seq) for q in e.questions)
    s.queue, s.due = e.queue, e.due
    s.to_move = -1


def _wished(s: State, e: Wished) -> None:
    _answered(s, e.seat)
    s.setup = s.setup._replace(wishes=(*s.setup.wishes, (e.to, e.wishes)))


def _promised(s: State, e: Promised) -> None:
    _answered(s, e.seat)
    s.setup = s.setup._replace(promised=(*s.setup.promised, e))


def _gave(s: State, e: Gave) -> None:
    _answered(s, e.seat)
    s.setup = s.setup._replace(
        promised=tuple(p for p in s.setup.promised if p.seat != e.seat),
        wishes=tuple(w for w in s.setup.wishes if w[0] != e.seat),
    )
    moved = claim(s.held[e.seat], e.cards)
    s.held = _put(s.held, e.seat, s.held[e.seat] & ~moved)
    s.held = _put(s.held, e.to, s.held[e.to] | moved)


def _discarded(s: State, e: Discarded) -> None:
    _answered(s, e.seat)
    thrown = claim(s.held[e.seat], e.cards)
    s.held = _put(s.held, e.seat, s.held[e.seat] & ~thrown)
    s.gone |= thrown
    if e.shown:
        s.cleared |= thrown


def _named(s: State, e: Named) -> None:
    _answered(s, e.seat)


def _thrown(s: State, e: Thrown) -> None:
    _answered(s, e.seat)
    shapes = s.setup.thrown or (-1,) * len(s.held)
    s.setup = s.setup._replace(thrown=_put(shapes, e.seat, e.shape))


def _shown(s: State, e: Shown) -> None:
    d = s.setup
    s.setup = Setup(
        d.dealer, d.blind, d.before, d.titles, d.lots, d.wishes, d.promised, (), e.seats
    )


def _accepted(s: State, e: Accepted) -> None:
    _answered(s, e.seat)


def _took(s: State, e: Took) -> None:
    moved = claim(s.table, e.cards)
    s.table &= ~moved
    s.held = _put(s.held, e.seat, s.held[e.seat] | moved)


def _played(s: State, e: Played) -> None:
    seat, cards = e.seat, e.meld.cards
    hands = list(s.held)
    mine = hands[seat]
    if mine & cards != cards:  # second copies
        cards = claim(mine, cards)
    hands[seat] = mine ^ cards
    s.held = tuple(hands)
    s.table |= cards
    s.trick = s.trick + (e,)  # noqa: RUF005  half the time of `(*s.trick, e)`
    s.acted |= 1 << seat
    s.passed = s.idle = 0
    s.lead_passes = ()
    s.to_move = -1


def _passed(s: State, e: Passed) -> None:
    bit = 1 << e.seat
    s.passed |= bit
    s.acted |= bit
    if e.barred:
        s.barred |= bit
    s.idle += 1
    if not s.trick:
        s.acted &= ~bit  # a trick begins with its lead
        s.lead_passes = (*s.lead_passes, e.seat)
    s.to_move = -1


def _skipped(s: State, e: Skipped) -> None:
    for seat in e.seats:
        s.passed |= 1 << seat
        s.acted |= 1 << seat


def _reversed(s: State, e: Reversed) -> None:
    if e.scope == "hand":
        s.revolution = e.on
    elif e.scope == "trick":
        s.jack = e.on
    else:
        s.pending = e.on


def _turned(s: State, e: Turned) -> None:
    s.direction = e.direction


def _marked(s: State, e: Marked) -> None:
    if e.scope == "trick":
        s.trick_marks = {**s.trick_marks, e.name: e.value}
    else:
        s.hand_marks = {**s.hand_marks, e.name: e.value}


def _cleared(s: State, e: Cleared) -> None:
    s.gone |= s.table
    s.cleared |= s.table
    s.table = s.passed = s.barred = s.acted = 0
    s.trick = ()
    s.jack = s.pending = False
    s.trick_marks = NO_MARKS
    s.to_move = -1


def _freed(s: State, e: Freed) -> None:
    s.barred = s.passed = 0


def _out(s: State, e: Out) -> None:
    s.out = (*s.out, e.seat)
    s.active &= ~(1 << e.seat)


def _fouled(s: State, e: Fouled) -> None:
    s.fouled = (*s.fouled, e.seat)
    s.active &= ~(1 << e.seat)


def _fell(s: State, e: Fell) -> None:
    s.fallen = (*s.fallen, e.seat)
    if not e.stays:
        s.gone |= s.held[e.seat]
        s.held = _put(s.held, e.seat, 0)
        s.active &= ~(1 << e.seat)


def _expired(s: State, e: Expired) -> None:
    """Nothing changes but the number of events: the answer follows."""


def _ended(s: State, e: Ended) -> None:
    s.places = e.places
    s.to_move = -1
    s.questions, s.queue, s.due = (), (), None


APPLY: Final[dict[type, Callable[[State, Any], None]]] = {
    Dealt: _dealt,
    Retitled: _retitled,
    Swapped: _swapped,
    Asked: _asked,
    Wished: _wished,
    Promised: _promised,
    Gave: _gave,
    Discarded: _discarded,
    Named: _named,
    Thrown: _thrown,
    Shown: _shown,
    Accepted: _accepted,
    Took: _took,
    Skipped: _skipped,
    Reversed: _reversed,
    Turned: _turned,
    Marked: _marked,
    Freed: _freed,
    Out: _out,
    Fouled: _fouled,
    Fell: _fell,
    Expired: _expired,
    Ended: _ended,
}
