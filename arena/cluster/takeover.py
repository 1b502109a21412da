"""Take-over and hand-over: how the home of a session becomes another.

A lease goes from one home to the next by one write, which is made only if it is still as it was
read; the time at which the session stands is part of it. Whoever has the lease then takes the
session up from its log. Everything here may be tried again at any time.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterable

from arena.cluster.leases import NOBODY, SessionLeases
from arena.cluster.membership import Membership
from arena.cluster.recurring import one_by_one
from arena.cluster.sharing import heir, least_busy, surplus
from arena.errors import BadInput, Conflict, NotFound, NotHome, Unavailable
from arena.referee.context import Context
from arena.referee.liveness import ALIVE
from arena.referee.transfer import give_up, let_go, session_ms, stood_key, take_up
from arena.statuses import IN_PLAY, RefereeStatus, SessionStatus
from arena.store.cluster_rows import DropLease, LeaseRow, MoveLease
from arena.store.port import Change, CounterRow

LOG = logging.getLogger("arena.cluster")
ORPHANS_MS = 60_000
"""How often sessions that nobody plays are looked for: that is work for the database, and a lease
that somebody takes away is missed by who had it."""


class TakeOver:
    """What this referee takes over and hands over. taken: how many sessions it has taken over from
    referees that died."""

    def __init__(
        self,
        context: Context,
        leases: SessionLeases,
        membership: Membership,
    ) -> None:
        self._context = context
        self._leases = leases
        self._membership = membership
        self.taken = 0
        self._spreading = threading.Lock()
        self._looked_ms = 0

    def inherit(self) -> int:
        """Take over what this referee should take of those that are dead; how many sessions."""
        name = self._leases.own
        homes = [home for home in self._leases.homes() if home not in (name, NOBODY)]
        if any(self._membership.row(home) is None for home in homes):
            self._membership.observe()  # it may have come just now
        candidates = [each.name for each in self._membership.candidates()]
        if name not in candidates:
            return 0
        taken = 0
        for home in homes:
            if self._membership.is_dead(home):
                own = [r for r in self._leases.of(home) if heir(r.session, candidates) == name]
                if own:
                    self._end(home)
                taken += sum(one_by_one(own, self.take))
        return taken

    def _end(self, home: str) -> None:
        """End a dead referee's last transaction; where that may not be done, the server does it."""
        try:
            self._membership.end(home)
        except Unavailable as error:
            LOG.warning("the last transaction of %s cannot be ended from here: %s", home, error)

    def take(self, lease: LeaseRow) -> bool:
        """Take one session over from a home that has died; False if another was quicker."""
        before = self._membership.row(lease.home)
        arena_ms = None if before is None else before.arena_ms
        return self.take_from(lease, arena_ms)

    def take_from(self, lease: LeaseRow, arena_ms: int | None) -> bool:
        """As `take`; arena_ms: the last beat of that home, if there is any."""
        own, epoch = self._leases.own, self._leases.next_epoch(lease.session)
        move = MoveLease(lease.session, own, epoch, lease.home, lease.epoch)
        try:
            self._context.store.write(move, *self._stood(lease.session, arena_ms))
            LOG.warning(
                "session %s: taken over from %s, epoch %d", lease.session, lease.home, epoch
            )
            self.taken += 1
            self.take_up(lease.session)
        except (Conflict, NotHome) as error:
            LOG.info("session %s: %s", lease.session, error)
            return False
        return True

    def _stood(self, session: str, arena_ms: int | None) -> list[Change]:
        """Where a session stood whose home has died, unless that is written down already: then its
        home had not gone on with it yet."""
        if arena_ms is None or self._context.store.counter(stood_key(session)) is not None:
            return []
        row = self._context.store.session(session)
        if row is None or row.status != SessionStatus.RUNNING:
            return []
        return [CounterRow(stood_key(session), session_ms(self._context, session, arena_ms))]

    def take_up(self, session: str) -> None:
        """Play a session whose lease this referee has. Raises Unavailable, NotHome."""
        try:
            if take_up(self._context, session):
                LOG.info("session %s: played here now", session)
                return
        except NotFound as error:
            LOG.info("session %s: %s", session, error)
        self._drop_if_idle(session)

    def _drop_if_idle(self, session: str) -> None:
        """A lease of a session that is not in play, as only somebody else's hand leaves it."""
        lease = self._leases.row(session)
        with self._context.in_play.changing:  # it is not being started here
            row = self._context.store.session(session)
            if lease is not None and (row is None or row.status not in IN_PLAY):
                LOG.warning("session %s: is not in play; its lease is taken away", session)
                self._context.store.write(DropLease(*lease))

    def adopt_all_orphans(self, alive_ms: int | None) -> None:
        """Take the sessions in play that have no lease at all, as an older program leaves them.
        alive_ms: arena time of its last beat."""
        while orphans := self._context.store.unleased_sessions():
            for session in orphans:
                self._adopt(session, alive_ms)

    def adopt_orphans(self, *, at_once: bool = False) -> None:
        """Take this referee's share of sessions in play whose lease somebody has taken away; none
        while an older program plays. Looks for them now and then, or at once."""
        now_ms = self._context.clock.wall_ms()
        if not at_once and now_ms - self._looked_ms < ORPHANS_MS:
            return
        self._looked_ms = now_ms
        orphans = self._context.store.unleased_sessions()
        if not orphans or self._context.store.counter(ALIVE) is not None:
            return
        candidates = [each.name for each in self._membership.candidates()]
        for session in orphans:
            if heir(session, candidates) == self._leases.own:
                LOG.warning("session %s: is in play and has no lease; it gets one", session)
                self._adopt(session, None)

    def _adopt(self, session: str, alive_ms: int | None) -> None:
        lease = LeaseRow(session, self._leases.own, self._leases.next_epoch(session))
        try:
            self._context.store.write(lease, *self._stood(session, alive_ms))
        except Conflict:  # another referee was quicker
            return
        self.take_up(session)

    def reconcile(self) -> None:
        """Play what this referee has the lease of, and nothing else."""
        own = {row.session for row in self._leases.of(self._leases.own)}
        for session in tuple(self._context.in_play.sessions):
            if session not in own and self._leases.home(session) != NOBODY:
                self.let_go(session)
        one_by_one(sorted(own - set(self._context.in_play.sessions)), self._take_up_again)

    def _take_up_again(self, session: str) -> None:
        try:
            self.take_up(session)
        except NotHome as error:
            LOG.info("session %s: %s", session, error)

    def let_go(self, session: str) -> None:
        """Another referee has the lease."""
        own, home = self._leases.own, self._leases.home
        if let_go(self._context, session, is_ours=lambda: home(session) == own):
            LOG.warning("session %s: %s plays it now", session, home(session) or "nobody")

    def hand_over(self, session: str, to: str, *changes: Change) -> LeaseRow:
        """Give a session to another referee; its lease. changes: what is written together with
        that. Raises NotHome, Conflict, Unavailable; it is played on here then."""
        lease = self._leases.row(session)
        if lease is None or lease.home != self._leases.own:
            raise NotHome(session)
        epoch = self._leases.next_epoch(session)
        move = MoveLease(session, to, epoch, lease.home, lease.epoch)
        give_up(self._context, session, move, *changes)
        LOG.info("session %s: handed over to %s, epoch %d", session, to, epoch)
        return LeaseRow(session, to, epoch)

    def check_target(self, to: str) -> None:
        """Can a referee take a session? Raises NotFound, BadInput, Conflict."""
        row = self._membership.row(to)
        if row is None:
            names = ", ".join(each.name for each in self._membership.alive())
            raise NotFound("referee", f"there is no referee {to!r}; there are {names}")
        if to == self._leases.own:
            raise BadInput("to", to, "another referee than the one that plays the session")
        if self._membership.is_dead(to) or row.status != RefereeStatus.SERVING:
            status = "dead" if self._membership.is_dead(to) else row.status
            raise Conflict(to, f"{to} takes no sessions: it is {status}")

    def hand_over_all(self) -> int:
        """Give all sessions to the others, the least busy first; how many are left here."""
        with self._spreading:  # a request to drain and the thread of the cluster do it at once
            return self._spread([row.session for row in self._leases.of(self._leases.own)])

    def balance(self) -> int:
        """Hand some sessions to the least busy referee, if this one has far too many."""
        with self._spreading:
            count = surplus(self._leases.own, self._membership.candidates())
            if count:
                mine = [row.session for row in self._leases.of(self._leases.own)]
                self._spread(mine[:count])
            return count

    def _spread(self, sessions: Iterable[str]) -> int:
        others = [c for c in self._membership.candidates() if c.name != self._leases.own]
        left = 0
        for session in sessions:
            to = least_busy(others)
            try:
                if to is None:
                    raise Unavailable("no other referee takes sessions")
                self.hand_over(session, to)
            except (Conflict, NotHome, Unavailable) as error:
                LOG.info("session %s: %s", session, error)
                left += 1
                continue
            others = [c._replace(sessions=c.sessions + (c.name == to)) for c in others]
        return left
