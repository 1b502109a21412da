"""The stand-in of a referee: one bot, one turn at a time, and nothing that is answered has effects.

Registration, entries, sessions and all that is only read are the referee's own. What a turn is
asked and answered with is in this module, in the same words and with the same errors. It may not
start processes or open sockets.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NoReturn

from arena import wire
from arena.application import Referee
from arena.asking.turns import BadAnswer, GivenTurn, TurnReply, why
from arena.clock import instant
from arena.documents import Document
from arena.errors import ArenaError, BadInput, Conflict, Forbidden, Gone, NotFound, Refused
from arena.referee.bell import Waiter
from arena.referee.long_poll import PLAIN_POLL_MS, check_running, patience_ms
from arena.rules.commands import Answer
from arena.session.config import TimeControl, read_config, settled
from arena.session.names import hand_id, table_id, turn_id
from arena.settings import Settings
from arena.statuses import OVER, RegistrationMode, SessionStatus
from arena.store.memory import open_memory

SETTINGS = Settings(database="memory:", registration=RegistrationMode.CLOSED.value)
OTHER = "other-{number}"
LOOK_S = 0.1
NOTHING_DEALT = "no hand of this session is dealt"
"""For a document that announces a source of public chance."""


@dataclass(slots=True)
class OpenTurn:
    """A turn that is being asked, or was. number: of all, from 1; reply: None while it is open."""

    given: GivenTurn
    id: str
    hand: str
    number: int
    heading: Document
    offered_s: float
    seen_s: float | None = None
    refused: list[BadAnswer] = field(default_factory=list)
    reply: TurnReply | None = None
    events: list[Document] = field(default_factory=list)


class AskingReferee(Referee):
    """A referee whose only bot is asked the turns that `ask` is given.

    document: of the session, its ruleset, clock and `legal` first of all. The clock counts anew for
    each turn: its move time, bank and grace. name: of the bot. seconds: the time, for deadlines.
    finished: is the session over? told: has the bot read that?
    Raises `BadInput` for a document that does not work.
    """

    def __init__(
        self,
        document: Mapping[str, Any],
        *,
        name: str,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(open_memory(), settings=SETTINGS)
        self.start(threads=False)
        self.config = read_config(settled(dict(document)))
        self._seconds = seconds
        self._changed = threading.Condition()
        self._turns: dict[str, OpenTurn] = {}
        self._open: OpenTurn | None = None
        self._ended: dict[str, GivenTurn] = {}
        self._number = 0
        self.polled = False
        self.finished = False
        self.told = threading.Event()
        organiser = self.registry.identify(self.registry.create_admin("organiser"))
        assert organiser is not None, "it has just been made"
        self._organiser = organiser.id
        self.session = str(self.create_session(document, self._organiser)["session"])
        self.set_session(self.session, "open", self._organiser)
        bot, self.token = self.register(name)
        self.bot, self.name = str(bot["id"]), name
        others = [OTHER.format(number=n) for n in range(1, self.config.seats)]
        self._others = [(str(self.register(other)[0]["id"]), other) for other in others]
        for entrant in (self.bot, *(other for other, _ in self._others)):
            self.enter(self.session, entrant)

    @property
    def clock(self) -> TimeControl:
        """The clock of the session."""
        return self.config.clock

    @property
    def limit_s(self) -> float:
        """How long one turn may take."""
        return (self.clock.move_ms + self.clock.bank_ms + self.clock.grace_ms) / 1000

    # What the caller does

    def ask(self, given: GivenTurn, check: Callable[[], None] = lambda: None) -> TurnReply:
        """Ask a turn and wait for the reply, or for the deadline, which begins to count when the
        bot has polled for the first time. check: is called again and again meanwhile; what it
        raises closes the turn."""
        self.offer(given)
        while (reply := self.reply_within(LOOK_S)) is None:
            try:
                check()
            except BaseException:
                self.take_back()
                raise
        return reply

    def offer(self, given: GivenTurn) -> None:
        """Open a turn. Raises `Conflict` while another one is open."""
        with self._changed:
            if self._open is not None and self._open.reply is None:
                raise Conflict(self._open.id, "another turn is being asked")
            self._number += 1
            self._open = turn = self._opened(given, self._number)
            self._turns[turn.id] = turn
        self.bell.ring(f"bot:{self.bot}")

    def reply_within(self, seconds: float) -> TurnReply | None:
        """The reply to the last turn, if it is there or comes within this time."""
        with self._changed:
            turn = self._open
            assert turn is not None, "a turn was offered"
            if turn.reply is None:
                self._changed.wait(seconds)
            self._expire(turn)
            return turn.reply

    def take_back(self) -> None:
        """Close the turn that is open, if there is one: no answer is taken any more."""
        with self._changed:
            if self._open is not None and self._open.reply is None:
                self._settle(self._open, None, None, trouble="the turn was withdrawn")

    def end_hand(self, given: GivenTurn) -> None:
        """A hand is over: from now on the bot may read all of it. given: with its last events."""
        hand = hand_id(table_id(self.session, 1, 1), given.hand or self._number)
        with self._changed:
            self._ended[hand] = given

    def finish(self) -> None:
        """End the session: no poll waits any more, and the bot is told so by its next request."""
        with self._changed:
            self.finished = True
        view = self.queries.session(self.session, staff=True)
        if view["status"] not in OVER:
            self.set_session(self.session, "cancel", self._organiser)
        self.bell.release(f"bot:{self.bot}")

    def _opened(self, given: GivenTurn, number: int) -> OpenTurn:
        table = table_id(self.session, 1, 1)
        hand = hand_id(table, given.hand or number)
        turn = turn_id(hand, given.state.seq or number, given.seat)
        heading = {
            "turn": turn,
            "session": self.session,
            "table": table,
            "hand": hand,
            "hand_number": given.hand or number,
            "hands": max(number, self.config.hands_per_table),
            "seat": given.seat,
        }
        heading |= given.more
        mine = OpenTurn(
            given, str(heading["turn"]), str(heading["hand"]), number, heading, self._seconds()
        )
        if mine.id in self._turns:  # asked again: another turn for the bot
            mine.id = heading["turn"] = turn_id(mine.hand, number, given.seat)
        return mine

    # What the bot does

    def turns(
        self,
        bot: str,
        after: int | None = None,
        limit: int = 32,
        *,
        wait_ms: int = 0,
        hints: bool = True,
        client: str = "",
    ) -> Document:
        """As the referee's: the turn that is open, or the next one."""
        self._came(bot)
        waiter = self.bell.listen(f"bot:{bot}", ("from", after), who=bot)
        try:
            turn = self._awaited(waiter, bot, after, wait_ms=wait_ms)
        finally:
            self.bell.leave(waiter)
        if turn is None:
            return {"turns": [], "poll_after_ms": self._poll_after_ms(wait_ms), "cursor": after}
        return {
            "turns": [self._document(turn, hints=hints and self.config.legal)],
            "poll_after_ms": 0,
            "cursor": turn.number,
        }

    def _came(self, bot: str) -> None:
        """With the bot's first poll its session begins."""
        with self._changed:
            if self.polled or self.finished or bot != self.bot:
                return
            self.polled = True
            if self._open is not None:
                self._open.offered_s = self._seconds()
            value = None if self.config.public_chance is None else NOTHING_DEALT
            self.set_session(self.session, "start", self._organiser, public_chance=value)

    def _awaited(
        self, waiter: Waiter, bot: str, after: int | None, *, wait_ms: int
    ) -> OpenTurn | None:
        until_s = time.monotonic() + patience_ms(self._context.settings, wait_ms) / 1000
        while True:
            check_running(waiter)
            left_s = until_s - time.monotonic()
            turn = self._ready(bot, after)
            if turn is not None or left_s <= 0 or waiter.released or self.finished:
                return turn
            waiter.wait(max(1, round(left_s * 1000)))

    def _ready(self, bot: str, after: int | None) -> OpenTurn | None:
        with self._changed:
            turn = self._open
            if turn is None or bot != self.bot:
                return None
            self._expire(turn)
            fresh = after is None or turn.number > after
            return turn if fresh and turn.reply is None else None

    def _poll_after_ms(self, wait_ms: int) -> int:
        status = self.queries.session(self.session)["status"]
        if status != SessionStatus.RUNNING:
            return self._context.settings.poll_after_ms
        return PLAIN_POLL_MS if wait_ms <= 0 else 0

    def _document(self, turn: OpenTurn, *, hints: bool) -> Document:
        now_s = self._seconds()
        with self._changed:
            if turn.seen_s is None:
                turn.seen_s = now_s
        given, clock = turn.given, self.clock
        fields = given.fields(self._players(given), hints=hints)
        left_ms = max(0, round((turn.offered_s - now_s) * 1000) + clock.move_ms + clock.bank_ms)
        wall_ms = self._context.clock.wall_ms()
        return {
            **fields,
            **turn.heading,
            "server_time": instant(wall_ms),
            "deadline": instant(wall_ms + left_ms),
            "remaining_ms": max(0, left_ms - clock.bank_ms),
            "bank_ms": min(clock.bank_ms, left_ms),
        }

    def _players(self, given: GivenTurn) -> list[tuple[str, str]]:
        """Id and name of everybody, by seat."""
        seated = list(self._others)
        seated.insert(given.seat, (self.bot, self.name))
        if not given.players:
            return seated
        return [(bot, name) for (bot, _), name in zip(seated, given.players, strict=True)]

    def answer(self, bot: str, turn: str, body: Mapping[str, Any]) -> Document:
        """As the referee's."""
        with self._changed:
            open_turn = self._found(bot, turn)
            self._expire(open_turn)
            if open_turn.reply is not None:
                return self._answered_before(open_turn, open_turn.reply, body)
            try:
                if "choice" in body and not self.config.legal:
                    expected = "cards: this session gives no legal answers"
                    raise BadInput("choice", body["choice"], expected)
                answer, events = open_turn.given.decided(body)
            except (Refused, BadInput) as error:
                self._refuse(open_turn, body, error)
            self._settle(open_turn, answer, body)
            open_turn.events = open_turn.given.told(events)
            return {"accepted": True, "replayed": False, "events": open_turn.events}

    def _found(self, bot: str, turn: str) -> OpenTurn:
        found = self._turns.get(turn)
        if found is None:
            raise NotFound(turn, f"there is no turn {turn[:80]!r}")
        if bot != self.bot:
            raise Forbidden(turn, "this turn is another bot's")
        return found

    def _answered_before(
        self, turn: OpenTurn, reply: TurnReply, body: Mapping[str, Any]
    ) -> Document:
        if reply.answer is None:
            raise Gone(turn.id, f"too late: {reply.trouble}")
        try:
            same = wire.read_answer(turn.given.rules, turn.given.state, turn.given.seat, body)
        except ArenaError:
            same = None
        if same != reply.answer:
            accepted = wire.write_command(reply.answer)
            raise Conflict(turn.id, f"this turn was answered otherwise; accepted was {accepted}")
        return {"accepted": True, "replayed": True, "events": turn.events}

    def _refuse(
        self, turn: OpenTurn, body: Mapping[str, Any], error: Refused | BadInput
    ) -> NoReturn:
        """Count a refused answer, and refuse it."""
        notice = self._count(turn, BadAnswer(dict(body), why(error)))
        if isinstance(error, BadInput):
            raise BadInput(error.thing, error.value, error.expected + notice) from error
        detail = error.detail + notice
        raise Refused(error.reason, detail, rule=error.rule, cards=error.cards) from error

    def _count(self, turn: OpenTurn, bad: BadAnswer) -> str:
        """Count a refused answer; with the budget spent, the turn is over: what to tell, if so."""
        turn.refused.append(bad)
        budget = self.clock.illegal_budget
        if len(turn.refused) < budget:
            return ""
        self._settle(turn, None, None, trouble=f"the budget of {budget} refused answers is spent")
        return f"; the budget of {budget} refused answers is spent, so the referee has answered"

    def _expire(self, turn: OpenTurn) -> None:
        """Close a turn whose time is over."""
        if turn.reply is None and self.polled and self._seconds() - turn.offered_s > self.limit_s:
            self._settle(turn, None, None, trouble=f"no answer within {self.limit_s:g} s")

    def _settle(
        self,
        turn: OpenTurn,
        answer: Answer | None,
        body: Mapping[str, Any] | None,
        *,
        trouble: str = "",
    ) -> None:
        """The turn is over."""
        ms = None
        if answer is not None:
            seen_s = turn.offered_s if turn.seen_s is None else turn.seen_s
            ms = (self._seconds() - seen_s) * 1000
        sent = None if body is None else dict(body)
        turn.reply = TurnReply(turn.given, answer, sent, tuple(turn.refused), ms, trouble)
        self._changed.notify_all()

    def answer_many(self, bot: str, answers: Sequence[Mapping[str, Any]]) -> list[Document]:
        """As the referee's."""
        return [self._one_of_many(bot, body) for body in answers]

    def _one_of_many(self, bot: str, body: Mapping[str, Any]) -> Document:
        turn = str(body.get("turn"))
        rest = {member: value for member, value in body.items() if member != "turn"}
        try:
            return {"turn": turn, "status": 200, **self.answer(bot, turn, rest)}
        except ArenaError as error:
            return {"turn": turn, "error": error}

    def malformed(self, bot: str, turns: Sequence[str] | None) -> str:
        """As the referee's."""
        with self._changed:
            turn = self._open
            mine = bot == self.bot and turn is not None and turn.seen_s is not None
            if turn is None or not mine or turn.reply is not None:
                return ""
            return self._count(turn, BadAnswer(None, "it could not be read as an answer"))

    def is_open(self, bot: str, turn: str) -> bool:
        """As the referee's."""
        with self._changed:
            found = self._turns.get(turn)
            return found is not None and bot == self.bot and found.reply is None

    def example(self, bot: str, turn: str) -> Document | None:
        """As the referee's."""
        if not self.config.legal or not self.is_open(bot, turn):
            return None
        given = self._turns[turn].given
        entries = wire.legal_entries(given.rules, given.state, given.seat)
        return entries[0] if entries else None

    def hand_events(
        self,
        hand: str,
        viewer: str | None = None,
        after: int = 0,
        *,
        wait_ms: int = 0,
        staff: bool = False,
    ) -> Document:
        """The log of a hand of which turns were asked, as far as it is known; never waits."""
        with self._changed:
            latest = [turn for turn in self._turns.values() if turn.hand == hand]
            if not latest and hand not in self._ended:
                raise NotFound(hand, f"there is no hand {hand[:80]!r}")
            if viewer != self.bot:
                raise Forbidden(hand, "what happens in this hand is withheld for now")
            if hand in self._ended:
                ended = self._ended[hand]
                events, over = ended.told(ended.events), True
            else:
                turn = latest[-1]
                events = turn.given.told(turn.given.events) + turn.events
                goes_on = turn is self._open and turn.given.hand is not None
                over = turn.reply is not None and not goes_on
        shown = events[max(0, after) :]
        end = max(0, after) + len(shown)
        return {"hand": hand, "after": after, "events": shown, "next": end, "over": over}
