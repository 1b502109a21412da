"""A stream, read as a browser reads it: events by their fields, and the last id."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

STREAM = "/api/v1/stream"


class Event(NamedTuple):
    """A server-sent event."""

    event: str
    data: dict[str, Any]
    id: str


def events_of(text: str) -> Iterator[Event]:
    """The whole events in a text; comments and the time to come back are none."""
    for block in text.split("\n\n")[:-1]:
        fields = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
        if "data" in fields:
            yield Event(fields["event"], json.loads(fields["data"]), fields.get("id", ""))


class Following:
    """A stream that is open. Closes as a context manager."""

    def __init__(self, client: FlaskClient, query: str, last: str = "") -> None:
        headers = {"Last-Event-ID": last} if last else {}
        self.response: TestResponse = client.get(f"{STREAM}?{query}", headers=headers)
        assert self.response.status_code == 200, self.response.text
        assert self.response.mimetype == "text/event-stream"
        self._pieces = iter(self.response.response)
        self._waiting: list[Event] = []
        self.last = last

    def __enter__(self) -> Following:
        return self

    def __exit__(self, *_: object) -> None:
        self.response.close()

    def __iter__(self) -> Iterator[Event]:
        return self

    def __next__(self) -> Event:
        while not self._waiting:
            piece = next(self._pieces)
            text = piece if isinstance(piece, str) else piece.decode()
            assert text.endswith("\n\n")
            self._waiting += events_of(text)
        event = self._waiting.pop(0)
        self.last = event.id or self.last
        return event


def snapshot(client: FlaskClient, query: str, last: str = "") -> list[Event]:
    """What there is to be read of a stream now."""
    with Following(client, f"{query}&seconds=0", last) as following:
        return list(following)
