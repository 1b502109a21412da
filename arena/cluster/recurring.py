"""What is done again and again in a thread, or with many things, and a log of what goes wrong with
it: its beginning, now and then that it lasts, its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterable
from typing import TypeVar

from arena.errors import ArenaError

Thing = TypeVar("Thing")
Outcome = TypeVar("Outcome")
AGAIN_S = 10.0
"""How often it is said that it lasts."""


class RecurringFault:
    """One thing that may go wrong each time that it is tried. what: the beginning of its lines."""

    def __init__(
        self,
        log: logging.Logger,
        what: str,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._log = log
        self._what = what
        self._monotonic = monotonic
        self._since_s: float | None = None
        self._logged_s = 0.0

    def note(self, error: Exception) -> None:
        """It has gone wrong; it will be tried again."""
        now_s = self._monotonic()
        if self._since_s is None:
            self._since_s = self._logged_s = now_s
            self._log.warning("%s: %s; it will be tried again", self._what, error)
        elif now_s - self._logged_s >= AGAIN_S:
            self._logged_s = now_s
            lasts_s = now_s - self._since_s
            self._log.warning("%s, for %.0f s by now: %s", self._what, lasts_s, error)

    def unexpected(self) -> None:
        """It has gone wrong by a fault of the program, which is being handled."""
        self._log.exception("%s", self._what)

    def over(self) -> None:
        """It has gone well."""
        if self._since_s is not None:
            lasted_s = self._monotonic() - self._since_s
            self._log.info("%s: well again, after %.1f s", self._what, lasted_s)
            self._since_s = None


def repeat(
    act: Callable[[], None],
    wait: Callable[[], bool],
    fault: RecurringFault,
    *,
    on_fault: Callable[[], None] = lambda: None,
) -> None:
    """Do something after each wait, until that answers True. At a thread's top: whatever goes wrong
    is logged, and it is done again. on_fault: called after what has gone wrong."""
    while not wait():
        try:
            act()
            fault.over()
        except ArenaError as error:
            fault.note(error)
            on_fault()
        except Exception:
            fault.unexpected()
            on_fault()


def one_by_one(things: Iterable[Thing], act: Callable[[Thing], Outcome]) -> list[Outcome]:
    """Do something with each, also where it fails with others, be it by a fault of the program;
    raises the first error then."""
    outcomes: list[Outcome] = []
    failed: Exception | None = None
    for thing in things:
        try:
            outcomes.append(act(thing))
        except Exception as error:  # raised again below
            failed = failed or error
    if failed is not None:
        raise failed
    return outcomes
