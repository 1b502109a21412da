"""Notices of a bot, for its owner; and messages of a session, for organisers.

Reads only. That a session has ended is a notice of its own; which place a bot has in it follows
from the standings as everybody may see them now, so that it is right after a table was void, and
not told while results are withheld.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import orjson

from arena.clock import instant
from arena.documents import Document
from arena.errors import ArenaError, Unavailable
from arena.notices.subscriptions import subscription
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.referee.context import Sources
from arena.session.notices import ENDED, text_of
from arena.store.notice_rows import WAITING, DeliveryRow, NoticeRow
from arena.store.reading import session_row

LONGEST_PAGE = 500
MOST_ENDED = 4
"""A page ends after so many sessions that have ended: for each the standings may have to be
fitted."""


class Fit(Protocol):
    """The standings of a session; see `Queries.fit`."""

    def __call__(self, session: str) -> StandingsSnapshot: ...


def notices(sources: Sources, fit: Fit, bot: str, *, after: int, limit: int) -> Document:
    """A page of a bot's notices, ``{"notices": [...], "next": n | None, "last": n}``, oldest first.

    bot: an id or a name. after: the number that the page before ended with. last: the number of the
    newest notice. Raises NotFound.
    """
    row = sources.registry.row(bot)
    limit = max(1, min(limit, LONGEST_PAGE))
    rows = _page(sources.store.notices(row.id, after=after, limit=limit))
    last = sources.store.last_notice(row.id)
    more = bool(rows) and rows[-1].number < last
    return {
        "notices": [_notice(sources, fit, each) for each in rows],
        "next": rows[-1].number if more else None,
        "last": last,
    }


def _page(rows: Sequence[NoticeRow]) -> Sequence[NoticeRow]:
    """The rows up to the last end of a session that is answered in one page."""
    ends = [place for place, row in enumerate(rows, start=1) if row.kind == ENDED]
    return rows[: ends[MOST_ENDED - 1]] if len(ends) > MOST_ENDED else rows


def _notice(sources: Sources, fit: Fit, row: NoticeRow) -> Document:
    data = orjson.loads(row.data)
    if row.kind == ENDED:
        data |= _place(sources, fit, row)
    return {
        "notice": row.number,
        "session": row.session,
        "at": instant(row.at_ms),
        "kind": row.kind,
        "text": text_of(row.kind, row.session, data),
        "data": data,
    }


def _place(sources: Sources, fit: Fit, row: NoticeRow) -> Document:
    """The place of a bot in a session that has ended, None where it has none or it is withheld."""
    try:
        board = sources.in_play.display_names(sources.in_play.session(row.session), staff=False)
        standings = fit(row.session).standings
    except Unavailable:
        raise
    except ArenaError:  # the results are withheld, or the session cannot be rated
        return {"place": None, "of": None}
    for section in standings.sections:
        ranked = [each for each in section.rows if each.position is not None]
        for each in ranked:
            if each.bot == board.bot(row.bot):
                return {"place": each.position, "of": len(ranked)}
    return {"place": None, "of": None}


def notify(sources: Sources, session: str, *, limit: int) -> Document:
    """Where the messages of a session go, and the newest of them.

    ``{"url": ... | None, "deliveries": [...]}``; raises NotFound.
    """
    session_row(sources.store, session)
    known = subscription(sources.store, session)
    rows = sources.store.deliveries(session, limit=max(1, min(limit, LONGEST_PAGE)))
    return {
        "session": session,
        "url": None if known is None else known.url,
        "deliveries": [_delivery(row) for row in rows],
    }


def _delivery(row: DeliveryRow) -> Document:
    return {
        "message": row.id,
        "type": row.kind,
        "at": instant(row.at_ms),
        "status": row.status,
        "tries": row.tries,
        "outcome": row.outcome,
        "next_try": instant(row.due_ms) if row.status == WAITING else None,
    }
