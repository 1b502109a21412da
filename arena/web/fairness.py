"""Turns for those who can wait: a lane through which a few greenlets pass in each turn of the loop.

gevent runs whatever is ready until nothing is. A thousand connections that break off at the same
instant, or two hundred that send their next request before they have read an answer, would
therefore keep everybody else waiting. They take this lane. This module may not know what a request
is.
"""

from __future__ import annotations

import sys
from collections import deque
from typing import Any, Final

import gevent
from gevent.hub import Waiter

WIDTH: Final = 2
"""Greenlets that pass in one turn of the loop."""
MOMENT_S: Final = 1e-3 if sys.platform == "win32" else 1e-6
"""How long until the next ones may: long enough for a look at all sockets. (A rest of 0 is only a
look at those greenlets that are ready, for up to 5 ms at a stretch.)"""


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
