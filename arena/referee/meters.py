"""What one process counts and times, for `/metrics`: turns, answers, waits, faults, depths.

Counting a thing costs about a microsecond; what can be asked when somebody looks (how many tables,
how long a queue) is asked only then. Labels come from closed lists: never a bot, a session or a
token. Nothing here may tell more of a game than its spectators know, nor how long a bot thought.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

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
    Forbidden,
    Gone,
    NotFound,
    Refused,
    Unavailable,
)

CAUSES: Final = ("timeout", "illegal", "absent", "withdrawn", "disqualified", "server")
WAITS: Final = ("turns", "empty", "released", "stopped")
OUTCOMES: Final[Mapping[type[ArenaError], str]] = MappingProxyType(
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
SECONDS: Final = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Answering:
    """Around the taking in of answers; see `Meters.answering`."""

    __slots__ = ("_began_s", "_failed", "_monotonic", "_seconds")

    def __init__(
        self,
        seconds: Histogram,
        failed: Callable[[BaseException], None],
        monotonic: Callable[[], float],
    ) -> None:
        self._seconds = seconds
        self._failed = failed
        self._monotonic = monotonic
        self._began_s = 0.0

    def __enter__(self) -> None:
        self._began_s = self._monotonic()

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is not None:
            self._failed(error)
        self._seconds.observe(self._monotonic() - self._began_s)


class Meters:
    """The meters of one process. monotonic: seconds, only ever subtracted."""

    def __init__(self, monotonic: Callable[[], float] = time.perf_counter) -> None:
        disable_created_metrics()  # type: ignore[no-untyped-call]
        self.registry = own = CollectorRegistry()
        self._monotonic = monotonic
        told = ["accepted", "replayed", *OUTCOMES.values()]
        self._opened = Counter("arena_turns_opened", "Turns asked of seats.", registry=own)
        self._answered = Counter("arena_turns_answered", "Turns that were answered.", registry=own)
        self._expired = _family(
            Counter(
                "arena_turns_expired", "Turns answered by the referee.", ["cause"], registry=own
            ),
            CAUSES,
        )
        self._answers = _family(
            Counter("arena_answers", "Answers that came in.", ["outcome"], registry=own), told
        )
        self._waits = _family(
            Counter("arena_waits", "Polls for turns, by how they ended.", ["end"], registry=own),
            WAITS,
        )
        self._hands = Counter("arena_hands_ended", "Hands played to their end.", registry=own)
        self._answer_s = _family(
            Histogram(
                "arena_answer_seconds",
                "From taking answers in until they are durable and told.",
                ["lane"],
                registry=own,
                buckets=SECONDS,
            ),
            ("single", "batch"),
        )
        self._wake_s = Histogram(
            "arena_wake_seconds",
            "From the bell until the waiter goes on.",
            registry=own,
            buckets=SECONDS,
        )

    def watch(self, name: str, meaning: str, look: Callable[[], float]) -> None:
        """Tell a number that is looked up whenever somebody asks for the metrics."""
        Gauge(name, meaning, registry=self.registry).set_function(look)

    def opened(self, turns: int) -> None:
        """So many turns were asked of seats."""
        if turns:
            self._opened.inc(turns)

    def answered(self, turns: int) -> None:
        """So many turns were answered by their bots."""
        if turns:
            self._answered.inc(turns)

    def expired(self, cause: str) -> None:
        """A turn was answered by the referee."""
        self._expired[cause].inc()

    def ended(self, hands: int) -> None:
        """So many hands have come to their end."""
        if hands:
            self._hands.inc(hands)

    def waited(self, end: str) -> None:
        """A poll for turns has ended."""
        self._waits[end].inc()

    def woken(self, late_s: float | None) -> None:
        """A waiter goes on so long after the bell; None: nobody rang."""
        if late_s is not None:
            self._wake_s.observe(late_s)

    def told(self, *documents: Mapping[str, Any]) -> None:
        """Answers have been replied to: a reply, or the results of a batch."""
        replays = [document["replayed"] for document in documents if "error" not in document]
        for outcome, number in (("accepted", replays.count(False)), ("replayed", sum(replays))):
            if number:
                self._answers[outcome].inc(number)
        for document in documents:
            if "error" in document:
                self._failed(document["error"])

    def _failed(self, error: BaseException) -> None:
        kind = next((name for kind, name in OUTCOMES.items() if isinstance(error, kind)), None)
        if kind is not None:
            self._answers[kind].inc()

    def answering(self, lane: str) -> Answering:
        """Around the taking in of answers: how long it takes, and an error as its outcome."""
        return Answering(self._answer_s[lane], self._failed, self._monotonic)

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


def _family(metric: Any, values: Sequence[str]) -> dict[str, Any]:
    """The children of a metric with one label, made now, so that all are told from the start."""
    return {value: metric.labels(value) for value in values}
