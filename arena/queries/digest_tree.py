"""The tree of a session's digest, kept and brought up to date when tables close.

Rounds that are complete stay in the tree. The hands of closed tables of later rounds are put behind
them, and read anew whenever a table closes: seldom more than those of a round. It reads the store
at the pace of all questions and writes nothing; whoever calls holds the lock.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import NamedTuple

from arena.documents import Document
from arena.errors import Unavailable
from arena.proofs.kept_tree import KeptTree
from arena.queries.heads import head_of
from arena.referee.context import Sources
from arena.session.deals import secret_commitment
from arena.session.record_format import DIGEST
from arena.statuses import TABLE_OPEN, HandStatus
from arena.store.port import SessionRow, TableRow
from arena.store.reading import all_hashes, all_tables

Counts = dict[str, int]
"""How many tables have each status. A table only goes on, never back: the same counts mean that
nothing has changed."""


class _Place(NamedTuple):
    """How far complete rounds reach. tables, hands: how many; last_table, last_hand: ids; at_ms:
    when the last of the hands ended."""

    rounds: int = 0
    tables: int = 0
    hands: int = 0
    last_table: str = ""
    last_hand: str = ""
    at_ms: int = 0


class DigestTree:
    """What is kept of one session. lock: of who reads it or brings it up to date; first: by table,
    the index of its first hand; document: the digest without its signature, empty at first.
    """

    def __init__(self, going_on: Callable[[], bool]) -> None:
        """going_on: may reading go on?"""
        self.lock = threading.Lock()
        self.tree = KeptTree()
        self.first: dict[str, int] = {}
        self.document: Document = {}
        self._going_on = going_on
        self._counts: Counts | None = None
        self._place = _Place()

    def unread(self, counts: Counts) -> int:
        """How many tables there are to read before it is up to date."""
        closed = sum(count for status, count in counts.items() if status not in TABLE_OPEN)
        return 0 if counts == self._counts else max(0, closed - self._place.tables)

    def refresh(self, sources: Sources, row: SessionRow) -> None:
        """Bring it up to date. What is known stays right if this is left before its end.

        Raises Unavailable if the process ends meanwhile.
        """
        counts = sources.store.table_counts(row.id)
        if counts == self._counts:
            return
        tables = self._tables(sources, row)
        more = bool(tables) and tables[0].round <= self._place.rounds
        if more or self._place.tables + len(tables) < sum(counts.values()):
            # A table of a round that was complete is played again, in that round.
            self._place, self.first = _Place(), {}
            tables = self._tables(sources, row)
        self._counts = None
        self._read(sources, row, tables)
        self._counts = counts

    def _tables(self, sources: Sources, row: SessionRow) -> list[TableRow]:
        """The tables behind the complete rounds."""
        work, found = sources.long_work.queries.work(), []
        for table in all_tables(sources.store, row.id, after=self._place.last_table, limit=200):
            found.append(table)
            work.pause()
        return found

    def _read(self, sources: Sources, row: SessionRow, tables: Sequence[TableRow]) -> None:
        """Put the hands of the closed ones of these tables behind the complete rounds."""
        self.tree.truncate(self._place.hands)
        session, work = sources.in_play.session_of(row), sources.long_work.queries.work()
        closed = {table.id: table for table in tables if table.status not in TABLE_OPEN}
        rounds = _complete(tables, self._place.rounds)
        place, at_ms = self._place._replace(rounds=rounds), self._place.at_ms
        for hand in all_hashes(sources.store, row.id, after=self._place.last_hand):
            table = closed.get(hand.table)
            if table is not None and hand.status != HandStatus.PLAYING:
                self.first.setdefault(table.id, self.tree.size)
                self.tree.add(head_of(sources, session, table, hand=hand))
                at_ms = max(at_ms, hand.ended_ms or 0)
                if table.round <= rounds:
                    place = place._replace(hands=self.tree.size, last_hand=hand.hand, at_ms=at_ms)
            self._check_going_on()
            work.pause()
        whole = [table.id for table in tables if table.round <= rounds]
        further = [table.id for table in closed.values() if table.round > rounds]
        self._place = place._replace(
            tables=place.tables + len(whole), last_table=(whole or [place.last_table])[-1]
        )
        self.document = {
            "format": DIGEST,
            "session": row.id,
            "secret_commitment": secret_commitment(row.secret),
            "tables": self._place.tables + len(further),
            "hands": self.tree.size,
            "rounds": rounds,
            "further": further,
            "root": self.tree.root.hex(),
            "at_ms": at_ms,
        }

    def _check_going_on(self) -> None:
        if not self._going_on():
            raise Unavailable("the referee stops")


def _complete(tables: Sequence[TableRow], before: int) -> int:
    """How many rounds are complete: all tables of a round are begun at once. before: how many are
    so before these tables."""
    going_on = [table.round for table in tables if table.status in TABLE_OPEN]
    if going_on:
        return min(going_on) - 1
    return max((table.round for table in tables), default=before)
