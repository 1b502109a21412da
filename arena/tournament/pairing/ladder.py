"""Ladders: sessions without an end, which bots enter and enter again with new versions.

Every block of tables is a function of the ratings so far and its own number: a newcomer first plays
placement blocks against bots from all over the ladder, then meets those near it. The ratings are
fitted again after each block, elsewhere. It may not know names, hands or rules.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from arena.errors import BadInput
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
) -> Round:
    """The tables of block `number`: at most `tables`, as many as owners and bots allow.

    Each table is drawn for the bot with fewest blocks: if it is being placed, one opponent is drawn
    from each part of the ladder; else they come from its neighbours; those it met least first.
    Raises BadInput if not even one table can be filled.
    """
    _check(rungs, seats, tables)
    lots = RandomStream(seed, "ladder", number)
    waiting = list(lots.shuffled(sorted(rungs)))
    drawn: list[Table] = []
    while len(drawn) < tables and len(waiting) >= seats:
        table = _table(waiting, seats, met)
        if table is None:
            break
        drawn.append(lots.shuffled(rung.bot for rung in table))
        waiting = [rung for rung in waiting if rung not in table]
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


def _table(waiting: Sequence[Rung], seats: int, met: Meetings) -> list[Rung] | None:
    """The bot with fewest blocks and its opponents; None if its owner leaves too few."""
    first = min(waiting, key=lambda rung: rung.blocks)
    table = [first]
    ladder = sorted(
        (rung for rung in waiting if rung.owner != first.owner), key=lambda rung: -_height(rung)
    )
    for place in range(1, seats):
        rivals = _rivals(first, ladder, table, place, seats)
        if not rivals:
            return None
        table.append(min(rivals, key=lambda rung: _met(met, rung, table)))
    return table


def _rivals(
    first: Rung, ladder: Sequence[Rung], table: Sequence[Rung], place: int, seats: int
) -> list[Rung]:
    """Who may take the next seat: a part of the ladder for a newcomer, else the neighbours."""
    owners = {rung.owner for rung in table}
    free = [rung for rung in ladder if rung.owner not in owners]
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
