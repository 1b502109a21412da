"""What a request is about, as far as its home follows from it: by its path and its query alone.

What names no session, bot or referee is answered wherever it arrives. This module may not know who
is home of anything.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import parse_qs

API = "/api/v1"
HAND = re.compile(r"(.+)-h[0-9]{3,}", re.DOTALL)
TABLE = re.compile(r"(.+)-[tb][0-9]{2,}[a-z]*", re.DOTALL)
ROUND = re.compile(r"(.+)-r[0-9]{2,}", re.DOTALL)
SEAT_PATHS = frozenset({"/seat", "/seat/answer", "/seat/leave"})
NAMED = frozenset({"sessions", "tables", "hands"})
"""What comes before a name in a path, of the API and of pages."""
IN_QUERY = ("session", "table", "hand")
"""Parameters of a query that name a session, or what belongs to one."""
LONGEST_QUERY = 8_192
MOST_PARAMETERS = 32
FIRST_PARTS = ("/api/v1/t", "/api/v1/h", "/api/v1/s", "/api/v1/c", "/s", "/t", "/h")
"""How paths begin that may be about something; the others are not looked at any closer."""


class Matter(Enum):
    """What a request is about. START: a session that is to be started. ANSWER: the turn of a bot,
    and what waits for it next. SEAT: what is seen by who plays in a browser."""

    NOTHING = "nothing"
    SESSION = "session"
    START = "start"
    TURNS = "turns"
    ANSWER = "answer"
    SEAT = "seat"
    REFEREE = "referee"


class Concern(NamedTuple):
    """What a request is about. name: of the session or the referee; turn: of an answer."""

    matter: Matter
    name: str = ""
    turn: str = ""


NOTHING = Concern(Matter.NOTHING)
TURNS = Concern(Matter.TURNS)
SEAT = Concern(Matter.SEAT)


def concern_of(method: str, path: str, query: str) -> Concern:
    """What a request is about. path, query: as in a WSGI environment."""
    if not path.startswith(FIRST_PARTS):
        return NOTHING
    if path == "/api/v1/turns":
        return TURNS
    if path in SEAT_PATHS:
        return SEAT
    below = path.startswith(f"{API}/")
    kind, _, rest = path[len(API) + 1 if below else 1 :].partition("/")
    name, _, more = _text(rest).partition("/")
    if below and kind == "turns":
        return _about_turn(method, name, more, query=query)
    if below and kind == "stream":
        return _in_query(query)
    if below and kind == "cluster":
        return _about_cluster(name, more)
    if kind not in NAMED or not name:
        return NOTHING
    if below and method == "POST" and kind == "sessions" and more == "start":
        return Concern(Matter.START, name)
    return Concern(Matter.SESSION, session_of(name, kind))


def session_of(name: str, kind: str) -> str:
    """The session of something. kind: `sessions`, `tables` or `hands`; read from the right, for a
    session may be called anything."""
    patterns = {"hands": (HAND, TABLE, ROUND), "tables": (TABLE, ROUND)}.get(kind, ())
    for pattern in patterns:
        match = pattern.fullmatch(name)
        if match is None:
            return ""
        name = match[1]
    return name


def session_of_turn(turn: str) -> str:
    """The session of the id of a turn; "" if it is none."""
    return session_of(turn.partition(".")[0], "hands")


def _about_turn(method: str, name: str, more: str, *, query: str) -> Concern:
    if more or not name:
        return NOTHING
    if method in ("GET", "HEAD"):  # only the ledger is there
        return _in_query(query) if name == "ledger" else NOTHING
    return Concern(Matter.ANSWER, session_of_turn(name), name)


def _about_cluster(kind: str, rest: str) -> Concern:
    name, _, action = rest.partition("/")
    if not name or not action:
        return NOTHING
    if kind == "sessions":
        return Concern(Matter.SESSION, name)
    return Concern(Matter.REFEREE, name) if kind == "referees" else NOTHING


@lru_cache(maxsize=256)
def _in_query(query: str) -> Concern:
    """What a query names; nothing if that cannot be read: whoever answers it will refuse it."""
    if not query or len(query) > LONGEST_QUERY:
        return NOTHING
    try:
        text = query.encode("latin-1").decode()
        named = parse_qs(text, errors="strict", max_num_fields=MOST_PARAMETERS)
    except ValueError:
        return NOTHING
    for name in IN_QUERY:
        if name in named:
            return Concern(Matter.SESSION, session_of(named[name][0], f"{name}s"))
    return NOTHING


def _text(path: str) -> str:
    """A part of a path in a WSGI environment, as text."""
    return path.encode("latin-1", "replace").decode(errors="replace")
