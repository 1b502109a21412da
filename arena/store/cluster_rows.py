"""Rows and changes of the referees that share a database, and of the leases by which they share the
sessions in play.

A lease names the one referee that plays a session, its home. Each time that a session moves its
lease gets the next epoch, so a referee that was home once cannot pass for it: what it writes stands
behind a `CheckLease` of its epoch. Words: `RefereeStatus` in `arena/statuses.py`. This module may
import nothing but the standard library, and does no I/O.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol


class RefereeRow(NamedTuple):
    """A referee, by its name. Writing one replaces the one before: who joins holds the name's lock.

    incarnation: a random id of one run of it. mark: what the cursors that it gives have in common,
    0..4095. beats: counts up while it is alive; arena_ms: its arena time at the last of them.
    sessions, turns: how many it plays, and how many turns are open there. secret_hash: SHA-256 of
    the secret that it shares with the others, hex.
    """

    name: str
    incarnation: str
    address: str  # http://HOST:PORT, where the others reach it
    mark: int
    version: str
    status: str  # joining | serving | draining | isolated | stopped
    detail: str
    started_ms: int
    beats: int
    arena_ms: int
    sessions: int
    turns: int
    secret_hash: str


class Beat(NamedTuple):
    """Say that a referee is alive. Conflict: it is not there, or runs as another incarnation."""

    name: str
    incarnation: str
    beats: int
    arena_ms: int
    sessions: int
    turns: int


class SetRefereeStatus(NamedTuple):
    """Set the status of a referee. Conflict: it is not there, or runs as another incarnation."""

    name: str
    incarnation: str
    status: str
    detail: str


class DropReferee(NamedTuple):
    """Take a referee away. Conflict: it is not there, or runs as another incarnation."""

    name: str
    incarnation: str


class LeaseRow(NamedTuple):
    """Which referee plays a session. The session is unique."""

    session: str
    home: str
    epoch: int


class MoveLease(NamedTuple):
    """Give a lease to another home, with another epoch. Conflict: it is not `was_home`'s of
    `was_epoch`, or not there."""

    session: str
    home: str
    epoch: int
    was_home: str
    was_epoch: int


class CheckLease(NamedTuple):
    """Change nothing. NotHome: the lease is another by now, or is not there.

    Who moves the lease waits until the write that this stands in is durable, and the other way
    about. It stands in front of all that rests on it.
    """

    session: str
    home: str
    epoch: int


class DropLease(NamedTuple):
    """Take a lease away. NotHome: it is another by now, or is not there."""

    session: str
    home: str
    epoch: int


ClusterChange = (
    RefereeRow
    | Beat
    | SetRefereeStatus
    | DropReferee
    | LeaseRow
    | MoveLease
    | CheckLease
    | DropLease
)


LeasesDigest = Mapping[str, tuple[int, int]]
"""How many leases each home has, and the sum of their epochs."""


class ClusterStore(Protocol):
    """What a store answers about referees and leases."""

    def referees(self) -> tuple[RefereeRow, ...]:
        """All referees, by name."""

    def leases(self, *, after: str = "", limit: int = 100) -> tuple[LeaseRow, ...]:
        """All leases by session; `after` is a session."""

    def leases_of(self, home: str, *, after: str = "", limit: int = 100) -> tuple[LeaseRow, ...]:
        """The leases of one home by session; `after` is a session."""

    def lease(self, session: str) -> LeaseRow | None:
        """The lease of this session."""

    def leased_sessions(self, bot: str) -> tuple[str, ...]:
        """The sessions that have a lease and that a bot has ever entered, by their ids."""

    def documents(self, sessions: Sequence[str]) -> dict[str, str]:
        """The documents of some sessions by id, of those that are there."""

    def departures(self, sessions: Sequence[str]) -> frozenset[tuple[str, str]]:
        """Which bots have left some sessions, or were taken out: pairs of session and bot."""

    def unleased_sessions(self, *, limit: int = 100) -> tuple[str, ...]:
        """Sessions in play that have no lease, in any order: nobody plays them."""

    def leases_digest(self) -> LeasesDigest:
        """The digest of all leases: who has seen the same ones as are there now gets the same from
        them."""

    def name_locks(self) -> NameLocks:
        """Locks of names on a connection of their own; close them in the end.

        TypeError: the database is a file or in memory, where no other referee can be.
        """


class NameLocks(Protocol):
    """Locks that a process holds for as long as it lives, by the names of referees.

    Where the process dies or its connection is lost its locks are free. Thread-safe.
    process: what the connection is known by that this process writes with.
    """

    @property
    def process(self) -> str: ...

    def end(self, process: str) -> None:
        """End the connection that another process writes with, which stands still: what it has
        begun and not committed is undone. Nothing if there is none. Raises Unavailable."""

    def take(self, name: str) -> bool:
        """Have the lock of a name; False: another process has it. True: it is ours, now or still,
        also after a connection that was lost. Raises Unavailable."""

    def held(self, names: Sequence[str]) -> frozenset[str]:
        """Those of the names whose locks anybody holds, this process too. Raises Unavailable."""

    def close(self) -> None:
        """Give all locks back. Closing twice is harmless."""
