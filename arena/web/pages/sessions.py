"""The front page: what is being played now, what comes, what is over; and older sessions."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from arena.manual import PAGES
from arena.session.times import countdown, next_time
from arena.statuses import ENTERABLE, IN_PLAY, OVER, SessionStatus
from arena.tournament.reporting.markup import printable
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.wording import STATUS, TIMES, ruleset_words, table_label

PAGE_SIZE = 50
MOST_TABLES = 3
"""Tables of a session that are listed on the front page."""


class Listed(NamedTuple):
    """A session in a list. game: its ruleset and how many sit at a table; when: what it does next
    by itself, in words; empty if nothing."""

    session: str
    name: str
    status: str
    game: str
    when: str


class Live(NamedTuple):
    """A session that is being played. state: its round, or that it is paused; tables: the first
    that are played now; total: how many these are."""

    listed: Listed
    state: str
    tables: tuple[Mapping[str, Any], ...]
    total: int


def home(call: Call) -> Reply:
    """Show what is being played, what comes and what is over."""
    return list_page(call)


def list_page(call: Call) -> Reply:
    """Show the sessions of this arena as a page, newest first.

    The first page begins with those that are being played, however old they are.
    """
    after = call.query["after"]
    newest = call.queries.sessions(after=after, limit=PAGE_SIZE)
    if after is None:
        playing, coming = _of_status(call, IN_PLAY), _of_status(call, ENTERABLE)
    else:
        playing, coming = [], list(_with_status(newest["sessions"], (*IN_PLAY, *ENTERABLE)))
    live = [_live(call, each) for each in playing]
    waiting = [_listed(call, each) for each in coming]
    over = [_listed(call, each) for each in _with_status(newest["sessions"], OVER)]
    basis = live, waiting, over, newest["next"]
    values = {
        "live": live,
        "coming": waiting,
        "over": over,
        "next": newest["next"],
        "older": after is not None,
        "news": _news(live),
        "first_page": PAGES[0],
    }
    return page(call, "sessions.html", (after,), basis=basis, values=lambda: values)


def _news(live: Iterable[Live]) -> str:
    """What is said aloud of this page when it changes."""
    names = ", ".join(printable(each.listed.name) for each in live)
    return f"Being played now: {names}." if names else "Nothing is being played now."


def _of_status(call: Call, statuses: Iterable[str]) -> list[Mapping[str, Any]]:
    """The newest sessions of some statuses."""
    return [
        session
        for status in reversed(tuple(statuses))
        for session in call.queries.sessions(status, limit=PAGE_SIZE)["sessions"]
    ]


def _with_status(
    sessions: Iterable[Mapping[str, Any]], of: Collection[str]
) -> Iterator[Mapping[str, Any]]:
    return (session for session in sessions if session["status"] in of)


def _listed(call: Call, session: Mapping[str, Any]) -> Listed:
    coming = next_time(session, call.queries.clock.wall_ms())
    return Listed(
        session["session"],
        session["name"],
        STATUS[session["status"]],
        f"{ruleset_words(session['ruleset'])} · {session['seats']} at a table",
        "" if coming is None else f"{TIMES[coming[0]].lower()} {countdown(coming[1])}",
    )


def _live(call: Call, session: Mapping[str, Any]) -> Live:
    programme = call.queries.programme(session["session"])
    playing = programme["playing"]
    round_, rounds = programme["round"], programme["rounds"]
    of = f" of {rounds}" if rounds and round_ and rounds > round_ else ""
    tables = (
        {**each, "label": table_label(each["table"], each["round"], of=playing)}
        for each in playing[:MOST_TABLES]
    )
    listed = _listed(call, session)
    running = session["status"] == SessionStatus.RUNNING and round_
    state = f"round {round_}{of}" if running else listed.status
    return Live(listed, state, tuple(tables), len(playing))


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of these pages."""
    older = (Param("after", "text", "The session that the page before ended with."),)
    return (
        page_endpoint("/", home, query=older),
        page_endpoint("/sessions", list_page, query=older),
    )
