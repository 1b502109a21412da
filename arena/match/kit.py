"""A bot of the client kit as a player of a table in this process.

It gets the turn documents that it would get over HTTP, in its words and with its cards only. What
differs: there is no clock, so the times in them are those of a bot that answers at once.
"""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from arena import wire
from arena.client.bot import Bot
from arena.client.problems import ArenaProblem
from arena.client.thinking import Thinker, overrides
from arena.client.turn import Turn
from arena.client.watch import Watch
from arena.documents import Document
from arena.errors import ArenaError, Refused, Unavailable
from arena.match.conduct import Conduct
from arena.match.documents import LocalHistory, LocalTurn, hand_id, session_document, whole_log
from arena.match.tables import SeatView, TableSetup
from arena.rules.commands import Answer


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
        self.note = ""
        self._hand = 0
        self._seen = 0
        self._sent: Mapping[str, Any] | None = None
        self._refusal = ""
        self._slowest_s, self._slowest_turn = 0.0, ""
        session = session_document(setting)
        self._options = session["options"]
        self._thinker.tell(bot.on_session, session)

    @property
    def conduct(self) -> Conduct:
        """What only the player knows: errors, the first refusal in full, the longest thought."""
        return Conduct(
            refusal=self._refusal,
            errors=self._thinker.errors,
            slowest_ms=round(1000 * self._slowest_s),
            slowest_turn=self._slowest_turn,
        )

    def answer(self, look: SeatView, refused: ArenaError | None) -> Answer | None:
        """What the bot answers to the question that waits."""
        if look.hand != self._hand:
            self._hand, self._seen = look.hand, 0
        document = LocalTurn(look, since=self._seen, hints=self.bot.wants_legal)
        turn = Turn(document, LocalHistory(look, self._options))
        if refused is not None:
            problem = _problem(refused, turn)
            self._thinker.refused(turn.id, problem)
            self._refusal = self._refusal or f"{self._sent} for turn {turn.id}: {problem}"
        began = perf_counter()
        body = self._sent = self._thought(turn)
        took_s = perf_counter() - began
        if took_s > self._slowest_s:
            self._slowest_s, self._slowest_turn = took_s, turn.id
        if body is None:
            return None
        answer = wire.read_answer(look.setting.rules, look.state, look.seat, body)
        self.note = str(wire.read_remarks(body).get("note", ""))
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
            self._thinker.tell(self.bot.on_hand_end, hand_id(look), whole_log(look))


def _problem(error: ArenaError, turn: Mapping[str, Any]) -> ArenaProblem:
    """The problem document that the arena would have answered."""
    document: Document = {"code": "bad_request", "detail": str(error), "turn": turn["turn"]}
    if isinstance(error, Refused):
        more = {"reason": str(error.reason), "rule": error.rule, "cards": list(error.cards)}
        document |= {"code": "refused", **more}
    if turn.get("legal"):
        document["example"] = turn["legal"][0]
    return ArenaProblem(422, document)
