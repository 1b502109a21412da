"""What every response shares: request id, error form, headers, one count, one log line.

This module may not know any endpoint. The log has a line for each request only if that is wished,
but always for faults of ours. It never holds a token, a query string or a body; its form is that of
`arena.web.api.logs`.
"""

from __future__ import annotations

import logging
import random
import re
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from hashlib import sha256
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import quote

import orjson
from flask import Flask, Request, request
from prometheus_client import Counter, Gauge, generate_latest
from werkzeug.exceptions import HTTPException
from werkzeug.routing.exceptions import RoutingException

from arena.errors import ArenaError
from arena.referee.metrics import new_registry
from arena.tournament.reporting.history_pictures import STYLE
from arena.web.api.fast_flask import Answer
from arena.web.api.logs import CALLER, REQUEST, without_secrets
from arena.web.api.negotiation import wants_page
from arena.web.api.problems import MEDIA, Problem, from_arena, from_http
from arena.web.throttled_log import ThrottledLog

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

ACCESS_LOG = logging.getLogger("arena.web.access")
REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}", re.ASCII)
NOTHING = "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
OWN = "script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'"
STYLE_DIGEST = b64encode(sha256(STYLE.encode()).digest()).decode()
POLICY = ("Content-Security-Policy", NOTHING)
PAGE_POLICY = (POLICY[0], f"{NOTHING}; {OWN}")
FORM_POLICY = (POLICY[0], PAGE_POLICY[1].replace("form-action 'none'", "form-action 'self'"))
PICTURE_POLICY = (POLICY[0], f"{NOTHING}; style-src 'sha256-{STYLE_DIGEST}'")
POLICIES: Mapping[str, tuple[str, str]] = MappingProxyType(
    {"text/html": PAGE_POLICY, "image/svg+xml": PICTURE_POLICY}
)
"""What a browser may load and apply, where that is more than nothing: what is ours, nothing that
stands in a page itself, and in pictures the one style that they have."""
GUARDS = (
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
)
"""What every response says to browsers, whatever it is."""
PAGE_MEDIA = "text/html; charset=utf-8"
JSON_MEDIA = ("application/json", MEDIA)
FORM_MEDIA = "application/x-www-form-urlencoded"
NOWHERE = "nowhere"
"""What is counted as the endpoint of a path that does not exist."""
ProblemPage: TypeAlias = Callable[[Mapping[str, Any]], bytes]
HOP = "arena.hop"
"""Where the environment names the referee that passed a request on; no client can write there."""
STARTED = "arena.started"
"""Where the environment of a request holds the second at which it began."""


class WebMetrics:
    """The metrics of one app: requests, by endpoint and status, and how many streams are open.

    Endpoints are those of the route tables and statuses those of the problem table, so the number
    of lines is bounded, whatever clients send. Times of answers and waits the referee counts.
    """

    def __init__(self) -> None:
        self.registry = new_registry()
        self._requests = Counter(
            "arena_http_requests",
            "Requests that were answered.",
            ["endpoint", "status"],
            registry=self.registry,
        )
        self._known: dict[tuple[str | None, int], Counter] = {}

    def watch_streams(self, count: Callable[[], int]) -> None:
        """Have the open streams counted whenever somebody asks."""
        gauge = Gauge("arena_streams", "Streams that are open.", registry=self.registry)
        gauge.set_function(count)

    def answered(self, endpoint: str | None, status: int) -> None:
        """A request has been answered."""
        count = self._known.get((endpoint, status))
        if count is None:
            name = (endpoint or NOWHERE).rpartition(".")[2]
            count = self._known[endpoint, status] = self._requests.labels(name, str(status))
        count.inc()

    def text(self) -> bytes:
        """Everything in Prometheus' text form."""
        return generate_latest(self.registry)


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
    app: Flask,
    monotonic: Callable[[], float],
    metrics: WebMetrics,
    *,
    problem_page: ProblemPage,
    access_log: bool,
) -> None:
    """Install what all responses share. access_log: write a line for each request?
    problem_page: a problem's document as a page, for browsers.

    Without it a line is written for each error of ours (500), and a throttled one for what clients
    can cause as often as they like (503).
    """
    throttled_log = ThrottledLog(ACCESS_LOG, monotonic=monotonic)

    def log(response: Answer) -> Answer:
        given, status = request, response.status_code
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

    def problem(error: Problem) -> Answer:
        return problem_response(error, problem_page)

    def http_error(error: HTTPException) -> Answer:
        there = _without_last_slash(app) if error.code == HTTPStatus.NOT_FOUND else None
        return moved(there) if there else problem(from_http(error))

    app.register_error_handler(Problem, problem)
    app.register_error_handler(ArenaError, lambda error: problem(from_arena(error)))
    app.register_error_handler(HTTPException, http_error)


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
    policy = POLICIES.get(media.partition(";")[0], POLICY)
    return (*((("Content-Type", media),) if media else ()), *GUARDS, policy)


@lru_cache(maxsize=64)
def _headers_of_kept(media: str) -> tuple[tuple[str, str], ...]:
    """The same for a response that may be kept."""
    return tuple(
        ("Cache-Control", "no-cache") if name == "Cache-Control" else (name, value)
        for name, value in _headers_of(media)
    )


def problem_response(problem: Problem, page: ProblemPage) -> Answer:
    """A problem as a response: a page for a browser that asked for one, else problem+json."""
    given = request
    name = given.environ[REQUEST]
    document = problem.document(name)
    headers = {**problem.headers, "Vary": "Accept"}
    if wants_page(given.environ.get("HTTP_ACCEPT", ""), *JSON_MEDIA):
        return response_of(page(document), problem.status, PAGE_MEDIA, headers, name=name)
    return response_of(orjson.dumps(document), problem.status, MEDIA, headers, name=name)


def moved(path: str) -> Answer:
    """The way to where a thing is."""
    name = request.environ[REQUEST]
    return response_of(b"", HTTPStatus.PERMANENT_REDIRECT, "", {"Location": path}, name=name)


def _without_last_slash(app: Flask) -> str | None:
    """The path and query of a request less a slash at the end of its path, if that is a route.

    Every route begins with a name, so the result cannot be the address of another host.
    """
    given = request
    path = given.path.rstrip("/")
    if path == given.path or given.method not in ("GET", "HEAD"):
        return None
    try:
        app.url_map.bind("").match(path, method="GET")
    except (HTTPException, RoutingException):
        return None
    sent = given.environ.get("QUERY_STRING")
    return quote(path) + (f"?{sent}" if sent else "")


def _record(level: int, fields: Mapping[str, Any]) -> logging.LogRecord:
    """A line of the access log, without a search for the line of code that it comes from."""
    name, extra = ACCESS_LOG.name, {"fields": fields}
    return ACCESS_LOG.makeRecord(name, level, __file__, 0, "request", (), None, extra=extra)


def _fields(given: Request, response: Answer, seconds: float) -> dict[str, Any]:
    hop = given.environ.get(HOP)
    passed_on = {"from": hop} if hop else {}
    return {
        **passed_on,
        "method": given.method[:16],
        "path": without_secrets(given.path)[:200],
        "status": response.status_code,
        "ms": round(seconds * 1000, 2),
        "bytes": response.length,
    }
