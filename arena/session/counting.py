"""Counting: which hands count, and for whom.

The one place that decides it: standings, finals, the rounds of Swiss schedules and ladders, grades,
`arena rate` and the check of drawn rounds all ask here, whether they read a store or record files.
Pure: it reads no store and no clock, and rates nothing.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from arena.statuses import TABLE_ENDED, TABLE_OPEN, EntryStatus
from arena.tournament.barring import without
from arena.tournament.results import HandResult


class Participant(NamedTuple):
    """Who took part. status: an `EntryStatus`, or `BotKind.HOUSE`. reason: why it left, as far as
    that is shown. division: its id, empty for none. clock: a person's (see `people`), empty for a
    program."""

    bot: str
    name: str
    owner: str
    number: int
    status: str
    reason: str = ""
    division: str = ""
    clock: str = ""


class TableState(NamedTuple):
    """What is known of a table. block: the independent unit of which it is a part."""

    table: str
    block: str
    status: str


def counted_tables(tables: Iterable[TableState]) -> frozenset[str]:
    """The tables whose hands count: they are not void, and all tables of their block have ended.

    Before that none of its hands does, so that ratings depend on which blocks have ended and on
    nothing else. The hands of a table that was cut short count.
    """
    listed = list(tables)
    going_on = {each.block for each in listed if each.status in TABLE_OPEN}
    ended = (each for each in listed if each.status in TABLE_ENDED)
    return frozenset(each.table for each in ended if each.block not in going_on)


def complete_rounds(tables: Iterable[tuple[int, bool]]) -> int:
    """How many rounds are complete, counted from the first: all before it are complete too.

    tables: of every table that has been begun its round, and whether it is settled: its hands
    count, or it is void.
    """
    listed = list(tables)
    begun = {round_ for round_, _ in listed}
    going_on = {round_ for round_, settled in listed if not settled}
    complete = 0
    while complete + 1 in begun - going_on:
        complete += 1
    return complete


def counted_results(
    results: Iterable[HandResult], barred: Collection[str]
) -> tuple[HandResult, ...]:
    """The results that ratings take: without the barred bots, as if they had not been there, and
    without hands of which no pair is left. Those of bots that withdrew stay."""
    if not barred:
        return tuple(results)
    left = (without(result, barred) for result in results)
    return tuple(result for result in left if result is not None)


def barred_bots(people: Iterable[Participant]) -> frozenset[str]:
    """The bots of a session whose hands do not count: those that were disqualified."""
    return frozenset(each.bot for each in people if is_barred(each.status))


def is_barred(status: str) -> bool:
    """Do the hands of a bot whose entry has this status not count?"""
    return status == EntryStatus.DISQUALIFIED


def contenders(sessions: Iterable[Iterable[Participant]]) -> frozenset[str]:
    """The bots that may still win what several sessions lead to.

    Those that stayed to the end of one of them and were disqualified in none, whatever the order
    of the sessions. House bots win nothing.
    """
    statuses: dict[str, set[str]] = {}
    for people in sessions:
        for each in people:
            statuses.setdefault(each.bot, set()).add(each.status)
    return frozenset(
        bot
        for bot, said in statuses.items()
        if EntryStatus.ENTERED in said and EntryStatus.DISQUALIFIED not in said
    )
