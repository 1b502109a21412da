"""Membership: this referee among those that share a database, and what it sees of the others.

Each referee has a row, in which it counts its beats, and holds a lock of its name, so that no two
have one name and a kill is noticed at once. This module takes no sessions; it says who is there.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import NamedTuple

from arena.cluster.failure_detector import FailureDetector, Sign
from arena.cluster.sharing import Candidate
from arena.errors import BadInput, Conflict, Unavailable
from arena.referee.clock import ArenaClock
from arena.referee.open_turns import MARKS
from arena.statuses import RefereeStatus
from arena.store.cluster_rows import Beat, DropReferee, NameLocks, RefereeRow, SetRefereeStatus
from arena.store.port import NoteRow, Store
from arena.version import __version__

SECRET = "cluster/secret"
"""Under which key the secret of the referees is kept that have not been given one."""
FORGET_MS = 3_600_000
"""After this long a referee that has stopped, and has no sessions, is no longer listed."""
LOG = logging.getLogger("arena.cluster")


class Burden(NamedTuple):
    """What a referee plays: how many sessions, and how many turns wait."""

    sessions: int
    turns: int


class Membership:
    """This referee and its peers. own: its name; address: at which peers reach it.

    burden: what it plays now. Its own silence and that of others is measured by its wall clock,
    which only goes forward.
    """

    def __init__(
        self,
        store: Store,
        own: str,
        clock: ArenaClock,
        *,
        lease_ms: int,
        burden: Callable[[], Burden],
    ) -> None:
        self.own = own
        self.address = ""
        self.secret = ""
        self.status = RefereeStatus.JOINING
        self.incarnation = ""
        self._detail = ""
        self._store = store
        self._clock = clock
        self._lease_ms = lease_ms
        self.burden = burden
        self._locks: NameLocks | None = None
        self.has_joined = False
        self._detector = FailureDetector(lease_ms)
        self._rows: dict[str, RefereeRow] = {}
        self._dead: frozenset[str] = frozenset()
        self._beats = 0
        self._stood_ms: int | None = None
        self._certain_until_ms = 0
        self._writing = threading.Lock()
        self._observing = threading.Lock()  # what was read last is kept

    def join(self, given_secret: str, arena_ms: int) -> RefereeRow | None:
        """Take the name, and be listed as joining; the row of the run before, if there was one.

        Raises BadInput for a name that another referee has, and for a secret that is not that of
        the others; Unavailable.
        """
        self._locks = self._store.name_locks()
        self.incarnation = self._locks.process
        if not self._locks.take(self.own):
            raise BadInput("cluster_name", self.own, self._expected_name())
        self.secret = given_secret or self._kept_secret()
        rows = {row.name: row for row in self._store.referees()}
        self._check_secret(rows)
        before = rows.get(self.own)
        self._stood_ms = None if before is None else before.arena_ms
        self._take_mark(arena_ms, set() if before is None else {before.mark})
        self.has_joined = True
        self._certain_until_ms = self._clock.wall_ms() + self._lease_ms // 2
        self.observe()
        return before

    def go_on(self) -> None:
        """The sessions of the run before have been taken up: from now on beats tell the arena time
        of this run. Until then they tell that at which the other one ended."""
        self._stood_ms = None

    def _take_mark(self, arena_ms: int, taken: set[int]) -> None:
        """Write this referee's row, with a mark that no other has. taken: by its own last run,
        whose cursors are still about."""
        while True:
            self.mark = next(mark for mark in _marks(self.incarnation) if mark not in taken)
            self._store.write(self._row(arena_ms))
            others = [row for row in self._store.referees() if row.name != self.own]
            taken |= {row.mark for row in others}
            if self.mark not in taken:  # two that join together both see that they have the same
                return

    def _expected_name(self) -> str:
        other = next((row for row in self._store.referees() if row.name == self.own), None)
        where = "" if other is None else f" (one with this name runs at {other.address})"
        return f"a name that no other running referee has{where}"

    def _kept_secret(self) -> str:
        kept = self._store.note(SECRET)
        if kept is None:
            try:
                self._store.write(NoteRow(SECRET, secrets.token_urlsafe(32)))
            except Conflict:  # another referee was quicker
                LOG.debug("another referee has made the secret")
            kept = self._store.note(SECRET)
        if kept is None:
            raise Unavailable("the secret of the referees cannot be read")
        return kept

    def _check_secret(self, rows: dict[str, RefereeRow]) -> None:
        """Raises BadInput if a referee that runs has another secret."""
        assert self._locks is not None
        others = [name for name in rows if name != self.own]
        for name in sorted(self._locks.held(others)):
            if rows[name].secret_hash not in ("", _hash(self.secret)):
                expected = f"that of the referees that run ({name} at {rows[name].address})"
                raise BadInput("cluster_secret", "(not repeated)", expected)

    def _row(self, arena_ms: int) -> RefereeRow:
        burden = self.burden()
        return RefereeRow(
            name=self.own,
            incarnation=self.incarnation,
            address=self.address,
            mark=self.mark,
            version=__version__,
            status=self.status,
            detail=self._detail,
            started_ms=self._clock.wall_ms(),
            beats=self._beats,
            arena_ms=arena_ms if self._stood_ms is None else self._stood_ms,
            sessions=burden.sessions,
            turns=burden.turns,
            secret_hash=_hash(self.secret),
        )

    def beat(self, arena_ms: int) -> None:
        """Say that this referee lives, at an arena time. Raises Unavailable."""
        began_ms = self._clock.wall_ms()
        at_ms = arena_ms if self._stood_ms is None else self._stood_ms
        self._beats += 1
        try:
            self._store.write(Beat(self.own, self.incarnation, self._beats, at_ms, *self.burden()))
        except Conflict as error:
            self._join_again(arena_ms, error)
        except Unavailable:  # so the others may be as unable to beat as this one
            self._detector.interrupted(self._clock.wall_ms())
            raise
        # half of it: that is how soon it is taken for dead if its lock was lost unnoticed
        self._certain_until_ms = began_ms + self._lease_ms // 2

    def _join_again(self, arena_ms: int, error: Conflict) -> None:
        """The row is gone, or another's. Raises Unavailable if somebody has taken the name."""
        assert self._locks is not None
        if not self._locks.take(self.own):
            raise Unavailable(f"another referee has taken the name {self.own!r}") from error
        LOG.warning("the row of this referee (%s) was gone; it is written again", self.own)
        self._store.write(self._row(arena_ms))

    def is_still_here(self) -> bool:
        """Is the row of this referee's name this run's? Else another process has the name, or
        somebody has taken the row away. Raises Unavailable."""
        rows = self._store.referees()
        return any((row.name, row.incarnation) == (self.own, self.incarnation) for row in rows)

    def is_certain(self) -> bool:
        """Has this referee beaten lately, so that nobody can have declared it dead?"""
        return self._clock.wall_ms() < self._certain_until_ms

    def set_status(self, status: RefereeStatus, detail: str = "") -> None:
        """Let all others know what this referee does; detail: why. Raises Unavailable."""
        with self._writing:
            if (status, detail) == (self.status, self._detail):
                return
            self._store.write(SetRefereeStatus(self.own, self.incarnation, status, detail))
            self.status, self._detail = status, detail

    def observe(self) -> frozenset[str]:
        """Look at the others; the names of those that are dead. Raises Unavailable."""
        with self._observing:
            try:
                return self._observe()
            except Unavailable:
                self._detector.interrupted(self._clock.wall_ms())
                raise

    def _observe(self) -> frozenset[str]:
        assert self._locks is not None
        rows = {row.name: row for row in self._store.referees()}
        others = [name for name in rows if name != self.own]
        held = self._locks.held([*others, self.own])
        if self.own not in held:
            self._locks.take(self.own)
        signs = {
            name: Sign(
                rows[name].incarnation,
                rows[name].beats,
                rows[name].status == RefereeStatus.STOPPED,
            )
            for name in others
        }
        self._dead = self._detector.observe(self._clock.wall_ms(), signs, held)
        self._rows = rows
        return self._dead

    def rows(self) -> tuple[RefereeRow, ...]:
        """All referees as they were last seen, by name."""
        return tuple(sorted(self._rows.values()))

    def row(self, name: str) -> RefereeRow | None:
        """A referee as it was last seen."""
        return self._rows.get(name)

    def silent_ms(self, name: str) -> int:
        """For how long a referee has not been seen to beat, by this one's clock."""
        return 0 if name == self.own else self._detector.silent_ms(name)

    def is_dead(self, name: str) -> bool:
        """Has a referee died, or is there none of that name?"""
        return name in self._dead or name not in self._rows

    def alive(self) -> tuple[RefereeRow, ...]:
        """Those that are not dead, this one among them."""
        return tuple(row for row in self.rows() if row.name not in self._dead)

    def candidates(self) -> tuple[Candidate, ...]:
        """Those that take sessions; this one as it is now."""
        others = [
            Candidate(row.name, row.sessions)
            for row in self.alive()
            if row.status == RefereeStatus.SERVING and row.name != self.own
        ]
        own = Candidate(self.own, self.burden().sessions)
        return (*others, *([own] if self.status == RefereeStatus.SERVING else []))

    def end(self, name: str) -> None:
        """See to it that a dead referee's last transaction is over: one that stands still may have
        locks. Raises Unavailable."""
        row = self._rows.get(name)
        if self._locks is not None and row is not None and row.status != RefereeStatus.STOPPED:
            self._locks.end(row.incarnation)

    def forget_old(self, has_sessions: Callable[[str], bool]) -> None:
        """Take referees off the list that have been dead for long and have no sessions."""
        now_ms = self._clock.wall_ms()
        for name in self._dead:
            row = self._rows[name]
            if now_ms - max(row.started_ms, row.arena_ms) > FORGET_MS and not has_sessions(name):
                try:
                    self._store.write(DropReferee(row.name, row.incarnation))
                except Conflict:  # it has come back, or another referee was quicker
                    LOG.debug("the row of %s is another by now", name)

    def leave(self, arena_ms: int) -> None:
        """End in order: others may take over what is left. Raises Unavailable."""
        if not self.has_joined:  # it was refused: there is nothing to leave
            return
        self.beat(arena_ms)
        self.set_status(RefereeStatus.STOPPED)

    def close(self) -> None:
        """Let the lock of the name go."""
        if self._locks is not None:
            self._locks.close()


def _hash(secret: str) -> str:
    return sha256(secret.encode()).hexdigest()


def _marks(incarnation: str) -> Iterator[int]:
    """All marks, the first one at random."""
    first = int(incarnation[:8], 16)
    return ((first + number) % MARKS for number in range(MARKS))
