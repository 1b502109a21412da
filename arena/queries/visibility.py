"""Visibility: what of a session the public may see, and which tables count.

What was decided is a note of the store (`arena.session.publication`) that is read anew by whoever
asks, so any process may change it. This module knows nothing of tables in play and fits nothing.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from arena.clock import instant
from arena.documents import Document
from arena.referee.context import Ports, Sources
from arena.referee.live import Session
from arena.session.counting import complete_rounds, counted_tables
from arena.session.publication import (
    Publication,
    Void,
    note_key,
    read_publication,
)
from arena.statuses import OVER, ResultsMode, TableStatus
from arena.store.port import Store, TableRow
from arena.store.reading import all_tables


def publication(store: Store, session: str) -> Publication:
    """What holds for a session by now."""
    return read_publication(store.note(note_key(session)))


def is_public(ports: Ports, session: str) -> bool:
    """Is nothing of a session's results withheld now?"""
    return publication(ports.store, session).at(ports.clock.wall_ms()) == ResultsMode.LIVE


def tables_of(ports: Ports, session: str) -> list[TableRow]:
    """All tables of a session, in playing order."""
    work = ports.long_work.queries.work()
    rows: list[TableRow] = []
    for row in all_tables(ports.store, session, limit=200):
        rows.append(row)
        work.pause()
    return rows


def ended_tables(sources: Sources, session: Session) -> list[TableRow]:
    """The tables whose hands count as play stands (see `counting`), in playing order."""
    rows = tables_of(sources, session.id)
    counted = counted_tables(sources.in_play.table_state(session, row) for row in rows)
    return [row for row in rows if row.id in counted]


class Visibility(NamedTuple):
    """What of a session's results somebody may see at this moment.

    mode: live, frozen or embargoed, and always live for staff. mark: differs whenever what is seen
    may differ for another reason than that more has been played.
    """

    staff: bool
    mode: str
    publication: Publication

    def shows(self, table: str) -> bool:
        """Are the results and the open cards of this table shown?"""
        return self.mode == ResultsMode.LIVE or (
            self.mode == ResultsMode.FROZEN and table in self.publication.tables
        )

    def void(self, table: str) -> Void | None:
        """Why a table is void, as far as it was when what is seen was decided."""
        return (
            None
            if self.mode == ResultsMode.FROZEN and self.shows(table)
            else self.publication.voids.get(table)
        )

    def was_void(self, table: str) -> bool:
        """Was this table void when what is seen was decided?"""
        void = self.publication.voids.get(table)
        return void is not None and (
            self.mode == ResultsMode.LIVE or void.at_ms <= self.publication.since_ms
        )


def visibility_of(ports: Ports, session: str, *, staff: bool) -> Visibility:
    """What may be seen of a session's results now."""
    published = publication(ports.store, session)
    return Visibility(
        staff, ResultsMode.LIVE if staff else published.at(ports.clock.wall_ms()), published
    )


def visible_tables(sources: Sources, session: Session, seen: Visibility) -> list[TableRow]:
    """The tables whose hands count in the standings that are seen, in playing order."""
    if seen.mode == ResultsMode.LIVE:
        return ended_tables(sources, session)
    return [row for row in tables_of(sources, session.id) if seen.shows(row.id)]


def rounds_complete(
    ports: Ports, session: Session, seen: Visibility, *, counted: Iterable[TableRow]
) -> int:
    """How many rounds are complete in what is seen. counted: the tables whose hands count in it."""
    settled = {row.id for row in counted}
    rows = tables_of(ports, session.id)
    return complete_rounds((row.round, row.id in settled or seen.was_void(row.id)) for row in rows)


def tables_document(sources: Sources, session: Session, seen: Visibility) -> Document:
    """What a record file tells of tables that are not as others: `void` with the reason, `aborted`
    before their end, and `playing`: those that do not count yet, since their block goes on."""
    counted = {row.id for row in visible_tables(sources, session, seen)}
    rows = [row for row in tables_of(sources, session.id) if seen.shows(row.id)]
    open_ = [row.id for row in rows if row.id not in counted and seen.void(row.id) is None]
    return {
        "void": voids_document(seen),
        "aborted": [
            row.id for row in rows if row.status == TableStatus.ABORTED and row.id in counted
        ],
        "playing": open_,
    }


def rounds_begun(ports: Ports, session: Session) -> int:
    """How many rounds of a session have tables; all but those that its early end left out."""
    return max((row.round for row in tables_of(ports, session.id)), default=0)


def shows_notes(session: Session) -> bool:
    """Is everybody who may read the hands of a session told the notes that bots sent with their
    answers? Only where its document says so, and not before the session is over."""
    return session.config.notes and session.status in OVER


def voids_document(seen: Visibility) -> list[Document]:
    """The tables that are void, as far as that is seen, with the reason."""
    voids = ((table, seen.void(table)) for table in sorted(seen.publication.voids))
    return [{"table": table, **void_document(void)} for table, void in voids if void is not None]


def void_document(void: Void) -> Document:
    """Why and since when a table is void, and what is played in its stead."""
    return {"reason": void.reason, "at": instant(void.at_ms), "replay": void.replay}


def until_text(published: Publication) -> str:
    """Until when results are embargoed, for people."""
    if published.until_ms is None:
        return "the organiser publishes them"
    return instant(published.until_ms)


def publication_document(seen: Visibility, now_ms: int) -> Document:
    """What everybody may know of it."""
    mode = seen.publication.at(now_ms)
    until_ms = seen.publication.until_ms if mode == ResultsMode.EMBARGOED else None
    return {
        "results": mode,
        "since": None if mode == ResultsMode.LIVE else instant(seen.publication.since_ms),
        "until": None if until_ms is None else instant(until_ms),
    }
