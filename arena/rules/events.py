"""Events: what has happened. The set is closed and small; past participles; results, not recipes.

A hand is its list of events. An event says what is so now ("it is seat 2's move"), never how to
work it out, so that a viewer can fold a replay without knowing a rule. `by` names the rule (an
option) that made it happen, "" for the game itself. Fields named `cards` are canonical masks; where
cards are hidden from a reader they are 0 and `size` tells how many they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from functools import partial
from typing import Final, Literal, NamedTuple

from arena.rules.commands import Lots
from arena.rules.melds import Meld
from arena.rules.memo import Memo


class Cause(StrEnum):
    """Why the referee answered for a seat. SERVER: its own fault, which counts against nobody."""

    TIMEOUT = "timeout"
    ILLEGAL = "illegal"
    ABSENT = "absent"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"
    SERVER = "server"


CAUSES: Final = tuple(Cause)

Scope = Literal["hand", "pending", "trick"]
Way = tuple[tuple[int, int], ...]
"""One way to answer a question for cards: from each mask exactly so many."""


class Question(NamedTuple):
    """Something a seat is asked besides playing.

    kind: give, discard, name, ask, throw or accept; least, most: how many cards, ranks or wishes;
    ways: for cards, the ways to choose them, and the cards whose ranks may be named; to: who gets
    them, -1 for nobody; since: number of the event that asked.
    """

    seat: int
    kind: str
    rule: str
    least: int
    most: int
    ways: tuple[Way, ...] = ()
    to: int = -1
    since: int = 0


class Pending(NamedTuple):
    """A question that will be asked later, when it is known what the seat then holds."""

    seat: int
    kind: str
    rule: str
    most: int
    to: int = -1
    pick: str = "any"


class Due(NamedTuple):
    """What follows once the open questions are answered: the rest of a play, or the new lead."""

    seat: int
    clear: str = ""
    skips: int = 0
    skip_rule: str = ""
    turn: str = ""
    lead: bool = False
    foul: str = ""
    again: str = ""


@dataclass(frozen=True, slots=True)
class Dealt:
    """The hand begins. hands, counts: cards by seat; blind: cards taken out; titles by seat."""

    dealer: int
    hands: tuple[int, ...]
    counts: tuple[int, ...]
    blind: int
    places: tuple[int, ...]
    titles: tuple[str | None, ...]
    lots: Lots | None


@dataclass(frozen=True, slots=True)
class Retitled:
    """Titles turn round before the exchange."""

    places: tuple[int, ...]
    titles: tuple[str | None, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Swapped:
    """Two seats swap everything they hold."""

    seat: int
    to: int
    cards: int
    other: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Asked:
    """Questions are open now, all at once; queue and due are what comes after them."""

    questions: tuple[Question, ...]
    queue: tuple[Pending, ...] = ()
    due: Due | None = None


@dataclass(frozen=True, slots=True)
class Wished:
    """A seat has asked another for cards."""

    seat: int
    to: int
    wishes: tuple[tuple[int, int | None], ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Promised:
    """A seat has laid cards aside for another, face down, until all have done so."""

    seat: int
    to: int
    cards: int
    size: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Gave:
    """Cards have gone from one seat to another."""

    seat: int
    to: int
    cards: int
    size: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Discarded:
    """A seat has thrown cards away; shown: face up."""

    seat: int
    cards: int
    size: int
    shown: bool
    by: str = ""


@dataclass(frozen=True, slots=True)
class Named:
    """A seat has named ranks."""

    seat: int
    ranks: tuple[int, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Thrown:
    """A seat has chosen its janken shape; -1 where it is still hidden."""

    seat: int
    shape: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """A round of janken: the shape of each contender (-1: out of it) and who is left."""

    shapes: tuple[int, ...]
    seats: tuple[int, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Accepted:
    """A seat has said whether an effect of its play takes place."""

    seat: int
    yes: bool
    by: str = ""


@dataclass(frozen=True, slots=True)
class Took:
    """A seat has taken cards from the table."""

    seat: int
    cards: int
    size: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class ToMove:
    """It is this seat's move; on an empty table it leads."""

    seat: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Played:
    """A seat has laid a meld."""

    seat: int
    meld: Meld


@dataclass(frozen=True, slots=True)
class Passed:
    """A seat has passed; barred: until the table is cleared."""

    seat: int
    barred: bool


@dataclass(frozen=True, slots=True)
class Skipped:
    """Seats lose a turn, which counts as having passed."""

    seats: tuple[int, ...]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Reversed:
    """The order has turned: for the hand, for the trick, or (pending) from the next clear."""

    scope: Scope
    on: bool
    by: str = ""


@dataclass(frozen=True, slots=True)
class Turned:
    """The direction of play is now 1 (clockwise) or -1."""

    direction: int
    by: str = ""


@dataclass(frozen=True, slots=True)
class Marked:
    """A rule's memory cell has a new value; scope trick cells go with the clear."""

    name: str
    value: int
    scope: Literal["trick", "hand"]
    by: str = ""


@dataclass(frozen=True, slots=True)
class Cleared:
    """The table is cleared (場が流れる, ba ga nagareru)."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class Freed:
    """All were barred on an empty table: nobody is barred any more."""

    by: str = ""


@dataclass(frozen=True, slots=True)
class Out:
    """A seat has got rid of all its cards lawfully."""

    seat: int


@dataclass(frozen=True, slots=True)
class Fouled:
    """A seat has gone out by a forbidden last play; what: which of `forbidden_finish` it was."""

    seat: int
    what: str
    by: str = ""


@dataclass(frozen=True, slots=True)
class Fell:
    """The winner of the hand before, or its second (kyō-ochi, fu-ochi), has fallen; stays: it plays
    on."""

    seat: int
    stays: bool
    by: str = ""


@dataclass(frozen=True, slots=True)
class Expired:
    """The referee answers for a seat."""

    seat: int
    cause: str


@dataclass(frozen=True, slots=True)
class Ended:
    """The hand is over; places: seats, best to last."""

    places: tuple[int, ...]
    by: str = ""


PASSED: Final = tuple(tuple(Passed(seat, barred) for seat in range(8)) for barred in (False, True))
"""Every `Passed` there is, by whether it bars and seat; and what the game itself says every time.

Events are values, so the commonest ones need not be made anew.
"""
TO_MOVE: Final = tuple(ToMove(seat) for seat in range(8))
PLAYED: Final[tuple[dict[Meld, Played], ...]] = tuple(
    Memo(partial(Played, seat)) for seat in range(8)
)
OUT: Final = tuple(Out(seat) for seat in range(8))
CLEARED: Final = Cleared()

Event = (
    Dealt
    | Retitled
    | Swapped
    | Asked
    | Wished
    | Promised
    | Gave
    | Discarded
    | Named
    | Thrown
    | Shown
    | Accepted
    | Took
    | ToMove
    | Played
    | Passed
    | Skipped
    | Reversed
    | Turned
    | Marked
    | Cleared
    | Freed
    | Out
    | Fouled
    | Fell
    | Expired
    | Ended
)
