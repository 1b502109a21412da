"""Requests and answers as values, for whoever stands between a bot and the app."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from http import HTTPStatus
from urllib.parse import parse_qsl, unquote, urlencode

Headers = tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Request:
    """A request that has come whole.

    target: path and query as they were sent. fields: the head's, named as in a WSGI environment.
    connection: a number, the same for all requests of one connection. at_s: when it had come, by
    the monotonic clock.
    """

    method: str
    target: str
    fields: Mapping[str, str]
    body: bytes
    connection: int
    at_s: float

    @cached_property
    def path(self) -> str:
        """The path without its query, decoded."""
        return unquote(self.target.partition("?")[0])

    @cached_property
    def query(self) -> Mapping[str, str]:
        """The parameters of the query; of one that comes twice the last."""
        return dict(parse_qsl(self.target.partition("?")[2], keep_blank_values=True))

    def with_query(self, **values: str) -> Request:
        """The same with other values of parameters of the query."""
        query = urlencode({**self.query, **values})
        path = self.target.partition("?")[0]
        return Request(
            self.method, f"{path}?{query}", self.fields, self.body, self.connection, self.at_s
        )


@dataclass(frozen=True)
class Delivery:
    """How an answer travels.

    delay_s: before its first byte. pieces: into how many writes it is cut, with pause_s between
    them. chunked: its body comes in chunks, as many as there are pieces. close: the connection ends
    behind it without having been announced. lost: no byte of it is sent, the connection ends.
    """

    delay_s: float = 0.0
    pieces: int = 1
    pause_s: float = 0.0
    chunked: bool = False
    close: bool = False
    lost: bool = False


AT_ONCE = Delivery()


@dataclass(frozen=True)
class Response:
    """An answer. stream: what follows the body, for one that goes on. sent: is called when it has
    left, or when that has failed."""

    status: int
    headers: Headers
    body: bytes
    stream: Iterator[bytes] | None = None
    delivery: Delivery = AT_ONCE
    sent: Callable[[], None] | None = field(default=None, compare=False)

    def header(self, name: str) -> str | None:
        """The value of a header field, if there is one."""
        return next((v for n, v in self.headers if n.lower() == name.lower()), None)

    def head(self) -> bytes:
        """Status line and fields as they go over the wire."""
        own = {"content-length", "transfer-encoding"}
        fields = [(n, v) for n, v in self.headers if n.lower() not in own]
        if self.delivery.chunked or self.stream is not None:
            fields.append(("Transfer-Encoding", "chunked"))
        elif self.status >= 200 and self.status not in (204, 304):
            fields.append(("Content-Length", str(len(self.body))))
        phrase = HTTPStatus(self.status).phrase
        lines = [f"HTTP/1.1 {self.status} {phrase}", *(f"{n}: {v}" for n, v in fields)]
        return "\r\n".join([*lines, "", ""]).encode("latin-1")


Responder = Callable[[Request], Response]
Middleware = Callable[[Request, Responder], Response]
"""Is given a request, and what answers it; answers in its place."""
