"""One referee's part in a cluster: what it knows of the others, and what it does about it.

Three threads. The first beats, the second looks whether the others do, the third deals with what
has changed: leases that others have taken or lost, referees that have died, a drain. Every step is
made by one write and may be tried again, so a step that fails is made with the next look.
"""

from __future__ import annotations

import contextlib
import logging
import socket
import threading
import time
from collections.abc import Callable
from functools import partial

from arena.cluster.changes import Changes, Heard
from arena.cluster.entrants import Entrants
from arena.cluster.leases import NOBODY, SessionLeases
from arena.cluster.membership import Burden, Membership
from arena.cluster.recurring import RecurringFault, one_by_one, repeat
from arena.cluster.reporting import MOST_SESSIONS, ClusterReport
from arena.cluster.sharing import least_busy
from arena.cluster.takeover import TakeOver
from arena.documents import Document
from arena.errors import ArenaError, BadInput, Conflict, NotFound, NotHome, Unavailable
from arena.organising.auditing import By, session_audit
from arena.organising.publishing import audit_row
from arena.referee.context import Context
from arena.referee.liveness import ALIVE, Liveness
from arena.referee.open_turns import MARKS
from arena.session.names import new_id
from arena.settings import Settings
from arena.statuses import RefereeStatus
from arena.store.port import DropCounter

BEATS = 5
"""How often a referee beats in the time after which it would be taken for dead, at the least."""
LONGEST_BEAT_MS = 1_000
"""But so often that a clock that stands still, since something could not be written, soon goes."""
LOOK_S = 2.0
"""How often everything is looked at that may have been missed."""
CERTAINTY_S = 3.0
"""How long a request waits for a referee that has to find out whether it is alive."""
OVERDUE_MS = 5_000
"""A time of a session that is that old is anybody's to obey."""
LOG = logging.getLogger("arena.cluster")
Check = Callable[[str], None]
"""Tries whether an internal address can be reached. Raises Unavailable with the reason."""


def referee_name(settings: Settings) -> str:
    """What a referee is called: as it is set, else by host and port."""
    if settings.cluster_name:
        return settings.cluster_name
    if not settings.port:
        return new_id("referee-")
    return f"{socket.gethostname()[:57]}-{settings.port}"


class Cluster:
    """The cluster as one referee sees it. context: of a store that is fenced by `leases`.

    on_death: may be set to what is called with the name of a referee that has died, once.
    """

    def __init__(
        self,
        context: Context,
        leases: SessionLeases,
        *,
        follow_up: Callable[[], None] = lambda: None,
    ) -> None:
        self._context = context
        self._settings = context.settings
        self._leases = leases
        self._follow_up = follow_up
        self.name = leases.own
        self._membership = Membership(
            context.store,
            leases.own,
            context.clock,
            lease_ms=context.settings.lease_ms,
            burden=self._burden,
        )
        self._liveness = Liveness(context, self._membership.beat, every_ms=self._every_ms)
        self._entrants = Entrants(context.store, leases)
        self._heard = Heard()
        self._changes = Changes(
            context,
            leases,
            self._entrants,
            on_lease=self._lease_changed,
            is_still_here=self._membership.is_still_here,
        )
        self._takeover = TakeOver(context, leases, self._membership)
        self._report = ClusterReport(leases, self._membership)
        self._check: Check | None = None
        self._moved = threading.Condition()
        self._deciding = threading.Lock()
        self._moves = 0
        self._dead: frozenset[str] = frozenset()
        self.on_death: Callable[[str], None] = lambda name: None
        self._assigned: dict[str, tuple[int, int]] = {}
        self._threads: list[threading.Thread] = []
        self._stopped = threading.Event()
        self._has_begun = False
        self._looked_ms: int | None = None
        leases.refusal = "this referee takes no sessions: it has not joined the others yet"
        leases.read = context.store.lease
        leases.on_lost = lambda session: self._heard.add([f"lost {session}"])
        leases.on_change = lambda session: self._heard.add([f"own {session}"])
        self._watch_figures()

    @property
    def _every_ms(self) -> int:
        return max(1, min(self._settings.lease_ms // BEATS, LONGEST_BEAT_MS))

    def _burden(self) -> Burden:
        return Burden(len(self._context.in_play.sessions), len(self._context.signals.open_turns))

    def _watch_figures(self) -> None:
        watch = self._context.metrics.watch
        taken = "Sessions taken over from others."
        watch("arena_cluster_taken_over", taken, lambda: self._takeover.taken)
        watch("arena_cluster_sessions", "Sessions in play, of all referees.", self._count_sessions)
        watch(
            "arena_cluster_referees",
            "Referees that are not dead.",
            lambda: len(self._membership.alive()),
        )

    def _count_sessions(self) -> int:
        return len(self._leases)

    @property
    def secret(self) -> str:
        """What referees show each other; empty until this one has joined."""
        return self._membership.secret

    @property
    def mark(self) -> int:
        """What is left of this referee's cursors when they are divided by MARKS."""
        return self._membership.mark

    def listen(self, address: str, check: Check | None = None) -> None:
        """At which internal address others reach this referee; before `start`. check: tries it."""
        self._membership.address = address
        self._check = check

    def start(self, *, threads: bool = True) -> None:
        """Join the others, and take up what is this referee's. Raises BadInput, Unavailable."""
        context = self._context
        alive_ms = self._alive_of_older_program(wait=threads)
        context.store.follow(self._heard.add)
        context.clock.go_on(0)
        before = self._membership.join(self._settings.cluster_secret, context.clock.now_ms())
        context.signals.open_turns.mark(self._membership.mark, context.clock.wall_ms())
        self._beat()
        self._changes.read_leases()
        self._changes.read_rest()
        for lease in self._leases.of(self.name):
            self._takeover.take_from(lease, None if before is None else before.arena_ms)
        self._takeover.adopt_all_orphans(alive_ms)
        self._membership.go_on()
        self._has_begun = True
        self._serve_if_reachable()
        if alive_ms is not None:
            context.store.write(DropCounter(ALIVE))
        if threads:
            self._start_threads()

    def _alive_of_older_program(self, *, wait: bool) -> int | None:
        """The last beat of a program that knew no leases, if there is one. Raises BadInput if it
        beats still."""
        alive_ms = self._context.store.counter(ALIVE)
        if alive_ms is None or not wait:
            return alive_ms
        time.sleep(2 * self._settings.heartbeat_ms / 1000)
        if self._context.store.counter(ALIVE) not in (None, alive_ms):
            expected = "one without referees of an older version: stop all of them first"
            raise BadInput("the database", "in use", expected)
        return alive_ms

    def _start_threads(self) -> None:
        def pause() -> bool:
            return self._stopped.wait(self._every_ms / 1000)

        silent = RecurringFault(LOG, "this referee cannot say that it lives")
        unseen = RecurringFault(LOG, "the other referees cannot be observed")
        undone = RecurringFault(LOG, "what has changed cannot be dealt with")
        runs = {
            "beats": partial(repeat, self._beat, pause, silent),
            "watch": partial(repeat, self._observe, pause, unseen),
            "changes": partial(
                repeat, self._deal, self._await_changes, undone, on_fault=self._rest
            ),
        }
        for name, run in runs.items():
            thread = threading.Thread(target=run, name=f"cluster-{name}", daemon=True)
            self._threads.append(thread)
            thread.start()

    def stop_playing(self) -> None:
        """Hand all sessions over, as far as there is somebody who takes them."""
        if not self._membership.has_joined:  # it was refused: it has none
            return
        try:
            self._drain("it is stopping", "it is stopping")
            self._membership.observe()
            left = self._takeover.hand_over_all()
        except ArenaError as error:
            LOG.warning("sessions cannot be handed over: %s", error)
            return
        if left:
            LOG.info("%d sessions stay with this referee's name: nobody else takes them", left)

    def stop(self) -> None:
        """End the threads, and leave. The arena's clock stands still by now."""
        self._stopped.set()
        self._heard.stop()
        for thread in self._threads:
            thread.join()
        try:
            self._membership.leave(self._context.clock.now_ms())
        except ArenaError as error:
            LOG.warning("the other referees cannot be told that this one ends: %s", error)
        self._membership.close()

    def step(self) -> None:
        """Without threads: beat, look, and deal with what has changed."""
        self._beat()
        self._observe()
        self._deal(look=True)

    def _beat(self) -> None:
        """Say that this referee lives."""
        was_certain = self._membership.is_certain()
        self._liveness.beat()
        if not was_certain:  # it may have been declared dead meanwhile
            self._heard.add(None)

    def _observe(self) -> None:
        """Look whether the others live."""
        known, self._dead = self._dead, self._membership.observe()
        for name in sorted(self._dead - known):
            self.on_death(name)
        if self._dead:
            self._heard.add(["dead"])

    def _await_changes(self) -> bool:
        """Wait until something has changed, or may have; True at the end."""
        self._heard.wait(LOOK_S)
        return self._heard.stopped

    def _rest(self) -> None:
        self._looked_ms = None
        self._heard.add(["again"])
        self._stopped.wait(self._every_ms / 1000)

    def _deal(self, *, look: bool = False) -> None:
        """Deal with what was heard; with all, if it is time. A fault holds nothing else up."""
        topics, everything = self._heard.take()
        now_ms = self._context.clock.wall_ms()
        due = self._looked_ms is None or now_ms - self._looked_ms >= 1000 * LOOK_S
        looks = look or everything or due
        differ = self._hear_or_read(topics, looks=looks)
        takeover = self._takeover
        acts: list[Callable[[], object]] = [takeover.inherit, self._follow_up]
        if looks:
            first = (partial(self._changes.read_rest, at_once=everything), self._serve_if_reachable)
            adopt = partial(takeover.adopt_orphans, at_once=differ)
            acts = [*first, takeover.reconcile, adopt, *acts, self._settle_down]
        one_by_one(acts, lambda act: act())
        if looks:
            self._looked_ms = now_ms

    def _hear_or_read(self, topics: list[str], *, looks: bool) -> bool:
        """Deal with what was heard, and read leases that may have been missed: are there any?"""
        try:
            self._hear(topics)
            differ = looks and self._changes.read_leases()
        except BaseException:
            self._heard.add(None)  # what was heard is lost
            raise
        self._heard.read()
        return differ

    def _hear(self, topics: list[str]) -> None:
        lost = [topic.partition(" ")[2] for topic in topics if topic.startswith("lost ")]
        own = [topic.partition(" ")[2] for topic in topics if topic.startswith("own ")]
        for session in lost:
            self.refresh(session)
            self._lease_changed(session)
        for session in own:
            self._entrants.changed(session)
            self._notify_moved()
        self._changes.hear([topic for topic in topics if not topic.startswith(("lost ", "own "))])

    def _settle_down(self) -> None:
        """Hand over what should be elsewhere; forget referees that have gone."""
        if self._membership.status == RefereeStatus.DRAINING:
            self._takeover.hand_over_all()
        elif self._membership.status == RefereeStatus.SERVING:
            self._takeover.balance()
        self._membership.forget_old(lambda name: self._leases.count(name) > 0)

    def _lease_changed(self, session: str) -> None:
        """The lease of a session is another than was known."""
        self._notify_moved()
        if not self._has_begun:  # what it has from the run before, it takes over as from that
            return
        playing = session in self._context.in_play.sessions
        mine = self._leases.home(session) == self.name
        if playing and not mine:
            self._takeover.let_go(session)
        elif mine and not playing:
            self._takeover.take_up(session)

    def _notify_moved(self) -> None:
        with self._moved:
            self._moves += 1
            self._moved.notify_all()

    def _serve_if_reachable(self) -> None:
        """Take sessions if the internal address can be reached; else say why it takes none."""
        if self._membership.status in (RefereeStatus.DRAINING, RefereeStatus.STOPPED):
            return
        reason = self._unreachable_reason()
        with self._deciding:
            if self._membership.status in (RefereeStatus.DRAINING, RefereeStatus.STOPPED):
                return  # since it was asked for meanwhile
            if reason is None:
                self._leases.refusal = ""
                self._membership.set_status(RefereeStatus.SERVING)
                return
            if self._membership.status != RefereeStatus.ISOLATED:
                LOG.error("this referee takes no sessions: %s", reason)
            self._leases.refusal = f"this referee takes no sessions: {reason}"
            self._membership.set_status(RefereeStatus.ISOLATED, reason)
        self._takeover.hand_over_all()

    def _drain(self, why: str, detail: str) -> None:
        """Take no sessions from now on. Raises Unavailable."""
        with self._deciding:
            self._leases.refusal = f"this referee takes no sessions: {why}"
            self._membership.set_status(RefereeStatus.DRAINING, detail)

    def _unreachable_reason(self) -> str | None:
        if self._check is None:
            return None
        try:
            self._check(self._membership.address)
        except ArenaError as error:
            return f"its internal address {self._membership.address}: {error}"
        return None

    def home_of_session(self, session: str) -> str | None:
        """The home of a session; None if it is not in play, as far as is known. NOBODY ("") while
        that is not known."""
        return self._leases.home(session)

    def homes_of_bot(self, bot: str) -> tuple[str, ...]:
        """The homes of a bot's sessions in play, by name. Raises Unavailable."""
        return self._entrants.homes(bot)

    def main_home(self, bot: str) -> str | None:
        """Where most of a bot's sessions in play are."""
        return self._entrants.main_home(bot)

    def seat_of(self, person: str) -> str | None:
        """The session that a person sees who plays in a browser. Raises Unavailable."""
        return self._entrants.seat(person)

    def address(self, name: str) -> str | None:
        """The internal address of a referee that is there."""
        row = self._membership.row(name)
        return (
            row.address or None if row is not None and not self._membership.is_dead(name) else None
        )

    def issuer(self, cursor: int) -> str | None:
        """The live referee that gave a cursor."""
        alive = self._membership.alive()
        return next((row.name for row in alive if cursor % MARKS == row.mark), None)

    def for_start(self) -> str:
        """The referee that should be home of a new session; each call counts as one more there."""
        candidates = [
            each._replace(sessions=each.sessions + self._assigned_to(each.name))
            for each in self._membership.candidates()
        ]
        chosen = least_busy(candidates) or self.name
        row = self._membership.row(chosen)
        beats = 0 if row is None else row.beats
        since, count = self._assigned.get(chosen, (beats, 0))
        self._assigned[chosen] = (since if since == beats else beats, count + 1)
        return chosen

    def _assigned_to(self, name: str) -> int:
        """How many sessions were sent to a referee since it last said how many it has."""
        row, assigned = self._membership.row(name), self._assigned.get(name)
        if assigned is None or name == self.name or row is None or row.beats > assigned[0] + 1:
            self._assigned.pop(name, None)
            return 0
        return assigned[1]

    def obeys(self, session: str, at_ms: int) -> bool:
        """Is a time of a session this referee's to obey? Its home's; of one that is not in play,
        that of the referee where it should be played, or anybody's if nobody has done it."""
        home = self._leases.home(session)
        if home is not None:
            return home == self.name
        overdue = self._context.clock.wall_ms() - at_ms > OVERDUE_MS
        return overdue or least_busy(self._membership.candidates()) in (None, self.name)

    def is_certain(self) -> bool:
        """Can nobody have declared this referee dead?"""
        return self._membership.is_certain()

    def await_certainty(self) -> None:
        """Wait until this referee knows what it is home of. Raises Unavailable."""
        until_s = time.monotonic() + CERTAINTY_S
        while not (self._membership.is_certain() and not self._heard.everything):
            if time.monotonic() > until_s or self._stopped.wait(0.02):
                raise Unavailable("this referee cannot reach the database")

    def await_move(self, session: str, was: str, timeout_s: float) -> str | None:
        """Wait until a session has another home than `was`; None in vain, or if it has ended."""
        until_s = time.monotonic() + timeout_s
        with self._moved:
            while (home := self._leases.home(session)) in (was, NOBODY):
                left_s = until_s - time.monotonic()
                if left_s <= 0:
                    return None
                self._moved.wait(left_s)
        return home

    def refresh(self, session: str) -> None:
        """Read the lease of a session anew. Raises Unavailable."""
        self._changes.read_lease(session)

    def claim(self, session: str) -> None:
        """Another referee takes this one for the home of a session: play it, if that is so and it
        is not played here yet. Raises Unavailable."""
        if session in self._context.in_play.sessions:
            return
        if self._leases.home(session) != self.name:
            self.refresh(session)
        if self._leases.home(session) == self.name:
            with contextlib.suppress(NotHome, NotFound):  # it has ended, or moved on
                self._takeover.take_up(session)
            self._follow_up()

    def unreachable(self, name: str) -> None:
        """A peer could not be reached."""
        LOG.debug("referee %s cannot be reached from here", name)

    def drain(self, actor: str) -> Document:
        """Hand all sessions over and take none any more; this referee."""
        audit = audit_row(self._context.clock, actor, "cluster.drain", {"referee": self.name})
        self._context.store.write(audit)
        self._drain("it is draining", f"asked by {actor}")
        self._membership.observe()
        self._takeover.hand_over_all()
        return self._report.own()

    def undrain(self, actor: str) -> Document:
        """Take sessions again; this referee. Raises Conflict if it is not draining."""
        if self._membership.status != RefereeStatus.DRAINING or self._stopped.is_set():
            raise Conflict(
                self.name, f"{self.name} is not draining: it is {self._membership.status}"
            )
        audit = audit_row(self._context.clock, actor, "cluster.undrain", {"referee": self.name})
        self._context.store.write(audit)
        self._membership.set_status(RefereeStatus.JOINING)
        self._serve_if_reachable()
        self._membership.observe()
        return self._report.own()

    def move(self, session: str, to: str, actor: str) -> Document:
        """Give a session, which is played here, to another referee: ``{"session", "home",
        "epoch"}``. Raises NotFound, BadInput, Conflict, NotHome."""
        if self._leases.row(session) is None:
            self.refresh(session)
        if self._leases.row(session) is None:
            raise Conflict(session, f"only a session in play has a home; {session} is not in play")
        self._membership.observe()
        self._takeover.check_target(to)
        audit = session_audit(self._context.clock, By(actor), "session.move", session, to=to)
        lease = self._takeover.hand_over(session, to, audit)
        self._notify_moved()
        return lease._asdict()

    def document(self, *, after: str = "", limit: int = MOST_SESSIONS) -> Document:
        """All referees, and a page of sessions in play; see `ClusterReport.cluster`."""
        return self._report.cluster(after=after, limit=limit)
