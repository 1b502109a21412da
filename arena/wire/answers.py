"""A bot's answer to a turn: from the body of a request to a command, or `BadInput`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from arena.errors import BadInput
from arena.rules.commands import Accept, Answer, Ask, Discard, Give, Name, Pass, Play, Throw
from arena.rules.legal import Menu, legal
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.wire.values import SHAPES, read_cards, read_rank, read_roles, read_wish

_MEMBERS = ("choice", "cards", "pass", "as", "ask", "name", "throw", "accept")


def read_answer(
    rules: Ruleset,
    state: State,
    seat: int,
    body: Mapping[str, Any],
    *,
    menu: Callable[[], Menu] | None = None,
) -> Answer:
    """The command that an answer means, for the turn that waits for `seat`.

    menu: gives what the seat may answer, for callers who know that already. Raises `BadInput` for
    members that are unknown, missing or do not go together. Whether the command is legal is not
    looked at, but for ``choice``, which names a legal answer.
    """
    for member in body:
        if member not in _MEMBERS:
            raise BadInput("member", member, "one of " + ", ".join(_MEMBERS))
    main = body.keys() - {"as"}
    if len(main) != 1 or ("as" in body and "cards" not in body):
        raise BadInput(
            "answer", sorted(body), "one of pass, cards (with as), ask, name, throw, accept, choice"
        )
    [member] = main
    value = body[member]
    if member == "choice":
        return _choice(menu() if menu else legal(rules, state, seat), value)
    if member == "cards":
        return _cards(state, seat, body)
    if member == "pass":
        if value is not True:
            raise BadInput("pass", value, "true")
        return Pass(seat)
    return _named(seat, member, value)


def _choice(menu: Menu, value: object) -> Answer:
    """The entry of the turn's legal list with this index."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(menu):
        raise BadInput("choice", value, f"an index of legal, 0 to {len(menu) - 1}")
    return menu.answer(value)


def _cards(state: State, seat: int, body: Mapping[str, Any]) -> Answer:
    """Cards mean a play, or what the waiting question asks for."""
    cards = read_cards(body["cards"])
    question = state.question_for(seat)
    if question is not None and question.kind in ("give", "discard"):
        if "as" in body:
            raise BadInput("as", body["as"], f"nothing: this turn asks to {question.kind}")
        return Give(seat, cards) if question.kind == "give" else Discard(seat, cards)
    if not cards:
        raise BadInput("cards", [], 'at least one card, or {"pass": true}')
    return Play(seat, cards, read_roles(body["as"]) if "as" in body else None)


def _named(seat: int, member: str, value: object) -> Answer:
    """Answers to ask, name, throw and accept."""
    if member == "accept":
        if not isinstance(value, bool):
            raise BadInput("accept", value, "true or false")
        return Accept(seat, value)
    if member == "throw":
        if value not in SHAPES:
            raise BadInput("throw", value, "one of " + ", ".join(SHAPES))
        return Throw(seat, SHAPES.index(str(value)))
    if not isinstance(value, list):
        raise BadInput(member, value, "a list")
    if member == "ask":
        return Ask(seat, tuple(read_wish(item) for item in value))
    return Name(seat, tuple(read_rank(item) for item in value))
