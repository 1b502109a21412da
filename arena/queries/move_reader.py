"""Move reader: the moves of the hands of a session, read from the stored logs, for the alerts.

To follow a hand costs some milliseconds, and a session has thousands: no request waits for it. Who
asks gets what has been read by now, and the rest is read in the background, hand by hand and at the
pace of all questions (see `pacing`), one table after the other. What is kept is numbers in columns,
of the sessions asked for last, and of no session more than MOST_MOVES. It writes nothing; that only
staff asks is the business of the endpoint. Where nothing is paced, since nobody plays against a
clock, all is read at once.
"""

from __future__ import annotations

import logging
import threading
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from functools import partial
from typing import NamedTuple

import orjson

from arena import wire
from arena.errors import ArenaError
from arena.referee.context import Sources
from arena.session.moves import FOLLOWED, hand_moves
from arena.statuses import HandStatus
from arena.store.reading import all_hands, table_row
from arena.tournament.moves import MoveIndex, MoveLog

KEPT_SESSIONS = 4
MOST_MOVES = 1_000_000
"""Of one session: 24 MB. A session of 40 rounds with 120 bots has about half of it."""
LOG = logging.getLogger("arena.queries")
SessionKey = tuple[str, str]
"""A session and the commitment to its secret, since a name may be used again."""


class _Session:
    """What has been read of one session, by table; wanted: tables to read, in their order."""

    def __init__(self) -> None:
        self.index = MoveIndex()
        self.tables: dict[str, MoveLog] = {}
        self.wanted: tuple[str, ...] = ()
        self.moves = 0

    def next(self) -> str | None:
        """A table that is still to be read."""
        if self.moves >= MOST_MOVES:
            return None
        return next((table for table in self.wanted if table not in self.tables), None)


class _TableToRead(NamedTuple):
    session: _Session
    table: str


class MoveReader:
    """The moves that one process has read."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sessions: OrderedDict[SessionKey, _Session] = OrderedDict()
        self._thread: threading.Thread | None = None
        self._closed = False

    def log(self, sources: Sources, session: SessionKey, tables: Sequence[str]) -> MoveLog:
        """The moves of these tables of a session, as far as they have been read; what is missing
        is read in the background."""
        known = self._asked(session, tables)
        if sources.long_work.is_paced:
            self._begin(sources)
        else:
            self._read_all(sources)
        logs = [known.tables[table] for table in tables if table in known.tables]
        return sources.long_work.computing(partial(_together, known.index, logs))

    def close(self) -> None:
        """Read no more; returns when nothing is being read."""
        with self._lock:
            self._closed, thread = True, self._thread
        if thread is not None:
            thread.join()

    def _asked(self, session: SessionKey, tables: Sequence[str]) -> _Session:
        with self._lock:
            known = self._sessions.setdefault(session, _Session())
            self._sessions.move_to_end(session)
            while len(self._sessions) > KEPT_SESSIONS:
                self._sessions.popitem(last=False)
            known.wanted = tuple(tables)
            return known

    def _begin(self, sources: Sources) -> None:
        with self._lock:
            if self._closed or self._thread is not None:
                return
            work = partial(self._work, sources)
            self._thread = threading.Thread(target=work, name="moves", daemon=True)
            self._thread.start()

    def _work(self, sources: Sources) -> None:
        """At a thread's top: whatever goes wrong is logged; who asks again has it tried again."""
        try:
            self._read_all(sources)
        except ArenaError as error:
            LOG.warning("moves: %s; they are read when somebody asks again", error)
            self._thread = None
        except Exception:
            LOG.exception("moves cannot be read")
            self._thread = None

    def _read_all(self, sources: Sources) -> None:
        while (task := self._next()) is not None:
            task.session.tables[task.table] = log = _read(sources, task)
            task.session.moves += len(log.reactions) + len(log.gifts)

    def _next(self) -> _TableToRead | None:
        """What to read next, for those first who asked last; the thread ends if there is nothing,
        and who asks then begins another."""
        with self._lock:
            tasks = ((each, each.next()) for each in reversed(self._sessions.values()))
            found = (_TableToRead(each, table) for each, table in tasks if table is not None)
            task = None if self._closed else next(found, None)
            if task is None:
                self._thread = None
            return task


def _read(sources: Sources, task: _TableToRead) -> MoveLog:
    """The moves of a table."""
    work, log = sources.long_work.queries.work(), MoveLog(task.session.index)
    players = orjson.loads(table_row(sources.store, task.table).players)
    for hand in all_hands(sources.store, task.table):
        if hand.status == HandStatus.FINISHED:
            seats = [players[player] for player in orjson.loads(hand.seating)]
            texts = [step.events for step in sources.store.steps(hand.id)]
            work.pause()
            work.stop()
            sources.long_work.computing(partial(_follow, log, texts, seats))
            work.go_on()
    return log


def _follow(log: MoveLog, texts: Iterable[str], seats: Sequence[str]) -> None:
    """Put the moves of a hand to a log. texts: the events of its steps, as they are stored."""
    documents = (event for text in texts for event in orjson.loads(text))
    events = (wire.read_event(each) for each in documents if each["type"] in FOLLOWED)
    log.add(hand_moves(events, seats))


def _together(index: MoveIndex, logs: Iterable[MoveLog]) -> MoveLog:
    whole = MoveLog(index)
    for log in logs:
        whole.extend(log)
    return whole
