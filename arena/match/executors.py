"""Executors by name: whatever plays the blocks of a match, from a factory of somebody else's.

A factory is a callable without arguments: `MODULE:FACTORY`. It returns an executor, or a context
manager that gives one, so that a cluster can be closed with it. Where an executor has broken, the
factory is called again. This module may not know what is played.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from concurrent.futures import Executor, Future
from contextlib import AbstractContextManager, ExitStack
from functools import reduce
from importlib import import_module
from types import TracebackType
from typing import Any, ParamSpec, TypeVar

from arena.errors import BadInput, Unavailable

P = ParamSpec("P")
T = TypeVar("T")
LOG = logging.getLogger("arena.match")
WANTED = "MODULE:FACTORY, a callable without arguments that returns an executor"


def find_factory(source: str) -> Callable[[], Any]:
    """The factory that `MODULE:FACTORY` names. Raises BadInput."""
    module, _, name = source.partition(":")
    if not module or not name:
        raise BadInput("executor", source, WANTED)
    try:
        named = reduce(getattr, name.split("."), import_module(module))
    except (Exception, SystemExit) as error:  # the code is a stranger's, as a bot's is
        raise BadInput("executor", source, f"{WANTED} ({_cause(error)})") from error
    if not callable(named):
        raise BadInput("executor", source, f"{WANTED} (it is a {type(named).__name__})")
    factory: Callable[[], Any] = named
    return factory


class Renewed(Executor):
    """One executor at a time; where it takes nothing more, a fresh one takes its place.

    The first is made when something is submitted. name: of the factory, for messages. Raises
    BadInput if the factory makes no executor, Unavailable if a fresh one takes nothing either.
    """

    def __init__(self, factory: Callable[[], Any], *, name: str) -> None:
        self._factory = factory
        self._name = name
        self._opened: tuple[ExitStack, Any] | None = None
        self._ended = False
        self._waits = False

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        """Submit a call to the executor."""
        if self._ended:
            raise RuntimeError("nothing can be submitted after the end")
        first = self._opened is None
        future: Future[T]
        try:
            future = self._executor().submit(fn, *args, **kwargs)
        except BadInput:
            raise
        except Exception as error:  # an executor is a stranger's as well
            if first:
                raise Unavailable(
                    f"executor {self._name} takes nothing: {_cause(error)}"
                ) from error
            LOG.debug("executor %s is made again", self._name, exc_info=error)
            self._close()
            return self.submit(fn, *args, **kwargs)
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """Shut the executor down, and end what was opened with it."""
        self._ended = True
        self._waits = wait
        self._close()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Whoever is interrupted waits for nothing that still runs elsewhere."""
        self.shutdown(wait=error is None)

    def _executor(self) -> Any:
        if self._opened is None:
            stack = ExitStack()
            self._opened = stack, self._new(stack)
        return self._opened[1]

    def _new(self, stack: ExitStack) -> Any:
        """A new executor. stack: what has to be left at its end."""
        try:
            product = self._factory()
            if hasattr(product, "shutdown"):
                stack.callback(lambda: product.shutdown(wait=self._waits))
            elif isinstance(product, AbstractContextManager):
                product = stack.enter_context(product)
        except (Exception, SystemExit) as error:
            expected = f"a factory of an executor ({_cause(error)})"
            raise BadInput("executor", self._name, expected) from error
        if not hasattr(product, "submit"):
            stack.close()
            expected = f"a factory of an executor (a {type(product).__name__} has no submit)"
            raise BadInput("executor", self._name, expected)
        return product

    def _close(self) -> None:
        opened, self._opened = self._opened, None
        try:
            if opened is not None:
                opened[0].close()
        except Exception as error:  # all results are there, or it was broken: nothing is lost
            LOG.warning("executor %s could not be shut down: %s", self._name, _cause(error))


def _cause(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())
