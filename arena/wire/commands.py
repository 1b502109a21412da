"""Commands on the wire, as the log keeps them: an object with its ``type``, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from arena.documents import Document
from arena.errors import BadInput
from arena.rules import commands as c
from arena.wire.values import (
    SHAPES,
    read_cards,
    read_deck,
    read_lots,
    read_rank,
    read_roles,
    read_wish,
    write_cards,
    write_ids,
    write_lots,
    write_rank,
    write_wish,
)


def write_command(command: c.Command) -> Document:
    """A command as plain data."""
    return _WRITE[type(command)](command)


def read_command(data: Document) -> c.Command:
    """A command written by `write_command`. Raises `BadInput` for anything else."""
    read = _READ.get(str(data.get("type")))
    if read is None:
        raise BadInput("command type", data.get("type"), "one of " + ", ".join(_READ))
    try:
        return read(data)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput("command", data, f"the members of {data['type']}") from error


def _write_play(p: c.Play) -> Document:
    data: Document = {"type": "play", "seat": p.seat, "cards": write_cards(p.cards)}
    return data if p.roles is None else data | {"as": write_ids(p.roles)}


def _read_play(data: Document) -> c.Play:
    roles = read_roles(data["as"]) if "as" in data else None
    return c.Play(data["seat"], read_cards(data["cards"]), roles)


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
    return c.Deal(read_deck(data["deck"]), data["dealer"], lots, tuple(data["places"]))


_WRITE: dict[type, Callable[[Any], Document]] = {
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

_READ: dict[str, Callable[[Document], c.Command]] = {
    "deal": _read_deal,
    "play": _read_play,
    "pass": lambda d: c.Pass(d["seat"]),
    "give": lambda d: c.Give(d["seat"], read_cards(d["cards"])),
    "discard": lambda d: c.Discard(d["seat"], read_cards(d["cards"])),
    "name": lambda d: c.Name(d["seat"], tuple(read_rank(r) for r in d["ranks"])),
    "ask": lambda d: c.Ask(d["seat"], tuple(read_wish(w) for w in d["ask"])),
    "throw": lambda d: c.Throw(d["seat"], SHAPES.index(d["throw"])),
    "accept": lambda d: c.Accept(d["seat"], bool(d["accept"])),
    "expire": lambda d: c.Expire(d["seat"], d["cause"]),
}
