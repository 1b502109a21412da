"""Long work: it is paced, and what needs nothing but its own values is done beside the greenlets.

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

from arena.pacing import Pacer, Pieces
from arena.store.os_thread import BlockingCalls, blocking_calls

T = TypeVar("T")


class Computing:
    """Where one process computes. pacer: what paces it. cpu_s: the CPU time of the thread that
    asks: what is paid for is the work, not how long the greenlets kept it waiting for the
    interpreter.
    """

    def __init__(self, pacer: Pacer, *, cpu_s: Callable[[], float] = time.thread_time) -> None:
        self._pacer = pacer
        self._cpu_s = cpu_s
        self._lock = threading.Lock()
        self._blocking: BlockingCalls | None = None

    def __call__(self, work: Callable[[], T]) -> T:
        """Do the work when it is its turn; its value, or what it raises."""
        pacer, values, spent_s = self._pacer, list[T](), list[float]()

        def timed() -> None:
            began_s = self._cpu_s()
            try:
                values.append(work())
            finally:
                spent_s.append(self._cpu_s() - began_s)

        with self._lock:
            if self._blocking is None:
                self._blocking = blocking_calls()
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


class LongWork:
    """How a process does what takes long, so that bots that play need not wait for it.

    exports: paces record files; queries: all other questions, and what is computed for them;
    streams: those who follow what is played; drawing: computes schedules, which are not put off.
    share: of the process's time, for each of the three; quiet: is nothing being played? rest: see
    `Pacer`; None: nothing is paced.
    """

    def __init__(
        self,
        share: float = 1.0,
        *,
        quiet: Callable[[], bool] = lambda: False,
        rest: Callable[[float], None] | None = None,
    ) -> None:
        self._rest = rest
        if rest is None:
            self.exports, self.queries, self.streams = Pacer(), Pacer(), Pacer()
        else:
            self.exports = Pacer(share, quiet=quiet, cpu=time.thread_time, rest=rest)
            self.queries = Pacer(share, quiet=quiet, cpu=time.thread_time, rest=rest)
            self.streams = Pacer(share, quiet=quiet, cpu=time.thread_time, rest=rest)
        self.computing = Computing(self.queries)
        self.drawing = Computing(Pacer())

    @property
    def is_paced(self) -> bool:
        """Has what takes long to give others their turns?"""
        return self._rest is not None

    def pieces(self) -> Pieces:
        """The account of something that is begun now and not put off."""
        return Pieces(self._rest)

    def close(self) -> None:
        """End the threads in which something is computed."""
        self.computing.close()
        self.drawing.close()


def at_once(work: Callable[[], T]) -> T:
    """Do the work here and now."""
    return work()
