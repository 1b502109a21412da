"""The sweeper: one thread that looks after deadlines nobody watches, and says that we are alive.

It sleeps until the earliest deadline. It beats while something is in play: an outage is credited
from the last beat or the last step, whichever is later. A log that cannot be written is an outage
too, from the beat that failed to the one that did not: the arena's clock stands still in between.
It also stands still from the instant at which a write met the lock of another program; if the write
is given up, until the next beat that succeeds.
"""

from __future__ import annotations

import logging
import threading

from arena.errors import ArenaError, Unavailable
from arena.referee import shared_clock
from arena.referee.context import Hall
from arena.referee.expiry import expire_due
from arena.store.port import CounterRow

STALE_BEATS = 5
LOG = logging.getLogger("arena.referee")


class Sweeper:
    """The thread, and what it does once (`sweep`), which may also be called by hand."""

    def __init__(self, hall: Hall) -> None:
        self._hall = hall
        self._thread: threading.Thread | None = None
        self._stopped = False
        self._beaten_ms: int | None = None
        self._looked_ms: int | None = None

    def start(self) -> None:
        """Sweep in a thread from now on."""
        self._thread = threading.Thread(target=self._run, name="referee-sweeper", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End the thread."""
        self._stopped = True
        self._hall.watch.stop()
        if self._thread is not None:
            self._thread.join()

    def is_alive(self) -> bool:
        """Has it swept lately (or is it swept by hand)?"""
        if self._thread is None:
            return True
        late_ms = STALE_BEATS * self._hall.settings.heartbeat_ms
        looked_ms = self._looked_ms
        now_ms = self._hall.clock.wall_ms()
        fresh = looked_ms is None or now_ms - looked_ms <= late_ms
        return self._thread.is_alive() and fresh

    def sweep(self) -> int:
        """Beat if it is time, try failed jobs again, expire what is due; the turns expired."""
        self._looked_ms = self._hall.clock.wall_ms()
        self._beat_if_due()
        self._hall.jobs.retry()
        return expire_due(self._hall)

    def beat(self) -> None:
        """Note the arena time; if that cannot be done, no bot's time goes on until it can."""
        clock = self._hall.clock
        now_ms = clock.now_ms()
        try:
            if self._hall.shared and not self._hall.stopping:
                now_ms = shared_clock.beat(self._hall)
            else:
                self._hall.store.write(CounterRow(shared_clock.ALIVE, now_ms))
        except Unavailable:
            clock.halt()
            raise
        if clock.halted_ms is not None and not (self._hall.shared or self._hall.stopping):
            clock.go(now_ms)
        self._beaten_ms = now_ms

    def _beat_if_due(self) -> None:
        now_ms = self._hall.clock.now_ms()
        beaten_ms = self._beaten_ms
        due = beaten_ms is None or now_ms - beaten_ms >= shared_clock.beat_ms(self._hall)
        halted = self._hall.clock.halted_ms is not None
        if halted or (due and (self._hall.hands or self._hall.shared)):
            self.beat()

    def _run(self) -> None:
        hall = self._hall
        while not self._stopped:
            hall.watch.sleep(hall.clock.now_ms(), longest_ms=shared_clock.beat_ms(hall))
            if not self._stopped:
                self._sweep_safely()

    def _sweep_safely(self) -> None:
        """One sweep, at a thread's top: whatever goes wrong is logged, and the thread goes on."""
        try:
            self.sweep()
        except ArenaError as error:
            LOG.warning("sweep: %s; it will be tried again", error)
            self._hall.watch.rest()
        except Exception:
            LOG.exception("sweep failed")
            self._hall.watch.rest()
