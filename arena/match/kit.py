"""A bot of the client kit as a player of a table in this process.

It gets the turn documents that it would get over HTTP, in its words and with its cards only. What
differs: there is no clock, so the times in them are those of a bot that answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from time import perf_counter
from typing import Any

from arena import wire
from arena.client.bot import Bot
from arena.client.history import Histories
from arena.client.problems import ArenaProblem
from arena.client.thinking import Thinker, overrides
from arena.client.turn import Turn
from arena.client.watch import Watch
from arena.documents import Document
from arena.errors import ArenaError, Refused, Unavailable
from arena.match.conduct import Conduct
from arena.match.tables import SeatView, TableSetup
from arena.rules import redact
from arena.rules.commands import Answer
from arena.statuses import SessionStatus

MOVE_MS = 5_000
BANK_MS = 60_000
NO_TIME = "1970-01-01T00:00:00Z"
NO_COMMITMENT = "0" * 64


class KitPlayer:
    """One bot at one table. strict: errors of its code are raised instead of survived; watch:
    reports calls that do not return; name: what it is called in messages, its class if left out."""

    def __init__(
        self,
        bot: Bot,
        setting: TableSetup,
        *,
        strict: bool = False,
        watch: Watch | None = None,
        name: str = "",
    ) -> None:
        self.bot = bot
        self._name = name or type(bot).__qualname__
        self._thinker = Thinker(bot, strict=strict, watch=watch, name=self._name)
        self._hand = 0
        self._seen = 0
        self._sent: Mapping[str, Any] | None = None
        self._own = Conduct()
        self._session = session_document(setting)
        self._thinker.tell(bot.on_session, self._session)

    @property
    def conduct(self) -> Conduct:
        """What only the player knows: errors, the first refusal in full, the longest thought."""
        return replace(self._own, errors=self._thinker.errors)

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """What the bot answers to the question that waits."""
        if look.hand != self._hand:
            self._hand, self._seen = look.hand, 0
        document = turn_document(look, since=self._seen, hints=self.bot.wants_legal)
        histories = Histories(lambda hand: _events_for(look, 0), lambda session: self._session)
        turn = Turn(document, histories)
        if refused is not None:
            problem = _problem(refused, turn)
            self._thinker.refused(turn.id, problem)
            self._own += Conduct(refusal=f"{self._sent} for turn {turn.id}: {problem}")
        began = perf_counter()
        body = self._sent = self._thought(turn)
        slowest_ms = round(1000 * (perf_counter() - began))
        self._own += Conduct(slowest_ms=slowest_ms, slowest_turn=turn.id)
        if body is None:
            return None
        answer = wire.read_answer(look.setting.rules, look.state, look.seat, body)
        self._seen = len(look.events)
        return answer

    def _thought(self, turn: Turn) -> Mapping[str, Any] | None:
        """What the bot says, unless it leaves: over HTTP its process would be gone."""
        try:
            return self._thinker.answer(turn)
        except SystemExit as error:
            raise Unavailable(
                f"{self._name} has left (SystemExit {error}), at {turn.id}"
            ) from error

    def hand_over(self, look: SeatView) -> None:
        """Pass the bot, if it observes hands, what it may know of this one."""
        if overrides(self.bot, "on_hand_end"):
            self._thinker.tell(self.bot.on_hand_end, _hand_id(look), _events_for(look, 0))


def session_document(setting: TableSetup) -> Document:
    """What a bot knows of the session: rules, size, number of hands, a clock that never runs."""
    return {
        "session": "local",
        "id": "local",
        "name": "local",
        "status": SessionStatus.RUNNING,
        "seats": len(setting.bots),
        "hands_per_table": setting.hands,
        "ruleset": {"options": dict(setting.rules.document)},
        "options": dict(setting.rules.document),
        "fingerprint": setting.rules.fingerprint,
        "clock": {"move_ms": MOVE_MS, "bank_ms": BANK_MS},
        "legal": True,
    }


def turn_document(look: SeatView, *, since: int = 0, hints: bool = True) -> Document:
    """The turn document of the seat that is asked; since: events that it knows already."""
    setting, seat = look.setting, look.seat
    names = [setting.bots[player] for player in look.seating]
    bots = list(zip(names, names, strict=True))
    game = wire.turn_fields(setting.rules, look.state, seat, hints=hints, bots=bots)
    return {
        "turn": f"{_hand_id(look)}.{look.state.seq}.{seat}",
        "session": "local",
        "table": _table_id(setting),
        "hand": _hand_id(look),
        "hand_number": look.hand,
        "hands": setting.hands,
        "seat": seat,
        "fingerprint": setting.rules.fingerprint,
        "commitment": NO_COMMITMENT,
        "server_time": NO_TIME,
        "deadline": NO_TIME,
        "remaining_ms": MOVE_MS,
        "bank_ms": BANK_MS,
        "previous": None,
        **game,
        "events_from": since,
        "events": _events_for(look, since),
    }


def _table_id(setting: TableSetup) -> str:
    return f"{setting.block}-{setting.turned}"


def _hand_id(look: SeatView) -> str:
    return f"{_table_id(look.setting)}-h{look.hand:03}"


def _events_for(look: SeatView, since: int) -> list[Document]:
    return [wire.write_event(redact(event, look.seat)) for event in look.events[since:]]


def _problem(error: ArenaError, turn: Mapping[str, Any]) -> ArenaProblem:
    """The problem document that the arena would have answered."""
    document: Document = {"code": "bad_request", "detail": str(error), "turn": turn["turn"]}
    if isinstance(error, Refused):
        more = {"reason": str(error.reason), "rule": error.rule, "cards": list(error.cards)}
        document |= {"code": "refused", **more}
    if turn.get("legal"):
        document["example"] = turn["legal"][0]
    return ArenaProblem(422, document)
