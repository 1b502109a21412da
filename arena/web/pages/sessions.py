"""The front page: what is being played, what comes, what is over."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from arena.statuses import ENTERABLE, IN_PLAY, OVER
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.wording import STATUS

PAGE_SIZE = 50
GROUPS = (
    ("Being played", IN_PLAY),
    ("Coming", ENTERABLE),
    ("Over", OVER),
)
"""What the front page lists, in this order: the heading, and the statuses below it."""


def home(call: Call) -> Reply:
    """Show the sessions of this arena as a page."""
    return list_page(call)


def list_page(call: Call) -> Reply:
    """Show the sessions of this arena as a page, newest first."""
    after = call.query["after"]
    listed = call.queries.sessions(after=after, limit=PAGE_SIZE)
    groups = [(words, list(_with_status(listed["sessions"], of))) for words, of in GROUPS]
    values = {
        "groups": [(words, sessions) for words, sessions in groups if sessions],
        "next": listed["next"],
        "older": after is not None,
        "status": STATUS,
    }
    return page(call, "sessions.html", (after,), basis=listed, values=lambda: values)


def _with_status(
    sessions: Iterable[Mapping[str, Any]], of: Collection[str]
) -> Iterator[Mapping[str, Any]]:
    return (session for session in sessions if session["status"] in of)


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of these pages."""
    older = (Param("after", "text", "The session that the page before ended with."),)
    return (
        page_endpoint("/", home, query=older),
        page_endpoint("/sessions", list_page, query=older),
    )
