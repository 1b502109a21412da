"""Leaving: bots that withdraw, or are withdrawn or disqualified; the referee answers for them.

Every action is one atomic write, together with its entry in the audit log and what is told of it.
"""

from __future__ import annotations

from arena.errors import Conflict, NotFound
from arena.organising import notifying
from arena.organising.auditing import By, session_audit
from arena.referee.context import Context
from arena.referee.in_play import InPlay
from arena.referee.jobs import JobQueue
from arena.statuses import OVER, EntryStatus
from arena.store.port import EntryRow, SetEntryStatus
from arena.store.reading import session_row


def check_leaving(context: Context, session: str, bot: str) -> None:
    """May a bot withdraw itself? Raises NotFound, and Conflict once the session is over."""
    status = session_row(context.store, session).status
    context.registry.row(bot)
    if status in OVER:
        raise Conflict(session, f"nobody can leave this session any more: it is {status}")


def take_out(context: Context, session: str, bot: str, *, status: EntryStatus, by: By) -> EntryRow:
    """Withdraw or disqualify a bot; the referee answers for it from now on."""
    row, home = context.registry.row(bot), session_row(context.store, session)
    entry = context.store.entry(session, row.id)
    if entry is None:
        raise NotFound(bot, f"{row.name} is not in this session")
    if entry.status in (status, EntryStatus.DISQUALIFIED):
        return entry
    notices = notifying.taken_out_changes(
        context, home, row, status=status, actor=by.actor, reason=by.reason
    )
    with context.in_play.changing:  # so that a session that is taken up meanwhile knows of it
        context.store.write(
            SetEntryStatus(session, row.id, status, was=entry.status, reason=by.reason),
            *notices,
            session_audit(context.clock, by, f"entry.{status}", session, bot=row.id),
        )
        answer_for(context.in_play, context.signals.jobs, session, row.id, cause=status)
    return entry._replace(status=status, reason=by.reason)


def answer_for(in_play: InPlay, jobs: JobQueue, session: str, bot: str, *, cause: str) -> None:
    """From now on the referee answers for a bot. The caller holds `changing`."""
    live = in_play.sessions.get(session)
    if live is None:
        in_play.shelved.drop(session)
        return
    live.out[bot] = cause
    for table in tuple(live.tables.values()):
        if bot in table.players and table.hand is not None:
            jobs.add("attend", table.hand.id)
