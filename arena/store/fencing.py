"""A fence before the writes of a store: what a referee writes rests on leases that it still has.

The fence is somebody else's (it knows which sessions are at home); here is the place at which it
stands. This module may import the changes and `arena.errors`, and does no I/O of its own.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from arena.errors import NotHome
from arena.store.port import Change, OnTopics, Waiting

if TYPE_CHECKING:
    from arena.store.cluster_rows import NameLocks
    from arena.store.sql import Engine


class Fence(Protocol):
    """Looks at every write before and after. Called in the threads of those who write."""

    def before(self, changes: tuple[Change, ...]) -> tuple[Change, ...]:
        """What is written instead: the changes behind the `CheckLease` of each session that they
        concern. Raises NotHome, and then nothing is written."""

    def after(self, changes: tuple[Change, ...]) -> None:
        """These are durable: what `before` has answered."""

    def lost(self, session: str) -> None:
        """The store has refused a write, since the lease of this session is another by now."""


class FencedEngine:
    """An engine whose writes pass a fence; see `arena.store.sql.Engine` for its methods.

    It is the same database: what one does to either, closing it too, is done to both.
    """

    def __init__(self, engine: Engine, fence: Fence) -> None:
        self._engine = engine
        self._fence = fence
        self.rows = engine.rows
        self.queued = engine.queued
        self.now_ms = engine.now_ms
        self.close = engine.close

    @property
    def shared(self) -> bool:
        return self._engine.shared

    def follow(self, on_topics: OnTopics) -> None:
        self._engine.follow(on_topics)

    def while_unwritable(self, waiting: Waiting) -> None:
        self._engine.while_unwritable(waiting)

    def name_locks(self) -> NameLocks:
        return self._engine.name_locks()

    def submit(self, changes: tuple[Change, ...]) -> None:
        fenced = self._fence.before(changes)
        try:
            self._engine.submit(fenced)
        except NotHome as error:
            self._fence.lost(error.session)
            raise
        self._fence.after(fenced)
