"""What the web counts for `/metrics`: requests, by endpoint and status.

Endpoints are those of the route tables and statuses those of the problem table, so the
number of lines is bounded, whatever clients send. Times of answers and waits are counted by the
referee.
"""

from __future__ import annotations

from prometheus_client import CollectorRegistry, generate_latest

from arena.referee.metrics import Count, Counters

NOWHERE = "nowhere"
"""The endpoint of a path that does not exist."""


class WebMetrics:
    """The metrics of one app."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._tallies = Counters(self._registry)
        self._requests = self._tallies.counts(
            "arena_http_requests", "Requests that were answered.", ["endpoint", "status"]
        )
        self._known: dict[tuple[str | None, int], Count] = {}

    def answered(self, endpoint: str | None, status: int) -> None:
        """A request has been answered."""
        count = self._known.get((endpoint, status))
        if count is None:
            name = (endpoint or NOWHERE).rpartition(".")[2]
            count = self._requests.setdefault((name, str(status)), Count())
            self._known[endpoint, status] = count
        self._tallies.note(count)

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self._registry)
