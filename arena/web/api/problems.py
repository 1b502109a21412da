"""The one error table: every code this arena answers, and which error becomes which code.

Errors travel as `application/problem+json` (RFC 9457). `type` is a path of this server that
explains the code, `instance` is the request id. This module may not read a request, and nobody
else may turn an error into a status.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import quote

from werkzeug.exceptions import HTTPException, MethodNotAllowed

from arena.errors import (
    ArenaError,
    BadInput,
    Conflict,
    DamagedHand,
    Forbidden,
    Gone,
    NotFound,
    NotHome,
    Refused,
    TooMany,
    Unavailable,
)

MEDIA = "application/problem+json"
LONGEST_TEXT = 3_000
NOT_HOME = "Arena-Not-Home"
"""The header that tells other referees that a session is played elsewhere, and nothing was done."""


class Code(StrEnum):
    """The closed list of codes. A client may branch on these and on nothing else."""

    BAD_REQUEST = "bad_request"
    BAD_JSON = "bad_json"
    INVALID = "invalid"
    BAD_VALUE = "bad_value"
    NO_TOKEN = "no_token"
    BAD_TOKEN = "bad_token"
    FORBIDDEN = "forbidden"
    NO_ROUTE = "no_route"
    NOT_FOUND = "not_found"
    METHOD_NOT_ALLOWED = "method_not_allowed"
    CONFLICT = "conflict"
    DAMAGED = "damaged"
    TOO_LATE = "too_late"
    TOO_LARGE = "too_large"
    NOT_JSON = "not_json"
    BAD_RANGE = "bad_range"
    ILLEGAL = "illegal"
    TOO_MANY_REQUESTS = "too_many_requests"
    SERVER_ERROR = "server_error"
    NOT_IMPLEMENTED = "not_implemented"
    UNAVAILABLE = "unavailable"


class ProblemEntry(NamedTuple):
    """One line of the table: the HTTP status, a title, what it means, what a client should do."""

    status: int
    title: str
    meaning: str
    advice: str


TABLE: Mapping[Code, ProblemEntry] = MappingProxyType(
    {
        Code.BAD_REQUEST: ProblemEntry(
            400,
            "Bad request",
            "The request is not proper HTTP, or a header of it cannot be read.",
            "Correct the request; sending it again unchanged is no use.",
        ),
        Code.BAD_JSON: ProblemEntry(
            400,
            "The body is not acceptable JSON",
            "The body is not UTF-8, not JSON, not an object, nested too deeply, names a member "
            "twice, holds a number beyond 2^53, or more values than any such request needs.",
            "Correct the body; `detail` says where reading stopped.",
        ),
        Code.INVALID: ProblemEntry(
            400,
            "The request does not have the form it should have",
            "The body does not fit its schema, or a query parameter is unknown or out of range.",
            "Each entry of `errors` points to one fault. The schema is under `/schemas/`.",
        ),
        Code.BAD_VALUE: ProblemEntry(
            400,
            "A value is not acceptable",
            "The form is right but a name or value is not: an unknown option, a bad bot name, an "
            "answer of the wrong kind for this turn, or a joker reading that fits nothing.",
            "`detail` names the value and what was expected.",
        ),
        Code.NO_TOKEN: ProblemEntry(
            401,
            "A token is needed",
            "The request has no `Authorization: Bearer` header.",
            "Send the token that came with the registration, in that header and nowhere else.",
        ),
        Code.BAD_TOKEN: ProblemEntry(
            401,
            "The token is not known",
            "The token was never issued, was rotated or was revoked.",
            "Use the newest token of the bot, or ask an organiser for one.",
        ),
        Code.FORBIDDEN: ProblemEntry(
            403,
            "Not for this token",
            "The thing exists, but this token may not see it or do that with it: another bot's "
            "turn, an organiser's action, a record that is not public yet, a used-up code.",
            "Nothing was done. Use the right token.",
        ),
        Code.NO_ROUTE: ProblemEntry(
            404,
            "No such path",
            "This server has nothing at that path.",
            "The paths are listed in `/openapi.json`.",
        ),
        Code.NOT_FOUND: ProblemEntry(
            404,
            "No such thing",
            "There is no session, table, hand, turn or bot of that name.",
            "Check the name; names of things are handed out by this server.",
        ),
        Code.METHOD_NOT_ALLOWED: ProblemEntry(
            405,
            "The path does not know this method",
            "The path exists, but not with this method.",
            "The header `Allow` lists the methods.",
        ),
        Code.CONFLICT: ProblemEntry(
            409,
            "It is no longer so",
            "The turn was answered otherwise before, the name is taken or looks like one that is, "
            "or the session is in a state that does not allow this.",
            "`detail` says what is so instead. Look again, then decide anew.",
        ),
        Code.DAMAGED: ProblemEntry(
            409,
            "The log of this hand is damaged",
            "What the arena has stored of this hand is not what it wrote: `detail` names the hand "
            "and the first step that does not fit. Its table is not played on; all others are.",
            "Nothing that a bot can do: leave the turn. An organiser restores the database from a "
            "backup, or voids the table.",
        ),
        Code.TOO_LATE: ProblemEntry(
            410,
            "Too late",
            "The referee answered this turn for the bot at its deadline.",
            "`detail` says what was done. Poll for the next turn.",
        ),
        Code.TOO_LARGE: ProblemEntry(
            413,
            "The body is too long",
            "The body is longer than the limit that `GET /api/v1` announces; it was not read.",
            "Send less, or in several requests.",
        ),
        Code.NOT_JSON: ProblemEntry(
            415,
            "Only JSON is read here",
            "The header `Content-Type` is not `application/json`.",
            "Send `Content-Type: application/json`.",
        ),
        Code.BAD_RANGE: ProblemEntry(
            416,
            "Nothing of that range is there",
            "The file is shorter than the header `Range` asks for.",
            "`Content-Range` has its size. Ask for less, or without `Range`.",
        ),
        Code.ILLEGAL: ProblemEntry(
            422,
            "The rules do not allow this",
            "The answer was understood and refused: `reason` is the closed reason, `rule` the "
            "option behind it, `cards` the cards at fault. Nothing has changed, the clock goes "
            "on, and one unit of the illegal budget is spent.",
            "Answer again; `example` is an answer that would be accepted.",
        ),
        Code.TOO_MANY_REQUESTS: ProblemEntry(
            429,
            "Too many requests",
            "This token asks more often than the limit that `GET /api/v1/whoami` announces, or "
            "callers without one do, or as many bots have been registered in an hour as may be. "
            "Accepted answers and long-polls that end empty never count; a request that is refused "
            "for its form counts once more for each KiB of it.",
            "Wait `retry_after_s` seconds. Use `wait` instead of asking in a loop.",
        ),
        Code.SERVER_ERROR: ProblemEntry(
            500,
            "A fault of this server",
            "Something went wrong here that is not the client's fault; it is in the log under "
            "the request id.",
            "Tell the organiser the request id in `instance`. Answers may safely be sent again.",
        ),
        Code.NOT_IMPLEMENTED: ProblemEntry(
            501,
            "Not understood here",
            "The body comes in a transfer coding other than `chunked`, so it was not read.",
            "Send the body with a Content-Length, or with `Transfer-Encoding: chunked`.",
        ),
        Code.UNAVAILABLE: ProblemEntry(
            503,
            "Not now",
            "The arena is stopping, cannot write its log, is moving the session to another referee,"
            " or has as many connections open as it can take. Nothing was done, or the detail says"
            " that this is not known yet.",
            "Send the same request again after `retry_after_s` seconds.",
        ),
    }
)

ERRORS: Mapping[type[ArenaError], Code] = MappingProxyType(
    {
        BadInput: Code.BAD_VALUE,
        Refused: Code.ILLEGAL,
        NotFound: Code.NOT_FOUND,
        Forbidden: Code.FORBIDDEN,
        Conflict: Code.CONFLICT,
        DamagedHand: Code.DAMAGED,
        Gone: Code.TOO_LATE,
        TooMany: Code.TOO_MANY_REQUESTS,
        Unavailable: Code.UNAVAILABLE,
    }
)

STATUSES: Mapping[int, Code] = MappingProxyType(
    {
        404: Code.NO_ROUTE,
        405: Code.METHOD_NOT_ALLOWED,
        413: Code.TOO_LARGE,
        415: Code.NOT_JSON,
        500: Code.SERVER_ERROR,
        503: Code.UNAVAILABLE,
    }
)


class Problem(Exception):
    """An error on its way to a client.

    code: from the closed list. detail: one sentence for the person who caused it. members: what
    this code adds to the document. headers: what it adds to the response.
    """

    def __init__(
        self,
        code: Code,
        detail: str,
        *,
        members: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.members = members or {}
        self.headers = headers or {}

    @property
    def status(self) -> int:
        """The HTTP status of the code."""
        return TABLE[self.code].status

    def document(self, instance: str) -> dict[str, Any]:
        """The RFC 9457 document; `instance` is the request id."""
        return {
            "type": f"/problems/{self.code}",
            "title": TABLE[self.code].title,
            "status": self.status,
            "detail": clip(self.detail),
            "instance": instance,
            "code": str(self.code),
            **self.members,
        }


def clip(text: str, *, room: int = 0) -> str:
    """A text short enough for an answer: what clients sent us is not sent back at full length.

    room: how much more is to be added to it.
    """
    most = LONGEST_TEXT - room
    return text if len(text) <= most else text[:most] + "…"


def fault(place: str, pointer: str, message: str) -> dict[str, str]:
    """One entry of `errors`: in `body` or `query`, a JSON Pointer (RFC 6901), what is wrong."""
    return {"in": place, "pointer": pointer, "message": clip(message)}


def invalid(faults: Sequence[Mapping[str, str]]) -> Problem:
    """The problem of a request that does not have its form; its detail is the first fault."""
    first = faults[0]
    detail = f"{first['in']} {first['pointer'] or '/'}: {first['message']}"
    return Problem(Code.INVALID, detail, members={"errors": list(faults)})


def retry(code: Code, detail: str, seconds: int) -> Problem:
    """A problem that will pass: Retry-After, and the same number in the body."""
    return Problem(
        code,
        detail,
        members={"retry_after_s": seconds},
        headers={"Retry-After": str(seconds)},
    )


def from_arena(error: ArenaError) -> Problem:
    """The problem of an error of ours."""
    code = next(ERRORS[kind] for kind in type(error).__mro__ if kind in ERRORS)
    if isinstance(error, NotHome):
        problem = retry(code, error.detail, error.retry_after)
        headers = {**problem.headers, NOT_HOME: quote(error.session, safe="")}
        return Problem(code, problem.detail, members=problem.members, headers=headers)
    if isinstance(error, Unavailable | TooMany):
        return retry(code, error.detail, error.retry_after)
    members: dict[str, Any] = {}
    if isinstance(error, Refused):
        members = {"reason": str(error.reason), "rule": error.rule, "cards": list(error.cards)}
    return Problem(code, str(error), members=members)


def from_http(error: HTTPException) -> Problem:
    """The problem of an error of Flask's or Werkzeug's."""
    code = STATUSES.get(error.code or 500, Code.BAD_REQUEST)
    headers = {}
    detail = TABLE[code].meaning
    if isinstance(error, MethodNotAllowed):
        headers["Allow"] = ", ".join(sorted(error.valid_methods or ()))
    if code in (Code.TOO_LARGE, Code.BAD_REQUEST):
        headers["Connection"] = "close"  # where the next request begins is not known
    return Problem(code, detail, headers=headers)
