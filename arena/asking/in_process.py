"""A Python class of the client kit, asked in this process: without HTTP, deadline and registration.

It gets the documents that it would get over HTTP. Each answer is tried once: what is refused is its
reply.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from arena.asking.turns import BadAnswer, GivenTurn, TurnReply, why
from arena.client.history import Histories
from arena.client.turn import Turn
from arena.documents import Document
from arena.errors import BadInput, Refused
from arena.match.documents import NO_TIME
from arena.match.local import make_bot
from arena.session.config import SessionConfig, read_config, settled
from arena.statuses import SessionStatus

NAME = "asked"


class ClassBot:
    """A bot of the kit: `MODULE:CLASS`, with flags behind it if it takes any.

    document: of the session. Raises `BadInput` for what is no bot, or a document that does not
    work.
    """

    def __init__(self, source: str, document: Mapping[str, Any]) -> None:
        self._config = read_config(settled({"name": NAME, **document}))
        self._bot = make_bot(source)
        self._number = 0
        self._session = _session_document(self._config)
        self._bot.on_session(self._session)

    def ask(self, turn: GivenTurn) -> TurnReply:
        """Ask a turn. An error of the bot's code is told in the reply."""
        self._number += 1
        asked = self._turn(turn)
        began_s = time.perf_counter()
        try:
            if asked.events:
                self._bot.on_events(asked.events, asked)
            body = self._bot.answer(asked)
        except Exception as error:  # the code is a stranger's, it may raise whatever it likes
            return TurnReply(turn, None, None, trouble=f"{type(error).__name__}: {error}")
        ms = (time.perf_counter() - began_s) * 1000
        if body is None:
            return TurnReply(turn, None, None, trouble="it left the turn to the clock")
        try:
            if not isinstance(body, Mapping):
                raise BadInput("answer", body, "an object")
            answer, _ = turn.decided(body)
        except (Refused, BadInput) as error:
            sent = dict(body) if isinstance(body, Mapping) else None
            return TurnReply(turn, None, None, (BadAnswer(sent, why(error)),), trouble=why(error))
        return TurnReply(turn, answer, dict(body), ms=ms)

    def _turn(self, given: GivenTurn) -> Turn:
        """The turn as the bot sees it."""
        number = given.hand or self._number
        names = given.players or [NAME if s == given.seat else f"other-{s}" for s in self._seats]
        hand = f"{NAME}-h{number:03}"
        clock = self._config.clock
        hints = self._config.legal and self._bot.wants_legal
        document = {
            **given.fields(list(zip(names, names, strict=True)), hints=hints),
            "turn": f"{hand}.{given.state.seq or self._number}.{given.seat}",
            "session": NAME,
            "table": NAME,
            "hand": hand,
            "hand_number": number,
            "hands": max(number, self._config.hands_per_table),
            "seat": given.seat,
            "server_time": NO_TIME,
            "deadline": NO_TIME,
            "remaining_ms": clock.move_ms,
            "bank_ms": clock.bank_ms,
            **given.more,
        }
        events = given.told(given.events)
        return Turn(document, Histories(lambda hand: events, lambda session: self._session))

    @property
    def _seats(self) -> range:
        return range(self._config.seats)


def _session_document(config: SessionConfig) -> Document:
    """What a bot may know of the session."""
    options = dict(config.rules.document)
    return {
        "session": NAME,
        "id": NAME,
        "name": config.name,
        "status": SessionStatus.RUNNING,
        "seats": config.seats,
        "hands_per_table": config.hands_per_table,
        "ruleset": {"options": options},
        "options": options,
        "fingerprint": config.rules.fingerprint,
        "clock": {"move_ms": config.clock.move_ms, "bank_ms": config.clock.bank_ms},
        "legal": config.legal,
    }
