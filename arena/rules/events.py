"""Events: what has happened. The set is closed and small; past participles; results, not recipes.

A hand is its list of events. An event says what is so now ("it is seat 2's move"), never how to
work it out, so that a viewer can fold a replay without knowing a rule. `by` names the rule (the
option of `rules.md` 1.6) that made it happen, "" for the game itself. Fields named `cards` are
canonical masks; where cards are hidden from a reader they are 0 and `size` tells how many they are.
"""

from __future__ import annotations

from functools import cache
from typing import Literal, NamedTuple

from arena.rules.commands import Lots
from arena.rules.melds import Meld

CAUSES = ("timeout", "illegal", "absent", "withdrawn", "disqualified", "server")
"""Why the referee answered for a seat; the same words in messages, replays and standings."""

Scope = Literal["hand", "pending", "trick"]
Way = tuple[tuple[int, int], ...]
"""One way to answer a question for cards: from each mask exactly so many."""


class Question(NamedTuple):
    """Something a seat is asked besides playing.

    kind: give, discard, name, ask or throw; least, most: how many cards, ranks or wishes; ways: for
    cards, the ways to choose them; to: who gets them, -1 for nobody; since: number of the event
    that asked.
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


class Dealt(NamedTuple):
    """The hand begins. hands, counts: cards by seat; blind: cards taken out; titles by seat."""

    dealer: int
    hands: tuple[int, ...]
    counts: tuple[int, ...]
    blind: int
    places: tuple[int, ...]
    titles: tuple[str | None, ...]
    lots: Lots | None


class Retitled(NamedTuple):
    """Titles turn round before the exchange."""

    places: tuple[int, ...]
    titles: tuple[str | None, ...]
    by: str = ""


class Swapped(NamedTuple):
    """Two seats swap everything they hold."""

    seat: int
    to: int
    cards: int
    other: int
    by: str = ""


class Asked(NamedTuple):
    """Questions are open now, all at once; queue and due are what comes after them."""

    questions: tuple[Question, ...]
    queue: tuple[Pending, ...] = ()
    due: Due | None = None


class Wished(NamedTuple):
    """A seat has asked another for cards."""

    seat: int
    to: int
    wishes: tuple[tuple[int, int | None], ...]
    by: str = ""


class Promised(NamedTuple):
    """A seat has laid cards aside for another, face down, until all have done so."""

    seat: int
    to: int
    cards: int
    size: int
    by: str = ""


class Gave(NamedTuple):
    """Cards have gone from one seat to another."""

    seat: int
    to: int
    cards: int
    size: int
    by: str = ""


class Discarded(NamedTuple):
    """A seat has thrown cards away; shown: face up."""

    seat: int
    cards: int
    size: int
    shown: bool
    by: str = ""


class Named(NamedTuple):
    """A seat has named ranks."""

    seat: int
    ranks: tuple[int, ...]
    by: str = ""


class Thrown(NamedTuple):
    """A seat has chosen its janken shape; -1 where it is still hidden."""

    seat: int
    shape: int
    by: str = ""


class Shown(NamedTuple):
    """A round of janken: the shape of each contender (-1: out of it) and who is left."""

    shapes: tuple[int, ...]
    seats: tuple[int, ...]
    by: str = ""


class ToMove(NamedTuple):
    """It is this seat's move; on an empty table it leads."""

    seat: int
    by: str = ""


class Played(NamedTuple):
    """A seat has laid a meld."""

    seat: int
    meld: Meld


class Passed(NamedTuple):
    """A seat has passed; barred: until the table is cleared."""

    seat: int
    barred: bool


class Skipped(NamedTuple):
    """Seats lose a turn, which counts as having passed."""

    seats: tuple[int, ...]
    by: str = ""


class Reversed(NamedTuple):
    """The order has turned: for the hand, for the trick, or (pending) from the next clear."""

    scope: Scope
    on: bool
    by: str = ""


class Turned(NamedTuple):
    """The direction of play is now 1 (clockwise) or -1."""

    direction: int
    by: str = ""


class Marked(NamedTuple):
    """A rule's memory cell has a new value; scope trick cells go with the clear."""

    name: str
    value: int
    scope: Literal["trick", "hand"]
    by: str = ""


class Cleared(NamedTuple):
    """The table is cleared (場が流れる, ba ga nagareru)."""

    by: str = ""


class Freed(NamedTuple):
    """All were barred on an empty table: nobody is barred any more."""

    by: str = ""


class Out(NamedTuple):
    """A seat has got rid of all its cards lawfully."""

    seat: int


class Fouled(NamedTuple):
    """A seat has gone out by a forbidden last play; what: which of `forbidden_finish` it was."""

    seat: int
    what: str
    by: str = ""


class Fell(NamedTuple):
    """The winner of the hand before has fallen; stays: it plays on."""

    seat: int
    stays: bool
    by: str = ""


class Expired(NamedTuple):
    """The referee answers for a seat."""

    seat: int
    cause: str


class Ended(NamedTuple):
    """The hand is over; places: seats, best to last."""

    places: tuple[int, ...]
    by: str = ""


PASSED = tuple(tuple(Passed(seat, barred) for seat in range(8)) for barred in (False, True))
"""Every `Passed` there is, by whether it bars and seat; and what the game itself says every time.

Events are values, so the commonest ones need not be made anew.
"""
TO_MOVE = tuple(ToMove(seat) for seat in range(8))
laid = cache(Played)
CLEARED = Cleared()

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
