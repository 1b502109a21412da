"""Manners that every response shares: request id, error form, headers, one log line.

This module may not know any endpoint. The log line never holds a token, a query string or a body;
its form is made in `arena.web.logs`.
"""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

import orjson
from flask import Flask, Request
from werkzeug.exceptions import HTTPException

from arena.errors import ArenaError
from arena.web.auth import without_secrets
from arena.web.lean import Answer, asked
from arena.web.logs import CALLER, REQUEST
from arena.web.meters import WebMeters
from arena.web.problems import MEDIA, Problem, from_arena, from_http

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ACCESS_LOG: Final = logging.getLogger("arena.web.access")
REQUEST_ID: Final = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
POLICY: Final = ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
PAGE_POLICY: Final = (POLICY[0], f"{POLICY[1]}; style-src 'unsafe-inline'")
GUARDS: Final = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
)
"""What every response says to browsers, whatever it is."""
STARTED: Final = "arena.started"
"""Where the environment of a request holds the second at which it began."""


class Marked:
    """An app around the app, that gives every request its id and notes when it began."""

    def __init__(self, app: WSGIApplication, monotonic: Callable[[], float]) -> None:
        self._app = app
        self._monotonic = monotonic

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        environ[REQUEST] = request_id(environ.get("HTTP_X_REQUEST_ID"))
        environ[STARTED] = self._monotonic()
        environ[CALLER] = None
        return self._app(environ, start)


def teach_manners(app: Flask, monotonic: Callable[[], float], meters: WebMeters) -> None:
    """Hang the shared manners on an app."""

    def log(response: Answer) -> Answer:
        given = asked()
        meters.answered(given.endpoint, response.status_code)
        if ACCESS_LOG.isEnabledFor(logging.INFO):
            fields = _fields(given, response, monotonic() - given.environ[STARTED])
            ACCESS_LOG.handle(_record(fields))
        return response

    app.wsgi_app = Marked(app.wsgi_app, monotonic)  # type: ignore[assignment,method-assign]
    app.after_request(log)
    app.register_error_handler(Problem, problem_response)
    app.register_error_handler(ArenaError, lambda error: problem_response(from_arena(error)))
    app.register_error_handler(HTTPException, lambda error: problem_response(from_http(error)))


def request_id(given: str | None) -> str:
    """The client's request id if it is a proper one, else a new one."""
    if given and REQUEST_ID.fullmatch(given):
        return given
    return f"{random.getrandbits(64):016x}"


def response_of(
    body: Any, status: int, media: str, more: Mapping[str, str] | None, *, name: str
) -> Answer:
    """A response with the headers that all have; body: bytes, an iterator of bytes, or None.

    more: other headers; one that all have is replaced by it. name: the request id.
    """
    headers = [("X-Request-Id", name), *_headers_of(media)]
    if more:
        headers = [field for field in headers if field[0] not in more]
        headers += more.items()
    return Answer(body, status, headers)


@lru_cache(maxsize=64)
def _headers_of(media: str) -> tuple[tuple[str, str], ...]:
    """The headers of every response of one media type."""
    policy = PAGE_POLICY if media.startswith("text/html") else POLICY
    return (("Content-Type", media), *GUARDS, policy)


def problem_response(problem: Problem) -> Answer:
    """A problem as a response."""
    name = asked().environ[REQUEST]
    body = orjson.dumps(problem.document(name))
    return response_of(body, problem.status, MEDIA, problem.headers, name=name)


def _record(fields: Mapping[str, Any]) -> logging.LogRecord:
    """A line of the access log, without a search for the line of code that it comes from."""
    name, info = ACCESS_LOG.name, logging.INFO
    extra = {"fields": fields}
    return ACCESS_LOG.makeRecord(name, info, __file__, 0, "request", (), None, extra=extra)


def _fields(given: Request, response: Answer, seconds: float) -> dict[str, Any]:
    return {
        "method": given.method[:16],
        "path": without_secrets(given.path)[:200],
        "status": response.status_code,
        "ms": round(seconds * 1000, 2),
        "bytes": response.length,
    }
