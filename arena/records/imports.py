"""Imports: what the ratings need out of one line of a record file, checked value by value.

Takes the recorded results as they are; whether they follow from the logs is for `verify` to say. A
file may come from anybody: nothing in it may raise anything but BadInput, and what is read has the
types that it says. How lines make up sessions and pools is decided in `pooling`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.documents import Document
from arena.errors import BadInput
from arena.records.checks import (
    as_list,
    as_many,
    as_object,
    as_text,
    different,
    flag,
    hex_text,
    number,
    players,
    text,
    texts,
    whole,
)
from arena.session.apart import read_pairs
from arena.session.config import SIZES, read_config
from arena.session.counting import Participant
from arena.session.deals import SECRET_BYTES
from arena.session.people import check_clock
from arena.session.results import pool_of
from arena.session.scoring import ScoredHand, played
from arena.tournament.moves import HandMoves
from arena.tournament.results import check_result

MOST_BOTS = 2_000


class Heading(NamedTuple):
    """A session's header. commitment: to its secret. document: complete, with all defaults.

    schedule: as it is stored, None before the session has begun. aborted: tables that were cut
    short. playing: tables whose hands do not count yet, since their block has not ended. voids:
    tables that are void, each with the one that is played instead, if there is one.
    """

    session: str
    commitment: str
    document: Mapping[str, Any]
    fingerprint: str
    people: tuple[Participant, ...]
    schedule: dict[str, Any] | None
    aborted: frozenset[str] = frozenset()
    playing: frozenset[str] = frozenset()
    voids: Mapping[str, str | None] = MappingProxyType({})


class EndedHand(NamedTuple):
    """An ended hand. names: of the bots, by id. table: empty if it is unknown. void: it does not
    count, since its table was voided. moves, luck: of its log, if they were read (luck: of the
    deal, by seat). round: 0 if unknown. rated: false of casual play.
    """

    session: str
    hand: str
    played: ScoredHand
    names: Mapping[str, str]
    table: str = ""
    void: bool = False
    moves: HandMoves | None = None
    luck: Sequence[tuple[float, ...]] | None = None
    round: int = 0
    rated: bool = True


def read_heading(document: Document) -> Heading:
    """The header of a session. Raises BadInput."""
    bots = as_list("bots", document.get("bots"))
    people = tuple(_person(as_object("bots", each)) for each in bots)
    different("bots", [each.bot for each in people])
    plan = read_config(as_object("document", document.get("document")))
    schedule = document.get("schedule")
    return Heading(
        session=text(document, "session"),
        commitment=hex_text(document, "secret_commitment", size=SECRET_BYTES),
        document=plan.document,
        fingerprint=plan.rules.fingerprint,
        people=people,
        schedule=None if schedule is None else _schedule(as_object("schedule", schedule)),
        aborted=_tables(document, "aborted"),
        playing=_tables(document, "playing"),
        voids=_voids(document),
    )


def _tables(document: Document, which: str) -> frozenset[str]:
    """The tables of a kind, if a header lists them."""
    tables = as_object("tables", document.get("tables", {}))
    return frozenset(as_text(which, each) for each in as_list(which, tables.get(which, [])))


def _voids(document: Document) -> dict[str, str | None]:
    """The void tables, if a header lists them, each with the one that is played instead."""
    tables = as_object("tables", document.get("tables", {}))
    listed = [as_object("void", each) for each in as_list("void", tables.get("void", []))]
    return {
        text(each, "table"): None if each.get("replay") is None else text(each, "replay")
        for each in listed
    }


def _person(document: Document) -> Participant:
    return Participant(
        text(document, "bot"),
        text(document, "name"),
        "" if document.get("owner") == "" else text(document, "owner"),
        whole("number", document.get("number")),
        text(document, "status"),
        text(document, "reason") if "reason" in document else "",
        division="" if document.get("division") is None else text(document, "division"),
        clock=_clock(document),
    )


def _clock(document: Document) -> str:
    """The clock of a person, empty for a program."""
    person = document.get("person")
    return "" if person is None else check_clock(text(as_object("person", person), "clock"))


def _schedule(document: dict[str, Any]) -> dict[str, Any]:
    """A schedule as sessions store it, after a look at everything that the ratings use."""
    roster = different("roster", texts(document, "roster", most=MOST_BOTS))
    house = whole("house", document.get("house"), most=len(roster))
    whole("n", document.get("n"), least=len(roster) - house, most=len(roster) - house)
    whole("k", document.get("k"), least=SIZES[0], most=SIZES[1])
    text(document, "kind")
    if document.get("owners") is not None:
        as_list("owners", document["owners"])
    read_pairs(document.get("apart"))
    among = range(len(roster))
    for round_ in as_list("rounds", document.get("rounds")):
        _check_line_ups(round_, among)
    for bye in as_list("byes", document.get("byes")):
        players("byes", bye, among)
    return document


def _check_line_ups(given: object, among: range) -> None:
    for table in as_list("round", given):
        line_up = players("table", table, among)
        if not SIZES[0] <= len(line_up) <= SIZES[1]:
            raise BadInput("table", list(line_up), f"{SIZES[0]} to {SIZES[1]} players")


def read_hand(document: Document) -> EndedHand:
    """An ended hand. Raises BadInput."""
    bots = different("bots", texts(document, "bots", most=SIZES[1]))
    if len(bots) < SIZES[0]:
        raise BadInput("bots", bots, f"{SIZES[0]} to {SIZES[1]} of them")
    names = texts(document, "players", most=SIZES[1])
    as_many("players", names, len(bots))
    result = as_object("result", document.get("result"))
    _check_result(result, range(len(bots)))
    hand = played(
        result,
        bots=bots,
        seating=_players(document, "seating", range(len(bots))),
        block=text(document, "block"),
        pool=pool_of(text(document, "fingerprint"), len(bots)),
    )
    check_result(hand.result)
    return EndedHand(
        text(document, "session"),
        text(document, "hand"),
        hand,
        dict(zip(bots, names, strict=True)),
        table=text(document, "table") if "table" in document else "",
        void=document.get("void") is not None,
        round=whole("round", document.get("round", 0)),
        rated=flag("rated", document.get("rated", True)),
    )


def _check_result(result: Document, among: range) -> None:
    """Are the members of a result of the types and sizes that the ratings rely on?"""
    _players(result, "places", among)
    players("result.forfeits", result.get("forfeits"), among)
    for place in as_list("result.finish", result.get("finish")):
        whole("result.finish", place)
    for each in as_list("result.faults", result.get("faults")):
        fault = as_object("result.faults", each)
        whole("result.faults.player", fault.get("player"), most=len(among) - 1)
        as_text("result.faults.cause", fault.get("cause"))
    for name, read in (("points", number), ("moves", whole), ("charged_ms", whole)):
        if name in result:
            values = as_list(f"result.{name}", result[name])
            as_many(f"result.{name}", values, len(among))
            for value in values:
                read(f"result.{name}", value)


def _players(document: Document, name: str, among: range) -> tuple[int, ...]:
    """A member that has every player once."""
    order = players(name, document.get(name), among)
    as_many(name, order, len(among))
    return order
