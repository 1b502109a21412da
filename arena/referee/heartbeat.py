"""The heartbeat: notices when the process stood still, and has that time charged to nobody.

A thread (a greenlet, in a process that gevent has patched) beats every BEAT_MS. While one request
or one job holds a process of one thread, nobody's answer is taken, and no beat comes: whoever looks
at the arena's clock next, be it the beat itself, credits the time since the last beat was due to
all clocks, before any answer is stamped and any deadline has passed (`ArenaClock`). What is shorter
than `clock.LATE_MS` is not credited: the grace of a turn is longer, so it costs nobody anything.

Where several referees share a database, each does so for the sessions that it plays.
"""

from __future__ import annotations

import logging
import threading

from arena.referee.clock import LATE_MS
from arena.referee.context import Ports

BEAT_MS = 50
"""Often enough that a standstill is known to a twentieth of a second; twenty beats a second cost a
thousandth of a core."""
QUIET_MS = 10_000
"""A warning in so much time at the most; what came in between is reported with the next one."""
LOG = logging.getLogger("arena.referee")


class Heartbeat:
    """The thread, and one beat of it (`beat`), which may also be called directly."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports
        self._thread: threading.Thread | None = None
        self._stopped = threading.Event()
        self._due_ms: int | None = None
        self._untold: list[int] = []
        self._warned_ms: int | None = None
        self.late_ms = 0
        self.latest_ms = 0
        watch = ports.metrics.watch
        watch("arena_loop_lag_seconds", "How late the last beat came.", lambda: self.late_ms / 1e3)
        watch(
            "arena_loop_lag_max_seconds",
            "The longest standstill since the start.",
            lambda: self.latest_ms / 1e3,
        )

    def start(self) -> None:
        """Beat in a thread from now on."""
        self._thread = threading.Thread(target=self._run, name="referee-heartbeat", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread; what stands still from now on is not noticed."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()
        self._ports.clock.unwatch()

    def beat(self) -> None:
        """Note that the process runs; if it did not for a while, credit and tell that."""
        ports = self._ports
        wall_ms = ports.clock.wall_ms()
        due_ms, self._due_ms = self._due_ms, wall_ms + BEAT_MS
        ports.clock.watch(BEAT_MS)
        self.late_ms = 0 if due_ms is None else max(0, wall_ms - due_ms)
        self.latest_ms = max(self.latest_ms, self.late_ms)
        if self.late_ms > LATE_MS:
            ports.metrics.stood_still(self.late_ms, credited=ports.clock.halted_ms is None)
            self._untold.append(self.late_ms)
        self._tell(wall_ms)

    def _tell(self, wall_ms: int) -> None:
        """One line for what has come since the last one, if that is long enough ago."""
        soon = self._warned_ms is not None and wall_ms - self._warned_ms < QUIET_MS
        if not self._untold or soon:
            return
        self._warned_ms = wall_ms
        standstills, self._untold = self._untold, []
        LOG.warning(
            "the process stood still: %d times, %d ms in all, %d ms the longest; it is credited to"
            " all clocks",
            len(standstills),
            sum(standstills),
            max(standstills),
        )

    def _run(self) -> None:
        """The thread's top: a beat that fails is logged, and the next one comes."""
        while not self._stopped.wait(BEAT_MS / 1000):
            try:
                self.beat()
            except Exception:
                LOG.exception("a beat failed")
