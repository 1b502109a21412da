"""Whole responses for what never reaches the app: problem documents, as bytes.

Such a response says what those of the app say (request id, guards, problem+json) and that the
connection ends with it. This module may not read anything.
"""

from __future__ import annotations

from http import HTTPStatus

import orjson

from arena.web.api.middleware import GUARDS, POLICY, request_id
from arena.web.api.problems import MEDIA, TABLE, Code, Problem, retry
from arena.web.server.heads import UnknownCoding

RETRY_S = 5
"""When somebody for whom there was no connection may try again."""


def refusal_of(error: ValueError) -> Problem:
    """The problem of bytes that are no HTTP request, or none that is understood here."""
    code = Code.NOT_IMPLEMENTED if isinstance(error, UnknownCoding) else Code.BAD_REQUEST
    return Problem(code, TABLE[code].meaning)


def no_room(reason: str) -> Problem:
    """The problem of one connection too many."""
    return retry(Code.UNAVAILABLE, reason, RETRY_S)


def fault() -> Problem:
    """The problem of an error of ours."""
    return Problem(Code.SERVER_ERROR, TABLE[Code.SERVER_ERROR].meaning)


def response_parts(problem: Problem) -> tuple[str, list[tuple[str, str]], bytes]:
    """Status line, header fields and body of a problem that ends its connection."""
    name = request_id(None)
    body = orjson.dumps(problem.document(name))
    fields = [("Content-Type", MEDIA), ("X-Request-Id", name), *GUARDS, POLICY]
    fields += [*problem.headers.items(), ("Content-Length", str(len(body)))]
    status = f"{problem.status} {HTTPStatus(problem.status).phrase}"
    return status, [*fields, ("Connection", "close")], body


def raw_response(problem: Problem) -> bytes:
    """The same as it goes over the wire."""
    status, fields, body = response_parts(problem)
    head = "".join(f"{name}: {value}\r\n" for name, value in fields).encode("latin-1")
    return f"HTTP/1.1 {status}\r\n".encode() + head + b"\r\n" + body
