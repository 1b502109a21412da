"""The referee as one object: what the web, the command line and in-process players call.

Every method may be called from any thread, returns plain data that is ready for JSON, and raises
nothing but `arena.errors`. Names of members are those of the protocol. The work is done by the
modules beside this one; this one may only put them together.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from arena.errors import Unavailable
from arena.referee import (
    acting,
    batches,
    following,
    looks,
    pulse,
    records,
    runner,
    sessions,
    waiting,
)
from arena.referee.clock import Clock, SystemClock
from arena.referee.expiry import attend
from arena.referee.hall import Hall
from arena.referee.jobs import Jobs
from arena.referee.meters import Meters
from arena.referee.registry import Identity, bot_document
from arena.referee.scores import Scores
from arena.referee.sweeper import Sweeper
from arena.settings import Settings
from arena.store.port import LifeRow, Store
from arena.tournament.documents import standings_document
from arena.tournament.standings import Standings

Document = dict[str, Any]


class Referee:
    """All sessions, tables and hands of one store.

    store: where the log lies. clock: the only source of time. settings: limits and manners.
    meters: where things are counted. Nothing runs before `start`; `stop` releases all waiters and
    ends the threads.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock | None = None,
        settings: Settings | None = None,
        meters: Meters | None = None,
    ) -> None:
        self._hall = hall = Hall(
            store, clock or SystemClock(store.now_ms()), settings or Settings(), meters=meters
        )
        hall.jobs = Jobs(
            {
                "attend": lambda hand: attend(hall, hand),
                "table": lambda table: following.advance_table(hall, table),
                "session": lambda session: following.advance_session(hall, session),
            }
        )
        hall.adopt = lambda table: following.adopt_table(hall, table)
        self._follower = following.Follower(hall) if hall.shared else None
        self._sweeper = Sweeper(hall)
        self._scores = Scores()
        self._watch_depths()

    def start(self, *, threads: bool = True) -> None:
        """Resume every open session where the log ends; credit the outage to the open clocks.

        threads: False runs no thread at all: `sweep` does what is due, for tests and local play.
        """
        hall = self._hall
        if self._follower is not None:
            pulse.share_desk(hall)
            self._follower.listen()
        else:
            hall.desk.start_from(hall.clock.wall_ms() * 1000)
        runner.resume_all(hall, alive_ms=hall.store.life(pulse.ALIVE))
        if hall.sessions:
            self._sweeper.beat()
        if threads:
            hall.jobs.start(hall.settings.workers)
            self._sweeper.start()
            if self._follower is not None:
                self._follower.start()
        hall.jobs.run_waiting()

    def stop(self) -> None:
        """Drain: offer nothing more, freeze all clocks, release the waiters with Unavailable."""
        hall = self._hall
        if hall.stopping:
            return
        hall.stopping = True
        hall.bell.stop()
        hall.jobs.stop()
        if self._follower is not None:
            self._follower.stop()
        self._sweeper.stop()
        hall.clock.halt()
        with contextlib.suppress(Unavailable):
            self._sweeper.beat()

    def sweep(self) -> int:
        """Do what is due now: deadlines, next hands, heartbeat; the number of turns expired."""
        if self._follower is not None:
            self._follower.step()
        expired = self._sweeper.sweep()
        self._hall.jobs.run_waiting()
        return expired

    def health(self) -> Document:
        """``{"ready", "store", "sweeper", "stopping": bool}`` and how much is in play: `sessions`,
        `tables`, `hands`, `turns` (open), `waiting` (requests)."""
        hall = self._hall
        store = self._store_answers()
        sweeper = self._sweeper.is_alive()
        return {
            "ready": store and sweeper and not hall.stopping,
            "store": store,
            "sweeper": sweeper,
            "stopping": hall.stopping,
            "sessions": len(hall.sessions),
            "tables": len(hall.tables),
            "hands": len(hall.hands),
            "turns": len(hall.desk),
            "waiting": hall.bell.waiting(),
        }

    def _watch_depths(self) -> None:
        hall, watch = self._hall, self._hall.meters.watch
        watch("arena_sessions", "Sessions in play.", lambda: len(hall.sessions))
        watch("arena_tables", "Tables in play.", lambda: len(hall.tables))
        watch("arena_hands", "Hands in play.", lambda: len(hall.hands))
        watch("arena_turns_waiting", "Turns that wait for their bots.", lambda: len(hall.desk))
        watch("arena_waiters", "Requests that wait for something.", hall.bell.waiting)
        watch("arena_jobs_queue", "Jobs that wait for a worker.", lambda: len(hall.jobs))
        watch("arena_store_queue", "Writes that wait for the writer.", hall.store.queued)

    def metrics(self) -> bytes:
        """What this process has counted, in Prometheus' text form."""
        return self._hall.meters.text()

    def _store_answers(self) -> bool:
        """Can the log be written now?"""
        try:
            self._hall.store.write(LifeRow("ready", self._hall.clock.wall_ms()))
        except Unavailable:
            return False
        return True

    def identify(self, token: str) -> Identity | None:
        """The bot or admin of a token, as `Identity(id, name, owner, kind, scopes)`, or None."""
        return self._hall.registry.identify(token)

    def register(
        self, name: str, owner: str | None = None, code: str | None = None
    ) -> tuple[Document, str]:
        """A new bot and its token, which is shown only now.

        Raises BadInput for a bad name, Conflict for a taken one, Forbidden for a missing or used
        up enrolment code where the arena asks for one.
        """
        row, token = self._hall.registry.register(name, owner, code)
        return bot_document(row), token

    def rotate_token(self, bot: str) -> str:
        """A new token; the old one is worth nothing from now on."""
        return self._hall.registry.rotate_token(bot)

    def revoke(self, bot: str, actor: str) -> None:
        """Take a bot's token away for good."""
        self._hall.registry.revoke(bot, actor)

    def create_admin(self, name: str = "admin") -> str:
        """A new organiser; the token is shown only now."""
        return self._hall.registry.create_admin(name)

    def has_admin(self) -> bool:
        """Is there an organiser whose token is good?"""
        return self._hall.registry.has_admin()

    def create_code(
        self, label: str, *, uses: int, actor: str, valid_ms: int | None = None
    ) -> Document:
        """A new enrolment code: ``{"code", "label", "uses", "expires"}``; shown only now."""
        return self._hall.registry.create_code(label, uses=uses, valid_ms=valid_ms, actor=actor)

    def bot(self, bot: str) -> Document:
        """``{"id", "name", "owner", "kind", "created", "revoked"}``. Raises NotFound."""
        return bot_document(self._hall.registry.row(bot))

    def create_session(self, document: Mapping[str, Any], actor: str) -> Document:
        """A session from its document (defaults filled in); status `created`, or BadInput."""
        return self.session(sessions.create(self._hall, document, actor))

    def set_session(self, session: str, action: str, actor: str) -> Document:
        """open, close, start, pause, resume or cancel; the session after it.

        Raises BadInput for another action, Conflict where the status does not allow it.
        """
        if self._hall.shared:
            following.follow_session(self._hall, session)
        sessions.set_status(self._hall, session, action, actor=actor)
        self._hall.jobs.run_waiting()
        return self.session(session)

    def sessions(
        self, state: str | None = None, *, after: str | None = None, limit: int = 100
    ) -> Document:
        """``{"sessions": [...], "next": id | None}``, newest first.

        state: a status (created, open, running, paused, finished, cancelled), or None for all.
        """
        return looks.sessions(self._hall, state, after=after, limit=limit)

    def session(self, session: str) -> Document:
        """The session document with id, status, options, fingerprint, entries, design, progress."""
        return looks.session(self._hall, session)

    def add_bot(self, session: str, bot: str, actor: str) -> Document:
        """Enter a bot by the organiser's hand, by id or by name; the session's entry."""
        return looks.entry_document(sessions.enter(self._hall, session, bot, by=actor))

    def withdraw(self, session: str, bot: str, actor: str) -> Document:
        """Take a bot out of a session; the referee answers for it from now on."""
        return self._take_out(session, bot, status="withdrawn", actor=actor)

    def disqualify(self, session: str, bot: str, actor: str) -> Document:
        """As `withdraw`, with the cause `disqualified`."""
        return self._take_out(session, bot, status="disqualified", actor=actor)

    def audit(self, *, limit: int = 100, before: int | None = None) -> Document:
        """``{"entries": [{"at", "actor", "action", "detail"}]}``, newest first."""
        rows = self._hall.store.audit(before=before, limit=max(1, min(limit, 500)))
        return {"entries": [looks.audit_document(row) for row in rows]}

    def _take_out(self, session: str, bot: str, *, status: str, actor: str) -> Document:
        entry = sessions.take_out(self._hall, session, bot, status=status, actor=actor)
        self._hall.jobs.run_waiting()
        return looks.entry_document(entry)

    def enter(self, session: str, bot: str) -> Document:
        """Enter an open session: ``{"session", "bot", "number", "status"}``; twice is harmless."""
        return looks.entry_document(sessions.enter(self._hall, session, bot))

    def leave(self, session: str, bot: str) -> Document:
        """Withdraw oneself: before the start without trace, later as `withdraw` does."""
        return self._take_out(session, bot, status="withdrawn", actor=bot)

    def turns(
        self,
        bot: str,
        after: int | None = None,
        limit: int = 32,
        *,
        wait_ms: int = 0,
        hints: bool = True,
    ) -> Document:
        """Every turn that waits for the bot: ``{"turns": [...], "poll_after_ms": n, "cursor": c}``.

        after: a cursor of an earlier answer: only newer turns. wait_ms: how long to wait for one,
        0 to 30,000. hints: with `legal`. A newer call with the same bot and cursor releases an
        older one at once with no turns. Raises Unavailable while the referee stops.
        """
        return waiting.turns(self._hall, bot, after, limit=limit, wait_ms=wait_ms, hints=hints)

    def answer(self, bot: str, turn: str, body: Mapping[str, Any]) -> Document:
        """Answer a turn: ``{"accepted": True, "replayed": bool, "events": [...]}``.

        Raises NotFound, Forbidden (another's turn), Refused or BadInput (nothing has changed),
        Conflict (answered otherwise) and Gone (the referee answered at the deadline).
        """
        meters = self._hall.meters
        try:
            with meters.answering("single"):
                told = acting.answer(self._hall, bot, turn, body)
        finally:
            self._hall.jobs.run_waiting()
        meters.told(told)
        return told

    def answer_many(self, bot: str, answers: Sequence[Mapping[str, Any]]) -> list[Document]:
        """Answer many turns, ``{"turn": id, **answer}`` each, and have them committed together.

        One result for each, in order: ``{"turn", "status": 200, "accepted", "replayed",
        "events"}`` or ``{"turn", "status": 400|403|404|409|410|422|503, "error": ArenaError}``.
        """
        meters = self._hall.meters
        try:
            with meters.answering("batch"):
                results = batches.answer_many(self._hall, bot, answers)
        finally:
            self._hall.jobs.run_waiting()
        for told in results:
            meters.told(told)
        return results

    def example(self, bot: str, turn: str) -> Document | None:
        """One legal answer to an open turn, to go with a refusal; None if the turn is not open,
        not this bot's, or the session gives no `legal`."""
        return waiting.example(self._hall, bot, turn)

    def hand_events(
        self, hand: str, viewer: str | None = None, after: int = 0, *, wait_ms: int = 0
    ) -> Document:
        """The hand's log as a bot (or None: a spectator) may see it, from event `after` on.

        ``{"hand", "events": [...], "after": n, "next": m, "over": bool}``; with wait_ms it waits
        for an event after `after`.
        """
        return waiting.hand_events(self._hall, hand, viewer, after=after, wait_ms=wait_ms)

    def tables(self, session: str, *, after: str | None = None, limit: int = 100) -> Document:
        """``{"tables": [...], "next": id | None}`` in playing order."""
        return looks.tables(self._hall, session, after=after, limit=limit)

    def table(self, table: str) -> Document:
        """One table: players, status, its hands with their results."""
        return looks.table(self._hall, table)

    def hand(self, hand: str) -> Document:
        """One hand: seating, status, commitment, result; no cards while it runs."""
        return looks.hand(self._hall, hand)

    def record(self, hand: str) -> Document:
        """The full record of an ended hand. Raises Forbidden while it is not public."""
        return records.record(self._hall, hand)

    def records(self, session: str, *, full: bool = False) -> Iterator[str]:
        """The session's record file: JSON lines, the header first, then every ended hand.

        full: also hands that are not public (yet); for the organiser.
        """
        return records.lines(self._hall, session, full=full)

    def standings(self, session: str) -> Document:
        """The standings document, fitted to all hands that have ended by now."""
        return standings_document(self._scores.standings(self._hall, session))

    def compiled_standings(self, session: str) -> Standings:
        """The same as a value, for `arena.tournament.layouts`."""
        return self._scores.standings(self._hall, session)
