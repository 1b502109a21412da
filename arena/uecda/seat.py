"""One client at one seat, as a state machine: bytes and events go in, bytes and answers come out.

Where the events come from, and who takes the answers, is the caller's: the engine in this process,
or an arena over HTTP. A seat receives what its bot may see and nothing else. It has no socket and
no clock: the caller says that it is too late, or that the client has gone.

A client that was answered for at its deadline owes a submission: until that has come, and has been
thrown away, its messages are held back, for it would take each for another one.
"""

from __future__ import annotations

from collections import deque
from typing import Final, NamedTuple

from arena.errors import BadInput
from arena.rules.commands import Answer, Give, Pass, Play
from arena.rules.events import Asked, Cleared, Ended, Event, Gave, Passed, Played, ToMove
from arena.uecda.cells import CARD_CELLS, Cells, read_hand, read_play, strongest
from arena.uecda.codec import (
    ACCEPTED,
    GOES_ON,
    HAND_OVER,
    NOT_ACCEPTED,
    PLAYERS,
    SESSION_OVER,
    MessageBuffer,
    Table,
    write_field,
    write_hand_table,
    write_integer,
    write_start,
)
from arena.uecda.wire_hand import WireHand

MOST_SURPLUS: Final = 64
"""The most tables of a hand that nobody has asked for are thrown away; with one more the client
cannot be in step."""
LATE, ABSENT = "late", "absent"


class SeatAnswer(NamedTuple):
    """What the seat answers. trouble: why it is not what the client wrote, "" if it is."""

    answer: Answer
    trouble: str = ""


class ClientSeat:
    """The seat of one client for a whole session. player: its number on the wire; title: what it
    is called in lines for people.

    refused, late, surplus: how many of its submissions were refused, had not come in time, were not
    asked for. is_absent: has it gone? has_left_early: before the session was over? is_over: is the
    session? dismissed: why the client has to go, "" while it may stay. written: the cells of the
    play that it has answered with.
    """

    def __init__(self, player: int) -> None:
        self.player = player
        self.title = f"player {player}"
        self.refused = self.late = self.surplus = 0
        self.is_absent = self.has_left_early = self.is_over = False
        self.dismissed = ""
        self.held_bytes = 0
        self.written: Cells | None = None
        self._incoming = MessageBuffer()
        self._outgoing: list[bytes] = [write_integer(player)]
        self._held: deque[bytes | None] = deque()
        self._hand = WireHand(0, tuple(range(PLAYERS)))
        self._expects = False
        self._submission: Table | None = None
        self._unasked = 0
        self._asked_for = 0
        self._may_say_accepted = False
        self._actor = -1
        self._is_field_shown = self._is_started = False

    # The client's side

    @property
    def is_behind(self) -> bool:
        """Does the client owe a submission that has been answered for?"""
        return bool(self._held)

    @property
    def is_broken(self) -> bool:
        """Has the client sent more that nobody asked for than can be an error of one step?"""
        return self._unasked > MOST_SURPLUS

    def receive(self, data: bytes) -> None:
        """Bytes have come from the client, cut anywhere."""
        self._incoming.feed(data)
        while (table := self._incoming.table()) is not None:
            if self._held:
                self._release()
            elif self._expects and self._submission is None:
                self._submission = table
            else:
                self.surplus += 1
                self._unasked += 1

    def output(self) -> list[bytes]:
        """The messages that can be sent now, in order; each has to be sent whole."""
        messages, self._outgoing = self._outgoing, []
        return messages

    def leave(self) -> None:
        """The client has gone; from now on the seat answers for it."""
        self.is_absent = True
        self.has_left_early = not self.is_over
        self._held.clear()
        self._outgoing.clear()
        self.held_bytes = 0

    def _release(self) -> None:
        """The submission that was owed has come: what was held back goes out, up to the next."""
        self._held.popleft()
        while self._held and self._held[0] is not None:
            message = self._held.popleft()
            assert message is not None, "a mark has just been ruled out"
            self.held_bytes -= len(message)
            self._outgoing.append(message)

    def _send(self, message: bytes) -> None:
        if self.is_absent:
            return
        if self._held:
            self._held.append(message)
            self.held_bytes += len(message)
        else:
            self._outgoing.append(message)

    # The table's side

    def begin_hand(self, seat: int, seating: tuple[int, ...]) -> None:
        """A hand begins. seat: where the client sits in it; seating: player by seat."""
        self._hand = WireHand(seat, seating)
        self._is_started = False
        self._unasked, self._actor = 0, -1
        self._close()

    def tell(self, event: Event, *, last: bool = False, written: Cells | None = None) -> None:
        """Something has happened that the seat may see.

        last: is this the end of the session's last hand? written: the cells of a play as another
        client of this table wrote it; else they follow from the meld.
        """
        hand = self._hand
        match event:
            case Played() | Passed():
                self._act(event, written)
            case Cleared():
                self._show_field()
                hand.apply(event)
            case ToMove():
                self._end_turn(GOES_ON)
                self._begin_turn(event.seat)
            case Ended():
                self.is_over = last
                self._end_turn(SESSION_OVER if last else HAND_OVER)
            case Asked():
                self._asked_for = sum(q.least for q in event.questions if q.seat == hand.seat)
            case Gave() if event.seat == hand.seat:
                hand.apply(event)
                self._close()
            case _:
                hand.apply(event)
        if not self._is_started and hand.is_ready:
            self._start()

    def _start(self) -> None:
        self._is_started = True
        self._send(write_start(self._hand.start_table()))
        self._expects = bool(self._hand.gift)

    def _begin_turn(self, mover: int) -> None:
        self._send(write_hand_table(self._hand.hand_table(mover)))
        self._expects = mover == self._hand.seat

    def _act(self, event: Played | Passed, written: Cells | None) -> None:
        hand = self._hand
        if event.seat == hand.seat:
            accepted = isinstance(event, Played) or (hand.empty and self._may_say_accepted)
            self._send(write_integer(ACCEPTED if accepted else NOT_ACCEPTED))
            self._close()
        hand.apply(event, written)
        self._actor = event.seat

    def _show_field(self) -> None:
        """The field table of the turn, if it has not been sent: it shows what a clear removes."""
        if self._actor >= 0:
            self._send(write_field(self._hand.field_table(self._actor)))
            self._actor = -1
            self._is_field_shown = True

    def _end_turn(self, flag: int) -> None:
        """The end of a turn, unless this is the first of a hand."""
        self._show_field()
        if self._is_field_shown:
            self._send(write_integer(flag))
            self._is_field_shown = False

    def _close(self) -> None:
        """Nothing is expected of the client any more."""
        self._asked_for = 0
        self._expects = self._may_say_accepted = False
        self._submission = self.written = None

    # Answers

    def answer(self) -> SeatAnswer | None:
        """The answer to what the table asks of the seat; None while the client thinks.

        A tribute is answered at once: there is but one, and clients are not asked for it.
        """
        if self._asked_for and not self._hand.gift:
            return SeatAnswer(self._fallback())
        if self.is_absent:
            return SeatAnswer(self._fallback(), ABSENT)
        table = self._submission
        if table is None:
            return None
        try:
            answer = self._meant(table)
        except BadInput as error:
            return self.refuse(str(error))
        self._may_say_accepted = isinstance(answer, Pass)
        self.written = table[:CARD_CELLS] if isinstance(answer, Play) else None
        return SeatAnswer(answer)

    def refuse(self, why: str) -> SeatAnswer:
        """The rules do not allow the answer: what stands in its place."""
        self.refused += 1
        self._may_say_accepted, self.written = False, None
        return SeatAnswer(self._fallback(), f"refused: {why}")

    def give_up(self) -> SeatAnswer:
        """The deadline has passed: what stands in the place of the answer."""
        self.late += 1
        self._held.append(None)
        self._expects = False
        return SeatAnswer(self._fallback(), LATE)

    def _meant(self, table: Table) -> Answer:
        seat = self._hand.seat
        return Give(seat, read_hand(table)) if self._asked_for else read_play(table, seat)

    def _fallback(self) -> Answer:
        """A pass; in the exchange the strongest cards."""
        seat = self._hand.seat
        if self._asked_for:
            return Give(seat, strongest(self._hand.held, self._asked_for))
        return Pass(seat)
