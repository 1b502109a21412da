"""An arena that requests are put to by WSGI, without sockets, and the CPU time that each takes."""

from __future__ import annotations

import itertools
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from arena.application import Referee
from arena.bench.abuse_crowd import Crowd
from arena.store import open_store
from arena.web.app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse
    from flask import Flask

BOTS = 4
SECONDS_APART = 1_000
"""Between any two readings of the limits' clock: every bucket is full again."""
DOCUMENT = {
    "name": "Abuse",
    "seats": BOTS,
    "hands_per_table": 1_000,
    "schedule": {"rounds": 1},
    "clock": {"move_ms": 86_400_000, "illegal_budget": 1_000},
}


class Sent(NamedTuple):
    """A request. fields: of its head, by their names in a WSGI environment."""

    method: str
    path: str
    token: str = ""
    body: bytes = b""
    query: str = ""
    fields: Mapping[str, str] = {}


class Stopwatch:
    """CPU time of the process, by pieces: a rest ends one, and is over at once."""

    def __init__(self) -> None:
        self.pieces_ms: list[float] = []
        self._since_s = time.process_time()

    def begin(self) -> None:
        """A request begins now."""
        self.pieces_ms = []
        self._since_s = time.process_time()

    def rest(self, _seconds: float = 0.0) -> None:
        """Everybody else would have a turn now."""
        now_s = time.process_time()
        self.pieces_ms.append((now_s - self._since_s) * 1e3)
        self._since_s = now_s


class Target:
    """An arena with an organiser and a table that is played. watch: what the referee rests by;
    crowd: more than a table, created when it is first needed."""

    def __init__(self, referee: Referee, app: Flask, watch: Stopwatch) -> None:
        self._referee = referee
        self._app = app
        self.watch = watch
        self.organiser = referee.registry.create_admin("organiser")
        self._bots = [referee.register(f"bot-{number}") for number in range(1, BOTS + 1)]
        self.tokens = {bot["id"]: token for bot, token in self._bots}
        session = referee.create_session(DOCUMENT, "organiser")["session"]
        referee.set_session(session, "open", "organiser")
        for bot, _ in self._bots:
            referee.enter(session, bot["id"])
        referee.set_session(session, "start", "organiser")

    @cached_property
    def crowd(self) -> Crowd:
        """Many tables, many bots, and a session that all of them have entered."""
        return Crowd(self._referee)

    def turn(self) -> tuple[str, dict[str, Any]]:
        """A turn that waits, and the token of its bot."""
        for bot, token in self.tokens.items():
            for turn in self._referee.turns(bot)["turns"]:
                return token, turn
        raise RuntimeError("the table has come to its end")

    def ask(self, sent: Sent) -> tuple[int, float]:
        """Put a request; the status, and the CPU time in ms."""
        environ = _environ(sent)
        statuses: list[str] = []
        self.watch.begin()
        for _ in self._app(environ, _start(statuses)):
            pass
        self.watch.rest()
        return int(statuses[0][:3]), sum(self.watch.pieces_ms)


@contextmanager
def target() -> Iterator[Target]:
    """An arena of its own, gone afterwards."""
    seconds = itertools.count(0, SECONDS_APART)
    with tempfile.TemporaryDirectory() as folder:
        path = (Path(folder) / "abuse.db").as_posix()
        with open_store(f"sqlite:///{path}") as store:
            watch = Stopwatch()
            referee = Referee(store, paced=True, rest=watch.rest)
            referee.start(threads=False)
            app = create_app(referee, monotonic=lambda: float(next(seconds)))
            try:
                yield Target(referee, app, watch)
            finally:
                referee.stop()


class RequestKind(NamedTuple):
    """A kind of request, and how to build one."""

    name: str
    make: Callable[[Target], Sent]


def _start(statuses: list[str]) -> StartResponse:
    """What a WSGI app calls before its body; the status goes to the list."""

    def start(status: str, *_: Any) -> Callable[[bytes], object]:
        statuses.append(status)
        return lambda data: None

    return start


def _environ(sent: Sent) -> dict[str, Any]:
    """The WSGI environment of a request."""
    environ: dict[str, Any] = {
        "REQUEST_METHOD": sent.method,
        "PATH_INFO": sent.path,
        "QUERY_STRING": sent.query,
        "SERVER_NAME": "bench",
        "SERVER_PORT": "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(sent.body),
        **sent.fields,
    }
    if sent.body:
        environ |= {"CONTENT_LENGTH": str(len(sent.body)), "CONTENT_TYPE": "application/json"}
    if sent.token:
        environ["HTTP_AUTHORIZATION"] = f"Bearer {sent.token}"
    return environ
