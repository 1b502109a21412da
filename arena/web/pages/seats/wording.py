"""What a seat's page says above the table: where the person is, what for it waits, how it ended.

Words only; whoever reads them sees nothing that the seat may not know.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from arena.errors import Forbidden
from arena.queries.seats import SeatAtTable
from arena.session.config import TimeControl
from arena.session.times import countdown, left_ms
from arena.statuses import ENTERABLE, EntryStatus, SessionStatus
from arena.web.api.services import Call

MINUTE_S = 60


class SeatLine(NamedTuple):
    """One line. at: an instant behind it; link, link_text: what it leads to."""

    text: str
    at: str = ""
    link: str = ""
    link_text: str = ""


def heading(seat: SeatAtTable, state: str) -> str:
    """What is to be done now. state: turn, waiting or over."""
    if state == "turn":
        return "Your turn"
    if seat.left:
        disqualified = seat.entry.status == EntryStatus.DISQUALIFIED
        where = "table" if seat.casual else "session"
        return "You have been disqualified" if disqualified else f"You have left the {where}"
    if state == "over":
        cancelled = seat.session.status == SessionStatus.CANCELLED and not seat.casual
        over = "has been cancelled" if cancelled else "is over"
        return f"The {'table' if seat.casual else 'session'} {over}"
    if seat.session.status in ENTERABLE:
        return "Waiting for the session to begin"
    if seat.session.status == SessionStatus.PAUSED:
        return "The session is paused"
    if not seat.tables and not seat.casual:
        return "Waiting for your next table" if seat.table else "Waiting for your first table"
    if seat.hand is not None and seat.hand.over and seat.tables:
        return "Waiting for the next hand"
    return "Waiting for the others" if seat.hand else "The cards are being dealt"


def about(
    call: Call, seat: SeatAtTable, state: str, *, document: Mapping[str, Any]
) -> Iterator[SeatLine]:
    """The lines below the heading; none at a casual table."""
    if seat.casual:
        return
    if seat.left and seat.entry.reason:
        yield SeatLine(f"The organiser says: {seat.entry.reason}")
    if state == "over":
        yield from _ended(call, seat, document)
    elif seat.session.status in ENTERABLE:
        yield from _before(call, document)
    elif state == "turn" and seat.tables > 1:
        text = f"You sit at {seat.tables} tables at once; the time of {seat.table} ends first."
        yield SeatLine(text)
    elif not seat.tables:
        yield SeatLine("A table is shown here as soon as it has been drawn.")
    if seat.table is not None:
        yield _all_hands(call, seat, rated=document["rated"])


def _before(call: Call, document: Mapping[str, Any]) -> Iterator[SeatLine]:
    """When a session begins."""
    starts = document["starts"]
    if starts is None:
        yield SeatLine("The organiser starts it; table and seats are drawn then.")
        return
    words = countdown(left_ms(starts, call.queries.clock.wall_ms()))
    yield SeatLine(f"It starts {words}, and table and seats are drawn then:", at=starts)


def _ended(call: Call, seat: SeatAtTable, document: Mapping[str, Any]) -> Iterator[SeatLine]:
    """How the session ended for the person, in the words that everybody reads."""
    session = seat.session.id
    place = _place(call, seat) if document["rated"] and seat.over else ""
    words = "The standings" if document["rated"] else "The session, with all its hands"
    yield SeatLine(place, link=f"/sessions/{quote(session, safe='')}", link_text=words)


def _all_hands(call: Call, seat: SeatAtTable, *, rated: bool) -> SeatLine:
    """Where the hands of all tables are; those of one bot have a page where it is rated."""
    session = f"/sessions/{quote(seat.session.id, safe='')}"
    if not rated:
        return SeatLine("", link=f"{session}/tables", link_text="All tables and hands")
    bot = quote(_shown(call, seat), safe="")
    return SeatLine("", link=f"{session}/bots/{bot}", link_text="All your hands in this session")


def _shown(call: Call, seat: SeatAtTable) -> str:
    """The id by which everybody is shown the person."""
    return call.queries.called(seat.session.id, seat.entry.bot) or seat.entry.bot


def _place(call: Call, seat: SeatAtTable) -> str:
    """The place of the person in the standings that everybody sees, "" if there is none."""
    session, bot = seat.session.id, _shown(call, seat)
    try:
        fit = call.queries.fit(session)
    except Forbidden:
        return "The results are withheld still."
    rows = (row for section in fit.standings.sections for row in section.rows)
    place = next((row.position for row in rows if row.bot == bot), None)
    return "" if place is None else f"Your place is {place}."


def clock_words(clock: TimeControl) -> str:
    """How long somebody may think."""
    bank = f", and {_time(clock.bank_ms)} in reserve at each table" if clock.bank_ms else ""
    return f"{_time(clock.move_ms)} for each turn{bank}"


def _time(ms: int) -> str:
    seconds = ms / 1_000
    if seconds < 2 * MINUTE_S:
        return f"{seconds:g} seconds"
    return f"{seconds / MINUTE_S:g} minutes"
