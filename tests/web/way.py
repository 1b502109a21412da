"""The functions of ours that one accepted answer passes, from its first byte to that of the reply.

`python -m tests.web.way` plays a few hands on a new SQLite file, behind the real server and real
sockets, and writes those functions down, a line for each with its file. It is a process of its own,
since gevent has to patch it first. The answer is a card on a card that ends neither trick nor hand,
after many like it, so that nothing is done for the first time. Nobody polls meanwhile, and of
several such answers the shortest way counts: what the referee's own threads do comes on top.
Comprehensions are part of the function that they stand in.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from types import CodeType, FrameType

if __name__ == "__main__":
    from arena.web.server.patching import patch

    patch()

import orjson

from arena.application import Referee
from arena.documents import Document
from arena.settings import Settings
from arena.store import open_store
from arena.web.app import create_app
from arena.web.server.http_server import ArenaServer

ARENA = Path(__file__).parents[2] / "arena"
INNER = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
BEFORE = 50
"""Answers of this kind that come before those that are looked at."""
LOOKED_AT = 30
CUP = {
    "name": "Cup",
    "slug": "cup",
    "seats": 4,
    "hands_per_table": 20,
    "schedule": {"rounds": 1},
    "seed": "00",
}
Way = frozenset[tuple[str, str]]
"""Functions, each with its file."""


class Caller:
    """Somebody with a token and a connection."""

    def __init__(self, port: int, token: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}

    def ask(self, method: str, path: str, body: Document | None = None) -> Document:
        """The document of a request that is granted."""
        data = b"" if body is None else orjson.dumps(body)
        self._connection.request(method, f"/api/v1{path}", data, self._headers)
        response = self._connection.getresponse()
        document: Document = orjson.loads(response.read())
        assert response.status in (200, 201), document
        return document


def way_of_an_answer(file: Path) -> Way:
    """What one answer passes."""
    with open_store(f"sqlite:///{file}") as store:
        referee = Referee(store, settings=Settings(requests_per_s=1e5, request_burst=10**5))
        referee.start()
        server = ArenaServer(create_app(referee), "127.0.0.1", 0)
        server.start()
        try:
            bots = _cup(server.socket.getsockname()[1], referee.registry.create_admin())
            return min(_ways(bots), key=len)
        finally:
            server.stop()
            referee.stop()


def _cup(port: int, token: str) -> Sequence[Caller]:
    """A session that has begun, and its bots."""
    organiser = Caller(port, token)
    organiser.ask("POST", "/sessions", CUP)
    organiser.ask("POST", "/sessions/cup/open")
    bots = []
    for number in range(4):
        registered = organiser.ask("POST", "/bots", {"name": f"bot-{number}"})
        bots.append(Caller(port, registered["token"]))
        bots[-1].ask("PUT", "/sessions/cup/entry")
    organiser.ask("POST", "/sessions/cup/start")
    return bots


def _ways(bots: Sequence[Caller]) -> list[Way]:
    """The ways of the answers that are looked at."""
    ways: list[Way] = []
    before = 0
    for bot, turn in _turns(bots):
        path, card = f"/turns/{turn['turn']}", _card_on_card(turn)
        if card is None:
            bot.ask("POST", path, turn["legal"][0])
        elif before < BEFORE:
            before += 1
            bot.ask("POST", path, card)
        else:
            ways.append(_watched(bot, path, card))
            if len(ways) == LOOKED_AT:
                break
    return ways


def _turns(bots: Sequence[Caller]) -> Iterator[tuple[Caller, Document]]:
    """Every turn, as long as there are any."""
    for bot in cycle(bots):
        for turn in bot.ask("GET", "/turns")["turns"]:
            yield bot, turn


def _card_on_card(turn: Document) -> Document | None:
    """The answer that lays one card on another, if there is one and the bot keeps some cards."""
    if turn["kind"] != "play" or not turn["pile"] or len(turn["held"]) < 3:
        return None
    plays: list[Document] = [one for one in turn["legal"] if len(one.get("cards", ())) == 1]
    return plays[0] if plays else None


def _watched(bot: Caller, path: str, answer: Document) -> Way:
    """What is called while an answer is given, in whichever greenlet."""
    codes: set[CodeType] = set()

    def note(frame: FrameType, event: str, _: object) -> None:
        if event == "call":
            codes.add(frame.f_code)

    sys.setprofile(note)
    try:
        bot.ask("POST", path, answer)
    finally:
        sys.setprofile(None)
    ours = [code for code in codes if Path(code.co_filename).is_relative_to(ARENA)]
    return frozenset(
        (Path(code.co_filename).relative_to(ARENA).as_posix(), code.co_qualname)
        for code in ours
        if code.co_name not in INNER
    )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder:
        way = sorted(way_of_an_answer(Path(folder) / "arena.db"))
    for file, function in way:
        print(file, function)
