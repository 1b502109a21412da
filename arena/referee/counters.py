"""Tallies: counters and histograms that cost next to nothing to move, told in Prometheus' form.

What is to be counted is put on a queue, without a lock, and added up when somebody looks or when
the queue has grown long. (The library's own counters take a lock each time, and a single answer
moves eight of them.)
"""

from __future__ import annotations

import threading
from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import accumulate

from prometheus_client import CollectorRegistry
from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

LONGEST = 4096
"""How much waits to be added up at the most, about."""


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
        if len(news) > LONGEST:
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
