"""Logs: is a recorded log what the rules make of its commands, turn by turn, to the end of a hand?

Every command is decided again, and the events have to be those of the record. Pure; a file may come
from anybody, so whatever is wrong is a finding or BadInput.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from arena import wire
from arena.documents import Document
from arena.errors import ArenaError
from arena.records.clock_checks import ClockCheck
from arena.records.exactness import check_step, same_events
from arena.rules import EMPTY, decide
from arena.rules.commands import Deal
from arena.session.hand_log import HandLog, Step
from arena.session.names import turn_id


def read_step(document: Document) -> Step:
    """A step of a record, without its events: those are what the rules make of it. Raises
    BadInput."""
    command = wire.read_command(document["command"])
    check_step(document, command)
    return Step(
        document["seq"],
        document["at_ms"],
        document["turn"],
        command,
        (),
        document["meta"],
        tuple(document["events"]),
    )


def check_steps(hand: HandLog, steps: Iterable[Step], clock: ClockCheck | None) -> Iterator[str]:
    """Take step after step, up to the first that is wrong: all others hang on it.

    clock: of the table, None where nothing can be said of it.
    """
    rules = hand.table.rules
    for number, step in enumerate(steps):
        where = f"step {number}"
        if step.seq != hand.seq:
            yield f"{where}: seq is {step.seq}, there are {hand.seq} events before it"
            return
        wrong = _wrong_turn(hand, step) if number else None
        if wrong is not None:
            yield f"{where}: {wrong}"
            return
        before = hand.state if number else EMPTY
        try:
            events = tuple(decide(rules, before, step.command))
        except ArenaError as error:
            yield f"{where}: the command is refused: {error}"
            return
        if not same_events(events, step.written):
            yield f"{where}: the events do not follow from the command"
            return
        if clock is not None:
            yield from (f"{where}: {what}" for what in clock.before(hand, step))
        hand.append(step._replace(events=events))


def _wrong_turn(hand: HandLog, step: Step) -> str | None:
    """Does a step answer a turn that is open, for the seat that owns it?"""
    open_turns = {turn_id(hand.id, since, seat): seat for seat, since in hand.waiting}
    seat = open_turns.get(step.turn)
    if seat is None:
        return f"no turn {step.turn!r} is open"
    if isinstance(step.command, Deal) or step.command.seat != seat:
        return "the command is not that of the turn's seat"
    if step.meta["seat"] != seat:
        return "the note of the seat is not that of the turn"
    return None
