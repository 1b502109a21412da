"""Lineages: the versions of a bot, and what each has gained on the one before.

A version is a bot of its own, with hands and a rating of its own: the strength of an old one says
nothing of a new one. Which bots are versions of one is said by their names: what stands behind the
last @ is the version, as in `otter@2`, and a bot without one is the first. Only bots of one owner
make a lineage. Reads standings; rates nothing.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

from arena.tournament.gaps import gap_between
from arena.tournament.ratings import CONFIDENCE, Group
from arena.tournament.standings import Row, Standings
from arena.tournament.superiority import superiority_matrix

MARK = "@"
NUMBERS = re.compile(r"([0-9]+)")
Order = tuple[tuple[int, int, str], ...]


class Change(NamedTuple):
    """What a version has gained on the one before, in Elo, with its 95 % interval; an end is None
    where there is no bound. superiority: how likely it is better."""

    gap: float
    low: float | None
    high: float | None
    superiority: float


class Version(NamedTuple):
    """One version. row: its line in the standings. change: None for the first one, and where the
    two cannot be compared, since one is not rated or they never met, not even by way of others."""

    version: str
    row: Row
    change: Change | None


class Lineage(NamedTuple):
    """The versions of a bot, the oldest first. name: without version."""

    name: str
    owner: str
    versions: tuple[Version, ...]


def split_name(name: str) -> tuple[str, str]:
    """A name without its version, and the version; empty if it has none."""
    base, mark, version = name.rpartition(MARK)
    return (base, version) if base and mark and version else (name, "")


def version_order(version: str) -> Order:
    """By what versions are ordered: as text in which numbers count, 1.9 before 1.10."""
    return tuple(_part(part) for part in NUMBERS.split(version) if part)


def _part(part: str) -> tuple[int, int, str]:
    """Numbers come before text, and by their size, however long they are."""
    if not NUMBERS.fullmatch(part):
        return 1, 0, part
    digits = part.lstrip("0")
    return 0, len(digits), digits


def lineages(standings: Standings, owner_key: Callable[[str], str]) -> tuple[Lineage, ...]:
    """The bots that are there in several versions, by name. owner_key: the form by which owners
    are compared; a bot without an owner is of no lineage."""
    families: dict[tuple[str, str], list[Row]] = {}
    for section in standings.sections:
        for row in section.rows:
            if row.owner:
                family = split_name(row.name)[0], owner_key(row.owner)
                families.setdefault(family, []).append(row)
    return tuple(
        Lineage(name, rows[0].owner, tuple(_versions(standings, rows)))
        for (name, _), rows in sorted(families.items())
        if len(rows) > 1
    )


def _versions(standings: Standings, rows: list[Row]) -> Iterator[Version]:
    before: Row | None = None
    for row in sorted(rows, key=lambda row: (version_order(split_name(row.name)[1]), row.bot)):
        change = None if before is None else _change(standings, row.bot, before.bot)
        yield Version(split_name(row.name)[1], row, change)
        before = row


def _change(standings: Standings, bot: str, before: str) -> Change | None:
    for group in standings.ratings.groups:
        if bot in group.bots and before in group.bots:
            return _between(group, group.bots.index(bot), group.bots.index(before))
    return None


def _between(group: Group, bot: int, before: int) -> Change:
    gap, low, high = gap_between(group, bot, before, tail=(1 - CONFIDENCE) / 2)
    likely = float(superiority_matrix(group)[bot, before])
    return Change(
        gap, low if math.isfinite(low) else None, high if math.isfinite(high) else None, likely
    )
