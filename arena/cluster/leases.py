"""Leases: which referee is the home of which session, as far as is known here; and the fence.

Every write that concerns a session in play carries the epoch of its lease and is refused if that
is another by now (`SessionLeases.before`), so a referee that stood still writes nothing when it
wakes up. A session comes into play together with its lease and leaves it together with that, in one
write. Knows no hands; reads the database only for the lease of a session of which it knows none.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from arena.errors import NotHome, Unavailable
from arena.referee.session_counters import PREFIXES
from arena.statuses import IN_PLAY, OVER
from arena.store.cluster_rows import CheckLease, DropLease, LeaseRow, LeasesDigest, MoveLease
from arena.store.port import (
    Change,
    CounterRow,
    EndHand,
    EntryRow,
    HandRow,
    SetDocument,
    SetEntryStatus,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    StepRow,
    TableRow,
)

LEASES = (LeaseRow, MoveLease, DropLease, CheckLease)
PLAY = (StepRow, EndHand, HandRow, TableRow, SetSchedule, CounterRow)
"""What of a session is written only while it is in play, or comes into play by the same write."""
LAST = 2**63 - 1
"""The largest epoch that a database can hold."""
NOBODY = ""
"""The home of a session whose lease was lost, until it is read again."""


def session_of_table(table: str) -> str:
    """The session of the id of a table."""
    return table.rsplit("-", 2)[0]


def session_of_hand(hand: str) -> str:
    """The session of the id of a hand."""
    return hand.rsplit("-", 3)[0]


def _of_counter(change: CounterRow) -> str | None:
    prefix, slash, session = change.key.partition("/")
    return session if slash and prefix in PREFIXES else None


SESSION_OF: Mapping[type, Callable[[Any], str | None]] = MappingProxyType(
    {
        StepRow: lambda change: session_of_hand(change.hand),
        EndHand: lambda change: session_of_hand(change.hand),
        HandRow: lambda change: session_of_table(change.table),
        SetTableStatus: lambda change: session_of_table(change.table),
        TableRow: lambda change: change.session,
        SetSchedule: lambda change: change.session,
        SetSessionStatus: lambda change: change.session,
        SetEntryStatus: lambda change: change.session,
        EntryRow: lambda change: change.session,
        SetDocument: lambda change: change.session,
        CounterRow: _of_counter,
    }
)
"""Which session a change concerns that may be in play, by its kind."""


class SessionLeases:
    """All leases, by session. own: the name of this referee. now_ms: wall time.

    refusal: why this referee takes no new sessions now; empty if it does.
    on_lost: called, in the thread of a writer, with a session whose lease was lost unheard.
    on_change: likewise, when this referee has changed its lease, or who plays in it.
    read: reads the lease of a session, of which none is known here, for a write that may be made
    only where there is none. Raises Unavailable.
    """

    def __init__(self, own: str, now_ms: Callable[[], int]) -> None:
        self.own = own
        self._now_ms = now_ms
        self._lock = threading.Lock()
        self._rows: dict[str, LeaseRow] = {}
        self._counts: Counter[str] = Counter()
        self._epochs: Counter[str] = Counter()
        self.refusal = ""
        self.on_lost: Callable[[str], None] = lambda session: None
        self.on_change: Callable[[str], None] = lambda session: None
        self.read: Callable[[str], LeaseRow | None] = lambda session: None

    def home(self, session: str) -> str | None:
        """The home of a session, None if it is not in play; NOBODY if that is not known now."""
        row = self._rows.get(session)
        return None if row is None else row.home

    def row(self, session: str) -> LeaseRow | None:
        """The lease of a session."""
        return self._rows.get(session)

    def rows(self) -> tuple[LeaseRow, ...]:
        """All leases, by session."""
        with self._lock:
            return tuple(sorted(self._rows.values()))

    def homes(self) -> tuple[str, ...]:
        """Who has any, by name."""
        with self._lock:
            return tuple(sorted(home for home, count in self._counts.items() if count))

    def count(self, home: str) -> int:
        """How many leases a referee has."""
        return self._counts[home]

    def of(self, home: str) -> tuple[LeaseRow, ...]:
        """The leases of one referee, by session."""
        with self._lock:
            return tuple(sorted(row for row in self._rows.values() if row.home == home))

    def __len__(self) -> int:
        """How many there are."""
        return len(self._rows)

    def digest(self) -> LeasesDigest:
        """As the store counts them: how many each home has, and the sum of their epochs."""
        with self._lock:
            epochs = self._epochs
            return {home: (count, epochs[home]) for home, count in self._counts.items() if count}

    def learn(self, session: str, row: LeaseRow | None, *, known: LeaseRow | None) -> bool:
        """The lease of a session as it was read; is it another than was known? known: what was
        known before it was read. If that is another by now, what was read may be older: it is left
        (and what is known differs from the store for no longer than till the next look)."""
        with self._lock:
            if self._rows.get(session) != known or known == row:
                return False
            self._keep(session, row)
            return True

    def _keep(self, session: str, row: LeaseRow | None) -> None:
        known = self._rows.pop(session, None)
        if known is not None:
            self._counts[known.home] -= 1
            self._epochs[known.home] -= known.epoch
        if row is not None:
            self._rows[session] = row
            self._counts[row.home] += 1
            self._epochs[row.home] += row.epoch

    def _have(self, session: str, row: LeaseRow | None) -> None:
        """This referee has written a lease."""
        with self._lock:
            known = self._rows.get(session)
            if row is None or known is None or known.epoch <= row.epoch or known.epoch == LAST:
                self._keep(session, row)

    def next_epoch(self, session: str) -> int:
        """An epoch above all that this session ever had; but for that which only somebody's hand
        can have written, above which there is none: then another one."""
        known = self._rows.get(session)
        epoch = 0 if known is None or known.epoch == LAST else known.epoch + 1
        return max(self._now_ms(), epoch)

    def before(self, changes: tuple[Change, ...]) -> tuple[Change, ...]:
        """What is written instead of some changes: with what proves that this referee may. Raises
        NotHome; Unavailable for a session that would come into play here and must not."""
        wanted: dict[str, Change | None] = {}
        settled: set[str] = set()
        played: set[str] = set()
        for change in changes:
            kind = type(change)
            if kind in LEASES:
                settled.add(change.session)  # type: ignore[union-attr]
                continue
            read = SESSION_OF.get(kind)
            session = None if read is None else read(change)
            if session is None:
                continue
            if kind is SetSessionStatus:
                wanted[session] = self._by_status(change) or wanted.get(session)  # type: ignore[arg-type]
            else:
                wanted.setdefault(session, None)
                if kind in PLAY:
                    played.add(session)
        first = [
            lease
            for session in sorted(wanted.keys() - settled)
            if (lease := wanted[session] or self._check(session, played=session in played))
        ]
        return (*first, *changes) if first else changes

    def _by_status(self, change: SetSessionStatus) -> Change | None:
        """The change of a lease that belongs to a new status. Raises NotHome, Unavailable."""
        if change.status in IN_PLAY and change.was not in IN_PLAY:
            if self.refusal:
                raise Unavailable(self.refusal)
            return LeaseRow(change.session, self.own, self.next_epoch(change.session))
        if change.was not in IN_PLAY:
            return None
        lease = self._ours(change.session)
        return DropLease(*lease) if change.status in OVER else CheckLease(*lease)

    def _check(self, session: str, *, played: bool) -> Change | None:
        is_known = session in self._rows
        if not (is_known or played) and self.read(session) is None:
            return None  # it is not in play
        return CheckLease(*self._ours(session))

    def _ours(self, session: str) -> LeaseRow:
        """The lease of a session that is this referee's. Raises NotHome."""
        known = self._rows.get(session)
        if known is None:  # it is in play, unheard
            self.on_lost(session)
        if known is None or known.home != self.own:
            raise NotHome(session)
        return known

    def after(self, changes: tuple[Change, ...]) -> None:
        """Some changes are durable: know the leases as they are now."""
        for change in changes:
            match change:
                case StepRow() | CheckLease():
                    continue  # nearly always
                case LeaseRow():
                    self._have(change.session, change)
                case MoveLease():
                    moved = LeaseRow(change.session, change.home, change.epoch)
                    self._have(change.session, moved)
                case DropLease():
                    self._have(change.session, None)
                case EntryRow() if change.session in self._rows:
                    pass
                case _:
                    continue
            self.on_change(change.session)

    def lost(self, session: str) -> None:
        """The store has refused a write: the lease is another by now."""
        with self._lock:
            known = self._rows.get(session)
            if known is not None:
                self._keep(session, known._replace(home=NOBODY))
        self.on_lost(session)
