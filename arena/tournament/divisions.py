"""Divisions: the standings of some of the bots, from the fit of all.

Ratings and intervals are those of the whole field, and so is the scale; places, rank ranges, the
likelihood to be better than the next row, and every table of pairs are among the members. Pure.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from arena.errors import BadInput
from arena.tournament.ratings import Group
from arena.tournament.standings import (
    PROVISIONAL,
    RATED,
    DivisionFacts,
    Row,
    Section,
    Standings,
)
from arena.tournament.superiority import rank_ranges, superiority_matrix


def in_division(standings: Standings, division: str) -> Standings:
    """The standings of a division, by its id. Raises BadInput if there is none of this id."""
    names = dict(standings.facts.divisions)
    if division not in names:
        expected = f"one of {', '.join(names)}" if names else "none: there are no divisions"
        raise BadInput("division", division, expected)
    rated = standings.ratings
    parts = [
        (_section(section, group, division), group)
        for section, group in zip_longest(standings.sections, rated.groups)
    ]
    kept = [(section, group) for section, group in parts if section.rows]
    rows = [row for section in standings.sections for row in section.rows]
    part = DivisionFacts(
        division,
        names[division],
        members=sum(row.division == division for row in rows),
        listed=len(rows),
        anchor=next((row.name for row in rows if row.anchor), ""),
    )
    return replace(
        standings,
        facts=standings.facts._replace(division=part),
        sections=tuple(section for section, _ in kept),
        ratings=replace(rated, groups=tuple(group for _, group in kept if group is not None)),
    )


def _section(section: Section, group: Group | None, division: str) -> Section:
    """The members of a section, with what is said of them among themselves."""
    rows = [row for row in section.rows if row.division == division]
    if group is None:
        return section._replace(rows=tuple(rows))
    sure = [row.bot for row in rows if row.status == RATED]
    ranges = rank_ranges(group, sure) if sure else {}
    placed = [
        row._replace(
            position=at if row.status in (RATED, PROVISIONAL) else None, ranks=ranges.get(row.bot)
        )
        for at, row in enumerate(rows, 1)
    ]
    return section._replace(rows=tuple(_compared(placed, group)))


def _compared(rows: Sequence[Row], group: Group) -> list[Row]:
    """The rows with their superiority over the next of the same status."""
    chances = superiority_matrix(group)
    at = {bot: number for number, bot in enumerate(group.bots)}
    return [
        row._replace(
            superiority=float(chances[at[row.bot], at[below.bot]])
            if below is not None and below.status == row.status and {row.bot, below.bot} <= set(at)
            else None
        )
        for row, below in zip(rows, [*rows[1:], None], strict=True)
    ]
