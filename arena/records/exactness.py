"""Exactness: is what a record says written as the arena writes it, and do its lines agree?

Verification computes a game again and compares values. Here is the rest: members that say something
a second time, or that only the header can confirm, and values of a wrong kind that are equal to the
right one, as `true` and 1.0 are to 1. Pure; whatever is malformed raises BadInput.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import orjson

from arena import wire
from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import as_list, as_object, short, text, whole
from arena.records.imports import read_heading
from arena.rules.commands import Command, Deal
from arena.rules.events import Event
from arena.session.names import HOUSE
from arena.session.record_format import HAND_1
from arena.statuses import HandStatus


class Header(NamedTuple):
    """What a header says that hands say again. names: of bots, by id. clocks: of people, by the ids
    of their bots. voids: reasons, by table. rated: is the session?"""

    names: Mapping[str, str]
    clocks: Mapping[str, str]
    voids: Mapping[str, str]
    rated: bool


def read_header(document: Document) -> Header:
    """What a session's header says. Raises BadInput."""
    heading = read_heading(document)
    tables = as_object("tables", document.get("tables", {}))
    voids = [as_object("tables.void", each) for each in as_list("void", tables.get("void", []))]
    return Header(
        {person.bot: person.name for person in heading.people},
        {person.bot: person.clock for person in heading.people if person.clock},
        {text(each, "table"): text(each, "reason") for each in voids},
        heading.document["rated"],
    )


def misstated(document: Document, header: Header | None) -> Iterator[str]:
    """What a hand's line says besides its game that is not so. Its members have their shapes."""
    names = dict(zip(document["bots"], document["players"], strict=True))
    if document["status"] != (HandStatus.FINISHED if document["steps"] else HandStatus.FORFEITED):
        yield f"status is {short(document['status'])!r}, the log says otherwise"
    if header is None:
        return
    for bot, name in names.items():
        known = header.names.get(bot)
        if name != known and (known is not None or not name.startswith(HOUSE)):
            yield f"bot {short(bot)} is called {short(name)!r}, the header says {known!r}"
    clocks = [header.clocks.get(bot) for bot in document["bots"]]
    if document.get("clocks", [None] * len(clocks)) != clocks:
        yield f"clocks are {short(document.get('clocks'))!r}, the header says {clocks!r}"
    reason = header.voids.get(document["table"])
    if document.get("void") != reason:
        yield f"void is {short(document.get('void'))!r}, the header says {reason!r}"
    default = header.rated if document["format"] == HAND_1 else True
    if document.get("rated", default) is not header.rated:
        yield f"rated is {document.get('rated', default)}, the header says {header.rated}"


def check_unplayed(document: Document) -> Iterator[str]:
    """A hand that was not played was not dealt."""
    given = [document.get(name) for name in ("commitment", "sitting", "salt", "deck", "lots")]
    if not same(given, ["", None, None, None, None]):
        yield "a forfeited hand has a deal"


def check_sitting(document: Document, command: Deal) -> Iterator[str]:
    """Who dealt, and the places of the hand before, are recorded by player too."""
    order = document["seating"]
    places = [order[seat] for seat in command.places]
    if not same(document["sitting"], {"dealer": order[command.dealer], "places": places}):
        yield "the sitting is not that of the deal"


def check_step(document: Document, command: Command) -> None:
    """Is a step of the log written as the arena writes it? Raises BadInput."""
    whole("seq", document.get("seq"))
    whole("at_ms", document.get("at_ms"))
    if not isinstance(command, Deal):
        whole("seat", command.seat)
    written = wire.write_command(command)
    if not same(document["command"], written):
        raise BadInput("command", short(document["command"]), f"it as it was written: {written}")


def same_events(events: Sequence[Event], written: Sequence[object]) -> bool:
    """Are these the events, member by member?"""
    return same([wire.shared_event(event) for event in events], list(written))


def same(one: object, other: object) -> bool:
    """Are two values the same JSON? Not so 1, 1.0 and true."""
    sorted_ = orjson.OPT_SORT_KEYS
    return orjson.dumps(one, option=sorted_) == orjson.dumps(other, option=sorted_)
