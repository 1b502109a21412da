"""Moves: what the log in a line of a record file says of who answered whose play.

Only for the alerts of `arena rate`: reading every event costs more than all else that ratings read.
A file may come from anybody: what cannot be read raises BadInput, nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import as_list, as_object, short
from arena.rules.events import Event
from arena.session.moves import FOLLOWED, hand_moves
from arena.session.scoring import ScoredHand
from arena.tournament.moves import HandMoves
from arena.wire import read_event


def read_moves(document: Document, hand: ScoredHand) -> HandMoves | None:
    """The moves of a recorded hand; None for one that was not played or has no log. Raises
    BadInput."""
    if not hand.seats or not document.get("steps"):
        return None
    try:
        return hand_moves(_events(document), hand.seats)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput("steps", short(document["hand"]), "a log that can be followed") from error


def _events(document: Document) -> Iterator[Event]:
    for step in as_list("steps", document["steps"]):
        for event in as_list("events", as_object("steps", step).get("events")):
            if as_object("events", event).get("type") in FOLLOWED:
                yield read_event(dict(event))
