"""Workers: processes of this machine that play blocks, and that end when nobody wants them.

An executor like any other for `local`; a cluster's will do as well. Unlike the standard library's,
it ends its processes at once when it is left, whatever they do, and they end by themselves when
their parent is gone. `Inline` has no processes at all. They know no bots and no rules.
"""

from __future__ import annotations

import logging
import signal
from bdb import BdbQuit
from collections.abc import Callable
from concurrent.futures import BrokenExecutor, Executor, Future
from multiprocessing import get_context
from multiprocessing.connection import Connection
from queue import SimpleQueue
from threading import Thread
from typing import Any, NamedTuple, ParamSpec, TypeVar

from arena import interruptions

P = ParamSpec("P")
T = TypeVar("T")


class _Task(NamedTuple):
    """A call that somebody waits for."""

    future: Future[Any]
    call: tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class Workers(Executor):
    """A limited number of processes, started as they are needed, each with a thread that feeds it.

    Once a process has died, whatever is still to do may fail with BrokenExecutor.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._context = get_context("spawn")
        self._tasks: SimpleQueue[_Task | None] = SimpleQueue()
        self._children: list[tuple[Any, Thread]] = []
        self._ended = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Call a function in one of the processes; both must be importable there."""
        if self._ended:
            raise RuntimeError("nothing can be submitted after the end")
        if len(self._children) < self._count:
            with interruptions.deferred():
                self._children.append(self._started())
        future: Future[T] = Future()
        self._tasks.put(_Task(future, (fn, args, kwargs)))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End all processes at once: what they were doing fails, nobody waits for it."""
        self._ended = True
        children, self._children = self._children, []
        for child, _ in children:
            child.terminate()
        self._tasks.put(None)
        for child, feeder in children if wait else []:
            child.join()
            feeder.join()

    def _started(self) -> tuple[Any, Thread]:
        ours, theirs = self._context.Pipe()
        child = self._context.Process(target=_serve, args=(theirs,), daemon=True)
        child.start()
        theirs.close()  # so that its end is heard of
        feeder = Thread(target=self._feed, args=(ours,), daemon=True)
        feeder.start()
        return child, feeder

    def _feed(self, connection: Connection) -> None:
        """Hand task after task to a process; when that has died, let the others fail as well."""
        while (task := self._tasks.get()) is not None:
            if not task.future.set_running_or_notify_cancel():
                continue
            try:
                connection.send(task.call)
                good, value = connection.recv()
            except (EOFError, OSError):
                task.future.set_exception(BrokenExecutor("a process has ended in the middle"))
            except Exception as error:  # what cannot be sent, or not be read, is the caller's
                task.future.set_exception(error)
            else:
                (task.future.set_result if good else task.future.set_exception)(value)
        self._tasks.put(None)  # the end is for every feeder
        connection.close()


class Inline(Executor):
    """Does everything at once in this process, where `breakpoint()` and profilers reach it."""

    def __init__(self) -> None:
        _let_one_error_through()

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
    _let_one_error_through()
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


def _let_one_error_through() -> None:
    log = logging.getLogger("arena.client")
    if not any(isinstance(each, _First) for each in log.filters):
        log.addFilter(_First())


class _First(logging.Filter):
    """Lets the first record through: of a mistake in a bot's code one is enough."""

    def __init__(self) -> None:
        super().__init__()
        self._logged = False

    def filter(self, record: logging.LogRecord) -> bool:
        """Is it the first?"""
        logged_before, self._logged = self._logged, True
        return not logged_before
