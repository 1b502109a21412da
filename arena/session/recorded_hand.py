"""A recorded hand, to be shown step by step: its log read back from its record.

Nothing is checked against the rules here; that is what `records.verify` does.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from arena.errors import BadInput
from arena.rules import EMPTY, Ruleset, State, evolve
from arena.rules.events import Event
from arena.rules.ruleset import compile_table, written_table
from arena.session.record_format import remarks_of
from arena.wire import read_event
from arena.wire.remarks import NOTE


class RecordedStep(NamedTuple):
    """What one command brought about. at_ms: of the arena's clock; charged_ms: what the turn cost
    its bot, None for the deal; seat: whose turn it was, None for the deal; note: what its bot wrote
    beside the answer, "" for nothing."""

    first: int
    at_ms: int
    events: tuple[Event, ...]
    charged_ms: int | None
    seat: int | None = None
    note: str = ""

    @property
    def last(self) -> int:
        """The number of its last event."""
        return self.first + len(self.events) - 1


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

    @property
    def events(self) -> list[Event]:
        """All its events, in order."""
        return [event for step in self.steps for event in step.events]

    def notes(self, seat: int | None) -> dict[int, str]:
        """What bots wrote beside their answers, by the number of the last event of each; through
        the eyes of a seat only its own, for the others' tell of their cards."""
        return {
            step.last: step.note for step in self.steps if step.note and seat in (None, step.seat)
        }

    def state_at(self, number: int) -> State:
        """The state after the event of this number. Raises BadInput."""
        events = self.events
        if not 0 <= number < len(events):
            raise BadInput("at", number, f"an event, 0 to {len(events) - 1}")
        return evolve(EMPTY, events[: number + 1])


def read_recorded_hand(document: Mapping[str, Any]) -> RecordedHand:
    """The hand of a record that has all members. Raises BadInput for a log that cannot be read."""
    players = document["players"]
    try:
        steps = tuple(_steps(document["steps"]))
        evolve(EMPTY, (event for step in steps for event in step.events))
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput("steps", document["hand"], "a log that can be followed") from error
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


def _steps(steps: Iterable[Mapping[str, Any]]) -> Iterator[RecordedStep]:
    first = 0
    for step in steps:
        events = tuple(read_event(dict(event)) for event in step["events"])
        meta = step["meta"]
        seat, note = meta.get("seat"), str(remarks_of(step).get(NOTE, ""))
        yield RecordedStep(first, step["at_ms"], events, meta.get("charged_ms"), seat, note)
        first += len(events)
