"""Following what is played on a running arena, by its public long poll: hand after hand.

A hand is read from its first event, and each next question says how many events are known, so that
nothing is missed or comes twice, whatever happens to the connection or to the referee in between.
It says nothing of what happens: that is `narrator`'s business.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlsplit

from arena.client import Client
from arena.client.addresses import base_url
from arena.client.endpoints import session_path
from arena.documents import Document
from arena.errors import BadInput, NotFound
from arena.rules import Ruleset
from arena.rules.events import Event
from arena.rules.ruleset import compile_table, written_table
from arena.statuses import OVER, TABLE_OPEN, SessionStatus, TableStatus
from arena.tournament.reporting.markup import printable
from arena.wire import read_event

WAIT_S = 20
LOOK_S = 0.5
HAND = re.compile(r"(.+-r\d+-t\d+)-h\d+")
TABLE = re.compile(r".+-r\d+-t\d+")
KINDS = {"sessions": "session", "tables": "table", "hands": "hand"}


class WatchTarget(NamedTuple):
    """What is to be watched. kind: session, table, hand, or "" for whatever is played."""

    url: str
    kind: str = ""
    name: str = ""


def read_target(text: str | None, url: str) -> WatchTarget:
    """What somebody wants to watch: an address of a page or of an arena, or an id. url: where the
    arena is, if the text does not say. Raises BadInput, KitError."""
    if text is None:
        return WatchTarget(base_url(url))
    if any(mark in text for mark in "/:."):
        return _read_address(text)
    kind = "hand" if HAND.fullmatch(text) else "table" if TABLE.fullmatch(text) else "session"
    return WatchTarget(base_url(url), kind, text)


def _read_address(text: str) -> WatchTarget:
    scheme, mark, rest = text.rpartition("://")
    parts = urlsplit(f"//{rest}")
    steps = parts.path.split("/")
    for at, step in enumerate(steps):
        if step in KINDS:
            base = base_url(f"{scheme}{mark}{parts.netloc}{'/'.join(steps[:at])}")
            name = unquote(steps[at + 1]) if len(steps) > at + 1 else ""
            return WatchTarget(base, KINDS[step] if name else "", name)
    return WatchTarget(base_url(text))


class WatchedHand(NamedTuple):
    """A hand that is followed. of: hands of its table; names: by seat."""

    session: str
    table: str
    hand: str
    number: int
    of: int
    names: tuple[str, ...]
    rules: Ruleset


class Waiting(NamedTuple):
    """Nothing is being played, but there may soon be something."""


class HandBegins(NamedTuple):
    """A hand is followed from here on. over: had it ended before?"""

    hand: WatchedHand
    over: bool


class NewEvents(NamedTuple):
    """What has happened in the hand."""

    events: tuple[Event, ...]


class Hidden(NamedTuple):
    """The hand is played, but what happens in it is not shown yet."""

    hand: WatchedHand


News = Waiting | HandBegins | NewEvents | Hidden


class HandFollower:
    """Follows hands of one arena. sleep: rests between two looks at what is not there yet."""

    def __init__(self, client: Client, sleep: Callable[[float], None] = time.sleep) -> None:
        self._client = client
        self._sleep = sleep
        self._sessions: dict[str, Document] = {}

    def follow(self, target: WatchTarget) -> Iterator[News]:
        """What happens at what is to be watched, to its end. Raises NotFound if nothing is played,
        ArenaProblem for what there is not or may not be seen."""
        match target.kind:
            case "hand":
                yield from self._hand(self._get("hands", target.name))
            case "table":
                yield from self._table(self._get("tables", target.name))
            case "session":
                yield from self._session(target.name)
            case _:
                yield from self._session(self._whatever_is_played())

    def _whatever_is_played(self) -> str:
        """The newest session that is being played."""
        running = self._client.sessions(SessionStatus.RUNNING)
        if not running:
            raise NotFound("session", f"nothing is being played at {self._client.url}")
        return str(running[0]["session"])

    def _session(self, name: str) -> Iterator[News]:
        """One table of a session after the other, of those that are being played."""
        followed: set[str] = set()
        waiting = False
        while True:
            table = self._playing_table(name, followed)
            if table is not None:
                waiting = False
                followed.add(table["table"])
                yield from self._table(self._get("tables", table["table"]))
                continue
            status = self._client.session(name)["status"]
            if status in OVER and not followed:
                raise NotFound(name, f"nothing is being played in {name}: it is {status}")
            if status in OVER:
                return
            if not waiting:
                waiting = True
                yield Waiting()
            self._sleep(LOOK_S)

    def _playing_table(self, session: str, without: set[str]) -> Document | None:
        after: str | None = None
        while True:
            query = {"after": after, "limit": 500}
            page = self._client.request("GET", session_path(session, "tables"), query=query)
            for table in page["tables"]:
                if table["status"] == TableStatus.PLAYING and table["table"] not in without:
                    return dict(table)
            after = page["next"]
            if after is None:
                return None

    def _table(self, table: Document) -> Iterator[News]:
        """The hands of a table: from that which is being played on, or all if it is over."""
        known = 0
        if table["status"] in TABLE_OPEN and table["hands"]:
            known = table["hands"][-1]["number"] - 1
        elif table["status"] in TABLE_OPEN:
            yield Waiting()
        while True:
            for hand in table["hands"][known:]:
                known = hand["number"]
                yield from self._hand(hand)
            if table["status"] not in TABLE_OPEN:
                return
            table = self._get("tables", table["table"])
            if len(table["hands"]) <= known and table["status"] in TABLE_OPEN:
                self._sleep(LOOK_S)

    def _hand(self, shown: Document) -> Iterator[News]:
        """What happens in a hand, from its deal to its end."""
        hand = self._watched(shown)
        known, hidden = 0, False
        log = self._client.hand_events(hand.hand)
        yield HandBegins(hand, over=log["over"])
        while True:
            if log["events"]:
                yield NewEvents(tuple(read_event(dict(event)) for event in log["events"]))
            elif not known and not log["over"] and not hidden:
                hidden = True
                yield Hidden(hand)
            known = log["next"]
            if log["over"]:
                return
            log = self._client.hand_events(hand.hand, after=known, wait=WAIT_S)

    def _watched(self, shown: Document) -> WatchedHand:
        table = self._get("tables", shown["table"])
        session = self._session_document(table["session"])
        names = [printable(table["players"][player]["name"]) for player in shown["seating"]]
        return WatchedHand(
            session=printable(session["name"]),
            table=table["table"],
            hand=shown["hand"],
            number=shown["number"],
            of=session["hands_per_table"],
            names=tuple(names),
            rules=compile_table(written_table({"options": session["options"]})),
        )

    def _session_document(self, name: str) -> Document:
        if name not in self._sessions:
            self._sessions[name] = self._client.session(name)
        return self._sessions[name]

    def _get(self, kind: str, name: str) -> dict[str, Any]:
        return self._client.request("GET", f"/{kind}/{quote(name, safe='')}")


def page_of(url: str, hand: WatchedHand) -> str:
    """The address of a hand's page."""
    return f"{url}/hands/{quote(hand.hand, safe='')}"


def check_kind(target: WatchTarget) -> None:
    """Raises BadInput for an id that can be none."""
    if len(target.name) > 200 or not target.name.isprintable():
        raise BadInput("WHAT", printable(target.name), "an address, or the id of something")
