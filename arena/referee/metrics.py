"""What one process counts and times, for `/metrics`: turns, answers, waits, faults, depths.

Counting a thing costs half a microsecond; what can be asked when somebody looks (how many tables,
how long a queue) is asked only then. Labels come from closed lists: never a bot, a session or a
token. Nothing here may tell more of a game than its spectators know, nor how long a bot thought.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, generate_latest

from arena.errors import (
    ArenaError,
    BadInput,
    Conflict,
    Forbidden,
    Gone,
    NotFound,
    Refused,
    Unavailable,
)
from arena.referee.counters import Count, Counters, Times

CAUSES = ("timeout", "illegal", "absent", "withdrawn", "disqualified", "server")
WAITS = ("turns", "empty", "released", "stopped")
OUTCOMES: Mapping[type[ArenaError], str] = MappingProxyType(
    {
        Refused: "illegal",
        BadInput: "bad_value",
        NotFound: "not_found",
        Forbidden: "forbidden",
        Conflict: "conflict",
        Gone: "too_late",
        Unavailable: "unavailable",
    }
)
MALFORMED = "malformed"
"""The outcome of an answer to an open turn that could not be read."""
SECONDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Answering:
    """Around the taking in of answers; see `Metrics.answering`."""

    __slots__ = ("_began_s", "_meters", "_seconds")

    def __init__(self, meters: Metrics, seconds: Times) -> None:
        self._meters = meters
        self._seconds = seconds
        self._began_s = 0.0

    def __enter__(self) -> None:
        self._began_s = self._meters.monotonic()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._meters.failed(error)
        self._meters.note(self._seconds, self._meters.monotonic() - self._began_s)


class Metrics:
    """The meters of one process. monotonic: seconds, only ever subtracted."""

    def __init__(self, monotonic: Callable[[], float] = time.perf_counter) -> None:
        self.monotonic = monotonic
        self.registry = CollectorRegistry()
        tallies = Counters(self.registry)
        self.note = tallies.note
        self._opened = tallies.count("arena_turns_opened", "Turns asked of seats.")
        self._answered = tallies.count("arena_turns_answered", "Turns that were answered.")
        self._expired = _all(
            tallies.counts("arena_turns_expired", "Turns answered by the referee.", ["cause"]),
            CAUSES,
        )
        self._answers = _all(
            tallies.counts("arena_answers", "Answers that came in.", ["outcome"]),
            ["accepted", "replayed", MALFORMED, *OUTCOMES.values()],
        )
        self._waits = _all(
            tallies.counts("arena_waits", "Polls for turns, by how they ended.", ["end"]), WAITS
        )
        self._hands = tallies.count("arena_hands_ended", "Hands played to their end.")
        self._standstills = tallies.count(
            "arena_standstills", "How often the process stood still for longer than a moment."
        )
        self._credited_s = tallies.count(
            "arena_standstill_credited_seconds", "Standstills that were credited to all clocks."
        )
        self._answer_s = tallies.times(
            "arena_answer_seconds",
            "From taking answers in until they are durable and told.",
            SECONDS,
            "lane",
            "single",
            "batch",
        )
        self._wake_s = tallies.times(
            "arena_wake_seconds", "From the bell until the waiter goes on.", SECONDS
        )[""]

    def watch(self, name: str, meaning: str, look: Callable[[], float]) -> None:
        """Tell a number that is looked up whenever somebody asks for the metrics."""
        Gauge(name, meaning, registry=self.registry).set_function(look)

    def moved(self, *, opened: int = 0, answered: int = 0, ended: int = 0) -> None:
        """Count turns that were asked of seats, those that their bots answered, and ended hands."""
        for count, number in (
            (self._opened, opened),
            (self._answered, answered),
            (self._hands, ended),
        ):
            if number:
                self.note(count, number)

    def expired(self, cause: str) -> None:
        """A turn was answered by the referee."""
        self.note(self._expired[cause])

    def stood_still(self, late_ms: int, *, credited: bool) -> None:
        """The process stood still for so long."""
        self.note(self._standstills)
        if credited:
            self.note(self._credited_s, late_ms / 1000)

    def waited(self, end: str) -> None:
        """A poll for turns has ended."""
        self.note(self._waits[end])

    def woken(self, late_s: float | None) -> None:
        """A waiter goes on so long after the bell; None: nobody rang."""
        if late_s is not None:
            self.note(self._wake_s, late_s)

    def replied(self, *documents: Mapping[str, Any]) -> None:
        """Answers have been replied to: a reply, or the results of a batch."""
        replays = [document["replayed"] for document in documents if "error" not in document]
        for outcome, number in (("accepted", replays.count(False)), ("replayed", sum(replays))):
            if number:
                self.note(self._answers[outcome], number)
        for document in documents:
            if "error" in document:
                self.failed(document["error"])

    def failed(self, error: BaseException) -> None:
        """An answer was not taken."""
        kind = next((name for kind, name in OUTCOMES.items() if isinstance(error, kind)), None)
        if kind is not None:
            self.note(self._answers[kind])

    def malformed(self) -> None:
        """An answer to an open turn could not be read."""
        self.note(self._answers[MALFORMED])

    def answering(self, lane: str) -> Answering:
        """Around the taking in of answers: how long it takes, and an error as its outcome."""
        return Answering(self, self._answer_s[lane])

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


def _all(counts: dict[tuple[str, ...], Count], values: Sequence[str]) -> dict[str, Count]:
    """The counters of a family with one label, made now, so that all are told from the start."""
    for value in values:
        counts[value,] = Count()
    return {value: counts[value,] for value in values}
