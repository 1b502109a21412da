"""Workers: processes of this machine that play blocks, and that end when nobody wants them.

An executor like any other for `matches`; a cluster's will do as well. Unlike the standard
library's, it ends its processes at once when it is left, whatever they do, they end by themselves
when their parent is gone, and a process that has died breaks nothing but its own call. `Inline` has
no processes at all. They know no bots and no rules.
"""

from __future__ import annotations

import signal
from bdb import BdbQuit
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from contextlib import suppress
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import Empty, SimpleQueue
from threading import Lock, Thread
from typing import Any, NamedTuple, ParamSpec, TypeVar

from arena import interruptions

P = ParamSpec("P")
T = TypeVar("T")
END_S = 5.0
"""How long a process that hears nothing more may take to end by itself."""


class _Task(NamedTuple):
    """A call that somebody waits for."""

    future: Future[Any]
    call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Workers(Executor):
    """A limited number of processes, started as they are needed, each with a thread that feeds it.

    A call whose process dies fails with BrokenExecutor; a fresh process is started for the others.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._context = get_context("spawn")
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._lock = Lock()  # of the list, and of what is done because of it
        self._children: list[tuple[Any, Thread]] = []
        self._ended = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in one of the processes; both must be importable there."""
        future: Future[T] = Future()
        with interruptions.deferred(), self._lock:
            if self._ended:
                raise RuntimeError("nothing can be submitted after the end")
            if len(self._children) < self._count:
                self._children.append(self._started())
            self._tasks.put(_Task(future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes at once: what they were doing fails, nobody waits for it."""
        with self._lock:
            self._ended = True
            children, self._children = self._children, []
        for child, _ in children:
            child.terminate()
        with suppress(Empty):
            while (task := self._tasks.get_nowait()) is not None:
                task.future.cancel()
        self._tasks.put(None)
        for child, feeder in children if wait else []:
            child.join()
            feeder.join()

    def _started(self) -> tuple[Any, Thread]:
        ours, theirs = self._context.Pipe()
        child = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        child.start()
        theirs.close()  # so that its end is heard of
        feeder = Thread(target=self._feed, args=(child, ours), daemon=True)
        feeder.start()
        return child, feeder

    def _feed(self, child: Any, connection: Connection) -> None:
        """Hand task after task to a process, until it dies or nobody wants it any more."""
        with connection:
            while (task := self._tasks.get()) is not None:
                if not task.future.set_running_or_notify_cancel():
                    continue
                try:
                    connection.send(task.call)
                    good, value = connection.recv()
                except (EOFError, OSError):
                    reason = f"a process has ended in the middle, {_way_of_ending(child)}"
                    self._replace(child)  # first: whoever hears of it may submit again
                    task.future.set_exception(BrokenExecutor(reason))
                    return
                except Exception as error:  # what cannot be sent, or not be read, is the caller's
                    task.future.set_exception(error)
                else:
                    (task.future.set_result if good else task.future.set_exception)(value)
            self._tasks.put(None)  # the end is for every feeder

    def _replace(self, dead: Any) -> None:
        """Forget a process. If it was the last, somebody has to take what is still to do."""
        with self._lock:
            self._children = [each for each in self._children if each[0] is not dead]
            if not (self._children or self._ended or self._tasks.empty()):
                self._children.append(self._started())


def _way_of_ending(child: Any) -> str:
    """How a process has ended, in words; one that does not end is ended."""
    child.join(END_S)
    if child.is_alive():
        child.kill()
        child.join()
    code = child.exitcode
    if code is None:
        return "nobody knows how"
    return f"with exit code {code}" if code >= 0 else f"by signal {-code}"


class Inline(Executor):
    """Does everything at once in this process, where `breakpoint()` and profilers reach it."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function here and now. To leave the debugger is to stop."""
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BdbQuit as error:
            raise KeyboardInterrupt from error
        except Exception as error:  # for the caller to raise when it asks for the result
            future.set_exception(error)
        return future


def _serve(connection: Connection) -> None:
    """The life of a process: calls in, results out, until nobody is at the other end."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent, who ends us
    try:
        while True:
            call, args, kwargs = connection.recv()
            connection.send(_outcome(call, args, kwargs))
    except (EOFError, OSError):
        return


def _outcome(call: Callable[..., Any], args: Any, kwargs: Any) -> tuple[bool, Any]:
    try:
        return True, call(*args, **kwargs)
    except Exception as error:  # for the caller to raise, in its own process
        return False, error
