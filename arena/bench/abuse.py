"""What hostile requests cost the process that answers them, beside honest ones.

Each is put to a whole arena on a SQLite file, by WSGI and without sockets, and what is measured is
the CPU time of the process: of the whole request, and of its longest piece between two rests, which
is how long everybody else has to wait for it. Limits let all of them through, for what a request
costs is not what a client may ask for.
"""

from __future__ import annotations

import itertools
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import orjson

from arena.application import Referee
from arena.bench.abuse_accepted import Crowd, accepted
from arena.bench.abuse_kinds import Kind, Sent, hostile
from arena.store import open_store
from arena.web.app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse
    from flask import Flask

BUDGET_MS: Final = 5.0
"""What a request may cost in one piece."""
BOTS: Final = 4
SECONDS_APART: Final = 1_000
"""Between any two looks at the clock of the limits: every bucket is full again."""
DOCUMENT: Final = {
    "name": "Abuse",
    "seats": BOTS,
    "hands_per_table": 1_000,
    "schedule": {"rounds": 1},
    "clock": {"move_ms": 86_400_000, "illegal_budget": 1_000},
}


class Cost(NamedTuple):
    """What a kind of request costs. group: honest, accepted or hostile. median_ms, worst_ms: CPU
    time; piece_ms: the median of the longest pieces."""

    name: str
    group: str
    status: int
    sent_bytes: int
    median_ms: float
    worst_ms: float
    piece_ms: float


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
    crowd: more than a table, made when it is first asked for."""

    def __init__(self, referee: Referee, app: Flask, watch: Stopwatch) -> None:
        self._referee = referee
        self._app = app
        self.watch = watch
        self.organiser = referee.create_admin("organiser")
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


def measure(*, repeat: int) -> list[Cost]:
    """All kinds of requests, honest ones first."""
    groups = {"honest": honest(), "accepted": accepted(), "hostile": hostile()}
    with target() as arena:
        return [
            _cost(arena, kind, group=group, repeat=repeat)
            for group, kinds in groups.items()
            for kind in kinds
        ]


def honest() -> Sequence[Kind]:
    """What bots do all the time."""
    return (
        Kind("poll", lambda arena: Sent("GET", "/api/v1/turns", token=arena.turn()[0])),
        Kind("answer, accepted", lambda arena: _answer(arena, {"choice": 0})),
        Kind("answer, refused", lambda arena: _answer(arena, {"choice": 99_999})),
    )


def _answer(arena: Target, body: dict[str, Any]) -> Sent:
    token, turn = arena.turn()
    path = f"/api/v1/turns/{turn['turn']}"
    return Sent("POST", path, token=token, body=orjson.dumps(body))


def _cost(arena: Target, kind: Kind, *, group: str, repeat: int) -> Cost:
    times, pieces = [], []
    make: Callable[[Any], Sent] = kind.make
    arena.ask(make(arena))  # what is made once is not counted
    for _ in range(repeat):
        sent = make(arena)
        status, spent_ms = arena.ask(sent)
        times.append(spent_ms)
        pieces.append(max(arena.watch.pieces_ms))
    size = len(sent.body) + len(sent.query) + len(sent.path)
    median_ms = statistics.median(times)
    piece_ms = statistics.median(pieces)
    return Cost(kind.name, group, status, size, median_ms, max(times), piece_ms)


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
