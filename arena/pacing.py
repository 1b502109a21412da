"""Pacing: long work is done in pieces, and all of it together gets a share of the process's time.

In a process that gevent has patched there is one thread: whoever works without a pause stops
everybody. Work that may take longer than a moment (records, standings of big sessions) therefore
calls `Work.pause` between its pieces. A piece lasts about PIECE_S; after it the work rests, so long
that all paced work of the process together has no more than its share. On real threads, and where
nobody plays against a clock, there is nothing to pace: `Pacer()` never rests.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

Asked = TypeVar("Asked")
P = ParamSpec("P")
T = TypeVar("T")
PIECE_S = 0.001
"""How long work goes on before it rests: with what it does until its next pause, below 2 ms."""
LONGEST_S = 0.002
"""How long work that is not put off goes on before everybody else has a turn."""
MOMENT_S = 1e-6
"""The shortest rest in which all sockets are looked at, and not only greenlets that are ready."""
QUIET_SHARE = 0.5
"""The share while nothing is being played, so that no clock of a bot runs."""


def let_others_run(seconds: float = 0.0) -> None:
    """Rest: on greenlets all others who are ready have their turn, on threads the system decides.

    seconds: how long at the least.
    """
    time.sleep(seconds)


class Pacer:
    """What all paced work of a process shares.

    share: of the process's time, 1 for no limit. quiet: is nothing being played now? Then the share
    is at least QUIET_SHARE. monotonic: seconds. cpu: seconds that this thread has computed; what is
    waited for, a database for example, is no work. rest: sleeps so many seconds.
    """

    def __init__(
        self,
        share: float = 1.0,
        *,
        quiet: Callable[[], bool] = lambda: False,
        monotonic: Callable[[], float] = time.perf_counter,
        cpu: Callable[[], float] | None = None,
        rest: Callable[[float], None] = let_others_run,
    ) -> None:
        self.monotonic = monotonic
        self.cpu = cpu or monotonic
        self._share = share
        self._quiet = quiet
        self._rest = rest
        self._free_s = 0.0
        self._lock = threading.Lock()

    @property
    def share(self) -> float:
        """The share that holds now."""
        return max(self._share, QUIET_SHARE) if self._quiet() else self._share

    def spend(self, worked_s: float) -> None:
        """So much has been worked: rest until it is this work's turn again."""
        self.owe(worked_s)
        self.wait()

    def owe(self, worked_s: float) -> None:
        """So much has been worked: who is next has to rest for it."""
        share = self.share
        if share < 1.0:
            with self._lock:
                since_s = max(self.monotonic(), self._free_s)
                self._free_s = since_s + worked_s * (1.0 / share - 1.0)

    def wait(self) -> None:
        """Rest as long as is owed by now."""
        rest_s = self._free_s - self.monotonic()
        if rest_s > 0:
            self._rest(rest_s)

    def work(self) -> Work:
        """The account of something that is begun now."""
        return Work(self)


class Pieces:
    """Work that is not put off, in pieces: between two of them everybody else has a turn.

    For what a bot or an organiser waits for: unlike `Work` it keeps to no share. It belongs to one
    thread or greenlet. rest: gives everybody else a turn; None where all have their own threads.
    monotonic: seconds.
    """

    __slots__ = ("_monotonic", "_rest", "_since_s")

    def __init__(
        self,
        rest: Callable[[float], None] | None = None,
        *,
        monotonic: Callable[[], float] = time.perf_counter,
    ) -> None:
        self._rest = rest
        self._monotonic = monotonic
        self._since_s = monotonic()

    @property
    def is_over(self) -> bool:
        """Has this piece been long enough?"""
        return self._rest is not None and self._monotonic() - self._since_s >= LONGEST_S

    def pause(self) -> None:
        """Between two steps: begin a new piece if this one has been long enough."""
        if self._rest is not None and self.is_over:
            self._rest(MOMENT_S)
            self.begin()

    def begin(self) -> None:
        """Somebody else has just had a turn."""
        self._since_s = self._monotonic()


def in_turn(
    look: Callable[Concatenate[Asked, P], T], pacer: Callable[[Asked], Pacer]
) -> Callable[Concatenate[Asked, P], T]:
    """A question that is answered in one piece, and rests before its answer goes out if that took
    long: so a flood of such questions gets no more than its share.

    pacer: of what is asked, which is the first argument.
    """

    @wraps(look)
    def answer(asked: Asked, /, *args: P.args, **named: P.kwargs) -> T:
        work = pacer(asked).work()
        try:
            return look(asked, *args, **named)
        finally:
            work.pause()

    return answer


class Work:
    """One piece of long work after another. It belongs to one thread or greenlet."""

    __slots__ = ("_pacer", "_since_cpu_s", "_since_s", "_worked_s")

    def __init__(self, pacer: Pacer) -> None:
        self._pacer = pacer
        self._worked_s = 0.0
        self.go_on()

    def pause(self, more_s: float = 0.0) -> None:
        """Between two pieces: rest if it is time. more_s: other work that was caused."""
        self.stop(more_s)
        if self._worked_s >= PIECE_S:
            worked_s, self._worked_s = self._worked_s, 0.0
            self._pacer.spend(worked_s)
        self.go_on()

    def stop(self, more_s: float = 0.0) -> None:
        """What happens from now on, until `go_on`, is not this work."""
        pacer = self._pacer
        lasted_s, computed_s = pacer.monotonic() - self._since_s, pacer.cpu() - self._since_cpu_s
        self._worked_s += min(lasted_s, computed_s) + more_s

    def go_on(self) -> None:
        """What happens from now on is this work again."""
        self._since_s, self._since_cpu_s = self._pacer.monotonic(), self._pacer.cpu()
