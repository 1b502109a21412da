"""Computing: what takes long and needs nothing but its own values is done beside the greenlets.

A fit of a big session takes a quarter of a second, and nothing in it can be parted. In a process
that gevent has patched it is done in a thread of the system, with which the greenlets share the
interpreter by turns, and only who asked for it sleeps. One thing at a time, and at a pace (see
`pacing`), so that readers of standings cannot take the referee's time from bots. On real threads it
is simply done. What is computed may take no lock and ask no store.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import TypeVar

from arena.pacing import Pacer
from arena.store.os_thread import BlockingCalls

T = TypeVar("T")


class Computing:
    """Where one process computes. pacer: what paces it, looked up anew each time. cpu_s: the CPU
    time of the thread that asks: what is paid for is the work, not how long the greenlets kept it
    waiting for the interpreter.
    """

    def __init__(
        self, pacer: Callable[[], Pacer], *, cpu_s: Callable[[], float] = time.thread_time
    ) -> None:
        self._pacer = pacer
        self._cpu_s = cpu_s
        self._lock = threading.Lock()
        self._blocking: BlockingCalls | None = None

    def __call__(self, work: Callable[[], T]) -> T:
        """Do the work when it is its turn; its value, or what it raises."""
        pacer, values, spent_s = self._pacer(), list[T](), list[float]()

        def timed() -> None:
            began_s = self._cpu_s()
            try:
                values.append(work())
            finally:
                spent_s.append(self._cpu_s() - began_s)

        with self._lock:
            if self._blocking is None:
                self._blocking = BlockingCalls()
            pacer.wait()
            try:
                self._blocking.do(timed)
            finally:
                pacer.owe(sum(spent_s))
        return values[0]

    def close(self) -> None:
        """End the thread, if there is one; a new one is made if it is needed again."""
        with self._lock:
            blocking, self._blocking = self._blocking, None
            if blocking is not None:
                blocking.close()


def at_once(work: Callable[[], T]) -> T:
    """Do the work here and now."""
    return work()
