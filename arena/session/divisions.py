"""Divisions: parts of the field that have a ranking of their own, such as students and guests.

The document of a session names them; which bot is in which (one at most) is kept beside the
session as one note of the store, since it changes nothing that is played. All rankings come from
one fit (see `arena.tournament.divisions`). Pure: it reads no store.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import orjson

from arena.errors import BadInput
from arena.session.names import check_text

MOST_DIVISIONS = 30
ID = re.compile(r"[a-z0-9](?:[a-z0-9-]{0,38}[a-z0-9])?")
NAME_LENGTH = 80
Members = Mapping[str, str]
"""The ids of divisions by those of bots; who is in none is left out."""


class Division(NamedTuple):
    """id: as in addresses; name: as it is shown."""

    id: str
    name: str


def read_divisions(given: object) -> tuple[Division, ...]:
    """The divisions of a document. Raises BadInput."""
    if not isinstance(given, list | tuple) or len(given) > MOST_DIVISIONS:
        raise BadInput("divisions", given, f"a list of at most {MOST_DIVISIONS} divisions")
    divisions = tuple(_division(f"divisions[{at}]", each) for at, each in enumerate(given))
    for which in ("id", "name"):
        known: set[str] = set()
        for at, division in enumerate(divisions):
            value = getattr(division, which)
            if value in known:
                raise BadInput(f"divisions[{at}].{which}", value, f"every {which} once")
            known.add(value)
    return divisions


def _division(path: str, given: object) -> Division:
    if not isinstance(given, Mapping) or not {"id"} <= set(given) <= {"id", "name"}:
        raise BadInput(path, given, "an object with id and name")
    name = given.get("name", given["id"])
    if not isinstance(given["id"], str) or not ID.fullmatch(given["id"]):
        raise BadInput(f"{path}.id", given["id"], "1 to 40 of a-z, 0-9 and - (not at the ends)")
    return Division(given["id"], check_text(f"{path}.name", name, longest=NAME_LENGTH))


def divisions_document(divisions: Iterable[Division]) -> list[dict[str, str]]:
    """The divisions as they stand in the document."""
    return [division._asdict() for division in divisions]


def check_division(division: object, divisions: Iterable[Division], *, thing: str) -> str:
    """The id of one of the divisions. Raises BadInput that names them."""
    known = [each.id for each in divisions]
    if division not in known:
        expected = f"one of {', '.join(known)}" if known else "none: the session has no divisions"
        raise BadInput(thing, division, expected)
    return str(division)


def note_key(session: str) -> str:
    """Where the store keeps who is in which division of a session."""
    return f"divisions/{session}"


def read_members(text: str | None, divisions: Iterable[Division]) -> Members:
    """Who is in which of these divisions, by the note of the store."""
    known = {division.id for division in divisions}
    noted: dict[str, str] = {} if text is None else orjson.loads(text)
    return {bot: division for bot, division in noted.items() if division in known}


def write_members(members: Members) -> str:
    """The note that says it."""
    return orjson.dumps(dict(sorted(members.items()))).decode()
