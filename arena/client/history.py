"""The hands that are being played, event by event: also what happened before a restart.

Every turn brings what is new since the one before, so for a bot that has not been away nothing is
asked for. Where events are missing, and the bot wants to know them, one request brings the log of
the hand. It may not decide anything, and keeps one hand for each table.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from arena.client import cards as c
from arena.documents import Document

Event = Mapping[str, Any]


@dataclass
class HandSoFar:
    """What is known of the hand at a table: its events from number `first` on."""

    hand: str
    first: int
    events: list[Event]


class HandHistory(Protocol):
    """What a turn can look up about its hand; the turn is given each time."""

    def events(self, turn: Mapping[str, Any], /) -> list[Event]:
        """All events of its hand up to it, from the deal on."""

    def pack(self, turn: Mapping[str, Any], /) -> tuple[str, ...]:
        """The cards that its session is played with, before the deal."""

    def options(self, turn: Mapping[str, Any], /) -> Mapping[str, Any]:
        """The resolved options of its session."""


class Histories:
    """The histories of all tables of a bot.

    `fetch_events`: the events of a hand so far, as its seat may see them, by the hand's id.
    `fetch_session`: a session's document, by its id.
    """

    def __init__(
        self,
        fetch_events: Callable[[str], Sequence[Event]],
        fetch_session: Callable[[str], Document],
    ) -> None:
        self._fetch_events, self._fetch_session = fetch_events, fetch_session
        self._tables: dict[str, HandSoFar] = {}
        self._session_of: dict[str, str] = {}
        self._options: dict[str, Mapping[str, Any]] = {}

    def note_session(self, session: str, document: Mapping[str, Any]) -> None:
        """Remember by which rules a session is played."""
        self._options[session] = options_of(document)

    def note(self, turn: Mapping[str, Any]) -> None:
        """Take in what a turn document says. The same one again changes nothing."""
        hand, start, events = turn["hand"], _start(turn), list(turn.get("events", ()))
        known = self._tables.get(turn["table"])
        if known and known.hand == hand and 0 <= start - known.first <= len(known.events):
            known.events[start - known.first :] = events
        else:
            self._tables[turn["table"]] = HandSoFar(hand, start, events)
            self._session_of[turn["table"]] = turn["session"]

    def lacks(self, turn: Mapping[str, Any]) -> bool:
        """Is the beginning of a turn's hand unknown, as after a restart?"""
        known = self._tables.get(turn["table"])
        return known is None or known.hand != turn["hand"] or known.first > 0

    def note_log(self, turn: Mapping[str, Any], events: Sequence[Event]) -> None:
        """Take in the log of a turn's hand, so that nobody has to fetch it. An empty one changes
        nothing."""
        known = self._tables.get(turn["table"])
        if events and known is not None and known.hand == turn["hand"]:
            known.events = [*events[: known.first], *known.events]
            known.first = 0

    def forget(self, session: str) -> None:
        """A session is over: keep nothing of its tables."""
        for table in [table for table, of in self._session_of.items() if of == session]:
            del self._tables[table], self._session_of[table]
        self._options.pop(session, None)

    def events(self, turn: Mapping[str, Any]) -> list[Event]:
        """All events of a turn's hand up to this turn, from the deal on."""
        end = _start(turn) + len(turn.get("events", ()))
        known = self._tables.get(turn["table"])
        if known is None or known.hand != turn["hand"]:
            return list(self._fetch_events(turn["hand"]))[:end]
        if known.first:
            self.note_log(turn, self._fetch_events(known.hand))
        return known.events[:end]

    def pack(self, turn: Mapping[str, Any]) -> tuple[str, ...]:
        """The cards that a turn's session is played with, before the deal."""
        return pack(self.options(turn))

    def options(self, turn: Mapping[str, Any]) -> Mapping[str, Any]:
        """The resolved options of a turn's session."""
        session = turn["session"]
        if session not in self._options:
            self.note_session(session, self._fetch_session(session))
        return self._options[session]


def _start(turn: Mapping[str, Any]) -> int:
    return int(turn.get("events_from", 0))


def options_of(session: Mapping[str, Any]) -> Mapping[str, Any]:
    """The resolved options of a session document."""
    options: Mapping[str, Any] = session.get("options") or session["ruleset"]["options"]
    return options


def pack(options: Mapping[str, Any]) -> tuple[str, ...]:
    """The cards of a ruleset, by its resolved options: packs, suits and jokers.

    >>> len(pack({"decks": 1, "suits": ["S", "H", "D"], "jokers": 2}))
    41
    """
    natural = [card for card in c.PACK if c.suit(card) in options.get("suits", c.SUITS)]
    return (*natural * options.get("decks", 1), *[c.JOKER] * options.get("jokers", 1))


def unseen(pack: Sequence[str], held: Sequence[str], events: Sequence[Event]) -> list[str]:
    """The cards of a pack that others may hold: neither held nor known to be out of play."""
    left = Counter(pack)
    left.subtract(held)
    for event in events:
        if event["type"] in ("played", "discarded"):
            left.subtract(event.get("cards", ()))
        elif event["type"] == "took":
            left.update(event.get("cards", ()))
    return c.sort_cards(left.elements())
