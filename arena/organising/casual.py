"""Casual tables: a person against house bots, at once, and never rated.

Each is a session of its own with one table and a few hands, that stands in no list and is taken
away after some hours, with the person who played if nothing else of that person is left. A person
who goes away holds nobody up: the clock answers, and the table ends after its hands.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, NamedTuple

from arena.documents import Document
from arena.errors import BadInput, Conflict
from arena.identity.casual import STRENGTHS, house_names, is_person, new_person
from arena.organising import sessions
from arena.organising.auditing import By
from arena.organising.entering import enter
from arena.organising.leaving import take_out
from arena.organising.retention import OldSession, drop
from arena.queries.seats import SeatAtTable, note_here, seat_at_table, wait_for_news
from arena.referee.context import Context, Sources
from arena.referee.long_poll import turns
from arena.session.config import read_config
from arena.session.names import check_name, new_id
from arena.session.people import NO_CLOCK, USUAL, check_clock
from arena.session.times import DROPS
from arena.statuses import OVER, Actor, EntryStatus
from arena.store.port import BotRow
from arena.store.reading import session_row

MIXED = "mixed"
"""House bots of all strengths in turn."""
MOVE_MS, BANK_MS = 30_000, 120_000
MOST_HANDS = 20
BROWSER = "a person in a browser"
"""What the client of a person is called."""
HOUR_MS = 3_600_000


class CasualTable(NamedTuple):
    """What a person wishes for. players: None for as many as the ruleset says; strength: one of
    `STRENGTHS`, or `MIXED`; clock: the person's, one of `people.CLOCKS`."""

    name: str
    ruleset: Mapping[str, Any]
    players: int | None = None
    strength: str = MIXED
    hands: int = 3
    clock: str = USUAL


class SeatedPerson(NamedTuple):
    """A person at a new table. token: None where the person has one."""

    bot: str
    token: str | None
    session: str


class CasualTables:
    """The casual tables of one process. follow_up: sees to it that what follows is done too."""

    def __init__(self, context: Context, *, follow_up: Callable[[], object]) -> None:
        self._context = context
        self._follow_up = follow_up

    def strengths(self) -> tuple[str, ...]:
        """The strengths of house bots that are here, the weakest first."""
        return house_strengths(self._context)

    def sit_down(self, wanted: CasualTable, person: str | None) -> SeatedPerson:
        """Begin a table for a person; see `sit_down`."""
        seated = sit_down(self._context, wanted, person)
        self._follow_up()
        return seated

    def leave(self, person: str, session: str) -> None:
        """A person gets up: the own table ends, at others the referee answers from now on.

        Harmless if done twice. Raises NotFound.
        """
        leave_table(self._context, person, session)
        self._follow_up()

    def at(
        self, person: str, mark: str | None = None, *, wait_ms: int = 0
    ) -> tuple[SeatAtTable | None, list[Document]]:
        """Where a person sits, None for nowhere, and the turns that wait there. mark: of what the
        person knows already; then it waits until there is more, at most so long."""
        context = self._context
        if mark is not None:
            note_here(context, person)
            wait_for_news(context, person, mark, wait_ms=wait_ms)
        most = context.settings.max_turns
        polled = turns(context, person, None, limit=most, wait_ms=0, hints=True, client=BROWSER)
        note_here(context, person)
        found: list[Document] = polled["turns"]
        return seat_at_table(context, person), found


def house_strengths(sources: Sources) -> tuple[str, ...]:
    """The strengths of house bots of which enough are there just now, the weakest first."""
    return tuple(strength for strength in STRENGTHS if _are_here(sources, strength))


def _are_here(sources: Sources, strength: str) -> bool:
    rows = [sources.store.bot_by_name(name) for name in house_names(strength)]
    known = [row.id for row in rows if row is not None]
    visits, now_ms = sources.visits.of(known), sources.clock.wall_ms()
    here = [bot for bot in known if bot in visits and visits[bot].connected(now_ms)]
    return len(here) == len(rows)


def sit_down(context: Context, wanted: CasualTable, person: str | None) -> SeatedPerson:
    """Begin a casual table. person: who sat here before, None for somebody new.

    Raises BadInput for what cannot be played, Conflict where there are no house bots, or too many
    casual tables already.
    """
    check_name(wanted.name)
    check_clock(wanted.clock)
    document = _document(wanted)
    seats = read_config(document).seats
    rivals = _rivals(context, wanted.strength, seats - 1)
    _check_room(context)
    row, token = _person(context, wanted.name, person)
    now_ms = context.clock.wall_ms()
    drop_ms = now_ms + context.settings.casual_keep_h * HOUR_MS
    session = sessions.create(context, document, row.id, drop_ms=drop_ms)
    for bot in (row.id, *rivals):
        enter(context, session, bot, by=row.id, clock=wanted.clock)
    sessions.set_status(context, session, sessions.START, By(row.id))
    return SeatedPerson(row.id, token, session)


def _document(wanted: CasualTable) -> dict[str, Any]:
    """The document of the session. Raises BadInput."""
    if not 1 <= wanted.hands <= MOST_HANDS:
        raise BadInput("hands", wanted.hands, f"1 to {MOST_HANDS}")
    return {
        "name": f"Casual table of {wanted.name}",
        "slug": new_id("casual-"),
        "ruleset": wanted.ruleset,
        "seats": wanted.players,
        "hands_per_table": wanted.hands,
        "schedule": {"rounds": 1},
        "rated": False,
        "hidden": True,
        "roster": {"open": False, "max_bots": 8, "bots_per_owner": 1},
        "clock": {"move_ms": MOVE_MS, "bank_ms": BANK_MS},
        "people": {"longest_clock": NO_CLOCK},
    }


def _rivals(sources: Sources, strength: str, count: int) -> list[str]:
    """The ids of as many house bots of a strength. Raises BadInput, Conflict."""
    here = house_strengths(sources)
    if not here:
        raise Conflict("house bots", "no house bots are there: this arena has not switched them on")
    chosen = here if strength == MIXED else (strength,)
    if not set(chosen) <= set(here):
        raise BadInput("strength", strength, f"one of {', '.join((MIXED, *here))}")
    columns = zip(*(house_names(each) for each in chosen), strict=True)
    names = itertools.islice(itertools.chain.from_iterable(columns), count)
    return [sources.registry.row(name).id for name in names]


def _check_room(sources: Sources) -> None:
    """May one more casual table be played here? Raises Conflict."""
    most = sources.settings.casual_tables
    if _tables(sources) >= most:
        raise Conflict("casual tables", f"{most} are played, which is all there may be")


def _tables(sources: Sources) -> int:
    """How many casual tables are played."""
    return sum(not each.config.rated for each in tuple(sources.in_play.sessions.values()))


def _person(context: Context, name: str, person: str | None) -> tuple[BotRow, str | None]:
    """Who sits down: who was here before under this name, else somebody new."""
    known = None if person is None else context.store.bot(person)
    if known is not None and known.name == name and is_person(known) and not known.revoked:
        return known, None
    return new_person(context.registry, context.store, name)


def leave_table(context: Context, person: str, session: str) -> None:
    """End a person's own table, or withdraw the person from another's. Raises NotFound."""
    status = session_row(context.store, session).status
    if status in OVER:
        return
    if any(time.what == DROPS for time in context.store.times(session)):
        with suppress(Conflict):  # it has ended just now
            sessions.set_status(context, session, "cancel", By(person, "the person has left"))
        return
    take_out(context, session, person, status=EntryStatus.WITHDRAWN, by=By(person))


def drop_table(context: Context, session: str) -> None:
    """Take a casual session away, also if it is being played."""
    row = session_row(context.store, session)
    if row.status not in OVER:
        by = By(Actor.REFEREE, "a casual table is kept for so long only")
        sessions.set_status(context, session, "cancel", by)
    hands = sum(context.store.hand_counts(session).values())
    pieces = context.long_work.pieces()
    drop(context, OldSession(session, row.status, row.created_ms, hands), pieces.pause)
    context.in_play.shelved.drop(session)
