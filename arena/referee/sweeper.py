"""The sweeper: one thread that looks after deadlines nobody watches, and says that we are alive.

It sleeps until the earliest deadline, asks for what sessions are to do at a time of theirs, and
beats while something is in play (`liveness`), where nobody else does. The arena's clock also stands
still from the instant at which a write met the lock of another program, or a database that was
away; if the write is given up, until a moment after the next beat that succeeds.
"""

from __future__ import annotations

import logging
import threading

from arena.errors import ArenaError
from arena.referee.context import Context
from arena.referee.expiry import expire_due
from arena.referee.liveness import Liveness

STALE_BEATS = 5
TIMES_MS = 1_000
LOG = logging.getLogger("arena.referee")


class Sweeper:
    """The thread, and what it does once (`sweep`), which may also be called directly. liveness:
    None where another thread beats."""

    def __init__(self, context: Context, liveness: Liveness | None) -> None:
        self._context = context
        self._liveness = liveness
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._looked_ms: int | None = None
        self._times_ms: int | None = None

    def start(self) -> None:
        """Sweep in a thread from now on."""
        self._thread = threading.Thread(target=self._run, name="referee-sweeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped = True
        self._context.signals.deadlines.stop()
        if self._thread is not None:
            self._thread.join()

    def is_alive(self) -> bool:
        """Has it swept lately (or is `sweep` called directly)?"""
        if self._thread is None:
            return True
        late_ms = STALE_BEATS * self._context.settings.heartbeat_ms
        looked_ms = self._looked_ms
        now_ms = self._context.clock.wall_ms()
        fresh = looked_ms is None or now_ms - looked_ms <= late_ms
        return self._thread.is_alive() and fresh

    def sweep(self) -> int:
        """Beat if it is time, try failed jobs again, expire what is due; the turns expired."""
        self._looked_ms = self._context.clock.wall_ms()
        if self._liveness is not None:
            self._liveness.beat_if_due()
        self._context.signals.jobs.retry()
        self.ask_for_times()
        return expire_due(self._context)

    def ask_for_times(self) -> None:
        """Ask for what sessions are to do by now, once a second."""
        now_ms = self._context.clock.wall_ms()
        if self._times_ms is None or now_ms - self._times_ms >= TIMES_MS:
            for row in self._context.store.due_times(now_ms):
                self._context.signals.jobs.add("timetable", row.session)
            self._times_ms = now_ms

    def _run(self) -> None:
        context = self._context
        while not self._stopped:
            context.signals.deadlines.sleep(
                context.clock.now_ms(), longest_ms=context.settings.heartbeat_ms
            )
            if not self._stopped:
                self._sweep_safely()

    def _sweep_safely(self) -> None:
        """One sweep, at a thread's top: whatever goes wrong is logged, and the thread goes on."""
        try:
            self.sweep()
        except ArenaError as error:
            LOG.warning("sweep: %s; it will be tried again", error)
            self._context.signals.deadlines.rest()
        except Exception:
            LOG.exception("sweep failed")
            self._context.signals.deadlines.rest()
