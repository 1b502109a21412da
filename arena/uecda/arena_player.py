"""A client as a bot of an arena: turns and events come in, the seat's answers go out.

It holds what one bot knows of the hand that it plays, shows it to the client's seat, and sends what
that answers. Its requests run in two lanes, everything else in the gateway's one thread. It knows
no socket, and of those at its table only what its host shares with it.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Protocol, TypeVar

from arena.client import Client
from arena.client.forms import with_note
from arena.client.problems import ArenaProblem, KitError
from arena.client.thinking import is_worth_saying
from arena.documents import Document
from arena.rules import Ruleset
from arena.rules.events import Ended, Event, Expired
from arena.uecda.answering import answer_body, why_refused
from arena.uecda.cells import Cells
from arena.uecda.lanes import RequestLane
from arena.uecda.seat import ABSENT, ClientSeat, SeatAnswer
from arena.uecda.seat_feed import FeedEntry, NumberedEvents, SeatFeed, read_events

LOG = logging.getLogger("arena.uecda")
T = TypeVar("T")
MARGIN_S: Final = 0.5
"""So long before the deadline cards are given for a client that gives none: the arena would give
the lowest."""
REFUSED: Final = (400, 422)
LATE: Final = (404, 409, 410)
GIVE: Final = "give"


class PlayerHost(Protocol):
    """What a player asks of the gateway."""

    def share(self, player: ArenaPlayer, events: NumberedEvents) -> None:
        """The others at its table may know these events too."""

    def share_cells(self, player: ArenaPlayer, number: int, cells: Cells) -> None:
        """If the event of this number is a play, its client has written it so."""

    def hand_begins(self, player: ArenaPlayer, hand: str) -> None:
        """It is asked in a hand that it does not know yet."""

    def hand_ends(self, player: ArenaPlayer) -> None:
        """The hand has ended: `end_hand` is to be called when it is known what comes next."""

    def void_hand(self, player: ArenaPlayer) -> None:
        """The hand that it plays was voided."""

    def fail(self, player: ArenaPlayer, error: KitError) -> None:
        """The arena cannot be reached, or does not let the bot play."""

    def say(self, text: str) -> None:
        """Print a line for people."""


class PlayerTerms(NamedTuple):
    """How a player plays. wait_s: for how long the arena may hold a request; seconds: the time."""

    rules: Ruleset
    wait_s: float
    seconds: Callable[[], float]


class HandPlace(NamedTuple):
    """A hand, and where somebody sits in it. number: from 1; seating: wire numbers by seat."""

    id: str
    table: str
    number: int
    seat: int
    seating: tuple[int, ...]


class SeatedHand:
    """The hand that a player is at. is_read: has its log been read? is_begun, is_done: has the seat
    been shown its beginning, its end? ended: the end, while it is not known what comes next."""

    def __init__(self, place: HandPlace) -> None:
        self.place = place
        self.feed = SeatFeed(place.seat)
        self.is_read = self.is_reading = self.is_begun = self.is_done = False
        self.ended: Event | None = None


@dataclass
class ClientTurn:
    """A turn that waits. until_s: when its time is over; is_checked: has the arena been asked
    shortly before then? is_posted: has an answer been sent?"""

    document: Mapping[str, Any]
    until_s: float
    is_checked: bool = False
    is_posted: bool = False

    @property
    def id(self) -> str:
        return str(self.document["turn"])

    @property
    def end(self) -> int:
        """How many events there are before its answer."""
        return int(self.document["events_from"]) + len(self.document["events"])


class ArenaPlayer:
    """One bot with the client that plays it. called: by the client; number: on the wire; bot: its
    id; hands: played.

    seat: of the client that is playing; incoming: of one that will from the next hand on.
    """

    def __init__(
        self,
        name: str,
        incoming: ClientSeat,
        *,
        lanes: tuple[RequestLane, RequestLane],
        host: PlayerHost,
    ) -> None:
        self.name = self.called = name
        self.number = incoming.player
        self.bot = ""
        self.incoming: ClientSeat | None = incoming
        self.seat = _nobody(self.number)
        self.hand: SeatedHand | None = None
        self.hands = 0
        self.is_entered = self.is_withdrawn = self.is_over = False
        self._turns, self._log = lanes
        self._host = host
        self._terms: PlayerTerms | None = None
        self._turn: ClientTurn | None = None
        self._next: HandPlace | None = None
        self._is_polling = False
        self._empty_polls = 0
        self._before = dict.fromkeys(("refused", "late", "surplus"), 0)

    # Who plays

    @property
    def is_absent(self) -> bool:
        """Is there no client any more?"""
        return self.seat.is_absent and (self.incoming is None or self.incoming.is_absent)

    @property
    def seats(self) -> list[ClientSeat]:
        """The seats of its clients."""
        return [self.seat] if self.incoming is None else [self.seat, self.incoming]

    @property
    def has_left(self) -> bool:
        """Has its client gone before the end?"""
        return self.is_absent and self.seat.has_left_early

    @property
    def counts(self) -> dict[str, int]:
        """How many submissions of its clients were refused, late, not asked for."""
        return {what: n + getattr(self.seat, what) for what, n in self._before.items()}

    def _take_over(self, incoming: ClientSeat) -> None:
        self._before = self.counts
        self.seat, self.incoming = incoming, None

    # What it asks

    def ask(self, work: Callable[[Client], T], then: Callable[[T | KitError], None]) -> None:
        """Ask the arena for something, in order with its polls and answers."""
        self._turns.ask(work, then)

    def look_up(self, work: Callable[[Client], T], then: Callable[[T | KitError], None]) -> None:
        """Ask the arena for something, beside its polls and answers."""
        self._log.ask(work, then)

    def pause(self, seconds: float) -> None:
        """Wait, within what is looked up."""
        self._log.pause(seconds)

    def play(self, terms: PlayerTerms) -> None:
        """It has entered a session: ask for turns from now on."""
        self.is_entered = True
        self._terms = terms
        self._poll()

    def withdraw(self, session: str, *, playing: bool) -> None:
        """Its client has gone for good: the arena answers from now on.

        playing: then it is done when the arena asks for a turn, and before any answer; else at
        once, while a poll still waits.
        """
        self.is_withdrawn = True
        self._turn = None
        lane = self._turns if playing else self._log
        lane.ask(lambda client: client.withdraw(session), self._take_withdrawal)

    def _take_withdrawal(self, result: Document | KitError) -> None:
        if isinstance(result, ArenaProblem):
            LOG.info("%s was not withdrawn: %s", self.name, result)
        elif isinstance(result, KitError):
            self._host.fail(self, result)
            return
        self.close()

    @property
    def is_busy(self) -> bool:
        """Is it signing in or entering?"""
        return not self.is_entered and self._turns.pending > 0

    def close(self) -> None:
        """Ask for nothing more."""
        self.is_over = True
        self._turns.close()
        self._log.close()

    # Turns

    def _poll(self, pause_s: float = 0.0) -> None:
        terms = self._terms
        if terms is None or self._is_polling or self.is_withdrawn:
            return
        self._is_polling = True
        lane, wait_s = self._turns, terms.wait_s

        def poll(client: Client) -> Document:
            lane.pause(pause_s)
            return client.turns(wait_s)

        lane.ask(poll, self._take_poll)

    def _take_poll(self, result: Document | KitError) -> None:
        self._is_polling = False
        if isinstance(result, KitError):
            self._host.fail(self, result)
            return
        turns = result["turns"]
        self._empty_polls = 0 if turns else min(self._empty_polls + 1, 7)
        if not turns:
            asked_s = float(result.get("poll_after_ms") or 0) / 1000
            self._poll(max(asked_s, 0.01 * 2**self._empty_polls - 0.02))
        elif not self.is_withdrawn:
            self._take_turn(turns)

    def _take_turn(self, turns: list[Mapping[str, Any]]) -> None:
        before = self._turn
        for document in turns[1:]:
            LOG.warning("%s can play one table at a time; left alone: %s", self.name, document)
        document = turns[0]
        left_s = (int(document["remaining_ms"]) + int(document["bank_ms"])) / 1000
        again = before is not None and before.id == document["turn"]
        self._turn = ClientTurn(document, self._now_s() + left_s, again and left_s < 2 * MARGIN_S)
        hand = self.hand
        if hand is None or hand.place.id != document["hand"]:
            self._host.hand_begins(self, str(document["hand"]))
        else:
            self._take_events(hand, read_events(document["events_from"], document["events"]))

    def _take_events(self, hand: SeatedHand, events: NumberedEvents) -> None:
        """Something was sent to this seat."""
        hand.feed.add(events, own=True)
        if hand is self.hand:
            self._host.share(self, events)

    def _now_s(self) -> float:
        assert self._terms is not None, "it plays"
        return self._terms.seconds()

    # Hands

    def begin(self, place: HandPlace) -> None:
        """It sits in this hand; the one before it is shown to its end first."""
        before = self.hand
        if before is not None and before.place.id == place.id:
            return
        if before is not None and not before.is_done:
            self._next = place
            if before.ended is not None:
                self.end_hand(last=False)
            return
        self.hand, self._next = SeatedHand(place), None
        turn = self._turn
        if turn is not None and turn.document["hand"] == place.id:
            events = read_events(turn.document["events_from"], turn.document["events"])
            self.hand.feed.add(events, own=True)

    def hear(self, hand: str, events: NumberedEvents) -> bool:
        """What another one at its table was sent. Was it news?"""
        own = self.hand
        return own is not None and own.place.id == hand and own.feed.add(events, own=False)

    def advance(self) -> None:
        """Show the seat what has happened, and send what it answers."""
        hand = self.hand
        if hand is None or not hand.is_read or hand.is_done:
            return
        if not hand.is_begun:
            self._begin_to_show(hand)
        while (entry := hand.feed.take()) is not None:
            self._show(hand, entry)
        self._answer(hand)

    def _begin_to_show(self, hand: SeatedHand) -> None:
        hand.is_begun = True
        if self.incoming is not None and not hand.feed.has_acted:
            self._take_over(self.incoming)
        self.seat.begin_hand(hand.place.seat, hand.place.seating)

    def _show(self, hand: SeatedHand, entry: FeedEntry) -> None:
        event = entry.event
        if isinstance(event, Ended):
            hand.ended = event
            if self._next is None:
                self._host.hand_ends(self)
            else:
                self.end_hand(last=False)
            return
        if isinstance(event, Expired) and event.seat == hand.place.seat:
            self._expire()
        self.seat.tell(event, written=entry.written)

    def _expire(self) -> None:
        """The arena has answered for the seat; a client that has sent nothing owes a submission."""
        turn = self._turn
        if turn is not None and turn.is_posted:
            return
        if self.seat.answer() is None:
            self.seat.give_up()
        self._turn = None
        self._poll()

    def end_hand(self, *, last: bool) -> None:
        """It is known what comes after the hand. last: nothing does, the session is over."""
        hand = self.hand
        if hand is None or hand.ended is None or hand.is_done:
            return
        hand.is_done = True
        self.hands += 1
        self.seat.tell(hand.ended, last=last)
        if self._next is not None:
            self.begin(self._next)

    @property
    def is_reading(self) -> bool:
        """Does it wait for the log of its hand?"""
        return self.hand is not None and self.hand.is_reading

    @property
    def is_idle(self) -> bool:
        """Is nothing being looked up for it?"""
        return self._log.pending == 0

    def plays(self, hand: str) -> bool:
        """Is it at this hand, or about to begin it?"""
        place = self.hand.place if self.hand else None
        return not self.is_over and hand in {each.id for each in (place, self._next) if each}

    def may_follow(self, hand: str) -> bool:
        """May it read the log of a hand for all at its table?"""
        own = self.hand
        if own is None or own.place.id != hand or self.is_over:
            return False
        return own.feed.is_open and not own.feed.is_over

    def read_log(self) -> None:
        """Ask for what comes next in the log of the hand, as its seat may see it."""
        hand, terms = self.hand, self._terms
        if hand is None or terms is None or hand.is_reading:
            return
        hand.is_reading = True
        name, after = hand.place.id, len(hand.feed)
        wait_s = terms.wait_s if hand.is_read else 0.0  # its own turn may have said all there is
        self._log.ask(
            lambda client: client.hand_events(name, after=after, wait=wait_s),
            lambda result: self._take_log(hand, result),
        )

    def _take_log(self, hand: SeatedHand, result: Document | KitError) -> None:
        hand.is_reading = False
        if isinstance(result, KitError):
            self._host.fail(self, result)
            return
        hand.is_read = True
        self._take_events(hand, read_events(result["after"], result["events"]))
        if result["over"] and not hand.feed.is_over and hand is self.hand:
            self._host.void_hand(self)

    def tick(self, now_s: float) -> None:
        """Time goes on."""
        hand = self.hand
        if hand is None or hand.is_done:
            return
        if not (hand.is_read and hand.feed.is_open) or self._next is not None:
            self.read_log()
        turn = self._turn
        if turn is None or turn.is_posted or not hand.is_begun or turn.document["kind"] != GIVE:
            return
        if now_s > turn.until_s - MARGIN_S:
            self._give_for(hand, turn)

    def _give_for(self, hand: SeatedHand, turn: ClientTurn) -> None:
        """The client gives nothing; but perhaps the session has paused meanwhile."""
        if turn.is_checked:
            self._post(hand, turn, self.seat.give_up())
        else:
            self._poll()

    # Answers

    def _answer(self, hand: SeatedHand) -> None:
        turn = self._turn
        if turn is None or turn.is_posted or turn.document["hand"] != hand.place.id:
            return
        if hand.feed.taken < turn.end:
            return
        answer = self.seat.answer()
        if answer is not None:
            self._post(hand, turn, self._checked(hand, turn, answer))

    def _checked(self, hand: SeatedHand, turn: ClientTurn, answer: SeatAnswer) -> SeatAnswer:
        """The answer, or what stands in the place of one that the rules do not allow."""
        assert self._terms is not None, "it plays"
        if not answer.trouble:
            events = hand.feed.events[: turn.end]
            why = why_refused(self._terms.rules, turn.document, events, answer.answer)
            answer = self.seat.refuse(why) if why else answer
        return answer

    def _post(self, hand: SeatedHand, turn: ClientTurn, answer: SeatAnswer) -> None:
        turn.is_posted = True
        if answer.trouble and answer.trouble != ABSENT:
            self._note(answer.trouble)
        body = with_note(answer_body(answer.answer), answer.trouble)
        if self.seat.written is not None:
            self._host.share_cells(self, turn.end, self.seat.written)
        self._turns.ask(
            lambda client: client.answer(turn.id, body),
            lambda result: self._take_reply(hand, turn, result),
        )

    def _note(self, trouble: str) -> None:
        """Say what was wrong with a submission: the 1st, the 10th, the 100th time ..."""
        count = sum(self.counts.values())
        LOG.info("%s: %s", self.name, trouble)
        if is_worth_saying(count):
            times = f" ({count} times by now)" if count > 1 else ""
            self._host.say(f"{self.name}: {trouble}{times}")

    def _take_reply(self, hand: SeatedHand, turn: ClientTurn, result: Document | KitError) -> None:
        if isinstance(result, ArenaProblem) and result.status in REFUSED and not result.turn_over:
            self._post(hand, turn, self.seat.refuse(str(result)))
            return
        if isinstance(result, KitError) and not _is_late(result):
            self._host.fail(self, result)
            return
        self._turn = None
        self._poll()
        if isinstance(result, KitError):
            LOG.info("%s: too late: %s", self.name, result)
            self.read_log()
        else:
            self._take_events(hand, read_events(turn.end, result["events"]))


def _is_late(error: KitError) -> bool:
    return isinstance(error, ArenaProblem) and (error.status in LATE or error.turn_over)


def _nobody(number: int) -> ClientSeat:
    """The seat of a client that is not there."""
    seat = ClientSeat(number)
    seat.leave()
    return seat
