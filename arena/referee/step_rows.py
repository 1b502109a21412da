"""Steps of a hand's log as rows of the store, and back."""

from __future__ import annotations

from orjson import dumps, loads

from arena import wire
from arena.session.hand_log import Step
from arena.store.port import StepRow


def read_step(row: StepRow) -> Step:
    """A step from its row."""
    written = tuple(loads(row.events))
    return Step(
        row.seq,
        row.at_ms,
        row.turn,
        wire.read_command(loads(row.command)),
        tuple(wire.read_event(event) for event in written),
        loads(row.meta),
        written,
    )


def write_step(hand: str, step: Step) -> StepRow:
    """The row of a step."""
    return StepRow(
        hand,
        step.seq,
        step.at_ms,
        step.turn,
        dumps(wire.write_command(step.command)).decode(),
        dumps(step.written).decode(),
        len(step.events),
        dumps(step.meta).decode(),
    )
