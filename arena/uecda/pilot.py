"""A client as a bot of a running arena: its turns become messages, its submissions answers.

All that it knows comes over HTTP, as for any bot: turn documents, and the log of a hand as its seat
may see it. What its rules refuse is never sent, so that a submission against the rules is a pass
and no fault. One thread for each client; the seat is used while the connections' lock is held.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from arena.client.forms import with_note
from arena.client.http import Client
from arena.client.problems import ArenaProblem
from arena.documents import Document
from arena.errors import Reason, Refused
from arena.rules import EMPTY, Ruleset, evolve
from arena.rules.admit import admit
from arena.rules.cards import CODES, claim, codes
from arena.rules.commands import Answer, Give, Play
from arena.rules.events import Ended, Event, Gave, Played
from arena.statuses import OVER
from arena.uecda.cells import JOKER_MASK, Cells
from arena.uecda.codec import PLAYERS
from arena.uecda.seat import ClientSeat, SeatAnswer
from arena.uecda.sockets import ClientSockets
from arena.wire.events import read_event

LOG = logging.getLogger("arena.uecda")
WAIT_S, SHORT_WAIT_S = 20.0, 1.0
"""How long a poll may wait; and before the first hand, or in the last one of a table, whose end no
turn announces."""
MOST_JOKERS: Final = 16
MARGIN_S: Final = 0.5
"""So long before a deadline the answer is sent at the latest, or a fifth of what is left."""
TOO_LATE: Final = (404, 409, 410)
REFUSED: Final = (400, 422)


def numbers_of(
    bots: Sequence[str], seat: int, number: int, mates: Mapping[str, int]
) -> tuple[int, ...]:
    """The players' numbers on the wire, by seat.

    seat, number: the client's own, which it was sent. mates: the numbers of clients that came to
    the same table; whoever is none of them gets what is free, in the order of ids.
    """
    numbers = {bots[seat]: number}
    for bot in bots:
        if mates.get(bot, number) not in numbers.values():
            numbers[bot] = mates[bot]
    free = iter(sorted({*range(PLAYERS)} - {*numbers.values()}))
    for bot in sorted(bots):
        if bot not in numbers:
            numbers[bot] = next(free)
    return tuple(numbers[bot] for bot in bots)


def body_of(reply: SeatAnswer) -> dict[str, Any]:
    """An answer as the arena takes it, with what was wrong with the client's as its note."""
    answer = reply.answer
    body: dict[str, Any] = {"pass": True}
    if isinstance(answer, Play | Give):
        body = {"cards": list(codes(answer.cards))}
    if isinstance(answer, Play) and answer.roles:
        body["as"] = [CODES[card] for card in answer.roles]
    return with_note(body, reply.trouble) if reply.trouble else body


@dataclass
class Mates:
    """What the clients of one table on the wire share. numbers: by bot; lone_jokers: by hand, the
    cells of a joker that one of them has played alone, which are its own choice."""

    numbers: dict[str, int] = field(default_factory=dict)
    lone_jokers: dict[str, Cells] = field(default_factory=dict)

    def note_joker(self, hand: str, cells: Cells) -> None:
        """A client has played the joker of a hand alone."""
        self.lone_jokers[hand] = cells
        if len(self.lone_jokers) > MOST_JOKERS:  # nobody is so many hands behind
            del self.lone_jokers[next(iter(self.lone_jokers))]


class SeatRules:
    """The rules as far as one seat can apply them: to its own cards, on what lies on the table."""

    def __init__(self, rules: Ruleset) -> None:
        self._rules = rules
        self._state = EMPTY

    @property
    def known(self) -> int:
        """How many events of the hand are known."""
        return self._state.seq

    def add(self, event: Event) -> None:
        """An event, as the seat may see it."""
        before = self._state
        if isinstance(event, Gave):  # it moves what the giver holds, which others do not know
            held = [*before.held]
            held[event.seat] |= event.cards
            before = before.changed(held=tuple(held))
        self._state = evolve(before, (event,))

    def check(self, answer: Answer) -> None:
        """Raises Refused for an answer that the arena would refuse."""
        if isinstance(answer, Play):
            admit(self._rules, self._state, answer)
        elif isinstance(answer, Give):
            self._check_gift(answer)

    def _check_gift(self, answer: Give) -> None:
        question = self._state.question_for(answer.seat)
        if question is None or answer.cards.bit_count() != question.least:
            count = 0 if question is None else question.least
            raise Refused(Reason.TOO_MANY, f"{count} cards are to be given")
        if not claim(self._state.held[answer.seat], answer.cards):
            raise Refused(Reason.NOT_IN_HAND, "the cards are not all in the hand")


class Pilot:
    """Plays one client in one session. hands: how many it has played."""

    def __init__(
        self,
        http: Client,
        session: str,
        seat: ClientSeat,
        sockets: ClientSockets,
        *,
        rules: Ruleset,
        mates: Mates,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.hands = 0
        self._http, self._session = http, session
        self._seat, self._sockets = seat, sockets
        self._rules, self._mates = rules, mates
        self._seconds = seconds
        self._waiting: dict[str, Document] = {}
        self._hand = self._table = ""
        self._is_last_of_table = False
        self._numbers: tuple[int, ...] = ()
        self._bots: tuple[str, ...] = ()
        self._referee = SeatRules(rules)
        self._ended: Ended | None = None

    def run(self) -> None:
        """Play until the session is over. Raises ArenaProblem, ArenaUnreachable."""
        while True:
            turn = self._next()
            if turn is not None:
                self._play(turn)
            elif self._has_withdrawn():
                return
            elif self._is_over():
                self._end_hand(last=True)
                return

    def _next(self) -> Document | None:
        """The turn to answer now: of the hand that is being played, if there is one."""
        if not self._waiting:
            self._note(self._http.turns(self._wait_s, legal=False).get("turns", ()))
        own = [turn for turn in self._waiting.values() if turn["hand"] == self._hand]
        chosen = next(iter(own or self._waiting.values()), None)
        return None if chosen is None else self._waiting.pop(chosen["turn"])

    @property
    def _wait_s(self) -> float:
        """Short where something else than a turn may be the next thing to happen."""
        is_early = not self._hand and not self.hands
        return SHORT_WAIT_S if is_early or (self._hand and self._is_last_of_table) else WAIT_S

    def _has_withdrawn(self) -> bool:
        """Who leaves before the first hand is taken out of the session, so that the same client may
        come again as the same bot."""
        if self._hand or self.hands or not self._seat.is_absent:
            return False
        try:
            self._http.withdraw(self._session)
        except ArenaProblem as problem:
            if problem.status != 409:
                raise
            return False  # the session has begun meanwhile
        return True

    def _note(self, turns: Sequence[Document]) -> None:
        self._waiting |= {turn["turn"]: turn for turn in turns if turn["session"] == self._session}

    def _is_over(self) -> bool:
        """Is the session over? Asked while no turn waits; what has happened meanwhile is shown."""
        if self._hand:
            self._catch_up()
        return self._http.session(self._session).get("status") in OVER

    # Turns

    def _play(self, turn: Document) -> None:
        if turn["hand"] != self._hand:
            if self._hand and not self._catch_up(wait_s=1.0):
                self._put_back(turn)
                return
            self._end_hand(last=False)
            self._begin(turn)
        self._show(turn["events"], turn["events_from"])
        body = body_of(self._answer(turn))
        try:
            self._send(turn, body)
        except ArenaProblem as problem:
            if problem.status not in (*TOO_LATE, *REFUSED):
                raise
            if problem.status in REFUSED and not problem.turn_over:
                with self._sockets.changed:
                    reply = self._seat.refuse(str(problem))
                self._send(turn, body_of(reply))

    def _put_back(self, turn: Document) -> None:
        """A client plays hand after hand: another table has to wait, and its clock runs."""
        self._waiting[turn["turn"]] = turn
        self._note(self._http.turns(0, legal=False).get("turns", ()))

    def _send(self, turn: Document, body: Mapping[str, Any]) -> None:
        """Send an answer; its reply comes with the next turn, or when nothing came for a while."""
        document = self._http.answer(turn["turn"], body, wait=self._wait_s)
        self._note(document.get("next", ()))

    def _answer(self, turn: Document) -> SeatAnswer:
        """The client's answer, or what stands in its place."""
        left_s = (turn["remaining_ms"] + turn["bank_ms"]) / 1000
        until_s = self._seconds() + left_s - min(MARGIN_S, left_s / 5)
        with self._sockets.changed:
            while (reply := self._seat.answer()) is None:
                left_s = until_s - self._seconds()
                if left_s <= 0:
                    return self._seat.give_up()
                self._sockets.changed.wait(left_s)
            try:
                self._referee.check(reply.answer)
            except Refused as error:
                LOG.info("%s: refused: %s", turn["turn"], error)
                return self._seat.refuse(str(error))
            if isinstance(reply.answer, Play) and reply.answer.cards == JOKER_MASK:
                assert self._seat.written is not None, "it has played"
                self._mates.note_joker(self._hand, self._seat.written)
            return reply

    # Hands

    def _begin(self, turn: Document) -> None:
        """The first turn of another hand."""
        self._hand = turn["hand"]
        self._is_last_of_table = turn["hand_number"] == turn["hands"]
        self._referee = SeatRules(self._rules)
        bots = tuple(player["bot"] for player in turn["players"])
        seat = turn["seat"]
        if turn["table"] != self._table:
            self._table, self._bots = turn["table"], bots
            self._numbers = numbers_of(bots, seat, self._seat.player, self._mates.numbers)
        by_bot = dict(zip(self._bots, self._numbers, strict=True))
        with self._sockets.changed:
            self._seat.begin_hand(seat, tuple(by_bot[bot] for bot in bots))

    def _show(self, events: Sequence[Document], start: int) -> None:
        """Tell the seat what it does not know yet. start: the number of the first event."""
        if start > self._referee.known:
            self._catch_up()
        with self._sockets.changed:
            for document in events[max(0, self._referee.known - start) :]:
                self._tell(read_event(document))
        self._sockets.wake()

    def _tell(self, event: Event) -> None:
        self._referee.add(event)
        if isinstance(event, Ended):
            self.hands += 1
            if self._is_last_of_table:  # whether another table follows is not known yet
                self._ended = event
                return
        is_joker = isinstance(event, Played) and event.meld.cards == JOKER_MASK
        written = self._mates.lone_jokers.get(self._hand) if is_joker else None
        self._seat.tell(event, written=written)

    def _catch_up(self, *, wait_s: float = 0) -> bool:
        """Show what has happened in the hand since. Is it over?"""
        log = self._http.hand_events(self._hand, after=self._referee.known, wait=wait_s)
        events = log["events"]
        with self._sockets.changed:
            for document in events:
                self._tell(read_event(document))
        self._sockets.wake()
        return bool(log["over"])

    def _end_hand(self, *, last: bool) -> None:
        """Nothing follows in the hand that was played; last: nor in the session.

        Where a hand has no end, or the session one that could not be foreseen, there is no message
        that says so: the client has to go.
        """
        if self._hand:
            self._catch_up()
        with self._sockets.changed:
            if self._ended is not None:
                self._seat.tell(self._ended, last=last)
            elif last:
                self._seat.dismissed = "the session has ended"
            elif not self._seat.is_between_hands:
                self._seat.dismissed = "the hand was made void"
        self._hand, self._ended = "", None
        self._sockets.wake()
