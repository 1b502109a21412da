"""Events on the wire: every event as an object with its ``type``, and back.

The members of an event are its fields; a converter for each field name says how that value is
written and read. `read_event(write_event(event))` is the event again, copies of cards included.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, Final

from arena.documents import Document
from arena.errors import BadInput
from arena.rules import events as e
from arena.rules.cards import spread
from arena.wire.values import (
    MELDS,
    SHAPES,
    read_cards,
    read_integer,
    read_lots,
    read_meld,
    read_rank,
    read_text,
    read_truth,
    read_wish,
    write_cards,
    write_lots,
    write_meld,
    write_rank,
    write_wish,
)

TYPES: Final[tuple[type, ...]] = e.Event.__args__
BY_NAME: Final = {re.sub(r"(?<=[a-z])(?=[A-Z])", "_", t.__name__).lower(): t for t in TYPES}
NAMES: Final = {t: name for name, t in BY_NAME.items()}
FIELDS: Final = {t: tuple(f.name for f in fields(t)) for t in TYPES}


def write_event(event: e.Event) -> Document:
    """An event as plain data; empty `by` and members that say nothing are left out."""
    if isinstance(event, e.Played):
        return {"type": "played", "seat": event.seat, **write_meld(event.meld)}
    data: Document = {"type": NAMES[type(event)]}
    for name, write in MEMBERS[type(event)]:
        value = getattr(event, name)
        if value or name != "by":
            data[name] = write(value) if write else value
    return data


def shared_event(event: e.Event) -> Document:
    """The same, for whoever only reads it: what comes again and again is written once."""
    shared = SHARED.get(id(event))
    if shared is not None:
        return shared
    if isinstance(event, e.Played):
        return {"type": "played", "seat": event.seat, **MELDS[event.meld]}
    return write_event(event)


def read_event(data: Document) -> e.Event:
    """An event written by `write_event`. Raises `BadInput` for anything else."""
    kind = BY_NAME.get(str(data.get("type")))
    if kind is None:
        raise BadInput("event type", data.get("type"), "one of " + ", ".join(BY_NAME))
    try:
        if kind is e.Played:
            return e.Played(read_integer(data["seat"]), read_meld(data))
        members = {name: READ[name](data[name]) for name in FIELDS[kind] if name in data}
        event: e.Event = kind(**members)
    except (KeyError, TypeError, ValueError, IndexError, AttributeError) as error:
        raise BadInput("event", data, f"the members of {data['type']}") from error
    return _with_copies(event)


def _with_copies(event: e.Event) -> e.Event:
    """Two copies of a card have one name: give them back their places in a deal."""
    if not isinstance(event, e.Dealt):
        return event
    *hands, blind = spread((*event.hands, event.blind))
    return replace(event, hands=tuple(hands), blind=blind)


def _write_question(q: e.Question) -> Document:
    data: Document = {"seat": q.seat, "kind": q.kind, "rule": q.rule, "min": q.least, "max": q.most}
    if q.to >= 0:
        data["to"] = q.to
    if q.ways:
        data["ways"] = [[[write_cards(mask), n] for mask, n in way] for way in q.ways]
    return data


def _read_question(data: Document) -> e.Question:
    ways = tuple(tuple((read_cards(m), n) for m, n in way) for way in data.get("ways", ()))
    return e.Question(
        data["seat"], data["kind"], data["rule"], data["min"], data["max"], ways, data.get("to", -1)
    )


def _write_pending(p: e.Pending) -> Document:
    return dict(p._asdict())


def _write_shape(shape: int) -> str | None:
    return None if shape < 0 else SHAPES[shape]


def _read_shape(shape: str | None) -> int:
    return -1 if shape is None else SHAPES.index(shape)


WRITE: Final[dict[str, Callable[[Any], Any]]] = {
    "cards": write_cards,
    "other": write_cards,
    "blind": write_cards,
    "hands": lambda hands: [write_cards(mask) for mask in hands],
    "counts": list,
    "places": list,
    "titles": list,
    "seats": list,
    "lots": write_lots,
    "questions": lambda questions: [_write_question(q) for q in questions],
    "queue": lambda queue: [_write_pending(p) for p in queue],
    "due": lambda due: None if due is None else dict(due._asdict()),
    "wishes": lambda wishes: [write_wish(w) for w in wishes],
    "ranks": lambda ranks: [write_rank(r) for r in ranks],
    "shape": _write_shape,
    "shapes": lambda shapes: [_write_shape(s) for s in shapes],
}

READ: Final[dict[str, Callable[[Any], Any]]] = {
    **dict.fromkeys(("dealer", "direction", "seat", "size", "to", "value"), read_integer),
    **dict.fromkeys(("by", "cause", "name", "scope", "what"), read_text),
    **dict.fromkeys(("barred", "on", "shown", "stays", "yes"), read_truth),
    "cards": read_cards,
    "other": read_cards,
    "blind": read_cards,
    "hands": lambda hands: tuple(read_cards(names) for names in hands),
    "counts": tuple,
    "places": tuple,
    "titles": tuple,
    "seats": tuple,
    "lots": read_lots,
    "questions": lambda questions: tuple(_read_question(q) for q in questions),
    "queue": lambda queue: tuple(e.Pending(**p) for p in queue),
    "due": lambda due: None if due is None else e.Due(**due),
    "wishes": lambda wishes: tuple(read_wish(w) for w in wishes),
    "ranks": lambda ranks: tuple(read_rank(r) for r in ranks),
    "shape": _read_shape,
    "shapes": lambda shapes: tuple(_read_shape(s) for s in shapes),
}

MEMBERS: Final = {
    t: tuple((name, WRITE.get(name)) for name in names) for t, names in FIELDS.items()
}
"""The members of each event, with what writes those that are not written as they are."""

ALWAYS: Final[tuple[e.Event, ...]] = (
    *e.PASSED[False],
    *e.PASSED[True],
    *e.TO_MOVE,
    *e.OUT,
    e.CLEARED,
)
SHARED: Final = {id(event): write_event(event) for event in ALWAYS}
"""Events that the rules make once and for all, by identity: most of those that there are."""
