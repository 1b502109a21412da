"""Liveness: a process notes that it is alive, and the time at which it was.

An outage is credited from the last beat or the last step, whichever is later. A log that cannot be
written is an outage too, from the beat or the step that failed to the next beat that did not: the
arena's clock stands still in between, and a little longer, since whoever was refused meanwhile was
told to come again. So is a beat that took long: it waited for a database that was away.
"""

from __future__ import annotations

from collections.abc import Callable

from arena.errors import Unavailable
from arena.referee.context import Context
from arena.store.port import CounterRow, Store

ALIVE = "alive"
"""Under which key a process that has its database for itself notes the arena time of its beats."""
SLOW_MS = 250
"""How long a beat may take before that is an outage: more than a busy moment, and about what the
grace of a turn covers."""
COME_AGAIN_MS = 2_000
"""For how long the clock stands still after that: twice what those are told that were refused."""
Note = Callable[[int], None]
"""Writes down the arena time of a beat. Raises Unavailable."""


class Liveness:
    """Notes that a process is alive. every_ms: how often it should."""

    def __init__(self, context: Context, note: Note, *, every_ms: int) -> None:
        self._context = context
        self._note = note
        self.every_ms = every_ms
        self._beaten_ms: int | None = None
        self._out_ms: int | None = None

    def beat(self) -> None:
        """Note the arena time; if that cannot be done, no bot's time goes on until it can.

        Raises Unavailable.
        """
        clock = self._context.clock
        now_ms, began_ms = clock.now_ms(), clock.wall_ms()
        try:
            self._note(now_ms)
        except Unavailable:
            if self._out_ms is None:
                self._out_ms = now_ms  # and not when it was given up: that may take long
            clock.halt()
            raise
        if not self._context.signals.bell.stopped:
            if clock.halted_ms is not None:
                since_ms = now_ms if self._out_ms is None else self._out_ms
                clock.resume(since_ms - COME_AGAIN_MS)
            elif clock.wall_ms() - began_ms > SLOW_MS:
                clock.resume(now_ms)
        self._out_ms = None
        self._beaten_ms = now_ms

    def beat_if_due(self) -> None:
        """Beat if something is in play and it is time, and whenever the clock stands still."""
        clock, beaten_ms = self._context.clock, self._beaten_ms
        due = beaten_ms is None or clock.now_ms() - beaten_ms >= self.every_ms
        if clock.halted_ms is not None or (due and self._context.in_play.hands):
            self.beat()


def noted_in(store: Store) -> Note:
    """How a process that has its database for itself notes its beats."""
    return lambda now_ms: store.write(CounterRow(ALIVE, now_ms))
