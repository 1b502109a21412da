"""What came over the wire while a bot was tried: its requests, the answers, and what they mean."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

from arena.documents import Document
from arena.loopback.messages import Request, Response

API = "/api/v1"
TURNS = f"{API}/turns"


@dataclass(eq=False, slots=True)
class Exchange:
    """A request of the bot and what it was answered.

    answered: what the referee said; sent: what the bot was sent, which a trouble may have changed.
    phase: in which it came. note: what was done to it, if anything. ready_s, sent_s: when the
    answer was about to leave and when it had left, by the monotonic clock.
    """

    number: int
    phase: str
    request: Request
    answered: Response | None = None
    sent: Response | None = None
    note: str = ""
    ready_s: float | None = None
    sent_s: float | None = None

    @property
    def status(self) -> int:
        """The status that the bot was sent; 0 if it was sent nothing."""
        return 0 if self.sent is None or self.sent.delivery.lost else self.sent.status


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What a bot answered to a turn, alone or among others.

    status: what became of it; reply: the problem, or what the referee said. at_s: when it came.
    """

    turn: str
    body: Mapping[str, Any]
    status: int
    reply: Document
    exchange: Exchange
    at_s: float

    @property
    def accepted(self) -> bool:
        """Is it the answer of this turn, by now or before?"""
        return self.status == 200

    @property
    def replayed(self) -> bool:
        """Had it been accepted before?"""
        return bool(self.reply.get("replayed"))


@dataclass(frozen=True, slots=True)
class Offer:
    """A turn as it was first sent to the bot. exchange: the one that brought it."""

    turn: Document
    exchange: Exchange


@dataclass
class WireObserver:
    """Keeps what happened, in order. All methods may be called from any thread.

    phase: the name of the current one. changed: is notified of each exchange.
    """

    phase: str = ""
    exchanges: list[Exchange] = field(default_factory=list)
    answers: list[GivenAnswer] = field(default_factory=list)
    offers: dict[str, Offer] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def begin(self, request: Request) -> Exchange:
        """Note a request."""
        with self.changed:
            exchange = Exchange(len(self.exchanges), self.phase, request)
            self.exchanges.append(exchange)
            self.changed.notify_all()
        return exchange

    def answer(self, exchange: Exchange, answered: Response) -> None:
        """Note what the referee answered."""
        read = list(read_answers(exchange, answered))
        turns = read_turns(exchange.request, answered)
        with self.changed:
            exchange.answered = answered
            self.answers += read
            for turn in turns:
                self.offers.setdefault(turn["turn"], Offer(turn, exchange))
            self.changed.notify_all()

    def left(self, exchange: Exchange) -> None:
        """Note that the answer has left."""
        with self.changed:
            exchange.sent_s = time.monotonic()
            self.changed.notify_all()

    def since(self, number: int) -> list[Exchange]:
        """The exchanges from this number on."""
        with self.changed:
            return self.exchanges[number:]

    def accepted(self, since: int = 0) -> int:
        """How many turns were answered for the first time, since the exchange of this number."""
        with self.changed:
            return len(
                {
                    answer.turn
                    for answer in self.answers
                    if answer.accepted and answer.exchange.number >= since
                }
            )


def document(body: bytes) -> Document:
    """The JSON object of a body; an empty one if it is none."""
    try:
        value = json.loads(body)
    except ValueError:
        return {}
    return value if isinstance(value, dict) else {}


def turn_of(request: Request) -> str | None:
    """The turn that a request answers by its path."""
    if request.method != "POST" or not request.path.startswith(f"{TURNS}/"):
        return None
    return unquote(request.path.removeprefix(f"{TURNS}/"))


def is_poll(request: Request) -> bool:
    """Does it ask for turns, alone or behind answers?"""
    if request.path == TURNS and request.method in ("GET", "POST"):
        return True
    return turn_of(request) is not None and "wait" in request.query


def is_answer(request: Request) -> bool:
    """Does it answer turns?"""
    return request.method == "POST" and (request.path == TURNS or turn_of(request) is not None)


def read_answers(exchange: Exchange, answered: Response) -> Iterator[GivenAnswer]:
    """The answers to turns that a request holds, with what became of each."""
    request = exchange.request
    if not is_answer(request):
        return
    body, reply = document(request.body), document(answered.body)
    at_s, turn = request.at_s, turn_of(request)
    if turn is not None:
        yield GivenAnswer(turn, body, answered.status, reply, exchange, at_s)
        return
    results = reply.get("results")
    given = body.get("answers")
    given = [each for each in given if isinstance(each, dict)] if isinstance(given, list) else []
    if answered.status != 200 or not isinstance(results, list):
        for each in given or [{}]:
            rest = {name: value for name, value in each.items() if name != "turn"}
            yield GivenAnswer(str(each.get("turn")), rest, answered.status, reply, exchange, at_s)
        return
    for each, result in zip(given, results, strict=False):
        rest = {name: value for name, value in each.items() if name != "turn"}
        reply = result.get("problem", result)
        yield GivenAnswer(str(each.get("turn")), rest, result["status"], reply, exchange, at_s)


def read_turns(request: Request, answered: Response) -> Sequence[Document]:
    """The turns that came with an answer."""
    if answered.status != 200 or not (request.path == TURNS or turn_of(request)):
        return ()
    reply = document(answered.body)
    listed = reply.get("turns", reply.get("next"))
    return [turn for turn in listed if isinstance(turn, dict)] if isinstance(listed, list) else ()
