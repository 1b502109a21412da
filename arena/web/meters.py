"""What the web counts for `/metrics`: requests, by endpoint and status.

Endpoints are those of the route tables and statuses those of the problem table, so there are only
so many lines, whatever clients send. Times of answers and waits are the referee's to tell.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, generate_latest

NOWHERE = "nowhere"
"""The endpoint of a path that does not exist."""


class WebMeters:
    """The meters of one app."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "arena_http_requests",
            "Requests that were answered.",
            ["endpoint", "status"],
            registry=self._registry,
        )
        self._counters: dict[tuple[str | None, int], Counter] = {}

    def answered(self, endpoint: str | None, status: int) -> None:
        """A request has been answered."""
        counter = self._counters.get((endpoint, status))
        if counter is None:
            name = (endpoint or NOWHERE).rpartition(".")[2]
            counter = self._requests.labels(name, str(status))
            self._counters[endpoint, status] = counter
        counter.inc()

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self._registry)
