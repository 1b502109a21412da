"""The events of a hand as one seat may see them, put together from what comes over several ways:
the seat's own turns, the replies to its answers, its log, and what others at its table were sent.

Events of a hand are numbered, so that nothing counts twice and nothing is left out. Until the first
move a seat takes in what was sent to itself only: hands and gifts differ from seat to seat. From
then on everybody may know everything, and what one was sent serves all. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from arena.rules import redact
from arena.rules.events import Dealt, Ended, Event, Gave, Passed, Played, ToMove
from arena.uecda.cells import Cells
from arena.wire import read_event


class FeedEntry(NamedTuple):
    """An event, and the cells of a play if a client of this gateway wrote it."""

    event: Event
    written: Cells | None = None


class NumberedEvents(NamedTuple):
    """Some events of a hand that follow each other. first: the number of the first of them."""

    first: int
    events: tuple[Event, ...]


def read_events(first: int, documents: Iterable[Mapping[str, Any]]) -> NumberedEvents:
    """Events as the arena sends them."""
    return NumberedEvents(first, tuple(read_event(dict(each)) for each in documents))


class SeatFeed:
    """The events of one hand for one seat. seat: where it sits; taken: how many were handed on;
    is_open: has the first move been reached, from where on all know the same?"""

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.taken = 0
        self.is_open = False
        self._events: list[Event] = []
        self._written: dict[int, Cells] = {}

    def __len__(self) -> int:
        return len(self._events)

    @property
    def events(self) -> tuple[Event, ...]:
        """All events so far."""
        return tuple(self._events)

    @property
    def is_over(self) -> bool:
        """Is the end of the hand among them?"""
        return bool(self._events) and isinstance(self._events[-1], Ended)

    @property
    def has_acted(self) -> bool:
        """Has the seat made a decision in this hand? What the poor give is none."""
        rich: tuple[int, ...] = ()
        for event in self._events:
            if isinstance(event, Dealt):
                rich = event.places[:2]
            elif isinstance(event, Gave):
                if event.seat == self.seat and self.seat in rich:
                    return True
            elif isinstance(event, Played | Passed) and event.seat == self.seat:
                return True
        return False

    def add(self, events: NumberedEvents, *, own: bool) -> bool:
        """Take in what is new. own: was it sent to this seat? Says whether there was anything."""
        known = len(self._events) - events.first
        if known < 0 or not (own or self.is_open):
            return False  # what is missing before it will be read from the log
        fresh = events.events[known:]
        for event in fresh:
            self._events.append(redact(event, self.seat))
            self.is_open = self.is_open or isinstance(event, ToMove)
        return bool(fresh)

    def write(self, number: int, cells: Cells) -> None:
        """If the event of this number is a play, it was written in these cells."""
        self._written[number] = cells

    def take(self) -> FeedEntry | None:
        """The next event that has not been handed on."""
        number = self.taken
        if number == len(self._events):
            return None
        self.taken += 1
        event = self._events[number]
        is_play = isinstance(event, Played)
        return FeedEntry(event, self._written.get(number) if is_play else None)
