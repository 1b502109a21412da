"""A log of what goes wrong again and again: its beginning, now and then that it lasts, its end."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable

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

    def over(self) -> None:
        """It has gone well."""
        if self._since_s is not None:
            lasted_s = self._monotonic() - self._since_s
            self._log.info("%s: well again, after %.1f s", self._what, lasted_s)
            self._since_s = None
