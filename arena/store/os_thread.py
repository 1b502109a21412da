"""A thread of the system for the one call that waits for the disk, so that nobody else stops.

sqlite3 lets other threads run while it waits, but on greenlets there are no other threads: a commit
would stop everybody. In a process that gevent has patched the call is therefore made in a thread of
the system, and only the greenlet that asked for it sleeps. (gevent's own pool of threads does the
same for twice the price.) On real threads it is simply made. This module knows no database.
"""

from __future__ import annotations

import sys
from collections.abc import Callable

Work = Callable[[], object]


class BlockingCalls:
    """Makes calls that block, one at a time: it belongs to one thread or greenlet."""

    def __init__(self) -> None:
        monkey = sys.modules.get("gevent.monkey")
        patched = monkey is not None and monkey.is_module_patched("threading")
        self._thread = OsThread() if patched else None

    def do(self, work: Work) -> None:
        """Do the work, or raise what it raises; others go on meanwhile."""
        if self._thread is None:
            work()
        else:
            self._thread.do(work)

    def close(self) -> None:
        """End the thread, if there is one; closing twice is harmless."""
        thread, self._thread = self._thread, None
        if thread is not None:
            thread.close()


class OsThread:
    """A thread of the system beside the greenlets of one hub, that of the thread which made it."""

    def __init__(self) -> None:
        from gevent import get_hub, monkey
        from gevent.event import Event

        self._work: Work | None = None
        self._error: BaseException | None = None
        self._asked = monkey.get_original("_thread", "allocate_lock")()
        self._asked.acquire()
        self._done = Event()
        self._ring = get_hub().loop.async_()  # the one thing of a hub that other threads may touch
        self._ring.start(self._done.set)
        monkey.get_original("_thread", "start_new_thread")(self._run, ())

    def do(self, work: Work) -> None:
        """See `BlockingCalls.do`."""
        self._ask(work)
        if self._error is not None:
            raise self._error

    def close(self) -> None:
        """End the thread; it is closed once, and does nothing afterwards."""
        self._ask(None)
        self._ring.close()

    def _ask(self, work: Work | None) -> None:
        self._work = work
        self._error = None
        self._done.clear()
        self._asked.release()
        self._done.wait()

    def _run(self) -> None:
        """The thread's top. It touches nothing of gevent but the ring."""
        going_on = True
        while going_on:
            self._asked.acquire()
            going_on = self._work is not None
            try:
                if self._work is not None:
                    self._work()
            except BaseException as error:  # it belongs to the greenlet that asked, and waits
                self._error = error
            self._ring.send()
