"""What a server's hand table says otherwise than the shadow of the hand, and what mends it.

Servers other than the contest's own clear, lead and lock otherwise here and there. Each check finds
one kind of difference and the events, or the fields of the state, that make the shadow agree. Pure:
nothing is sent, nothing is counted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from arena.rules import State
from arena.rules.events import Cleared, Event, Freed, Marked, Out, Played, Reversed, ToMove
from arena.rules.options.locks import SUIT_LOCK
from arena.uecda.codec import Situation

NO_FIELDS: Final[Mapping[str, Any]] = {}


class TableSeen(NamedTuple):
    """A hand table, by seat. mover: whose turn it is; own: the cards of the seat itself; counts: by
    seat; pile: the last play as the field table showed it, None where it was no play."""

    mover: int
    own: int
    counts: tuple[int, ...]
    situation: Situation
    pile: Played | None = None


class Repair(NamedTuple):
    """One difference. what: its name; fields: of the state, to be replaced; events: what happened
    then, though nobody said so."""

    what: str
    fields: Mapping[str, Any] = NO_FIELDS
    events: tuple[Event, ...] = ()


def _end(s: State, seen: TableSeen) -> Repair | None:
    """The hand is over, but the server goes on."""
    return Repair("end", {"places": ()}) if s.places else None


def _out(s: State, seen: TableSeen) -> Repair | None:
    """Somebody who is out holds cards, or the other way round."""
    back = {seat for seat in s.out if seen.counts[seat]}
    gone = [at for at, n in enumerate(seen.counts) if not n and s.active >> at & 1]
    if not (back or gone):
        return None
    active = s.active | sum(1 << seat for seat in back)
    out = tuple(seat for seat in s.out if seat not in back)
    return Repair("out", {"active": active, "out": out}, tuple(map(Out, gone)))


def _pile(s: State, seen: TableSeen) -> Repair | None:
    """The table is empty, or it is not."""
    if seen.situation.empty == (not s.trick):
        return None
    if seen.situation.empty:
        return Repair("table", events=(Cleared(),))
    if seen.pile is None:
        return None
    cards = seen.pile.meld.cards
    fields = {
        "trick": (seen.pile,),
        "table": cards,
        "gone": s.gone & ~cards,
        "cleared": s.cleared & ~cards,
    }
    return Repair("table", fields)


def _revolution(s: State, seen: TableSeen) -> Repair | None:
    """The order of the cards for the hand is another one."""
    on = seen.situation.revolution
    return None if on == s.revolution else Repair("order", events=(Reversed("hand", on),))


def _jack(s: State, seen: TableSeen) -> Repair | None:
    """The order for the trick is another one: a server that plays with 11-back."""
    on = seen.situation.jack
    return None if on == s.jack else Repair("order", events=(Reversed("trick", on),))


def _lock(s: State, seen: TableSeen) -> Repair | None:
    """The suits are locked, or they are not."""
    on, now = seen.situation.lock, s.trick_marks.get(SUIT_LOCK, 0)
    suits = s.pile.named if on and s.pile is not None else 0
    if on == bool(now) or (on and not suits):
        return None
    return Repair("lock", events=(Marked(SUIT_LOCK, suits, "trick"),))


def _turn(s: State, seen: TableSeen) -> Repair | None:
    """It is the turn of somebody else, who may have passed."""
    barred = s.barred >> seen.mover & 1
    if s.to_move == seen.mover and not barred:
        return None
    freed: tuple[Event, ...] = (Freed(),) if barred else ()
    return Repair("turn", {"questions": ()}, (*freed, ToMove(seen.mover)))


CHECKS: Final[tuple[Callable[[State, TableSeen], Repair | None], ...]] = (
    *(_end, _out, _pile, _revolution, _jack, _lock, _turn),
)
"""In the order in which they are made: each one sees what the ones before it have mended."""
