"""What an endpoint is: one line of a route table, and the values that go in and out of its view.

Blueprints, checks and the OpenAPI document are all built from these lines, so a route cannot exist
without being documented. This module may not touch a request; `request_pipeline` does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from arena.web.api.documents import JSON
from arena.web.api.problems import Code, Problem
from arena.web.api.queries import Param
from arena.web.api.services import Call

if TYPE_CHECKING:
    from arena.application import Referee

MOST_VALUES = 512
"""Members and entries in a body, but where an endpoint needs more: the longest answer to a turn,
two decks with their roles, has half of it."""


class Scope(Enum):
    """Who may call; what a token may do is given by its scopes.

    PUBLIC: anybody (a token is checked if there is one). BOT: a bot. VIEWER: who sees what
    organisers see. ASSISTANT: who helps a session along. ADMIN: an organiser. ANY_TOKEN: everybody
    with a token. SEAT: anybody, and who plays in a browser by its cookie; no token counts there. An
    organiser may do what an assistant may, and an assistant what a viewer may.
    """

    PUBLIC = "public"
    BOT = "bot"
    VIEWER = "viewer"
    ASSISTANT = "assistant"
    ADMIN = "admin"
    ANY_TOKEN = "any"
    SEAT = "seat"


class RateCost(Enum):
    """How a request counts against the limit of its token.

    FREE: not at all. COUNTED: one unit, refused if there is none. ANSWER: as COUNTED, but an empty
    bucket is no reason to refuse. REGISTRATION: one unit of its token; without one, of what
    `registrations` says.
    """

    FREE = "free"
    COUNTED = "counted"
    ANSWER = "answer"
    REGISTRATION = "registration"


@dataclass(slots=True)
class Reply:
    """What a view answers.

    document: plain data, written as JSON; or bytes or an iterator of bytes, written as they are
    under `media` (it is closed if it can be); None for no body at all. credit: units to give back
    to the bucket of the token (or to take, if negative). etag: what this very document is known by;
    who has it already gets a 304 without it, at no more than one unit; and it is compressed for
    those who read gzip, so it must be the same for everybody who may see it, and hold no secret.
    """

    document: Any
    status: int = 200
    credit: float = 0.0
    media: str = JSON
    headers: Mapping[str, str] | None = None
    etag: str = ""


@dataclass(slots=True)
class Malformed:
    """A query or a body that an endpoint could not take, from a caller with a token.

    body: what was read of it, None if it could not be read at all. problem: what is wrong.
    """

    referee: Referee
    path: Mapping[str, str]
    caller: str
    body: Mapping[str, Any] | None
    problem: Problem


View = Callable[[Call], Reply]


@dataclass(frozen=True, slots=True)
class Endpoint:
    """One route. path: with names in braces, below the prefix of its blueprint.

    answers: the schema of the document answered ("" if it is not JSON). body: the schema of the
    body, "" if none is read. optional_body: may it be left out? form: is it one of a page, read as
    lists of texts by name? codes: the problems it may answer beyond those that follow from the
    other fields. medias: what else than JSON it may answer.
    further: statuses of answers besides `status` that are no problems. most_bytes: of a body, where
    that is less than the setting; 0 where it is not. most_values: in a body, counted before it is
    read. most_entries: of lists in a body, where a setting allows fewer than the schema.
    gzip: may an answer without an `etag` be compressed? Only if it holds no secret.
    on_malformed: called before a query or a body is refused; it returns the problem to answer, most
    often the one that it got.
    The first line of the view's docstring is the summary, the rest the description.
    """

    method: str
    path: str
    view: View
    answers: str = ""
    scope: Scope = Scope.PUBLIC
    body: str = ""
    optional_body: bool = False
    form: bool = False
    query: tuple[Param, ...] = ()
    status: int = 200
    rate_cost: RateCost = RateCost.COUNTED
    codes: tuple[Code, ...] = ()
    medias: tuple[str, ...] = ()
    further: tuple[int, ...] = ()
    most_bytes: int = 0
    most_values: int = MOST_VALUES
    most_entries: tuple[tuple[str, int], ...] = ()
    gzip: bool = False
    on_malformed: Callable[[Malformed], Problem] | None = None

    @property
    def name(self) -> str:
        """The name of the operation: that of its view."""
        return self.view.__name__
