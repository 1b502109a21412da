"""A hand as everybody may follow it: a frame for each step, then that it is over, and what is
played next at its table.

What others than its seats may see is decided by the referee (`arena.queries.hand_events`); how a
step is written, by the form that was asked for. This module may not know a request.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, Protocol

from arena.errors import Forbidden
from arena.queries.hand_events import FollowedHand
from arena.referee.live import Hand
from arena.session.hand_log import Step, events_for
from arena.statuses import HandStatus
from arena.web.streams.hub import Source
from arena.web.streams.journal import Journal, frame

WITHHELD = "what happens in this hand is withheld for now"


class Hands(Protocol):
    """Whom a feed asks; `Referee` is one."""

    def followed_hand(self, hand: str) -> FollowedHand:
        """A hand as everybody may follow it now."""
        ...

    def next_hand(self, hand: Hand) -> str | None:
        """The hand that follows it; "" if none will be, None if that is not known yet."""
        ...


class Form(NamedTuple):
    """How steps are written. name: of it, for keys; event: what its frames are called; writer: what
    writes the steps of a hand, in order, each as plain data, or None if it says nothing."""

    name: str
    event: str
    writer: Callable[[Hand], Callable[[Step], Any]]


def _events_writer(hand: Hand) -> Callable[[Step], Any]:
    """Writes the events of a step, as `GET /hands/{hand}/events` does."""

    def write(step: Step) -> dict[str, Any]:
        events = events_for(step.events, step.written, None)
        number = step.seq + len(events)
        return {"hand": hand.id, "after": step.seq, "events": events, "next": number}

    return write


EVENTS = Form("events", "events", _events_writer)


def _deal_writer(hand: Hand) -> Callable[[Step], Any]:
    """Writes of a hand only that it has begun."""

    def write(step: Step) -> dict[str, Any] | None:
        return None if step.seq else {"hand": hand.id, "number": hand.number}

    return write


HANDS = Form("hands", "hand", _deal_writer)


def hands_form(_: Mapping[str, Any]) -> Form:
    """The form of a stream that tells which hands are played, and nothing of what happens."""
    return HANDS


def events_form(_: Mapping[str, Any]) -> Form:
    """The form of a stream in which each step is its events."""
    return EVENTS


class HandFeed:
    """The feed of a hand in one form. The frame of a step has the number of events after it; those
    behind the last one are numbered on."""

    def __init__(self, hands: Hands, hand: str, form: Form) -> None:
        self.topic = f"hand:{hand}"
        self.following: str | None = None
        self._hands = hands
        self._name = hand
        self._form = form
        self._write: Callable[[Step], Any] | None = None
        self._steps = 0
        self._number = 0
        self._over = False

    def look(self, journal: Journal, pause: Callable[[], None]) -> None:
        """Add what has happened since the last time."""
        followed = self._hands.followed_hand(self._name)
        if not followed.shown:
            raise Forbidden(self._name, WITHHELD)
        if followed.hidden:
            return
        hand = followed.hand
        closed = hand.closed  # first: it is closed after its last step
        for step in hand.log.steps[self._steps :]:
            self._add_step(hand, journal, step)
            pause()
        if closed and not self._over:
            self._over = True
            status = HandStatus.FINISHED if hand.log.state.over else HandStatus.VOID
            self._add_further(journal, "over", {"hand": hand.id, "status": status})
        if self._over:
            self.following = self._hands.next_hand(hand)
            if self.following is not None:
                self._add_further(
                    journal, "next", {"hand": hand.id, "next": self.following or None}
                )
                journal.close()

    def place(self, known: int) -> int:
        """Ids have the numbers of the journal."""
        return known

    def _add_step(self, hand: Hand, journal: Journal, step: Step) -> None:
        if self._write is None:
            self._write = self._form.writer(hand)
        self._number = step.seq + len(step.events)
        data = self._write(step)
        if data is not None:
            self._add(journal, self._form.event, data)
        self._steps += 1

    def _add_further(self, journal: Journal, event: str, data: dict[str, Any]) -> None:
        self._number += 1
        self._add(journal, event, data)

    def _add(self, journal: Journal, event: str, data: dict[str, Any]) -> None:
        journal.add(self._number, frame(event, data, name=f"{self._name}.{self._number}"))


def hand_source(hands: Hands, hand: str, form: Form) -> Source:
    """A hand in one form as something that can be followed."""
    return Source(("hand", hand, form.name), lambda: HandFeed(hands, hand, form))
