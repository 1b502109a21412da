"""The times of a session: when it opens, starts, freezes its results, ends and publishes them.

They are written in RFC 3339 with their offset, and given back in UTC. Whether one lies ahead is not
known here: nothing in this module reads a clock.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from itertools import pairwise
from typing import Any, NamedTuple

from arena.errors import BadInput
from arena.statuses import ENTERABLE, OVER, SessionStatus

RFC_3339 = re.compile(
    r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII
)
EXPECTED = "an instant with its offset, such as 2026-06-30T18:00:00+02:00"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
LAST_YEAR = 2099
MINUTE_S, HOUR_S, DAY_S = 60, 3_600, 86_400


class TimeOutcome(StrEnum):
    """What became of a time that was set."""

    DONE = "done"
    VOID = "void"
    FAILED = "failed"


class SessionTimes(NamedTuple):
    """Instants in ms since 1970, None for those that are not set. In this order they follow each
    other; two may be equal."""

    opens: int | None = None
    starts: int | None = None
    freezes: int | None = None
    ends: int | None = None
    publishes: int | None = None

    @property
    def given(self) -> dict[str, int]:
        """Those that are set, in order."""
        return {what: at_ms for what, at_ms in self._asdict().items() if at_ms is not None}

    def document(self) -> dict[str, str | None]:
        """The members of the session's document."""
        return {
            what: None if at_ms is None else instant_text(at_ms)
            for what, at_ms in self._asdict().items()
        }


DROPS = "drops"
"""When a casual session is taken away: no time of its document, so nobody can move it."""
TIMES = SessionTimes._fields


def possible(what: str, status: str) -> bool:
    """May a session of this status still do it?"""
    if what == "opens":
        return status == SessionStatus.CREATED
    if what == "starts":
        return status in ENTERABLE
    return what == "publishes" or status not in OVER


def read_times(document: Mapping[str, Any]) -> SessionTimes:
    """The times of a session's document. Raises BadInput for one that is none, or out of order."""
    times = SessionTimes(**{what: _read(what, document.get(what)) for what in TIMES})
    given = list(times.given.items())
    for (earlier, before_ms), (later, at_ms) in pairwise(given):
        if at_ms < before_ms:
            wanted = f"not before `{earlier}`, which is {instant_text(before_ms)}"
            raise BadInput(later, document[later], wanted)
    return times


def _read(what: str, text: object) -> int | None:
    if text is None:
        return None
    if not isinstance(text, str) or not RFC_3339.fullmatch(text):
        raise BadInput(what, text, EXPECTED)
    try:
        at = datetime.fromisoformat(text.upper())
        at_ms = (at - EPOCH) // timedelta(milliseconds=1)
    except (ValueError, OverflowError) as error:
        raise BadInput(what, text, EXPECTED) from error
    if not EPOCH.year <= at.year <= LAST_YEAR:
        raise BadInput(what, text, f"an instant before the year {LAST_YEAR + 1}")
    return at_ms


def instant_text(at_ms: int) -> str:
    """An instant in UTC: ``2026-01-31T09:00:00.250Z``."""
    at = EPOCH + timedelta(milliseconds=at_ms)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def left_ms(at: str, now_ms: int) -> int:
    """How long it is until an instant that `instant_text` has written."""
    return (datetime.fromisoformat(at) - EPOCH) // timedelta(milliseconds=1) - now_ms


def next_time(session: Mapping[str, Any], now_ms: int) -> tuple[str, int] | None:
    """What a session does next by itself, and how long that is until then, by its document in a
    list; None where nothing lies ahead."""
    for what in TIMES:
        at = session.get(what)
        if at is not None and possible(what, session["status"]) and left_ms(at, now_ms) > 0:
            return what, left_ms(at, now_ms)
    return None


def countdown(left_ms: int) -> str:
    """How long it is until then, in words: ``in 2 h 10 min``. It changes once a minute at most."""
    seconds = -(-left_ms // 1_000)
    if seconds <= 0:
        return "now"
    if seconds < MINUTE_S:
        return "in less than a minute"
    if seconds < HOUR_S:
        return f"in {seconds // MINUTE_S} min"
    if seconds < DAY_S:
        return f"in {seconds // HOUR_S} h {seconds % HOUR_S // MINUTE_S} min"
    days = seconds // DAY_S
    return f"in {days} {'day' if days == 1 else 'days'} {seconds % DAY_S // HOUR_S} h"
