"""Troubles: what a bot may meet on its way, one for each phase.

A trouble sees each exchange, and each answer to a turn, and may change what becomes of it. What it
says in place of the referee has the referee's own form: errors are raised and written by the app,
or made by the same functions.
"""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from arena.doctor.evidence import TURNS, Exchange, WireObserver, document, is_answer, is_poll
from arena.documents import Document
from arena.errors import Conflict, Gone, Reason, Refused
from arena.loopback.host import Answering
from arena.loopback.messages import AT_ONCE, Delivery, Responder, Response
from arena.web.api.problems import MEDIA, Code, retry

RETRY_AFTER_S = 1
LATENCY_S = 0.12
SHORT_LIST = 3
"""Entries of `legal` that are left where it is cut."""
UNKNOWN: Mapping[str, Any] = {"x_new": {"since": "v1.9", "list": [1, None, "二"]}}
LOST = Delivery(lost=True)


class Trouble:
    """None at all: the base of the others. A new one is made for each phase.

    came: the number of the exchange from which on it counts, None until it has come.
    """

    came: int | None = None

    def exchange(self, exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
        """What the bot is sent for a request."""
        self.note(exchange)
        return heard(exchange, forward, observer)

    def answer(
        self,
        bot: str,
        turn: str,
        body: Mapping[str, Any],
        answer: Answering,
        observer: WireObserver,
    ) -> Document:
        """The reply to an answer; raises ArenaError."""
        return answer(bot, turn, body)

    def note(self, exchange: Exchange) -> None:
        """It has come, with this exchange, if it had not before."""
        if self.came is None:
            self.came = exchange.number


def heard(exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
    """What the referee answers, noted."""
    response = forward(exchange.request)
    observer.answer(exchange, response)
    return response


class Way(Trouble):
    """Every answer travels in a certain way."""

    def __init__(self, *deliveries: Delivery) -> None:
        self._deliveries = deliveries

    def exchange(self, exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
        self.note(exchange)
        way = self._deliveries[exchange.number % len(self._deliveries)]
        return replace(heard(exchange, forward, observer), delivery=way)


class LostAnswer(Trouble):
    """An answer is accepted, and the connection ends before the bot hears of it."""

    def exchange(self, exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
        response = heard(exchange, forward, observer)
        accepted = any(a.exchange is exchange and a.accepted for a in tuple(observer.answers))
        if self.came is not None or not accepted:
            return response
        self.note(exchange)
        exchange.note = "accepted; the connection was closed before the bot heard of it"
        return replace(response, delivery=LOST)


class Busy(Trouble):
    """A request for turns is refused with 429 or 503, and a Retry-After."""

    def __init__(self, code: Code, detail: str) -> None:
        self._code, self._detail = code, detail

    def exchange(self, exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
        if self.came is not None or not exchange.request.path.startswith(TURNS):
            return heard(exchange, forward, observer)
        self.note(exchange)
        problem = retry(self._code, self._detail, RETRY_AFTER_S)
        exchange.note = f"refused with {problem.status} by the doctor"
        body = json.dumps(problem.document(f"doctor-{exchange.number}")).encode()
        headers = (("Content-Type", MEDIA), *problem.headers.items())
        return Response(problem.status, headers, body)


class OnAnswer(Trouble, ABC):
    """One answer is not taken as it was sent."""

    remark = ""

    def exchange(self, exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
        before = self.came
        if before is None and is_answer(exchange.request):
            self._current = exchange
        response = heard(exchange, forward, observer)
        if before is None and self.came == exchange.number:
            exchange.note = self.remark
        return response

    def answer(
        self,
        bot: str,
        turn: str,
        body: Mapping[str, Any],
        answer: Answering,
        observer: WireObserver,
    ) -> Document:
        if self.came is not None:
            return answer(bot, turn, body)
        return self.spoil(bot, turn, body, answer, observer)

    @abstractmethod
    def spoil(
        self,
        bot: str,
        turn: str,
        body: Mapping[str, Any],
        answer: Answering,
        observer: WireObserver,
    ) -> Document:
        """Take the answer in another way."""

    def happened(self) -> None:
        """It has come with the exchange that is being answered."""
        self.note(self._current)


class AnsweredOtherwise(OnAnswer):
    """409: somebody with the same token has answered before, and otherwise."""

    remark = "answered otherwise by the doctor, with the bot's token, just before"

    def spoil(
        self,
        bot: str,
        turn: str,
        body: Mapping[str, Any],
        answer: Answering,
        observer: WireObserver,
    ) -> Document:
        for other in other_answers(turn, body, observer):
            answer(bot, turn, other)
            try:
                return answer(bot, turn, body)  # it meant the same after all
            except Conflict:
                self.happened()
                raise
        return answer(bot, turn, body)


class TooLate(OnAnswer):
    """410: the answer comes after the deadline."""

    remark = "answered with 410 by the doctor, as if it had come too late"

    def spoil(
        self,
        bot: str,
        turn: str,
        body: Mapping[str, Any],
        answer: Answering,
        observer: WireObserver,
    ) -> Document:
        for other in other_answers(turn, body, observer):
            answer(bot, turn, other)
            self.happened()
            raise Gone(turn, "too late (timeout): the referee has answered this turn")
        return answer(bot, turn, body)


class RefusedOnce(OnAnswer):
    """422: the rules do not allow it; the turn stays open."""

    remark = "refused with 422 by the doctor; the turn stays open"

    def spoil(
        self,
        bot: str,
        turn: str,
        body: Mapping[str, Any],
        answer: Answering,
        observer: WireObserver,
    ) -> Document:
        offer = observer.offers.get(turn)
        if offer is None or offer.turn.get("kind") != "play":
            return answer(bot, turn, body)
        self.happened()
        raise Refused(Reason.TOO_LOW, "this answer is refused once, to see what the bot does next")


def other_answers(turn: str, body: Mapping[str, Any], observer: WireObserver) -> list[Document]:
    """Legal answers to a turn that differ from one, a pass first; none if the turn lists none."""
    offer = observer.offers.get(turn)
    legal = offer.turn.get("legal", []) if offer else []
    choice = body.get("choice")
    meant = legal[choice] if isinstance(choice, int) and 0 <= choice < len(legal) else dict(body)
    return [entry for entry in legal if entry != meant and entry.get("cards") != meant.get("cards")]


class ChangedDocuments(Trouble):
    """Documents say more, or less, than usual."""

    def __init__(self, change: Callable[[Document], bool]) -> None:
        self._change = change

    def exchange(self, exchange: Exchange, forward: Responder, observer: WireObserver) -> Response:
        response = heard(exchange, forward, observer)
        reply = document(response.body) if response.stream is None else {}
        if not reply or response.header("Content-Encoding"):
            return response
        if self._change(reply) and is_poll(exchange.request):
            self.note(exchange)
        return replace(response, body=json.dumps(reply).encode(), delivery=AT_ONCE)


def add_unknown(reply: Document) -> bool:
    """Add members that no version of the protocol has."""
    turns = _turns(reply)
    for turn in turns:
        for part in (turn.get("pile"), turn.get("must"), turn.get("lock"), turn.get("previous")):
            if isinstance(part, dict):
                part.update(UNKNOWN)
        for each in (*turn.get("players", ()), *turn.get("events", ())):
            each.update(UNKNOWN)
        turn.update(UNKNOWN)
    reply.update(UNKNOWN)
    return bool(turns)


def cut_legal(reply: Document) -> bool:
    """Leave out all but a few legal answers, and say so."""
    long = [turn for turn in _turns(reply) if len(turn.get("legal", ())) > SHORT_LIST]
    for turn in long:
        turn["legal"] = turn["legal"][:SHORT_LIST]
        turn["legal_more"] = True
    return bool(long)


def _turns(reply: Document) -> list[Document]:
    listed = reply.get("turns", reply.get("next"))
    return listed if isinstance(listed, list) else []
