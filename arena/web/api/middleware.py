"""What every response shares: request id, error form, headers, one log line.

This module may not know any endpoint. The log has a line for each request only if that is wished,
but always for faults of ours. It never holds a token, a query string or a body; its form is that of
`arena.web.api.logs`.
"""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, Final

import orjson
from flask import Flask, Request
from werkzeug.exceptions import HTTPException

from arena.errors import ArenaError
from arena.web.api.auth import without_secrets
from arena.web.api.fast_flask import Answer, current_request
from arena.web.api.logs import CALLER, REQUEST
from arena.web.api.metrics import WebMetrics
from arena.web.api.problems import MEDIA, Problem, from_arena, from_http
from arena.web.throttled_log import ThrottledLog

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


class RequestIdMiddleware:
    """WSGI middleware that gives every request its id and records when it began."""

    def __init__(self, app: WSGIApplication, monotonic: Callable[[], float]) -> None:
        self._app = app
        self._monotonic = monotonic

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        environ[REQUEST] = request_id(environ.get("HTTP_X_REQUEST_ID"))
        environ[STARTED] = self._monotonic()
        environ[CALLER] = None
        return self._app(environ, start)


def install_middleware(
    app: Flask, monotonic: Callable[[], float], metrics: WebMetrics, *, access_log: bool
) -> None:
    """Install what all responses share. access_log: write a line for each request?

    Without it a line is written for each error of ours (500), and a throttled one for what clients
    can cause as often as they like (503).
    """
    throttled_log = ThrottledLog(ACCESS_LOG, monotonic=monotonic)

    def log(response: Answer) -> Answer:
        given, status = current_request(), response.status_code
        metrics.answered(given.endpoint, status)
        if access_log or status == HTTPStatus.INTERNAL_SERVER_ERROR:
            level = logging.INFO if status < 500 else logging.WARNING
            if ACCESS_LOG.isEnabledFor(level):
                fields = _fields(given, response, monotonic() - given.environ[STARTED])
                ACCESS_LOG.handle(_record(level, fields))
        elif status > HTTPStatus.INTERNAL_SERVER_ERROR:
            path = without_secrets(given.path)[:200]
            throttled_log.log(
                logging.WARNING, str(status), "request answered with %d: %s", status, path
            )
        return response

    app.wsgi_app = RequestIdMiddleware(app.wsgi_app, monotonic)  # type: ignore[assignment,method-assign]
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

    more: other headers; one that all have is replaced by it. name: the request id. A document with
    an ETag may be kept, and revalidated before it is used again; nothing else may be kept anywhere.
    """
    if not more:
        return Answer(body, status, [("X-Request-Id", name), *_headers_of(media)])
    shared = _headers_of_kept(media) if "ETag" in more else _headers_of(media)
    own = [field for field in shared if field[0] not in more]
    headers = [("X-Request-Id", name), *own, *more.items()]
    return Answer(body, status, headers)


@lru_cache(maxsize=64)
def _headers_of(media: str) -> tuple[tuple[str, str], ...]:
    """The headers of every response of one media type, which is "" where nothing is sent."""
    policy = PAGE_POLICY if media.startswith("text/html") else POLICY
    return (*((("Content-Type", media),) if media else ()), *GUARDS, policy)


@lru_cache(maxsize=64)
def _headers_of_kept(media: str) -> tuple[tuple[str, str], ...]:
    """The same for a response that may be kept."""
    return tuple(
        ("Cache-Control", "no-cache") if name == "Cache-Control" else (name, value)
        for name, value in _headers_of(media)
    )


def problem_response(problem: Problem) -> Answer:
    """A problem as a response."""
    name = current_request().environ[REQUEST]
    body = orjson.dumps(problem.document(name))
    return response_of(body, problem.status, MEDIA, problem.headers, name=name)


def _record(level: int, fields: Mapping[str, Any]) -> logging.LogRecord:
    """A line of the access log, without a search for the line of code that it comes from."""
    name, extra = ACCESS_LOG.name, {"fields": fields}
    return ACCESS_LOG.makeRecord(name, level, __file__, 0, "request", (), None, extra=extra)


def _fields(given: Request, response: Answer, seconds: float) -> dict[str, Any]:
    return {
        "method": given.method[:16],
        "path": without_secrets(given.path)[:200],
        "status": response.status_code,
        "ms": round(seconds * 1000, 2),
        "bytes": response.length,
    }
