"""Publishing: what of a session the public may see, and which of its tables are void.

A session's results are live (everybody sees them as they come), frozen (everybody sees what had
been counted when they were frozen) or embargoed (nobody sees any, until an instant or until they
are published). Organisers always see all. The session's secret is told when the session is over and
its results are live: not before, so that tables can be replayed with deals that nobody knows.

All of it is one note of the store for each session, replaced only by who has read it, together with
an entry in the audit log; it is read anew by whoever asks, so any process may change it. This
module knows nothing of tables in play (see `voiding`) and fits nothing (see `scores`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from arena.clock import instant
from arena.errors import BadInput, Conflict
from arena.referee.context import Hall
from arena.referee.live import Session
from arena.session.config import ROTATE
from arena.store.paging import all_rows
from arena.store.port import AuditRow, Change, DropNote, NoteRow, SetNote, TableRow

Document = dict[str, Any]
LIVE, FROZEN, EMBARGOED = "live", "frozen", "embargoed"
OVER = ("finished", "cancelled")
OPEN = ("waiting", "playing")
COUNTED = ("finished", "aborted")
"""Statuses of tables whose hands count, once their block has ended. Before that none of its hands
does, so that standings depend on which blocks have ended and on nothing else."""
VOID = "void"
TRIES = 5
YEAR_10000_MS = 253_402_300_800_000
FAREST_MS = 4_102_444_800_000
"""An embargo ends before the year 2100, or has no end."""


class Void(NamedTuple):
    """Why a table does not count. replay: the table that is played in its stead. finished,
    forfeited: how many hands it had."""

    reason: str
    at_ms: int
    replay: str | None = None
    finished: int = 0
    forfeited: int = 0


@dataclass(frozen=True, kw_only=True)
class Publication:
    """What was decided. since_ms: when. until_ms: the end of an embargo, None: not set.

    tables, out: when frozen, the tables that counted and the bots that had left, with the cause.
    revealed: the secret has been told before results were withheld again. voids: by table. text:
    the note as it was read, None if there was none.
    """

    mode: str = LIVE
    since_ms: int = 0
    until_ms: int | None = None
    tables: tuple[str, ...] = ()
    out: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))
    revealed: bool = False
    voids: Mapping[str, Void] = field(default_factory=lambda: MappingProxyType({}))
    text: str | None = None

    def at(self, now_ms: int) -> str:
        """What holds at an instant: an embargo may have ended."""
        ended = self.until_ms is not None and self.until_ms <= now_ms
        return LIVE if ended else self.mode

    def tells_secret(self, status: str, now_ms: int) -> bool:
        """Is the secret of a session of this status public?"""
        return status in OVER and (self.revealed or self.at(now_ms) == LIVE)


def note_key(session: str) -> str:
    """Under which key the note of a session lies."""
    return f"publication/{session}"


def publication(hall: Hall, session: str) -> Publication:
    """What holds for a session by now."""
    text = hall.store.note(note_key(session))
    if text is None:
        return Publication()
    said = orjson.loads(text)
    voids = {table: Void(*each) for table, each in said.pop("voids").items()}
    tables = tuple(said.pop("tables"))
    return Publication(**said, tables=tables, voids=voids, text=text)


def changes(hall: Hall, session: str, before: Publication, after: Publication) -> tuple[Change]:
    """What to write so that this holds instead of what was read."""
    said = {
        "mode": after.mode,
        "since_ms": after.since_ms,
        "until_ms": after.until_ms,
        "tables": after.tables,
        "out": dict(after.out),
        "revealed": after.revealed,
        "voids": {table: tuple(each) for table, each in after.voids.items()},
    }
    text, key = orjson.dumps(said).decode(), note_key(session)
    change = NoteRow(key, text) if before.text is None else SetNote(key, text, was=before.text)
    return (change,)


def freeze(hall: Hall, session: str, *, actor: str) -> None:
    """The public sees what counts now, however it goes on. Again: what counts by then.

    Raises Conflict while results are embargoed: freezing them would show them.
    """

    def frozen(before: Publication, now_ms: int) -> Publication:
        if before.at(now_ms) == EMBARGOED:
            raise Conflict(session, "the results are embargoed: freezing would show them")
        tables = tuple(row.id for row in ended_tables(hall, hall.session(session)))
        left = (entry for entry in hall.entries(session) if entry.status != "entered")
        out = {entry.bot: entry.status for entry in left}
        return replace(before, mode=FROZEN, until_ms=None, tables=tables, out=out)

    _decide(hall, session, frozen, actor=actor, action="results.freeze", detail={})


def embargo(hall: Hall, session: str, until_ms: int | None, *, actor: str) -> None:
    """The public sees nothing until then, or until the results are published."""
    if until_ms is not None and not hall.clock.wall_ms() < until_ms < FAREST_MS:
        shown = instant(until_ms) if 0 <= until_ms < YEAR_10000_MS else until_ms
        raise BadInput("until", shown, "an instant to come, before the year 2100")

    def embargoed(before: Publication, now_ms: int) -> Publication:
        return replace(before, mode=EMBARGOED, until_ms=until_ms, tables=(), out={})

    told = {"until": None if until_ms is None else instant(until_ms)}
    _decide(hall, session, embargoed, actor=actor, action="results.embargo", detail=told)


def publish(hall: Hall, session: str, *, actor: str) -> None:
    """The public sees everything from now on. Raises Conflict if it does already."""

    def published(before: Publication, now_ms: int) -> Publication:
        if before.at(now_ms) == LIVE:
            raise Conflict(session, "the results are public already")
        return replace(before, mode=LIVE, until_ms=None, tables=(), out={})

    _decide(hall, session, published, actor=actor, action="results.publish", detail={})


def _decide(
    hall: Hall, session: str, decide: Any, *, actor: str, action: str, detail: Document
) -> None:
    for attempt in range(TRIES):
        status = hall.session_row(session).status
        before, now_ms = publication(hall, session), hall.clock.wall_ms()
        revealed = before.tells_secret(status, now_ms)
        after = replace(decide(before, now_ms), since_ms=now_ms, revealed=revealed)
        audit = audit_row(hall, actor, action, {"session": session, **detail})
        try:
            hall.store.write(*changes(hall, session, before, after), audit)
        except Conflict:
            if attempt == TRIES - 1:
                raise
        else:
            return


def is_public(hall: Hall, session: str) -> bool:
    """Is nothing of a session's results withheld now?"""
    return publication(hall, session).at(hall.clock.wall_ms()) == LIVE


def dropped(hall: Hall, session: str) -> list[Change]:
    """What takes away the note of a session that is dropped, if it has one."""
    key = note_key(session)
    return [] if hall.store.note(key) is None else [DropNote(key)]


def audit_row(hall: Hall, actor: str, action: str, detail: Document) -> AuditRow:
    """An entry of the audit log, of now."""
    return AuditRow(hall.clock.wall_ms(), actor, action, orjson.dumps(detail).decode())


def tables_of(hall: Hall, session: str) -> list[TableRow]:
    """All tables of a session, in playing order."""
    read, work = hall.store.tables, hall.query_pacer.work()
    found: list[TableRow] = []
    for row in all_rows(lambda after: read(session, after=after, limit=200), "", _id):
        found.append(row)
        work.pause()
    return found


def ended_tables(hall: Hall, session: Session) -> list[TableRow]:
    """The tables whose blocks have ended and that are not void, in playing order."""
    rows = tables_of(hall, session.id)
    if session.plan.deals != ROTATE:  # every table is a block
        return [row for row in rows if row.status in COUNTED]
    blocks = {row.id: hall.spot(session, row).block for row in rows}
    going_on = {blocks[row.id] for row in rows if row.status in OPEN}
    return [row for row in rows if row.status in COUNTED and blocks[row.id] not in going_on]


def _id(row: TableRow) -> str:
    return row.id


class Sight(NamedTuple):
    """What of a session's results somebody may see at this moment.

    mode: live, frozen or embargoed, and always live for staff. mark: differs whenever what is seen
    may differ for another reason than that more has been played.
    """

    staff: bool
    mode: str
    said: Publication

    def shows(self, table: str) -> bool:
        """Are the results and the open cards of this table shown?"""
        return self.mode == LIVE or (self.mode == FROZEN and table in self.said.tables)

    def void(self, table: str) -> Void | None:
        """Why a table is void, as far as it was when what is seen was decided."""
        return None if self.mode == FROZEN and self.shows(table) else self.said.voids.get(table)


def sight(hall: Hall, session: str, *, staff: bool) -> Sight:
    """What may be seen of a session's results now."""
    said = publication(hall, session)
    return Sight(staff, LIVE if staff else said.at(hall.clock.wall_ms()), said)


def counted_tables(hall: Hall, session: Session, seen: Sight) -> list[TableRow]:
    """The tables whose hands count in the standings that are seen, in playing order."""
    if seen.mode == LIVE:
        return ended_tables(hall, session)
    return [row for row in tables_of(hall, session.id) if seen.shows(row.id)]


def tables_document(hall: Hall, session: Session, seen: Sight) -> Document:
    """What a record file tells of tables that are not as others: `void` with the reason, `aborted`
    before their end, and `playing`: those that do not count yet, since their block goes on."""
    counted = {row.id for row in counted_tables(hall, session, seen)}
    rows = [row for row in tables_of(hall, session.id) if seen.shows(row.id)]
    open_ = [row.id for row in rows if row.id not in counted and seen.void(row.id) is None]
    return {
        "void": voids_document(seen),
        "aborted": [row.id for row in rows if row.status == "aborted" and row.id in counted],
        "playing": open_,
    }


def voids_document(seen: Sight) -> list[Document]:
    """The tables that are void, as far as that is seen, with the reason."""
    found = ((table, seen.void(table)) for table in sorted(seen.said.voids))
    return [{"table": table, **void_document(void)} for table, void in found if void is not None]


def void_document(void: Void) -> Document:
    """Why and since when a table is void, and what is played in its stead."""
    return {"reason": void.reason, "at": instant(void.at_ms), "replay": void.replay}


def until_text(said: Publication) -> str:
    """Until when results are embargoed, for people."""
    if said.until_ms is None:
        return "the organiser publishes them"
    return instant(said.until_ms)


def publication_document(seen: Sight, now_ms: int) -> Document:
    """What everybody is told of it."""
    mode = seen.said.at(now_ms)
    until_ms = seen.said.until_ms if mode == EMBARGOED else None
    return {
        "results": mode,
        "since": None if mode == LIVE else instant(seen.said.since_ms),
        "until": None if until_ms is None else instant(until_ms),
    }
