"""Pages that are followed: a frame for each part of a page that has changed.

The page itself is asked, as somebody without a token would ask for it, so a stream has what the
page has, withholds what the page withholds, and costs one page however many follow. This module
draws nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from arena.web.api.endpoints import View
from arena.web.api.services import Call
from arena.web.pages.parts import parts_of, version_of
from arena.web.pages.session import session_page
from arena.web.pages.sessions import home
from arena.web.streams.hub import Source
from arena.web.streams.journal import Journal, frame

MOST_VERSIONS = 100
"""Versions that are known again; who comes back with an older one gets all parts."""
ALL_SESSIONS = "all"


class PageFeed:
    """The feed of a page. name: of what it shows, for ids; page: its bytes now, the same object
    while it has not changed.

    Only the latest frame of each part is kept. The last frame of a version has its id.
    """

    def __init__(self, name: str, page: Callable[[], bytes]) -> None:
        self.topic = f"page:{name}"
        self._name = name
        self._page = page
        self._body = b""
        self._parts: dict[str, str] = {}
        self._frames: dict[str, tuple[int, bytes]] = {}
        self._number = 0
        self._places: dict[int, int] = {}

    def look(self, journal: Journal, pause: Callable[[], None]) -> None:
        """Ask for the page, and put the parts that have changed behind the others."""
        body = self._page()
        if body is self._body:
            return
        self._body, parts, version = body, parts_of(body), version_of(body)
        pause()
        changed = [name for name, html in parts.items() if self._parts.get(name) != html]
        self._parts = parts
        for name in changed:
            self._number += 1
            known = f"{self._name}.{version}" if name == changed[-1] else ""
            text = frame("part", {"part": name, "html": parts[name]}, name=known)
            self._frames.pop(name, None)
            self._frames[name] = self._number, text
        journal.replace(list(self._frames.values()))
        self._remember(version)

    def _remember(self, version: int) -> None:
        self._places.pop(version, None)
        self._places[version] = self._number
        if len(self._places) > MOST_VERSIONS:
            del self._places[next(iter(self._places))]

    def place(self, known: int) -> int:
        """Behind which number somebody goes on who knows a version."""
        return self._places.get(known, 0)


def session_source(call: Call) -> Source:
    """The page of a session, as a request for a stream names it."""
    seats, division = call.query["seats"], call.query["division"]
    name = call.query["session"]
    page = _page(call, session_page, {"session": name}, seats=seats, division=division)
    return Source(("session", name, seats, division), lambda: PageFeed(name, page))


def front_source(call: Call) -> Source:
    """The front page."""
    page = _page(call, home, {}, after=None)
    return Source(("sessions",), lambda: PageFeed(ALL_SESSIONS, page))


def _page(call: Call, view: View, path: dict[str, str], **query: Any) -> Callable[[], bytes]:
    """What everybody is answered who asks for a page."""
    asked = replace(call, path=path, query=query, body={}, who=None, environ={}, address="")

    def page() -> bytes:
        body: bytes = view(asked).document
        return body

    return page
