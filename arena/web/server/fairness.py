"""Turns for those who can wait: a lane through which a few greenlets pass in each turn of the loop,
and a rate limiter for what may happen only a number of times in a second.

gevent runs whatever is ready until nothing is. A thousand connections that break off at the same
instant, or two hundred that send their next request before they have read an answer, would
therefore keep everybody else waiting. They take this lane. This module may not know what a request
is.
"""

from __future__ import annotations

import math
import sys
import time
from collections import deque
from collections.abc import Callable
from typing import Any

import gevent
from gevent.event import Event
from gevent.hub import Waiter

WIDTH = 2
"""Greenlets that pass in one turn of the loop."""
MOMENT_S = 1e-3 if sys.platform == "win32" else 1e-6
"""How long until the next ones may: long enough to poll all sockets. (A pause of 0 only
runs those greenlets that are ready, for up to 5 ms at a stretch.)"""


class Lane:
    """A queue that lets `width` greenlets go on in each turn of the loop, first come, first served.

    It belongs to the hub of the thread that first waits in it.
    """

    def __init__(self, width: int = WIDTH) -> None:
        self._width = width
        self._waiting: deque[Waiter[None]] = deque()
        self._timer: Any = None
        self._armed = False

    def wait(self) -> None:
        """Wait for a place; never less than for the next turn of the loop."""
        waiter: Waiter[None] = Waiter()
        self._waiting.append(waiter)
        if not self._armed:
            self._arm()
        waiter.get()

    def _arm(self) -> None:
        if self._timer is None:
            self._timer = gevent.get_hub().loop.timer(MOMENT_S)
        self._armed = True
        self._timer.stop()
        self._timer.start(self._let_pass)

    def _let_pass(self) -> None:
        for _ in range(min(self._width, len(self._waiting))):
            self._waiting.popleft().switch(None)  # it runs until it waits for something
        self._armed = False
        if self._waiting:
            self._arm()


class RateLimiter:
    """A rate that all callers share (the generic cell rate algorithm).

    The first `burst` pass at once, the others `rate` in a second; nobody waits longer than
    `longest_s`, so that with very many waiting the rate is exceeded. monotonic: seconds.
    """

    def __init__(
        self,
        rate: float,
        *,
        burst: int,
        longest_s: float,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._step_s = 1 / rate
        self._ahead_s = burst / rate
        self._longest_s = longest_s
        self._monotonic = monotonic
        self._last_s = -math.inf
        self._released = Event()

    def wait(self) -> None:
        """Wait until it is one's turn; not at all after `release`."""
        wait_s = self.next_wait_s()
        if wait_s:
            self._released.wait(wait_s)

    def next_wait_s(self) -> float:
        """Take the next turn; the seconds until it comes."""
        now_s = self._monotonic()
        turn_s = max(self._last_s, now_s - self._ahead_s) + self._step_s
        self._last_s = min(turn_s, now_s + self._longest_s)
        return max(0.0, self._last_s - now_s)

    def release(self) -> None:
        """Let all who wait pass now, and everybody from now on."""
        self._released.set()
