"""decide: from a command to its events, or a refusal that changes nothing.

The one way into the rules. Everything it needs comes in its arguments; what it returns is all that
happens. See “The idea” in `arena/manual/architecture.md`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from arena.errors import BadInput, Reason, Refused
from arena.rules.answers import accept, ask, discard, give, name, throw
from arena.rules.commands import (
    Accept,
    Ask,
    Command,
    Deal,
    Discard,
    Expire,
    Give,
    Name,
    Pass,
    Play,
    Throw,
)
from arena.rules.events import CAUSES, Event, Expired
from arena.rules.legal import default
from arena.rules.opening import deal
from arena.rules.play import pass_, play
from arena.rules.ruleset import Ruleset
from arena.rules.state import State


def decide(rules: Ruleset, state: State, command: Command) -> list[Event]:
    """The events that a command brings about in a state.

    Raises `Refused` with the first reason that applies, or `BadInput` for a deal that is none.
    """
    if isinstance(command, Play):
        return play(rules, state, command)
    if isinstance(command, Pass):
        return pass_(rules, state, command)
    return DECIDE[type(command)](rules, state, command)


def _expire(rules: Ruleset, s: State, command: Expire) -> list[Event]:
    """The referee answers for a seat; all that follows is as if the seat had said so."""
    if command.cause not in CAUSES:
        raise BadInput("cause", command.cause, "one of " + ", ".join(CAUSES))
    if all(seat != command.seat for seat, _ in s.open):
        raise Refused(Reason.NOT_YOUR_TURN, f"nothing waits for seat {command.seat}")
    answer = default(rules, s, command.seat)
    return [Expired(command.seat, command.cause), *decide(rules, s, answer)]


DECIDE: Final[dict[type, Callable[[Ruleset, State, Any], list[Event]]]] = {
    Deal: deal,
    Give: give,
    Discard: discard,
    Name: name,
    Ask: ask,
    Throw: throw,
    Accept: accept,
    Expire: _expire,
}
