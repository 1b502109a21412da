"""A thread of the system for the one call that waits for the disk, so that nobody else stops.

sqlite3 lets other threads run while it waits, but on greenlets there are no other threads: a commit
would stop everybody. In a process that gevent has patched the call is therefore made in a thread of
the system, and only the greenlet that asked for it sleeps. (gevent's own pool of threads does the
same for twice the price.) On real threads it is simply made. This module knows no database.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Protocol

Work = Callable[[], object]


class BlockingCalls(Protocol):
    """Makes calls that block, one at a time: it belongs to one thread or greenlet."""

    def do(self, work: Work) -> None:
        """Do the work, or raise what it raises; others go on meanwhile."""

    def close(self) -> None:
        """End the thread, if there is one; closing twice is harmless."""


def blocking_calls() -> BlockingCalls:
    """With a thread of their own in a process that gevent has patched, else made where one is."""
    monkey = sys.modules.get("gevent.monkey")
    patched = monkey is not None and monkey.is_module_patched("threading")
    return OsThread() if patched else SameThread()


class SameThread:
    """Calls that are simply made: there are other threads that go on."""

    def do(self, work: Work) -> None:
        work()

    def close(self) -> None:
        """There is nothing to end."""


class OsThread:
    """A thread of the system beside the greenlets of one hub, that of the thread which made it."""

    def __init__(self) -> None:
        from gevent import get_hub, monkey
        from gevent.event import Event

        self._work: Work = self._end
        self._error: BaseException | None = None
        self._ended = False
        self._asked = monkey.get_original("_thread", "allocate_lock")()
        self._asked.acquire()
        self._done = Event()
        self._ring = get_hub().loop.async_()  # the one thing of a hub that other threads may touch
        self._ring.start(self._done.set)
        monkey.get_original("_thread", "start_new_thread")(self._run, ())

    def do(self, work: Work) -> None:
        self._work, self._error = work, None
        self._done.clear()
        self._asked.release()
        self._done.wait()
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        if not self._ended:
            self.do(self._end)
            self._ring.close()

    def _end(self) -> None:
        self._ended = True

    def _run(self) -> None:
        """The thread's top. It touches nothing of gevent but the ring."""
        while not self._ended:
            self._asked.acquire()
            try:
                self._work()
            except BaseException as error:  # it belongs to the greenlet that asked, and waits
                self._error = error
            self._ring.send()
