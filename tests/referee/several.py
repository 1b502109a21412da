"""Several referees on one memory store and one clock, which tell each other as processes do.

Nothing happens by itself: a referee that is not swept knows only what it has written or read.
"""

from __future__ import annotations

from typing import Any

from arena.application import Referee
from arena.errors import Unavailable
from arena.store import Store
from arena.store.memory import open_memory
from arena.store.port import OnTopics
from arena.store.topics import messages, read_message
from tests.referee.table import CLOSED, Arena, FakeClock


class Line:
    """One process's way to the store that all share. cut: it cannot be reached; deaf: nothing is
    heard of what others write."""

    shared = True

    def __init__(self, store: Store, lines: list[Line]) -> None:
        self._store = store
        self._lines = lines
        self._on_topics: OnTopics | None = None
        self.cut = False
        self.deaf = False
        lines.append(self)

    def follow(self, on_topics: OnTopics) -> None:
        self._on_topics = on_topics

    def write(self, *changes: Any) -> None:
        self._reach()
        self._store.write(*changes)
        for line in self._lines:
            if line is not self and line._on_topics is not None and not line.deaf:
                for message in messages(changes):
                    line._on_topics(read_message(message))

    def leave(self) -> None:
        """This process is gone."""
        self._lines.remove(self)

    def _reach(self) -> None:
        if self.cut:
            raise Unavailable("the database cannot be reached")

    def __getattr__(self, name: str) -> Any:
        self._reach()
        return getattr(self._store, name)


class Several:
    """So many referees; `arenas` are used like single ones. All have the same bots."""

    def __init__(self, count: int = 2) -> None:
        self.store = open_memory()
        self.clock = FakeClock()
        self._lines: list[Line] = []
        self.arenas = [self._new() for _ in range(count)]
        for arena in self.arenas[1:]:
            arena.bots = self.arenas[0].bots

    def _new(self) -> Arena:
        return Arena(Line(self.store, self._lines), self.clock)  # type: ignore[arg-type]

    def sweep(self) -> int:
        """Every referee that can does what is due; the turns expired."""
        return sum(arena.referee.sweep() for arena in self.arenas if not line(arena).cut)

    def pass_ms(self, ms: int, *, step_ms: int = 500) -> None:
        """Let time pass while all live."""
        while ms > 0:
            self.clock.pass_ms(min(ms, step_ms))
            ms -= step_ms
            self.sweep()

    def restart(self, arena: Arena) -> None:
        """The process of a referee is killed, and another one begins in its place."""
        line(arena).leave()
        arena.store = Line(self.store, self._lines)  # type: ignore[assignment]
        arena.referee = Referee(arena.store, clock=self.clock, settings=CLOSED)
        arena.referee.start(threads=False)


def line(arena: Arena) -> Line:
    """The way of a referee to the store."""
    assert isinstance(arena.store, Line)
    return arena.store
