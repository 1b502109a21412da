"""Requests to an arena that nobody waits for: each lane is a thread with a connection of its own.

What a lane asks is done in order, one request after the other; what comes of it is handled in the
thread that calls `Outcomes.handle`. So everything else of a gateway is in one thread. This module
may not know what is asked.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from queue import SimpleQueue
from typing import TypeVar

from arena.client import Client
from arena.client.problems import KitError

T = TypeVar("T")
Handling = Callable[[], None]


class LaneClosed(Exception):
    """A lane was closed while it waited for the arena."""


class Outcomes:
    """What has come of requests, until it is handled. wake: called from another thread when there
    is something."""

    def __init__(self, wake: Callable[[], None]) -> None:
        self._wake = wake
        self._waiting: SimpleQueue[Handling] = SimpleQueue()

    def put(self, handling: Handling) -> None:
        """Have something done in the thread that handles outcomes."""
        self._waiting.put(handling)
        self._wake()

    def handle(self) -> bool:
        """Handle all there is. Was there anything?"""
        count = self._waiting.qsize()
        for _ in range(count):
            self._waiting.get()()
        return bool(count)


class RequestLane:
    """One thread with one connection. pending: requests whose outcome has not been handled.

    make: opens the connection; is given what to wait with between two attempts.
    """

    def __init__(
        self, outcomes: Outcomes, make: Callable[[Callable[[float], None]], Client]
    ) -> None:
        self.pending = 0
        self._outcomes = outcomes
        self._closed = threading.Event()
        self._jobs: SimpleQueue[Callable[[Client], None] | None] = SimpleQueue()
        self._client = make(self.pause)
        self._thread: threading.Thread | None = None

    def ask(self, work: Callable[[Client], T], then: Callable[[T | KitError], None]) -> None:
        """Do some work, when what was asked before is done; its result, or why there is none, is
        handed to `then`."""
        if self._closed.is_set():
            return
        self.pending += 1
        self._jobs.put(lambda client: self._do(client, work, then))
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, daemon=True)
            self._thread.start()

    def pause(self, seconds: float) -> None:
        """Wait, in the lane's own thread. Raises LaneClosed."""
        if self._closed.wait(seconds):
            raise LaneClosed

    def close(self) -> None:
        """Do nothing more. What is being asked is not waited for."""
        self._closed.set()
        self._jobs.put(None)

    def _do(
        self, client: Client, work: Callable[[Client], T], then: Callable[[T | KitError], None]
    ) -> None:
        try:
            result: T | KitError = work(client)
        except KitError as error:
            result = error
        self._outcomes.put(lambda: self._hand_over(result, then))

    def _hand_over(self, result: T | KitError, then: Callable[[T | KitError], None]) -> None:
        self.pending -= 1
        if not self._closed.is_set():
            then(result)

    def _run(self) -> None:
        """A thread's top: what goes wrong here ends whoever handles outcomes."""
        try:
            while (job := self._jobs.get()) is not None and not self._closed.is_set():
                job(self._client)
        except LaneClosed:
            return
        except Exception as error:
            self._outcomes.put(partial(_raise, error))
        finally:
            self._client.close()


def _raise(error: Exception) -> None:
    raise error
