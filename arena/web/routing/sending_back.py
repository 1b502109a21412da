"""Answers that the router makes itself, as the app's own are, without Flask. This module may not
know what is answered."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping

import orjson

from arena.web.api.documents import JSON
from arena.web.api.fast_flask import STATUS_LINES
from arena.web.api.logs import without_secrets
from arena.web.api.middleware import JSON_MEDIA, PAGE_MEDIA, response_of
from arena.web.api.negotiation import wants_page
from arena.web.api.problems import MEDIA, Problem
from arena.web.pages.problem import problem_page
from arena.web.routing.arrived import Arrived
from arena.web.throttled_log import ThrottledLog

LOG = logging.getLogger("arena.web.routing")


def send(
    request: Arrived,
    body: bytes,
    *,
    status: int = 200,
    media: str = JSON,
    headers: Mapping[str, str] | None = None,
) -> Iterable[bytes]:
    """Answer a request with these bytes."""
    answer = response_of(body, status, media, headers, name=request.request_id)
    request.start(STATUS_LINES[status], [*answer.headers, ("Content-Length", str(len(body)))])
    return () if request.method == "HEAD" else (body,)


class Refusals:
    """Answers requests with problems, and logs that, though not each time."""

    def __init__(self) -> None:
        self._log = ThrottledLog(LOG)

    def answer(self, request: Arrived, problem: Problem) -> Iterable[bytes]:
        """A problem as an answer: a page for a browser that asked for one, else problem+json."""
        if problem.status >= 500:
            path = without_secrets(str(request.environ.get("PATH_INFO", "")))[:200]
            detail = without_secrets(problem.detail)[:200]
            self._log.log(logging.WARNING, "refused", "%d for %s: %s", problem.status, path, detail)
        document = problem.document(request.request_id)
        headers = {**problem.headers, "Vary": "Accept"}
        if wants_page(str(request.environ.get("HTTP_ACCEPT", "")), *JSON_MEDIA):
            page = problem_page(document)
            return send(request, page, status=problem.status, media=PAGE_MEDIA, headers=headers)
        body = orjson.dumps(document)
        return send(request, body, status=problem.status, media=MEDIA, headers=headers)
