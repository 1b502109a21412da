"""Replays: one hand of a record file, to be shown step by step.

Nothing is checked against the rules here (that is what `verify` does), but whatever a file has
wrong is a `BadInput`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import short
from arena.records.reading import read_line
from arena.records.shapes import check_hand
from arena.rules import EMPTY, Ruleset, State, evolve
from arena.rules.events import Event
from arena.rules.ruleset import compile_table, written_table
from arena.session.record_format import HAND, SESSION
from arena.wire import read_event


class RecordedStep(NamedTuple):
    """What one command brought about. at_ms: of the arena's clock; charged_ms: what the turn cost
    its bot, None for the deal."""

    first: int
    at_ms: int
    events: tuple[Event, ...]
    charged_ms: int | None


class RecordedHand(NamedTuple):
    """A recorded hand. names: by seat; steps: with all cards; void: why it does not count, "" if it
    does."""

    hand: str
    table: str
    number: int
    round: int
    names: tuple[str, ...]
    rules: Ruleset
    steps: tuple[RecordedStep, ...]
    void: str

    def state_at(self, number: int) -> State:
        """The state after the event of this number. Raises BadInput."""
        events = [event for step in self.steps for event in step.events]
        if not 0 <= number < len(events):
            raise BadInput("event", number, f"0 to {len(events) - 1}")
        return evolve(EMPTY, events[: number + 1])


def hands_in(lines: Iterable[bytes]) -> Iterator[Document]:
    """The hands of a record file as documents, without the headers. Raises BadInput that names the
    line."""
    for number, line in enumerate(lines, start=1):
        try:
            document = read_line(line)
            kind = document.get("format")
            if kind not in (HAND, SESSION):
                raise BadInput("format", short(kind), f"{HAND} or {SESSION}")
            if kind == HAND:
                check_hand(document)
        except BadInput as error:
            place = f"line {number}: {error.thing}"
            raise BadInput(place, error.value, error.expected) from error
        if kind == HAND:
            yield document


def read_replay(document: Document) -> RecordedHand:
    """A hand that has passed `check_hand`. Raises BadInput."""
    players = document["players"]
    try:
        steps = tuple(_steps(document["steps"]))
        evolve(EMPTY, [event for step in steps for event in step.events])
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput("steps", short(document["hand"]), "a log that can be followed") from error
    return RecordedHand(
        hand=document["hand"],
        table=document["table"],
        number=document["number"],
        round=document["round"],
        names=tuple(players[player] for player in document["seating"]),
        rules=compile_table(written_table({"options": document["ruleset"]})),
        steps=steps,
        void="" if document.get("void") is None else str(document["void"]),
    )


def _steps(steps: Iterable[Document]) -> Iterator[RecordedStep]:
    first = 0
    for step in steps:
        events = tuple(read_event(dict(event)) for event in step["events"])
        yield RecordedStep(first, step["at_ms"], events, step["meta"].get("charged_ms"))
        first += len(events)
