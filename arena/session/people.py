"""People among the bots of a session: how long each may think, and what the session allows them.

A person's clock is the seat's, not the table's: the others keep theirs. It is fixed when the person
enters, and everybody may know it. Which bots are people's is kept in one note of the store for each
session, in which most have none.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

import orjson

from arena.errors import BadInput

USUAL, NO_CLOCK = "x1", "none"
CLOCKS: Mapping[str, float | None] = MappingProxyType(
    {USUAL: 1.0, "x1.5": 1.5, "x2": 2.0, NO_CLOCK: None}
)
"""By how much a person's time is longer than the session's, the shortest first; None: no clock."""
NO_CLOCK_MS = 3_600_000
"""The longest that a person without a clock may take for a turn: then somebody has gone away."""
MOST_REFUSED = 1_000
"""Refused answers of a person in a hand: by hand one chooses wrongly more often than a program."""

PeopleClocks = Mapping[str, str]
"""The clocks of the people in a session, by the ids of their bots."""


@dataclass(frozen=True, kw_only=True)
class People:
    """What a session allows people. longest_clock: one of `CLOCKS`; rated: may they play though the
    session is rated, and so be rated as bots are?"""

    longest_clock: str = "x2"
    rated: bool = False


def check_clock(clock: str, longest: str = NO_CLOCK) -> str:
    """A clock for a person, at most as long as this one. Raises BadInput."""
    names = list(CLOCKS)
    allowed = names[: names.index(longest) + 1]
    if clock not in allowed:
        more = "" if longest == NO_CLOCK else " (people.longest_clock of the session)"
        raise BadInput("clock", clock, f"one of {', '.join(allowed)}{more}")
    return clock


def note_key(session: str) -> str:
    """Where the store keeps who of a session's bots is a person, and with which clock."""
    return f"people/{session}"


def read_people(text: str | None) -> PeopleClocks:
    """The people of a session, by the note of the store."""
    noted: dict[str, str] = {} if text is None else orjson.loads(text)
    return noted


def write_people(people: PeopleClocks) -> str:
    """The note that says it."""
    return orjson.dumps(dict(sorted(people.items()))).decode()
