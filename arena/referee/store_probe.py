"""Whether the store can be written: tried now and then, however often it is asked for.

A try is a row and a commit, which is more than most requests cost, and asking needs no token.
"""

from __future__ import annotations

import threading
from collections.abc import Callable

from arena.errors import Unavailable
from arena.store.port import CounterRow, Store

TRY_MS = 1_000
"""How long an outcome is good for."""


class StoreProbe:
    """Tries to write, at most once in `TRY_MS`. wall_ms: the time, which never stands still."""

    def __init__(self, store: Store, wall_ms: Callable[[], int]) -> None:
        self._store = store
        self._wall_ms = wall_ms
        self._tried_ms: int | None = None
        self._trouble: str | None = None
        self._lock = threading.Lock()

    def trouble(self) -> str | None:
        """Why the store could not be written a moment ago, None if it could.

        Whoever asks during a try waits for it.
        """
        with self._lock:
            if self._tried_ms is None or self._wall_ms() - self._tried_ms >= TRY_MS:
                self._trouble = self._try()
                self._tried_ms = self._wall_ms()
            return self._trouble

    def _try(self) -> str | None:
        try:
            self._store.write(CounterRow("ready", self._wall_ms()))
        except Unavailable as error:
            return error.detail
        return None
