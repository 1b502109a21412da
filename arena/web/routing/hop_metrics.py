"""What is counted of requests that are passed on. Labels are names of referees, which are few; and
never a bot, a session or a token."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram

SECONDS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30)


class HopMetrics:
    """The meters of hops. registry: where they are shown."""

    def __init__(self, registry: CollectorRegistry) -> None:
        self._hops = Counter(
            "arena_hops", "Requests passed on to another referee.", ["to"], registry=registry
        )
        self._failures = Counter(
            "arena_hop_failures",
            "Requests that another referee could not be asked, or did not answer to the end.",
            ["to"],
            registry=registry,
        )
        self._seconds = Histogram(
            "arena_hop_seconds",
            "Until another referee began its answer, waits that were asked for included.",
            buckets=SECONDS,
            registry=registry,
        )
        self._known: dict[str, Counter] = {}

    def hop(self, to: str, seconds: float) -> None:
        """A request was passed on and is being answered."""
        count = self._known.get(to)
        if count is None:
            count = self._known[to] = self._hops.labels(to)
        count.inc()
        self._seconds.observe(seconds)

    def failed(self, to: str) -> None:
        """A request could not be passed on, or its answer broke off."""
        self._failures.labels(to).inc()
