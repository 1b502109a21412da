"""Publishing: results are frozen, embargoed, or shown again.

A decision replaces the one before it only if that is the one that was read, and stands in the audit
log.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import orjson

from arena.clock import instant
from arena.documents import Document
from arena.errors import BadInput, Conflict
from arena.organising.times import settled_by
from arena.queries.visibility import ended_tables, publication
from arena.referee.clock import ArenaClock
from arena.referee.context import Context, Ports
from arena.session.publication import (
    Publication,
    note_key,
    write_publication,
)
from arena.statuses import EntryStatus, ResultsMode
from arena.store.port import AuditRow, Change, NoteRow, SetNote
from arena.store.reading import all_entries, session_row
from arena.store.time_rows import TimeRow

TRIES = 5
YEAR_10000_MS = 253_402_300_800_000
FAREST_MS = 4_102_444_800_000
"""An embargo ends before the year 2100, or has no end."""


def change(session: str, before: Publication, after: Publication) -> Change:
    """What to write so that this holds instead of what was read."""
    text, key = write_publication(after), note_key(session)
    return NoteRow(key, text) if before.text is None else SetNote(key, text, was=before.text)


def freeze(context: Context, session: str, *, actor: str, time: TimeRow | None = None) -> None:
    """The public sees what counts now, however it goes on. Again: what counts by then.

    time: of the session, at which the arena does it by itself. Raises Conflict while results are
    embargoed: freezing them would show them.
    """

    def frozen(before: Publication, now_ms: int) -> Publication:
        if before.at(now_ms) == ResultsMode.EMBARGOED:
            raise Conflict(session, "the results are embargoed: freezing would show them")
        tables = tuple(row.id for row in ended_tables(context, context.in_play.session(session)))
        left = (
            entry
            for entry in all_entries(context.store, session)
            if entry.status != EntryStatus.ENTERED
        )
        out = {entry.bot: entry.status for entry in left}
        frozen = replace(before, mode=ResultsMode.FROZEN, until_ms=None, frozen_ms=now_ms)
        return replace(frozen, tables=tables, out=out)

    _decide(context, session, frozen, actor=actor, action="results.freeze", detail={}, time=time)


def embargo(context: Context, session: str, until_ms: int | None, *, actor: str) -> None:
    """The public sees nothing until then, or until the results are published."""
    if until_ms is not None and not context.clock.wall_ms() < until_ms < FAREST_MS:
        value = instant(until_ms) if 0 <= until_ms < YEAR_10000_MS else until_ms
        raise BadInput("until", value, "an instant to come, before the year 2100")

    def embargoed(before: Publication, now_ms: int) -> Publication:
        return replace(before, mode=ResultsMode.EMBARGOED, until_ms=until_ms)

    detail = {"until": None if until_ms is None else instant(until_ms)}
    _decide(context, session, embargoed, actor=actor, action="results.embargo", detail=detail)


def publish(context: Context, session: str, *, actor: str, time: TimeRow | None = None) -> None:
    """The public sees everything from now on. time: see `freeze`. Raises Conflict if it does
    already."""

    def published(before: Publication, now_ms: int) -> Publication:
        if before.at(now_ms) == ResultsMode.LIVE:
            raise Conflict(session, "the results are public already")
        return replace(before, mode=ResultsMode.LIVE, until_ms=None)

    _decide(
        context, session, published, actor=actor, action="results.publish", detail={}, time=time
    )


def _decide(
    ports: Ports,
    session: str,
    decide: Any,
    *,
    actor: str,
    action: str,
    detail: Document,
    time: TimeRow | None = None,
) -> None:
    for attempt in range(TRIES):
        status = session_row(ports.store, session).status
        before, now_ms = publication(ports.store, session), ports.clock.wall_ms()
        revealed = before.tells_secret(status, now_ms)
        after = replace(decide(before, now_ms), since_ms=now_ms, revealed=revealed)
        times = settled_by(ports.store, session, action, now_ms=now_ms, time=time)
        about = {"session": session, **detail, **times.outcomes}
        audit = audit_row(ports.clock, actor, action, about)
        try:
            ports.store.write(change(session, before, after), *times.changes, audit)
        except Conflict:
            if attempt == TRIES - 1:
                raise
        else:
            return


def audit_row(clock: ArenaClock, actor: str, action: str, detail: Document) -> AuditRow:
    """An entry of the audit log, of now."""
    return AuditRow(clock.wall_ms(), actor, action, orjson.dumps(detail).decode())
