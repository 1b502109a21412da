"""Pairings: the schedule that a session's document asks for, with all defaults in place.

Every kind has members of its own; a member of another kind is refused by name. Who enters is not
known here: what a roster makes impossible is refused when the schedule is drawn (see
`stored_schedule`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from arena.errors import BadInput
from arena.session.apart import Groups, apart_document, read_apart
from arena.tournament.pairing.swiss import SWISS_ROUNDS

ROUND_ROBIN, GAUNTLET, SWISS = "round_robin", "gauntlet", "swiss"
LADDER, FINAL = "ladder", "final"
KINDS: Mapping[str, tuple[str, ...]] = {
    ROUND_ROBIN: ("rounds", "rounds_at_once", "house_bots", "mixed_sizes"),
    GAUNTLET: ("rounds", "rounds_at_once", "regulars"),
    SWISS: ("rounds", "rounds_at_once", "house_bots"),
    LADDER: ("rounds", "tables"),
    FINAL: ("rounds", "rounds_at_once", "of", "prizes", "finalists"),
}
"""The members of each kind, besides those of all."""
OF_ALL = ("kind", "apart")
LIMITS: Mapping[str, tuple[int, int]] = {
    "rounds": (1, 10_000),
    "rounds_at_once": (1, 64),
    "tables": (1, 1_000),
    "prizes": (1, 1_000),
}
LISTS = ("regulars", "of", "finalists")
MOST_NAMES = 1_000


@dataclass(frozen=True, kw_only=True)
class ScheduleConfig:
    """Which schedule. rounds: None for the schedule's own number; of a ladder, until it is closed.

    house_bots: they fill the tables. mixed_sizes: tables with a seat less do, instead of byes.
    regulars: names of those who sit at every table of a gauntlet. tables: most tables of a block
    of a ladder, None for as many as there can be. of: the sessions in which the bots of a final
    have played, and prizes: how many there are to win; or finalists: their names. apart: groups of
    bots of which no two ever meet.
    """

    kind: str = ROUND_ROBIN
    rounds: int | None = None
    rounds_at_once: int = 1
    house_bots: bool = False
    mixed_sizes: bool = False
    regulars: tuple[str, ...] = ()
    tables: int | None = None
    of: tuple[str, ...] = ()
    prizes: int = 1
    finalists: tuple[str, ...] = ()
    apart: Groups = ()

    def document(self) -> dict[str, Any]:
        """The members of its kind as plain data."""
        values = {name: getattr(self, name) for name in ("kind", *KINDS[self.kind])}
        listed = {name: list(v) if isinstance(v, tuple) else v for name, v in values.items()}
        return {**listed, "apart": apart_document(self.apart)}


def read_schedule_config(given: object) -> ScheduleConfig:
    """The `schedule` of a session's document. Raises BadInput for whatever does not fit."""
    if not isinstance(given, Mapping):
        raise BadInput("schedule", given, "an object")
    kind = given.get("kind", ROUND_ROBIN)
    if not isinstance(kind, str) or kind not in KINDS:
        raise BadInput("schedule.kind", kind, f"one of {', '.join(KINDS)}")
    members = (*OF_ALL, *KINDS[kind])
    for name in given:
        if name not in members:
            raise BadInput(f"member of a {kind} schedule", name, f"one of {', '.join(members)}")
    values = {name: _value(name, given[name]) for name in KINDS[kind] if name in given}
    pairing = ScheduleConfig(kind=kind, **values, apart=read_apart(given.get("apart")))
    _check(pairing)
    return pairing


def _value(name: str, value: object) -> Any:
    path = f"schedule.{name}"
    if name in LISTS:
        return read_names(path, value)
    if value is None and name in ("rounds", "tables"):
        return None
    if name in LIMITS:
        return _number(path, value, LIMITS[name])
    if not isinstance(value, bool):
        raise BadInput(path, value, "true or false")
    return value


def _number(path: str, value: object, limits: tuple[int, int]) -> int:
    if type(value) is not int:
        raise BadInput(path, value, "a whole number")
    if not limits[0] <= value <= limits[1]:
        raise BadInput(path, value, f"{limits[0]} to {limits[1]}")
    return value


def read_names(path: str, value: object, *, most: int = MOST_NAMES) -> tuple[str, ...]:
    """A list of names, each there once. Raises BadInput."""
    if not isinstance(value, list | tuple) or len(value) > most:
        raise BadInput(path, value, f"a list of at most {most} names")
    known: set[str] = set()
    for at, name in enumerate(value):
        if not isinstance(name, str) or not name:
            raise BadInput(f"{path}[{at}]", name, "a name")
        if name in known:
            raise BadInput(f"{path}[{at}]", name, "every name once")
        known.add(name)
    return tuple(value)


def _check(pairing: ScheduleConfig) -> None:
    if pairing.mixed_sizes and pairing.house_bots:
        raise BadInput("schedule.house_bots", True, "false, where mixed_sizes fills the tables")
    if pairing.kind == GAUNTLET and not pairing.regulars:
        raise BadInput("schedule.regulars", [], "the names of who sits at every table")
    if pairing.kind == SWISS and (pairing.rounds or SWISS_ROUNDS) < 2:
        raise BadInput("schedule.rounds", pairing.rounds, "2 or more: a balanced half, a Swiss one")
    if pairing.kind == FINAL and bool(pairing.of) == bool(pairing.finalists):
        wanted = "either the sessions that lead to the final, or left out with finalists given"
        raise BadInput("schedule.of", list(pairing.of), wanted)
