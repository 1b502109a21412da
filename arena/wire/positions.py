"""Positions on the wire: from the events of a turn to a position, and from one to a turn document.

The events are those that a seat was sent; what a position is, `arena.game` says.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from arena.documents import Document
from arena.game import Chance, Position
from arena.rules.cards import codes, mask_of
from arena.rules.ruleset import compile_table
from arena.wire.events import read_event
from arena.wire.turns import turn_fields


def read_position(text: str) -> Position:
    """The position of a line of text. Raises `BadInput`."""
    return Position.parse(text)


def read_events(
    options: Mapping[str, Any], events: Iterable[Mapping[str, Any]], *, seat: int
) -> Position:
    """What a seat knows after events that it was sent, from the deal on.

    options: the full table of the ruleset. Raises `BadInput` for events that are none.
    """
    read = (read_event(dict(event)) for event in events)
    return Position.of_events(compile_table(options), read, seat=seat)


def position_fields(position: Position, rng: Chance) -> Document:
    """What a turn document says of a position, for the seat that is asked.

    rng: finds one of the states that agree with the position; they all say the same. Raises
    `BadInput` where another seat is asked than the one whose position it is.
    """
    position.legal()
    state = position.worlds(1, rng)[0].state
    seat = max(position.asked, 0)
    return {"seat": seat, **turn_fields(position.rules, state, seat, hints=True)}


def unseen_cards(position: Position) -> tuple[str, ...]:
    """The cards that others may hold, for the seat that is asked."""
    state = position.state
    seen = state.held[max(position.asked, 0)] | state.table | state.gone
    return codes(mask_of(position.rules.deck) & ~seen)
