"""Moves: what the log in a line of a record file says of who answered whose play, and of the deal.

Only for what `arena rate` adds when asked: reading every event costs more than all else that
ratings read. A file may come from anybody: what cannot be read raises BadInput, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import as_list, as_object, short
from arena.rules.events import Dealt, Event
from arena.session.luck import deal_luck
from arena.session.moves import FOLLOWED, hand_moves
from arena.session.scoring import ScoredHand
from arena.tournament.moves import HandMoves
from arena.wire import read_event

UNREADABLE = (KeyError, TypeError, ValueError, IndexError, AttributeError)
"""What reading a log of anybody may raise."""


def read_moves(document: Document, hand: ScoredHand) -> HandMoves | None:
    """The moves of a recorded hand; None for one that was not played or has no log. Raises
    BadInput."""
    if not hand.seats or not document.get("steps"):
        return None
    try:
        return hand_moves(_events(document), hand.seats)
    except UNREADABLE as error:
        raise BadInput("steps", short(document["hand"]), "a log that can be followed") from error


def read_luck(document: Document, hand: ScoredHand) -> tuple[tuple[float, ...], ...] | None:
    """The luck of the deal of a recorded hand, by seat; None as above, or if cards are hidden.
    Raises BadInput."""
    if not hand.seats or not document.get("steps"):
        return None
    try:
        dealt = next(event for event in _events(document) if isinstance(event, Dealt))
        found = deal_luck(dealt)
    except (*UNREADABLE, StopIteration, ZeroDivisionError) as error:
        raise BadInput("steps", short(document["hand"]), "a log with a whole deal") from error
    if found is not None and len(found) != len(hand.seats):
        raise BadInput("dealt", len(found), f"{len(hand.seats)} hands")
    return found


def _events(document: Document) -> Iterator[Event]:
    for step in as_list("steps", document["steps"]):
        for event in as_list("events", as_object("steps", step).get("events")):
            if as_object("events", event).get("type") in FOLLOWED:
                yield read_event(dict(event))
