"""Commands on the wire: as bots say them, in the body of an answer, and as the log keeps them, an
object with its ``type``, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from arena.documents import Document
from arena.errors import BadInput, Reason, Refused
from arena.rules import commands as c
from arena.rules.legal import PASSES, Menu, legal
from arena.rules.ruleset import Ruleset
from arena.rules.state import State
from arena.text.reading import Unclear, read_body, read_index
from arena.wire.remarks import REMARKS
from arena.wire.turns import menu_entries
from arena.wire.values import (
    SHAPES,
    read_cards,
    read_deck,
    read_integer,
    read_lots,
    read_rank,
    read_roles,
    read_text,
    read_truth,
    read_wish,
    write_cards,
    write_ids,
    write_lots,
    write_rank,
    write_wish,
)

MEMBERS: Final = (
    *("choice", "cards", "pass", "as", "ask", "name", "throw", "accept", "text"),
    *REMARKS,
)
BESIDE: Final = frozenset(("as", *REMARKS))
"""Members that no answer has alone."""


def read_answer(
    rules: Ruleset,
    state: State,
    seat: int,
    body: Mapping[str, Any],
    *,
    menu: Callable[[], Menu] | None = None,
    listed: bool = True,
) -> c.Answer:
    """The command that an answer means, for the turn that waits for `seat`.

    menu: gives what the seat may answer, for callers who know that already; listed: was the seat
    told what is legal? Raises `BadInput` for members that are unknown, missing or do not go
    together, `Refused` for a text that is no answer or may be several. Whether the command is
    legal is not looked at, but for ``choice`` and ``text``, which name a legal answer. What
    stands beside the answer is for `read_remarks`.
    """
    for member in body:
        if member not in MEMBERS:
            raise BadInput("member", member, "one of " + ", ".join(MEMBERS))
    alone = len(body) == 1 and body.keys().isdisjoint(REMARKS)
    main = body if alone else body.keys() - BESIDE
    if len(main) != 1 or ("as" in body and "cards" not in body):
        raise BadInput(
            "answer",
            sorted(body),
            "one of pass, cards (with as), ask, name, throw, accept, choice, text",
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
        return PASSES[seat]
    if member == "text":
        menu_now = menu() if menu else legal(rules, state, seat)
        return _text(rules, state, seat, value, menu_now if listed else None)
    return _named(seat, member, value)


def _choice(menu: Menu, value: object) -> c.Answer:
    """The entry of the turn's legal list with this index."""
    if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value < len(menu):
        raise BadInput("choice", value, f"an index of legal, 0 to {len(menu) - 1}")
    return menu.answer(value)


def _text(rules: Ruleset, state: State, seat: int, value: object, menu: Menu | None) -> c.Answer:
    """What a text means; menu: what it may mean, None where only the text itself may say it."""
    if not isinstance(value, str):
        raise BadInput("text", value, "a text")
    question = state.question_for(seat)
    kind = "play" if question is None else question.kind
    try:
        if menu is not None:
            return menu.answer(read_index(value, kind, menu_entries(menu)))
        body = read_body(value, kind)
    except Unclear as error:
        raise Refused(Reason.UNCLEAR, str(error)) from None
    return read_answer(rules, state, seat, body)


def _cards(state: State, seat: int, body: Mapping[str, Any]) -> c.Answer:
    """Cards mean a play, or what the waiting question asks for."""
    cards = read_cards(body["cards"])
    question = state.question_for(seat)
    if question is not None and question.kind in ("give", "discard"):
        if "as" in body:
            raise BadInput("as", body["as"], f"nothing: this turn asks to {question.kind}")
        return c.Give(seat, cards) if question.kind == "give" else c.Discard(seat, cards)
    if not cards:
        raise BadInput("cards", [], 'at least one card, or {"pass": true}')
    return c.Play(seat, cards, read_roles(body["as"]) if "as" in body else None)


def _named(seat: int, member: str, value: object) -> c.Answer:
    """Answers to ask, name, throw and accept."""
    if member == "accept":
        if not isinstance(value, bool):
            raise BadInput("accept", value, "true or false")
        return c.Accept(seat, value)
    if member == "throw":
        if value not in SHAPES:
            raise BadInput("throw", value, "one of " + ", ".join(SHAPES))
        return c.Throw(seat, SHAPES.index(str(value)))
    if not isinstance(value, list):
        raise BadInput(member, value, "a list")
    if member == "ask":
        return c.Ask(seat, tuple(read_wish(item) for item in value))
    return c.Name(seat, tuple(read_rank(item) for item in value))


def write_command(command: c.Command) -> Document:
    """A command as plain data."""
    return WRITE[type(command)](command)


def read_command(data: Document) -> c.Command:
    """A command written by `write_command`. Raises `BadInput` for anything else."""
    read = READ.get(str(data.get("type")))
    if read is None:
        raise BadInput("command type", data.get("type"), "one of " + ", ".join(READ))
    try:
        return read(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput("command", data, f"the members of {data['type']}") from error


def _write_play(p: c.Play) -> Document:
    data: Document = {"type": "play", "seat": p.seat, "cards": write_cards(p.cards)}
    return data if p.roles is None else data | {"as": write_ids(p.roles)}


def _read_play(data: Document) -> c.Play:
    roles = read_roles(data["as"]) if "as" in data else None
    return c.Play(read_integer(data["seat"]), read_cards(data["cards"]), roles)


def _write_deal(d: c.Deal) -> Document:
    return {
        "type": "deal",
        "deck": write_ids(d.deck),
        "dealer": d.dealer,
        "lots": write_lots(d.lots),
        "places": list(d.places),
    }


def _read_deal(data: Document) -> c.Deal:
    lots = read_lots(data["lots"]) or c.Lots()
    return c.Deal(
        read_deck(data["deck"]), read_integer(data["dealer"]), lots, tuple(data["places"])
    )


WRITE: Final[dict[type, Callable[[Any], Document]]] = {
    c.Deal: _write_deal,
    c.Play: _write_play,
    c.Pass: lambda p: {"type": "pass", "seat": p.seat},
    c.Give: lambda p: {"type": "give", "seat": p.seat, "cards": write_cards(p.cards)},
    c.Discard: lambda p: {"type": "discard", "seat": p.seat, "cards": write_cards(p.cards)},
    c.Name: lambda p: {
        "type": "name",
        "seat": p.seat,
        "ranks": [write_rank(r) for r in p.ranks],
    },
    c.Ask: lambda p: {"type": "ask", "seat": p.seat, "ask": [write_wish(w) for w in p.wishes]},
    c.Throw: lambda p: {"type": "throw", "seat": p.seat, "throw": SHAPES[p.shape]},
    c.Accept: lambda p: {"type": "accept", "seat": p.seat, "accept": p.yes},
    c.Expire: lambda p: {"type": "expire", "seat": p.seat, "cause": p.cause},
}

READ: Final[dict[str, Callable[[Document], c.Command]]] = {
    "deal": _read_deal,
    "play": _read_play,
    "pass": lambda d: c.Pass(read_integer(d["seat"])),
    "give": lambda d: c.Give(read_integer(d["seat"]), read_cards(d["cards"])),
    "discard": lambda d: c.Discard(read_integer(d["seat"]), read_cards(d["cards"])),
    "name": lambda d: c.Name(read_integer(d["seat"]), tuple(read_rank(r) for r in d["ranks"])),
    "ask": lambda d: c.Ask(read_integer(d["seat"]), tuple(read_wish(w) for w in d["ask"])),
    "throw": lambda d: c.Throw(read_integer(d["seat"]), SHAPES.index(d["throw"])),
    "accept": lambda d: c.Accept(read_integer(d["seat"]), read_truth(d["accept"])),
    "expire": lambda d: c.Expire(read_integer(d["seat"]), read_text(d["cause"])),
}
