"""The position of a hand at one of its moments, as a line of text: what the viewer copies.

Only of hands whose cards may be seen: of one that is being played nobody gets a position here.
"""

from __future__ import annotations

from arena.errors import BadInput
from arena.game import Position
from arena.rules import EMPTY, evolve
from arena.rules.events import Event
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.rendering import PAGE_COST

AT = Param("at", "integer", "The event after whose step it is; without it, the end of the hand.")
SEAT = Param(
    "seat", "integer", "The seat whose knowledge it is; without it, everything is known.", most=7
)
MEDIA = "text/plain"


def hand_position(call: Call) -> Reply:
    """Get the position of a hand at one moment, as a line of text for bots and commands.

    Of a hand whose cards may be seen: as a seat knew it, or as it was.
    """
    record = call.queries.record(call.path["hand"])
    hand = read_recorded_hand(record)
    line = position_of(hand, seat=call.query["seat"], at=call.query["at"])
    return Reply(f"{line}\n".encode(), media=f"{MEDIA}; charset=utf-8", credit=-PAGE_COST)


def position_of(hand: RecordedHand, *, seat: int | None, at: int | None) -> Position:
    """A position of a recorded hand, after the step to which an event belongs.

    Raises `BadInput` for a seat or an event that the hand has not.
    """
    last = len(hand.events) - 1
    if at is not None and not 0 <= at <= last:
        raise BadInput("at", at, f"an event, 0 to {last}")
    if seat is not None and seat >= len(hand.names):
        raise BadInput("seat", seat, f"0 to {len(hand.names) - 1}")
    events: list[Event] = []
    for step in hand.steps:
        events += step.events
        if at is not None and len(events) > at:
            break
    if seat is None:
        return Position.of_state(hand.rules, evolve(EMPTY, events))
    return Position.of_events(hand.rules, events, seat=seat)


def endpoints() -> tuple[Endpoint, ...]:
    """The route of positions."""
    codes = (Code.NOT_FOUND, Code.BAD_VALUE, Code.FORBIDDEN)
    path, query = "/hands/{hand}/position", (AT, SEAT)
    return (Endpoint("GET", path, hand_position, query=query, codes=codes, medias=(MEDIA,)),)
