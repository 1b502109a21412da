"""Gauntlets: the same bots sit at every table, the others take turns at the seats that are left.

For trying out one bot, or a few, against a whole field. Rounds have one table each, since nobody
can sit at two at a time; a session may play several rounds at once. Deterministic from the seed; it
may not know names, ratings or rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations

from arena.errors import BadInput
from arena.tournament.pairing.balance import order_tables
from arena.tournament.pairing.conflicts import (
    Conflicts,
    Pairs,
    Unseatable,
    check_places,
    conflicts_of,
    table_with,
)
from arena.tournament.pairing.lineups import Schedule, check_size, schedule_of
from arena.tournament.random_stream import RandomStream, Seed

GAUNTLET = "gauntlet"


@dataclass
class _Counts:
    """The working state: games of the others, and how often two of them met."""

    games: Counter[int] = field(default_factory=Counter)
    met: Counter[tuple[int, int]] = field(default_factory=Counter)


def gauntlet(
    owners: Sequence[str],
    seats: int,
    *,
    regulars: Sequence[int],
    seed: Seed,
    rounds: int | None = None,
    apart: Pairs = (),
) -> Schedule:
    """Tables at which all of `regulars` sit; `owners[i]` owns participant i.

    The others play equally often, as far as owners and the pairs `apart`, who never meet, allow,
    and meet each other about equally often. `rounds`, each of one table, defaults to the number of
    the others: each of them then sits down as often as there are free seats. Raises BadInput for a
    roster that cannot be seated.
    """
    wanted = len(owners) - len(regulars) if rounds is None else rounds
    others = _others(owners, seats, regulars)
    conflicts = conflicts_of(dict(enumerate(owners)), apart)
    _check_apart(others, seats, regulars, conflicts)
    if wanted < 1:
        raise BadInput("rounds", wanted, "1 or more")
    lots = RandomStream(seed, GAUNTLET)
    counts = _Counts()
    tables = []
    for _ in range(wanted):
        guests = _guests(others, seats - len(regulars), conflicts, counts=counts, lots=lots)
        tables.append(list(lots.shuffled([*regulars, *guests])))
    order_tables(tables)
    done = [(tuple(table),) for table in tables]
    return schedule_of(GAUNTLET, done, n=len(owners), k=seats)


def _others(owners: Sequence[str], seats: int, regulars: Sequence[int]) -> list[int]:
    """Who takes turns. Raises BadInput with the reason if a table cannot be filled."""
    check_size(len(owners), seats)
    strange = [bot for bot in regulars if not 0 <= bot < len(owners)]
    if strange or len(set(regulars)) < len(regulars):
        raise BadInput("regulars", tuple(regulars), f"different bots of 0 to {len(owners) - 1}")
    if not 1 <= len(regulars) < seats:
        wanted = f"1 to {seats - 1}, so that a seat is left"
        raise BadInput("number of regulars", len(regulars), wanted)
    here = [owners[bot] for bot in regulars]
    if len(set(here)) < len(here):
        raise BadInput("owners of the regulars", tuple(here), "one bot each, as at every table")
    others = [bot for bot in range(len(owners)) if bot not in regulars]
    for bot in others:
        if owners[bot] in here:
            wanted = "no other bot in a gauntlet of its owner's: they would share a table"
            raise BadInput(f"owner of bot {bot}", owners[bot], wanted)
    free = seats - len(regulars)
    kinds = len({owners[bot] for bot in others})
    if kinds < free:
        raise BadInput("owners of the others", kinds, f"at least {free}, one for each free seat")
    return others


def _check_apart(
    others: Sequence[int], seats: int, regulars: Sequence[int], conflicts: Conflicts
) -> None:
    """Raises Unseatable where somebody is kept apart from a regular, or could never sit down."""
    for regular in regulars:
        for bot in sorted(conflicts[regular]):
            expected = "bots that may meet: the first one sits at every table of this gauntlet"
            raise Unseatable((regular, bot), expected)
    check_places(others, seats - len(regulars), conflicts)


def _guests(
    others: Sequence[int], free: int, conflicts: Conflicts, *, counts: _Counts, lots: RandomStream
) -> list[int]:
    """Those with fewest games, among them those that met the table least, then at random."""
    order = list(lots.shuffled(others))
    guests: list[int] = []
    while len(guests) < free:
        welcome = [bot for bot in order if bot not in guests and conflicts[bot].isdisjoint(guests)]
        guests.append(min(welcome, key=lambda bot: _claim(bot, guests, counts)))
        if table_with(guests, order, free, conflicts) is None:
            order.remove(guests.pop())
    counts.games.update(guests)
    counts.met.update(permutations(guests, 2))
    return guests


def _claim(bot: int, guests: Sequence[int], counts: _Counts) -> tuple[int, int]:
    return counts.games[bot], sum(counts.met[bot, other] for other in guests)
