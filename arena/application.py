"""One process's arena, put together: what is asked of it is in `Referee.queries`, who is who in
`registry`, `enrolment` and `organisers`, and what changes something is a method of `Referee`.

Every method may be called from any thread, returns plain data that is ready for JSON, and raises
nothing but `arena.errors`. Names of members are those of the protocol. The work is done by the
rooms below; this module may only put them together, and see to it that what follows is done too.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from arena.clock import Clock, SystemClock
from arena.cluster.cluster import Cluster, referee_name
from arena.cluster.leases import SessionLeases
from arena.documents import Document
from arena.errors import Unavailable
from arena.identity.enrolment import OPERATOR, Enrolment, Registration
from arena.identity.organisers import Organisers
from arena.identity.registry import Identity, bot_document
from arena.notices.addresses import read_allowed
from arena.notices.outbox import Outbox
from arena.organising import (
    corrections,
    divisions,
    entering,
    leaving,
    notifying,
    publishing,
    renaming,
    revoking,
    sessions,
    voiding,
)
from arena.organising.auditing import By
from arena.organising.casual import CasualTables
from arena.organising.invitations import Invitations
from arena.organising.timetable import Timetable, anybody
from arena.pacing import let_others_run
from arena.proofs.signatures import Signer
from arena.queries import documents, hand_events
from arena.queries.queries import queries_of
from arena.referee import answers, batches, long_poll, monitoring, runner
from arena.referee.context import open_context
from arena.referee.expiry import attend
from arena.referee.heartbeat import Heartbeat
from arena.referee.jobs import JobRunner
from arena.referee.live import Hand
from arena.referee.liveness import ALIVE, Liveness, noted_in
from arena.referee.metrics import Metrics
from arena.referee.store_probe import StoreProbe
from arena.referee.sweeper import Sweeper
from arena.session.notify_config import read_notify
from arena.settings import Settings
from arena.statuses import EntryStatus
from arena.store.port import Store


class Referee:
    """All sessions, tables and hands of one store.

    store: where the log lies. clock: the only source of time. settings: limits. metrics: where
    things are counted. paced: bots are served by the same thread, so what takes long gives others
    their turns and gets a share of the process's time only; rest: how (see `Pacer`). signer: the
    key by which digests and records are signed; None: they are not. Nothing runs before `start`;
    `stop` releases all waiters and ends the threads.

    queries: what may be asked. bell: wakes who waits for something. registry: tokens. enrolment:
    how bots register. organisers: tokens that are no bot's, and codes. outbox: what sends messages.
    casual: tables with people. invitations: of people to sessions. cluster: the referees that share
    the database; None where it is not shared.
    """

    def __init__(
        self,
        store: Store,
        *,
        clock: Clock | None = None,
        settings: Settings | None = None,
        metrics: Metrics | None = None,
        paced: bool = False,
        rest: Callable[[float], None] = let_others_run,
        signer: Signer | None = None,
    ) -> None:
        wall_clock = clock or SystemClock(store.now_ms())
        chosen = settings or Settings()
        leases = SessionLeases(referee_name(chosen), wall_clock.now_ms) if store.shared else None
        store = store if leases is None else store.fenced(leases)
        self._context = context = open_context(
            store,
            wall_clock,
            chosen,
            metrics=metrics,
            rest=rest if paced else None,
            signer=signer,
        )
        store.while_unwritable(context.clock.outage)
        self.queries = queries_of(context)
        self.registry = context.registry
        self.bell = context.signals.bell
        self.enrolment = Enrolment(
            context.registry, store, wall_clock, chosen, pieces=context.long_work.pieces
        )
        self.cluster = self._liveness = None
        if leases is not None:
            self.cluster = Cluster(context, leases, follow_up=lambda: self._workers.run_waiting())
        else:
            self._liveness = Liveness(context, noted_in(store), every_ms=chosen.heartbeat_ms)
        obeys = anybody if self.cluster is None else self.cluster.obeys
        self._workers = JobRunner(
            context.signals.jobs,
            {
                "attend": lambda hand: attend(context, hand),
                "table": lambda table: runner.advance_table(context, table),
                "session": lambda session: runner.advance_session(context, session),
                "timetable": Timetable(context, obeys).obey,
            },
        )
        self._sweeper = Sweeper(context, self._liveness)
        self.casual = CasualTables(context, follow_up=self._workers.run_waiting)
        self.invitations = Invitations(context, follow_up=self._workers.run_waiting)
        self.organisers = Organisers(
            context.registry, store, wall_clock, on_revoke=context.signals.bell.bar
        )
        self._heartbeat = Heartbeat(context)
        self.outbox = Outbox(store, context.clock.wall_ms, read_allowed(chosen.notify_allow))
        self._probe = StoreProbe(store, context.clock.wall_ms)
        monitoring.watch_depths(context)

    def start(self, *, threads: bool = True) -> None:
        """Resume every open session where the log ends; credit the outage to the open clocks.

        threads: False runs no thread at all: `sweep` does what is due, for tests and local play.
        """
        context = self._context
        context.registry.load()
        context.registry.prepare()
        if self.cluster is not None:
            self.cluster.start(threads=threads)
        else:
            self._resume()
        self._sweeper.ask_for_times()
        if threads:
            self._workers.start(context.settings.workers)
            self._heartbeat.start()
            self._sweeper.start()
            self.outbox.start()
        self._workers.run_waiting()

    def _resume(self) -> None:
        """Take up everything that is in play: there is no other process."""
        context = self._context
        context.signals.open_turns.start_from(context.clock.wall_ms() * 1000)
        runner.resume_all(context, alive_ms=context.store.counter(ALIVE))
        if context.in_play.sessions and self._liveness is not None:
            self._liveness.beat()

    def stop(self) -> None:
        """Drain: offer nothing more, freeze all clocks, release the waiters with Unavailable."""
        context = self._context
        if context.signals.bell.stopped:
            return
        if self.cluster is not None:
            self.cluster.stop_playing()
        context.signals.bell.stop()
        self._workers.stop()
        self.outbox.stop()
        self._sweeper.stop()
        self._heartbeat.stop()
        context.clock.halt()
        self.queries.moves.close()
        self.queries.digests.close()
        context.long_work.close()
        if self.cluster is not None:
            self.cluster.stop()
        elif self._liveness is not None:
            with contextlib.suppress(Unavailable):
                self._liveness.beat()

    def sweep(self) -> int:
        """Do what is due now: deadlines, next hands, heartbeat; the number of turns expired."""
        if self.cluster is not None:
            self.cluster.step()
        expired = self._sweeper.sweep()
        self._workers.run_waiting()
        return expired

    def health(self) -> Document:
        """``{"ready", "store", "sweeper", "stopping": bool}`` and how much is in play: `sessions`,
        `tables`, `hands`, `turns` (open), `waiting` (requests). `reason`: why the log cannot be
        written, if it cannot; tried at most once a second."""
        context, sweeper = self._context, self._sweeper.is_alive()
        reason = self._probe.trouble()
        if reason is None and self.cluster is not None and not self.cluster.is_certain():
            reason = "this referee has not said for long that it is alive"
        return monitoring.health(context.in_play, context.signals, sweeper=sweeper, reason=reason)

    def metrics(self) -> bytes:
        """What this process has counted, in Prometheus' text form."""
        return self._context.metrics.text()

    def register(self, name: str, owner: str | None = None) -> tuple[Document, str]:
        """A new bot and its token, of any owner, as whoever runs this process registers one."""
        return self.enrol(Registration(name, owner), OPERATOR)

    def enrol(self, asked: Registration, by: Identity | None) -> tuple[Document, str]:
        """A new bot and its token, which is shown only now. by: whose token came along, if any.

        Raises BadInput for a bad name and for an owner other than the proven one, Forbidden where
        the arena asks for a code or an organiser, Conflict for what is taken or full, TooMany.
        """
        row, token = self.enrolment.enrol(asked, by)
        return bot_document(row), token

    def rotate_token(self, bot: str) -> str:
        """A new token; the old one is worth nothing from now on."""
        token = self.registry.rotate_token(bot)
        self.bell.dismiss(bot)
        return token

    def revoke(self, bot: str, actor: str) -> None:
        """Take a bot's token away, end its waiting requests and withdraw it from all sessions.

        bot: an id or a name. Raises NotFound, and BadInput for an organiser or a house bot.
        """
        revoking.revoke_bot(self._context, bot, actor=actor)
        self._workers.run_waiting()

    def rename(self, bot: str, name: str) -> Document:
        """Give a bot another name, as its owner asks; the bot.

        Raises BadInput for a bad name, Conflict for one that is taken or looks like one, and where
        the document of one of its sessions names the bot.
        """
        renaming.rename_bot(self._context, bot, name)
        return self.queries.bot(bot)

    def retire(self, bot: str) -> Document:
        """As `revoke`, as the bot's owner asks: its name stays taken, its results stay; the bot."""
        revoking.revoke_bot(self._context, bot, actor=bot, retired=True)
        self._workers.run_waiting()
        return self.queries.bot(bot)

    def restore(self, bot: str, actor: str) -> str:
        """A new token for a revoked bot, shown only now; its entries stay withdrawn.

        Raises Conflict if it is not revoked.
        """
        return revoking.restore_bot(self._context, bot, actor=actor)

    def create_session(self, document: Mapping[str, Any], actor: str) -> Document:
        """A session from its document (defaults filled in); status `created`, or BadInput."""
        notify = read_notify(document.get("notify"))
        session = sessions.create(self._context, document, actor, notify=notify)
        view = self.queries.session(session, staff=True)
        return view if notify is None else {**view, "notify": notify._asdict()}

    def set_notify(self, session: str, wanted: Mapping[str, Any], actor: str) -> Document:
        """Send the messages of a session to an address: ``{"url", "secret"}``, told only now.

        Raises BadInput, NotFound, and Forbidden for an address that the operator does not allow.
        """
        chosen = read_notify(wanted)
        assert chosen is not None
        notifying.set_notify(self._context, session, chosen, actor=actor)
        return chosen._asdict()

    def remove_notify(self, session: str, actor: str) -> None:
        """Send no messages of a session any more. Raises NotFound if none were sent."""
        notifying.remove_notify(self._context, session, actor=actor)

    def send_test(self, session: str, actor: str) -> str:
        """Send a message that says nothing; its id. Raises NotFound."""
        return notifying.send_test(self._context, session, actor=actor)

    def replace_session(self, session: str, document: Mapping[str, Any], actor: str) -> Document:
        """Give a session another document before its start; the session.

        Raises BadInput; Conflict after the start, or where a bot that has entered could not have.
        """
        notify = notifying.other_notify(self._context, session, document.get("notify"))
        corrections.replace_document(self._context, session, document, actor=actor)
        view = self.queries.session(session, staff=True)
        if notify is None:
            return view
        notifying.set_notify(self._context, session, notify, actor=actor)
        return {**view, "notify": notify._asdict()}

    def change_session(self, session: str, members: Mapping[str, Any], actor: str) -> Document:
        """Change members of a session's document that may be changed at any time; the session."""
        corrections.change_members(self._context, session, members, actor=actor)
        return self.queries.session(session, staff=True)

    def delete_session(self, session: str, actor: str) -> Document:
        """Take a session away of which nothing was played; the session as it was.

        Raises Conflict for any other.
        """
        document = self.queries.session(session, staff=True)
        corrections.delete(self._context, session, actor=actor)
        return document

    def set_session(
        self,
        session: str,
        action: str,
        actor: str,
        *,
        reason: str = "",
        public_chance: str | None = None,
    ) -> Document:
        """open, close, start, pause, resume, end or cancel; the session after it.

        reason: for the audit log. public_chance: for the start of a session whose document
        announces a source, its value. Raises BadInput for another action, Conflict where the status
        does not allow it.
        """
        by = By(actor, reason)
        sessions.set_status(self._context, session, action, by, public=public_chance)
        self._workers.run_waiting()
        return self.queries.session(session, staff=True)

    def freeze(self, session: str, actor: str) -> Document:
        """Show the public the results as they are now, however it goes on; the session.

        Raises Conflict while they are embargoed.
        """
        publishing.freeze(self._context, session, actor=actor)
        return self.queries.session(session, staff=True)

    def embargo(self, session: str, actor: str, *, until_ms: int | None = None) -> Document:
        """Show the public no results and records until then, or until they are published."""
        publishing.embargo(self._context, session, until_ms, actor=actor)
        return self.queries.session(session, staff=True)

    def publish(self, session: str, actor: str) -> Document:
        """Show the public everything again. Raises Conflict if nothing is withheld."""
        publishing.publish(self._context, session, actor=actor)
        return self.queries.session(session, staff=True)

    def void(self, table: str, reason: str, actor: str) -> Document:
        """Take a table out of the standings, and call its running hand off; the table.

        Raises BadInput for the reason; Conflict if it is void already, or its results are final.
        """
        voiding.void_table(self._context, table, reason, actor=actor)
        self._workers.run_waiting()
        return self.queries.table(table, staff=True)

    def replay(self, table: str, actor: str) -> Document:
        """Let a void table's line-up play again, with new deals; the new table.

        Raises Conflict if it is not void, is replayed already, or the session's secret is public.
        """
        new_table = voiding.replay_table(self._context, table, actor=actor)
        self._workers.run_waiting()
        return self.queries.table(new_table, staff=True)

    def add_bot(self, session: str, bot: str, actor: str) -> Document:
        """Enter a bot by the organiser's hand, by id or by name; the session's entry."""
        entry = entering.enter(self._context, session, bot, by=actor)
        self._workers.run_waiting()
        return documents.own_entry(self._context, entry)

    def divide(self, session: str, members: Mapping[str, str | None], actor: str) -> Document:
        """Put bots, by id or name, into divisions, or out of their own (None); the session."""
        divisions.assign(self._context, session, members, actor=actor)
        return self.queries.session(session, staff=True)

    def withdraw(self, session: str, bot: str, actor: str, *, reason: str = "") -> Document:
        """Take a bot out of a session; the referee answers for it. reason: for the audit log."""
        return self._take_out(session, bot, EntryStatus.WITHDRAWN, By(actor, reason))

    def disqualify(self, session: str, bot: str, actor: str, *, reason: str = "") -> Document:
        """As `withdraw`, with the cause `disqualified`."""
        return self._take_out(session, bot, EntryStatus.DISQUALIFIED, By(actor, reason))

    def _take_out(self, session: str, bot: str, status: EntryStatus, by: By) -> Document:
        entry = leaving.take_out(self._context, session, bot, status=status, by=by)
        self._workers.run_waiting()
        return documents.own_entry(self._context, entry)

    def enter(self, session: str, bot: str, *, chance: bytes | None = None) -> Document:
        """Enter an open session: ``{"session", "bot", "number", "status", "entered", "called",
        "chance_given"}``; twice is harmless. chance: 32 bytes that the bot gives to chance."""
        entry = entering.enter(self._context, session, bot, chance=chance)
        self._workers.run_waiting()
        return documents.own_entry(self._context, entry)

    def leave(self, session: str, bot: str) -> Document:
        """Withdraw oneself: before the start without trace, later as `withdraw` does.

        Raises Conflict once the session is over.
        """
        leaving.check_leaving(self._context, session, bot)
        return self._take_out(session, bot, EntryStatus.WITHDRAWN, By(bot))

    def turns(
        self,
        bot: str,
        after: int | None = None,
        limit: int = 32,
        *,
        wait_ms: int = 0,
        hints: bool = True,
        client: str = "",
    ) -> Document:
        """Every turn that waits for the bot: ``{"turns": [...], "poll_after_ms": n, "cursor": c}``.

        after: a cursor of an earlier answer: only newer turns. wait_ms: how long to wait for one,
        0 to 30,000. hints: with `legal`. client: what the bot's program calls itself. A newer call
        with the same bot and cursor releases an older one at once with no turns. What is returned
        is immutable: another call may return it again. Raises Unavailable while the referee stops.
        """
        return long_poll.turns(
            self._context, bot, after, limit=limit, wait_ms=wait_ms, hints=hints, client=client
        )

    def answer(self, bot: str, turn: str, body: Mapping[str, Any]) -> Document:
        """Answer a turn: ``{"accepted": True, "replayed": bool, "events": [...]}``.

        Raises NotFound, Forbidden (another's turn), Refused or BadInput (nothing has changed),
        Conflict (answered otherwise) and Gone (the referee answered at the deadline).
        """
        metrics = self._context.metrics
        try:
            with metrics.answering("single"):
                reply = answers.answer(self._context, bot, turn, body)
        finally:
            self._workers.run_waiting()
        metrics.replied(reply)
        return reply

    def answer_many(self, bot: str, answers: Sequence[Mapping[str, Any]]) -> list[Document]:
        """Answer many turns, ``{"turn": id, **answer}`` each, and have them committed together.

        One result for each, in order: ``{"turn", "status": 200, "accepted", "replayed",
        "events"}`` or ``{"turn", "status": 400|403|404|409|410|422|503, "error": ArenaError}``.
        """
        metrics = self._context.metrics
        try:
            with metrics.answering("batch"):
                results = batches.answer_many(self._context, bot, answers)
        finally:
            self._workers.run_waiting()
        metrics.replied(*results)
        return results

    def malformed(self, bot: str, turns: Sequence[str] | None) -> str:
        """Count an answer of a bot that could not be read as a refused one, once for each of these
        turns that is open and its own; None: nobody knows for which, so the one counts of which it
        was told first. What to add to the refusal: that a budget is spent, or nothing.
        """
        try:
            return answers.malformed(self._context, bot, turns)
        finally:
            self._workers.run_waiting()

    def is_open(self, bot: str, turn: str) -> bool:
        """Does a turn of this bot wait for an answer, as far as this process knows?"""
        return long_poll.is_open(self._context, bot, turn)

    def example(self, bot: str, turn: str) -> Document | None:
        """One legal answer to an open turn, to go with a refusal; None if the turn is not open,
        not this bot's, or the session gives no `legal`."""
        return long_poll.example(self._context, bot, turn)

    def followed_hand(self, hand: str) -> hand_events.FollowedHand:
        """A hand as everybody may follow it now. Raises NotFound."""
        return hand_events.followed_hand(self._context, hand)

    def current_hand(self, table: str) -> str:
        """The hand that is played at a table, or that was dealt there last. Raises NotFound."""
        return hand_events.current_hand(self._context, table)

    def next_hand(self, hand: Hand) -> str | None:
        """The hand that follows one at its table; "" if none will be, None if that is not known
        yet."""
        return hand_events.next_hand(self._context.store, hand)

    def hand_events(
        self,
        hand: str,
        viewer: str | None = None,
        after: int = 0,
        *,
        wait_ms: int = 0,
        staff: bool = False,
    ) -> Document:
        """The hand's log as a bot (or None: a spectator) may see it, from event `after` on.

        ``{"hand", "events": [...], "after": n, "next": m, "over": bool}``; with wait_ms it waits
        for an event after `after`. Raises Forbidden for others than its seats while its results are
        withheld.
        """
        return hand_events.hand_events(
            self._context, hand, viewer, after=after, wait_ms=wait_ms, staff=staff
        )
