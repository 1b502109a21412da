"""What other referees have written, as far as it concerns what is kept in memory here.

The database tells of tokens, names, entries and leases (`Store.follow`). A hint may be lost, so all
of it is also read anew now and then. Hands are nobody's business but their home's.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Sequence

from arena.cluster.entrants import Entrants
from arena.cluster.leases import NOBODY, SessionLeases
from arena.cluster.recurring import one_by_one
from arena.errors import Conflict, NotFound, NotHome
from arena.identity.registry import RENAMED
from arena.organising.auditing import By
from arena.organising.leaving import answer_for, take_out
from arena.referee.bell import Bell
from arena.referee.context import Context
from arena.referee.live import Session
from arena.statuses import Actor, EntryStatus
from arena.store.cluster_rows import LeaseRow
from arena.store.port import EntryRow, Store
from arena.store.reading import all_entries

READ_ALL_MS = 10_000
"""How often all tokens are read anew."""
LOG = logging.getLogger("arena.cluster")


class Heard:
    """What was heard and not been dealt with yet. Filled by the store's own thread."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._topics: dict[str, None] = {}
        self._everything = True
        self._reading = False
        self._stopped = False

    def add(self, topics: Sequence[str] | None) -> None:
        """Something has been written elsewhere; None: anything may have been missed."""
        with self._changed:
            if topics is None:
                self._everything = True
            else:
                self._topics.update(dict.fromkeys(topics))
            self._changed.notify_all()

    def wait(self, timeout_s: float) -> None:
        """Wait until there is something, or the time is over."""
        with self._changed:
            if not (self._topics or self._everything or self._stopped):
                self._changed.wait(timeout_s)

    def take(self) -> tuple[list[str], bool]:
        """What was heard, and whether anything may have been missed; it is dealt with now. `read`
        is to be called when that has been read."""
        with self._changed:
            topics, self._topics = list(self._topics), {}
            self._reading, self._everything = self._everything, False
            return topics, self._reading

    def read(self) -> None:
        """All leases that may have been missed have been read."""
        self._reading = False

    def stop(self) -> None:
        """Nobody waits any more."""
        with self._changed:
            self._stopped = True
            self._changed.notify_all()

    @property
    def everything(self) -> bool:
        """May anything have been missed that has not been read yet?"""
        return self._everything or self._reading

    @property
    def stopped(self) -> bool:
        """Is it over?"""
        return self._stopped


class Changes:
    """Deals with what was heard. on_lease: called with a session whose lease is another by now.
    is_still_here: is the referee of this name in the database this run of it? Raises
    Unavailable."""

    def __init__(
        self,
        context: Context,
        leases: SessionLeases,
        entrants: Entrants,
        *,
        on_lease: Callable[[str], None],
        is_still_here: Callable[[], bool],
    ) -> None:
        self._context = context
        self._leases = leases
        self._entrants = entrants
        self._on_lease = on_lease
        self._is_still_here = is_still_here
        self._read_ms: int | None = None

    def hear(self, topics: Sequence[str]) -> None:
        """Bring up to date what these topics are about. Raises Unavailable."""
        for topic in topics:
            kind, _, name = topic.partition(" ")
            if kind == "lease":
                self.read_lease(name)
            elif kind == "session":
                self._read_session(name)
            elif kind == "bot":
                self._read_bot(name)
        self._context.registry.catch_up()

    def read_lease(self, session: str) -> None:
        """Read the lease of a session; if it is another, whoever waits here for it asks again."""
        known = self._leases.row(session)
        row = self._context.store.lease(session)
        self._learn(session, row, known=known)

    def _learn(self, session: str, row: LeaseRow | None, *, known: LeaseRow | None) -> None:
        is_news = row is not None and row != known and row.home == self._leases.own
        if row is not None and is_news and not self._is_still_here():
            row = row._replace(home=NOBODY)  # another process has this name by now
        if self._leases.learn(session, row, known=known):
            self._context.in_play.shelved.drop(session)
            if known is None:
                self._send_on(session)
            self._on_lease(session)

    def _send_on(self, session: str) -> None:
        """A session has come into play, or has other entries: its bots that wait here ask again
        where it is played. Of one that only moves, its last home tells those that wait there."""
        bots = self._entrants.changed(session)
        if self._leases.home(session) != self._leases.own:
            for bot in bots:
                self._context.signals.bell.release(f"bot:{bot}")

    def read_leases(self) -> bool:
        """Read the leases that may have been missed; False if there are none."""
        differ = self._context.store.leases_digest() != self._leases.digest()
        if differ:
            self._read_leases()
        for row in self._leases.of(NOBODY):
            self.read_lease(row.session)
        return differ

    def read_rest(self, *, at_once: bool = False) -> None:
        """Read all else that may have been missed, now and then, or at once."""
        now_ms = self._context.clock.wall_ms()
        if at_once or self._read_ms is None or now_ms - self._read_ms >= READ_ALL_MS:
            self._read_ms = None  # if it fails, all of it is read the next time
            self._read_rest()
            self._read_ms = now_ms

    def _read_leases(self) -> None:
        """All leases, as they are now: also those that somebody has written by other means."""
        known = {row.session: row for row in self._leases.rows()}
        fresh = {row.session: row for row in all_leases(self._context.store)}
        one_by_one(
            sorted({*known, *fresh}),
            lambda session: self._learn(session, fresh.get(session), known=known.get(session)),
        )

    def _read_rest(self) -> None:
        context = self._context
        context.registry.forget()
        context.in_play.shelved.clear()
        context.in_play.follow_names(context.store.counter(RENAMED) or 0)
        self._entrants.forget()
        admit_restored(context.store, context.signals.bell)
        own = set(all_leases_of(context.store, self._leases.own))
        for lease in sorted(own.symmetric_difference(self._leases.of(self._leases.own))):
            self.read_lease(lease.session)  # somebody has written it by other means
        self._read_sessions()
        for session in tuple(context.in_play.sessions.values()):
            for bot in session.roster:
                if not (bot in session.out or bot in session.house or self._is_good(bot)):
                    self._read_bot(bot)

    def _read_sessions(self) -> None:
        """The sessions in play here that are not as they are known: all are looked at together."""
        sessions, store = self._context.in_play.sessions, self._context.store
        ids = tuple(sessions)
        documents, departures = store.documents(ids), store.departures(ids)
        left: dict[str, set[str]] = {}
        for session, bot in departures:
            left.setdefault(session, set()).add(bot)
        for session in ids:
            live = sessions.get(session)
            if live is None:
                continue
            same = live.document == documents.get(session)
            if not same or live.out.keys() != left.get(session, set()):
                self._read_session(session)

    def _read_session(self, session: str) -> None:
        """Another referee has changed a session's document or entries."""
        in_play = self._context.in_play
        in_play.shelved.drop(session)
        if self._leases.row(session) is not None:
            self._send_on(session)
        live = in_play.sessions.get(session)
        if live is None:
            return
        with in_play.changing, live.lock:
            row = self._context.store.session(session)
            if row is None or live.given_up:
                return
            in_play.corrected(row.id, row.document)
            for entry in all_entries(self._context.store, session):
                self._take_in(live, entry)

    def _take_in(self, live: Session, entry: EntryRow) -> None:
        """A bot that left, unheard, before this referee knew that it played the session."""
        if entry.status == EntryStatus.ENTERED:
            live.out.pop(entry.bot, None)
        elif entry.bot not in live.out:
            jobs = self._context.signals.jobs
            answer_for(self._context.in_play, jobs, live.id, entry.bot, cause=entry.status)

    def _read_bot(self, bot: str) -> None:
        """Another referee has changed a bot: its token, its name, or it was revoked."""
        context = self._context
        context.registry.forget(bot)
        row = context.store.bot(bot)
        if row is None:
            return
        context.in_play.renamed(bot, row.name)
        if not row.revoked:
            context.signals.bell.admit(bot)
            context.signals.bell.dismiss(bot)
            return
        context.signals.bell.bar(bot)
        for session in tuple(context.in_play.sessions.values()):
            if bot in session.roster and bot not in session.out:
                self._withdraw(session.id, bot)

    def _is_good(self, bot: str) -> bool:
        return self._context.registry.has_token(bot)

    def _withdraw(self, session: str, bot: str) -> None:
        """A bot whose token was taken away plays no longer: its session's home sees to that."""
        by = By(Actor.REFEREE, "its token was revoked")
        try:
            take_out(self._context, session, bot, status=EntryStatus.WITHDRAWN, by=by)
        except (NotHome, NotFound, Conflict) as error:  # it is elsewhere, or was quicker
            LOG.info("session %s, bot %s: %s", session, bot, error)


def all_leases_of(store: Store, home: str) -> list[LeaseRow]:
    """The leases of one home, page by page."""
    rows: list[LeaseRow] = []
    while page := store.leases_of(home, after=rows[-1].session if rows else "", limit=1_000):
        rows += page
    return rows


def all_leases(store: Store) -> list[LeaseRow]:
    """All leases, page by page."""
    rows: list[LeaseRow] = []
    while page := store.leases(after=rows[-1].session if rows else "", limit=1_000):
        rows += page
    return rows


def admit_restored(store: Store, bell: Bell) -> None:
    """Let those wait again whose token another referee has given back, unheard."""
    for bot in bell.barred():
        row = store.bot(bot)
        if row is not None and not row.revoked:
            bell.admit(bot)
