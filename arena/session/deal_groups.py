"""Spots: where the tables of a round stand, and whose cards they share.

With `fresh` deals every table has shuffles of its own, and its id names them. With `rotate` each
line-up plays a block of as many tables as it has bots, all with the block's shuffles, the seats
moved on by one from table to table. With `common` all tables of a round have the round's shuffles.
Pure: a function of the session's document and its schedule.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from arena.session.config import COMMON, ROTATE
from arena.session.names import block_id, round_id, table_id

LineUp = tuple[int, ...]


class DealGroup(NamedTuple):
    """What a table shares with others.

    block: the statistical unit that it belongs to. shuffles: the id that enters the deal function
    in the place of the table's. turned: how many seats further on everybody sits than in the first
    table of the block. shared: other tables have the same shuffles, so packets of cards belong to
    seats, whoever deals.
    """

    block: str
    shuffles: str
    turned: int = 0
    shared: bool = False


class PlannedTable(NamedTuple):
    """A table of a round before it is one. number: in the round, from 1; players: participants."""

    number: int
    line_up: LineUp
    group: DealGroup


def alone(table: str) -> DealGroup:
    """The group of a table that shares nothing."""
    return DealGroup(table, table)


def planned_tables(
    deals: str, session: str, round_: int, *, line_ups: Sequence[LineUp]
) -> tuple[PlannedTable, ...]:
    """The tables of a round, in order."""
    if deals == ROTATE:
        return _replicas(session, round_, line_ups)
    tables = []
    for number, line_up in enumerate(line_ups, start=1):
        group = alone(table_id(session, round_, number))
        if deals == COMMON:
            group = group._replace(shuffles=round_id(session, round_), shared=True)
        tables.append(PlannedTable(number, line_up, group))
    return tuple(tables)


def _replicas(session: str, round_: int, line_ups: Sequence[LineUp]) -> tuple[PlannedTable, ...]:
    tables: list[PlannedTable] = []
    for number, line_up in enumerate(line_ups, start=1):
        block = block_id(session, round_, number)
        for turned in range(len(line_up)):
            tables.append(
                PlannedTable(len(tables) + 1, line_up, DealGroup(block, block, turned, shared=True))
            )
    return tuple(tables)


def planned_table(
    deals: str, session: str, round_: int, *, number: int, rounds: Sequence[Sequence[LineUp]]
) -> PlannedTable | None:
    """The place of a table in the schedule; None for one that the schedule does not know."""
    line_ups = rounds[round_ - 1] if 0 < round_ <= len(rounds) else ()
    tables = planned_tables(deals, session, round_, line_ups=line_ups)
    return tables[number - 1] if 0 < number <= len(tables) else None


def replicas(deals: str, line_up: Sequence[int]) -> int:
    """How many tables a line-up plays in a round."""
    return len(line_up) if deals == ROTATE else 1
