"""Ladders: sessions without an end, which bots enter and enter again with new versions.

Every block of tables is a function of the ratings so far and its own number: a newcomer first plays
placement blocks against bots from all over the ladder, then meets those near it. The ratings are
fitted again after each block, elsewhere. It may not know names, hands or rules.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.errors import BadInput
from arena.tournament.pairing.conflicts import Conflicts, Pairs, conflicts_of, table_with
from arena.tournament.pairing.lineups import Round, Table
from arena.tournament.random_stream import RandomStream, Seed

PLACEMENT_BLOCKS = 5
"""A bot with fewer blocks is being placed: as many as its rating is provisional for."""
NEAR = 2
"""Opponents are drawn from this many times as many neighbours as are needed."""


class Rung(NamedTuple):
    """A bot on the ladder. elo: None before its first block."""

    bot: int
    owner: str
    elo: float | None = None
    blocks: int = 0

    @property
    def placed(self) -> bool:
        """Has it got a rating that others can be measured by?"""
        return self.elo is not None and self.blocks >= PLACEMENT_BLOCKS


Meetings = Mapping[tuple[int, int], int]
"""How many blocks two bots have met in; the smaller number first; 0 if left out."""


def ladder_round(
    rungs: Sequence[Rung],
    seats: int,
    *,
    number: int,
    seed: Seed,
    met: Meetings,
    tables: int = 1,
    apart: Pairs = (),
) -> Round:
    """The tables of block `number`: at most `tables`, as many as owners and bots allow.

    The pairs `apart` never meet; who finds no opponents because of that waits for another block.

    Each table is drawn for the bot with fewest blocks: if it is being placed, one opponent is drawn
    from each part of the ladder; else they come from its neighbours; those it met least first.
    Raises BadInput if not even one table can be filled.
    """
    _check(rungs, seats, tables)
    lots = RandomStream(seed, "ladder", number)
    conflicts = conflicts_of({rung.bot: rung.owner for rung in rungs}, apart)
    waiting = list(lots.shuffled(sorted(rungs)))
    drawn: list[Table] = []
    while len(drawn) < tables and len(waiting) >= seats:
        first = min(waiting, key=lambda rung: rung.blocks)
        table = _table(first, waiting, seats, met, conflicts)
        if table is not None:
            drawn.append(lots.shuffled(rung.bot for rung in table))
        elif not apart:  # there are fewer owners left than seats
            break
        waiting = [rung for rung in waiting if rung not in (table or [first])]
    return tuple(drawn)


def _check(rungs: Sequence[Rung], seats: int, tables: int) -> None:
    if seats < 2:
        raise BadInput("seats", seats, "2 or more")
    if tables < 1:
        raise BadInput("tables", tables, "1 or more")
    if len({rung.bot for rung in rungs}) < len(rungs):
        raise BadInput("ladder", tuple(rung.bot for rung in rungs), "every bot once")
    owners = len({rung.owner for rung in rungs})
    if owners < seats:
        raise BadInput("owners", owners, f"at least {seats}, one for each seat of a table")


def _table(
    first: Rung, waiting: Sequence[Rung], seats: int, met: Meetings, conflicts: Conflicts
) -> list[Rung] | None:
    """A bot and its opponents; None if those that it may meet are too few."""
    barred = {first.bot, *conflicts[first.bot]}
    ladder = sorted(
        (rung for rung in waiting if rung.bot not in barred), key=lambda rung: -_height(rung)
    )
    table = [first]
    for place in range(1, seats):
        rivals = _rivals(first, ladder, [r.bot for r in table], place, seats, conflicts)
        if not rivals:
            return _any_table(first, ladder, seats, conflicts)
        table.append(min(rivals, key=lambda rung: _met(met, rung, table)))
    return table


def _any_table(
    first: Rung, ladder: Sequence[Rung], seats: int, conflicts: Conflicts
) -> list[Rung] | None:
    """A bot and whoever may sit with it, near ones first."""
    near = sorted(ladder, key=lambda rung: abs(_height(rung) - _height(first)))
    found = table_with([first.bot], [rung.bot for rung in near], seats, conflicts)
    rungs = {rung.bot: rung for rung in (first, *ladder)}
    return None if found is None else [rungs[bot] for bot in found]


def _rivals(
    first: Rung,
    ladder: Sequence[Rung],
    table: Sequence[int],
    place: int,
    seats: int,
    conflicts: Conflicts,
) -> list[Rung]:
    """Who may take the next seat: a part of the ladder for a newcomer, else the neighbours."""
    free = [
        rung for rung in ladder if rung.bot not in table and conflicts[rung.bot].isdisjoint(table)
    ]
    if first.placed:
        near = sorted(free, key=lambda rung: abs(_height(rung) - _height(first)))
        return near[: NEAR * (seats - 1)]
    part = _part(ladder, place - 1, seats - 1)
    settled = [rung for rung in part if rung in free and rung.placed]
    return settled or [rung for rung in part if rung in free] or free


def _part(ladder: Sequence[Rung], number: int, parts: int) -> Sequence[Rung]:
    """One of several equal parts of the ladder, from the top."""
    low, high = (len(ladder) * at // parts for at in (number, number + 1))
    return ladder[low:high]


def _height(rung: Rung) -> float:
    return 0.0 if rung.elo is None else rung.elo


def _met(met: Meetings, rung: Rung, table: Sequence[Rung]) -> int:
    return sum(met.get((min(rung.bot, x.bot), max(rung.bot, x.bot)), 0) for x in table)
