"""The timetable: at its times a session is opened, started, frozen, ended and published; a casual
one is taken away.

What is done at a time is the command of that name, and a write settles the time together with it:
of several processes, and of a command and a time, exactly one does it. A time that passed while
nobody was there is obeyed as soon as somebody is, in order. What cannot be done is not tried again:
the time has failed, and the audit log and the session's document say why; the command remains.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from arena.clock import instant
from arena.errors import ArenaError, Conflict, Unavailable
from arena.organising import publishing, sessions
from arena.organising.auditing import By
from arena.organising.casual import drop_table
from arena.organising.publishing import audit_row
from arena.queries.visibility import is_public
from arena.referee.context import Context
from arena.session.times import DROPS, TIMES, TimeOutcome
from arena.statuses import OVER, Actor
from arena.store.reading import session_row
from arena.store.time_rows import WAITING, SettleTime, TimeRow

TRIES = 5
ORDER = (*TIMES, DROPS)
Act = Callable[[Context, TimeRow], None]


def _status(action: str) -> Act:
    """What does an action of sessions at its time."""

    def act(context: Context, row: TimeRow) -> None:
        by = By(Actor.REFEREE, f"its time was {instant(row.at_ms)}", row)
        sessions.set_status(context, row.session, action, by)

    return act


ACTS: Mapping[str, Act] = {
    "opens": _status("open"),
    "starts": _status("start"),
    "freezes": lambda context, row: publishing.freeze(
        context, row.session, actor=Actor.REFEREE, time=row
    ),
    "ends": _status("end"),
    "publishes": lambda context, row: publishing.publish(
        context, row.session, actor=Actor.REFEREE, time=row
    ),
    DROPS: lambda context, row: drop_table(context, row.session),
}
"""What is done at each time."""


def anybody(session: str, at_ms: int) -> bool:
    """Where there is one process, all times are its own to obey."""
    return True


class Timetable:
    """Obeys the times of one process's sessions, one after the other within a session.

    obeys: is a time of a session, which is an instant in ms, this process's to obey?
    """

    def __init__(self, context: Context, obeys: Callable[[str, int], bool]) -> None:
        self._context = context
        self._obeys = obeys
        self._lock = threading.Lock()
        self._busy: set[str] = set()

    def obey(self, session: str) -> None:
        """Do what is due of a session's times; nothing if that is being done already."""
        with self._lock:
            if session in self._busy:
                return
            self._busy.add(session)
        try:
            self._obey_all(session)
        finally:
            with self._lock:
                self._busy.discard(session)

    def _obey_all(self, session: str) -> None:
        context = self._context
        while (row := _due(context, session)) is not None and self._obeys(session, row.at_ms):
            _obey(context, row)


def _due(context: Context, session: str) -> TimeRow | None:
    """The first time of a session that is due."""
    now_ms = context.clock.wall_ms()
    rows = context.store.times(session)
    due = [row for row in rows if row.outcome == WAITING and row.at_ms <= now_ms]
    return min(due, key=lambda row: (row.at_ms, ORDER.index(row.what)), default=None)


def _obey(context: Context, row: TimeRow) -> None:
    """Do what is due, or settle it with the reason. Raises Unavailable, to be tried again."""
    problem: ArenaError | None = None
    for _ in range(TRIES):
        void = _needless(context, row)
        if void is not None:
            _settle(context, row, TimeOutcome.VOID, void)
            return
        try:
            ACTS[row.what](context, row)
        except Unavailable:
            raise
        except ArenaError as error:
            problem = error
            if row not in context.store.times(row.session):
                return  # somebody else has done it, or moved it
            if not isinstance(error, Conflict):
                break
        else:
            return
    _settle(context, row, TimeOutcome.FAILED, str(problem))


def _needless(context: Context, row: TimeRow) -> str | None:
    """Why nothing is left to do at a time, if that is so."""
    if row.what == DROPS:
        return None
    status = session_row(context.store, row.session).status
    if row.what == "publishes":
        return "the results are public already" if is_public(context, row.session) else None
    return f"the session is {status}" if status in OVER else None


def _settle(context: Context, row: TimeRow, outcome: TimeOutcome, reason: str) -> None:
    now_ms = context.clock.wall_ms()
    settle = SettleTime(row.session, row.what, row.at_ms, outcome, now_ms, reason)
    detail = {"time": row.what, "at": instant(row.at_ms), "outcome": outcome, "reason": reason}
    audit = audit_row(
        context.clock, Actor.REFEREE, "session.time", {"session": row.session, **detail}
    )
    try:
        context.store.write(settle, audit)
    except Conflict:  # somebody else has settled it
        return
