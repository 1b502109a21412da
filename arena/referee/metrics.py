"""What one process counts and times, for `/metrics`: turns, answers, waits, faults, depths.

Counting a thing costs half a microsecond: it is put on a queue, without a lock, and added up when
somebody looks or when the queue has grown long. (The library's own counters take a lock each time,
and a single answer moves eight of them.) What can be asked when somebody looks (how many tables,
how long a queue) is asked only then. Labels come from closed lists: never a bot, a session or a
token. Nothing here may tell more of a game than its spectators know, nor how long a bot thought.
"""

from __future__ import annotations

import threading
import time
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import accumulate
from types import MappingProxyType
from typing import Any

from prometheus_client import CollectorRegistry, Gauge, generate_latest
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

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
from arena.rules.events import Cause

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
LONGEST_QUEUE = 4096
"""How much waits to be added up at the most, about."""
SECONDS = (0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5)


class Count:
    """A number that grows."""

    __slots__ = ("total",)

    def __init__(self) -> None:
        self.total = 0.0


class Times:
    """How long something took, by buckets; bounds: their upper bounds in seconds."""

    __slots__ = ("_bounds", "_numbers", "total_s")

    def __init__(self, bounds: Sequence[float]) -> None:
        self._bounds = bounds
        self._numbers = [0] * (len(bounds) + 1)
        self.total_s = 0.0

    def take(self, seconds: float) -> None:
        """It took so long once more."""
        self._numbers[bisect_left(self._bounds, seconds)] += 1
        self.total_s += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """The upper bound of each bucket, and how often it took no longer."""
        names = [*map(str, map(float, self._bounds)), "+Inf"]
        return list(zip(names, accumulate(self._numbers), strict=True))


class Counters(Collector):
    """The tallies of one registry."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._news: deque[tuple[Count | Times, float]] = deque()
        self._lock = threading.Lock()
        self._told: list[Callable[[], Metric]] = []
        registry.register(self)

    def count(self, name: str, meaning: str) -> Count:
        """A counter without a label."""
        counter = Count()

        def told() -> Metric:
            return CounterMetricFamily(name, meaning, value=counter.total)

        self._told.append(told)
        return counter

    def counts(
        self, name: str, meaning: str, labels: Sequence[str]
    ) -> dict[tuple[str, ...], Count]:
        """Counters by the values of their labels. A value that is put in later is told too."""
        counts: dict[tuple[str, ...], Count] = {}

        def told() -> Metric:
            family = CounterMetricFamily(name, meaning, labels=labels)
            for values, each in tuple(counts.items()):
                family.add_metric(values, each.total)
            return family

        self._told.append(told)
        return counts

    def times(
        self, name: str, meaning: str, bounds: Sequence[float], label: str = "", *values: str
    ) -> dict[str, Times]:
        """Histograms by the value of their label; by "" where there is none."""
        timers = {value: Times(bounds) for value in values or ("",)}

        def told() -> Metric:
            family = HistogramMetricFamily(name, meaning, labels=[label] if label else [])
            for value, each in timers.items():
                family.add_metric([value] if label else [], each.buckets(), each.total_s)
            return family

        self._told.append(told)
        return timers

    def note(self, tally: Count | Times, value: float = 1) -> None:
        """Add to a tally, soon; from any thread. Who finds the queue grown long adds all up."""
        news = self._news
        news.append((tally, value))
        if len(news) > LONGEST_QUEUE:
            self._add_up()

    def collect(self) -> Iterator[Metric]:
        """Everything as it stands now."""
        self._add_up()
        for told in self._told:
            yield told()

    def _add_up(self) -> None:
        with self._lock:
            for _ in range(len(self._news)):  # what comes meanwhile is for the next time
                tally, value = self._news.popleft()
                if isinstance(tally, Count):  # as most often: not worth a call
                    tally.total += value
                else:
                    tally.take(value)


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
            tuple(Cause),
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
            self.note(self._answer_s[lane], self.monotonic() - began_s)

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


def _all(counts: dict[tuple[str, ...], Count], values: Sequence[str]) -> dict[str, Count]:
    """The counters of a family with one label, made now, so that all are told from the start."""
    for value in values:
        counts[value,] = Count()
    return {value: counts[value,] for value in values}
