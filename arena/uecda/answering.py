"""A client's answers for the arena: as the body of a request, and whether the rules allow them.

What the arena refuses costs a bot a unit of its budget, and a UECda client must be able to send
anything. So an answer is looked at before it is sent: in the turn's own list of what is legal,
and, if it is not there, by the engine, which says why. Pure.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any

from arena.documents import Document
from arena.errors import Refused
from arena.game import Position
from arena.rules import Ruleset
from arena.rules.commands import Answer, Pass
from arena.rules.events import Event
from arena.wire import write_command


def answer_body(answer: Answer) -> Document:
    """An answer as the arena takes it."""
    if isinstance(answer, Pass):
        return {"pass": True}
    body = write_command(answer)
    return {member: body[member] for member in ("cards", "as") if member in body}


def why_refused(
    rules: Ruleset, turn: Mapping[str, Any], events: Iterable[Event], answer: Answer
) -> str:
    """Why the rules do not allow an answer to a turn; empty if they do.

    events: of the hand up to the turn, as the seat may know them.
    """
    if _is_listed(turn.get("legal") or (), answer_body(answer)):
        return ""
    position = Position.of_events(rules, events, seat=turn["seat"])
    try:
        position.worlds(1, Random(0))[0].play(answer)
    except Refused as error:
        return str(error)
    return ""


def _is_listed(legal: Iterable[Mapping[str, Any]], body: Document) -> bool:
    if "pass" in body:
        return any("pass" in entry for entry in legal)
    cards, roles = sorted(body["cards"]), body.get("as")
    return any(
        sorted(entry.get("cards", ())) == cards and roles in (None, entry.get("as", roles))
        for entry in legal
    )
