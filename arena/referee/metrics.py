"""What one process counts and times, for `/metrics`: turns, answers, waits, faults, depths.

What can be asked when somebody looks (how many tables, how long a queue) is asked only then. Labels
come from closed lists: never a bot, a session or a token. Nothing here may tell more of a game than
its spectators know, nor how long a bot thought.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TypeVar

from prometheus_client import (
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from arena.errors import (
    ArenaError,
    BadInput,
    Conflict,
    DamagedHand,
    Forbidden,
    Gone,
    NotFound,
    Refused,
    Unavailable,
)
from arena.rules.events import Cause

M = TypeVar("M", Counter, Histogram)
WAITS = ("turns", "empty", "released", "stopped")
OUTCOMES: Mapping[type[ArenaError], str] = MappingProxyType(
    {
        Refused: "illegal",
        BadInput: "bad_value",
        NotFound: "not_found",
        Forbidden: "forbidden",
        Conflict: "conflict",
        DamagedHand: "damaged",
        Gone: "too_late",
        Unavailable: "unavailable",
    }
)
MALFORMED = "malformed"
"""The outcome of an answer to an open turn that could not be read."""
SECONDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


def new_registry() -> CollectorRegistry:
    """A registry for meters of ours; it tells no instants at which they were made."""
    disable_created_metrics()  # type: ignore[no-untyped-call]
    return CollectorRegistry()


class Metrics:
    """The meters of one process. monotonic: seconds, only ever subtracted."""

    def __init__(self, monotonic: Callable[[], float] = time.perf_counter) -> None:
        self.monotonic = monotonic
        self.registry = registry = new_registry()
        self._opened = Counter("arena_turns_opened", "Turns asked of seats.", registry=registry)
        self._answered = Counter(
            "arena_turns_answered", "Turns that were answered.", registry=registry
        )
        self._expired = _by_label(
            Counter(
                "arena_turns_expired",
                "Turns answered by the referee.",
                ["cause"],
                registry=registry,
            ),
            tuple(Cause),
        )
        self._answers = _by_label(
            Counter("arena_answers", "Answers that came in.", ["outcome"], registry=registry),
            ["accepted", "replayed", MALFORMED, *OUTCOMES.values()],
        )
        self._waits = _by_label(
            Counter(
                "arena_waits", "Polls for turns, by how they ended.", ["end"], registry=registry
            ),
            WAITS,
        )
        self._hands = Counter("arena_hands_ended", "Hands played to their end.", registry=registry)
        self._standstills = Counter(
            "arena_standstills",
            "How often the process stood still for longer than a moment.",
            registry=registry,
        )
        self._credited_s = Counter(
            "arena_standstill_credited_seconds",
            "Standstills that were credited to all clocks.",
            registry=registry,
        )
        self._answer_s = _by_label(
            Histogram(
                "arena_answer_seconds",
                "From taking answers in until they are durable and announced.",
                ["lane"],
                buckets=SECONDS,
                registry=registry,
            ),
            ("single", "batch"),
        )
        self._wake_s = Histogram(
            "arena_wake_seconds",
            "From the bell until the waiter goes on.",
            buckets=SECONDS,
            registry=registry,
        )

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
                count.inc(number)

    def expired(self, cause: str) -> None:
        """A turn was answered by the referee."""
        self._expired[cause].inc()

    def stood_still(self, late_ms: int, *, credited: bool) -> None:
        """The process stood still for so long."""
        self._standstills.inc()
        if credited:
            self._credited_s.inc(late_ms / 1000)

    def waited(self, end: str) -> None:
        """A poll for turns has ended."""
        self._waits[end].inc()

    def woken(self, late_s: float | None) -> None:
        """A waiter goes on so long after the bell; None: nobody rang."""
        if late_s is not None:
            self._wake_s.observe(late_s)

    def replied(self, *documents: Mapping[str, Any]) -> None:
        """Answers have been replied to: a reply, or the results of a batch."""
        replays = [document["replayed"] for document in documents if "error" not in document]
        for outcome, number in (("accepted", replays.count(False)), ("replayed", sum(replays))):
            if number:
                self._answers[outcome].inc(number)
        for document in documents:
            if "error" in document:
                self.failed(document["error"])

    def failed(self, error: BaseException) -> None:
        """An answer was not taken."""
        kind = next((name for kind, name in OUTCOMES.items() if isinstance(error, kind)), None)
        if kind is not None:
            self._answers[kind].inc()

    def malformed(self) -> None:
        """An answer to an open turn could not be read."""
        self._answers[MALFORMED].inc()

    @contextmanager
    def answering(self, lane: str) -> Iterator[None]:
        """Around the taking in of answers: how long it takes, and an error as its outcome."""
        began_s = self.monotonic()
        try:
            yield
        except BaseException as error:
            self.failed(error)
            raise
        finally:
            self._answer_s[lane].observe(self.monotonic() - began_s)

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


def _by_label(family: M, values: Sequence[str]) -> dict[str, M]:
    """The meters of a family with one label, made now, so that all are shown from the start."""
    return {value: family.labels(value) for value in values}
