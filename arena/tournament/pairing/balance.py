"""Balance: near-balanced rounds, by a greedy start and a local search.

For fields that no design fits: pairs meet almost equally often, two bots of one owner never sit
at one table, nobody has two more games than another. Deterministic from the seed. It may not know
bots' names, ratings or rules; the working state never leaves this module.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from arena.errors import BadInput
from arena.tournament.pairing.conflicts import (
    Conflicts,
    Pairs,
    check_comparable,
    check_played,
    check_roster,
    conflicts_of,
    seated_round,
)
from arena.tournament.pairing.lineups import Schedule, schedule_of
from arena.tournament.random_stream import RandomStream, Seed

PROPOSALS_PER_ROUND = 4_000
PROPOSALS = 120_000
PASSES = 50


@dataclass
class _Plan:
    """The working state: tables and byes per round, and how often each pair meets.

    apart: are there conflicts beyond those of bots of one owner?
    """

    k: int
    owners: tuple[int, ...]
    conflicts: Conflicts
    apart: bool
    rounds: list[list[list[int]]]
    byes: list[list[int]]
    met: list[list[int]]
    games: list[int]

    def count(self, table: Sequence[int], step: int) -> None:
        """Add a table to the counts (step 1) or take it out (step -1)."""
        for i, j in itertools.permutations(table, 2):
            self.met[i][j] += step
        for i in table:
            self.games[i] += step


def near_balanced(
    n: int,
    k: int,
    *,
    seed: Seed,
    rounds: int | None = None,
    owners: Sequence[str] = (),
    apart: Pairs = (),
    house: int = 0,
    proposals: int | None = None,
) -> Schedule:
    """Rounds in which all pairs meet almost equally often.

    Each round seats all n + house participants but for (n + house) mod k byes, which go to those
    with most games. `rounds` defaults to participants - 1. `owners` (of the roster; none given
    means all different) never share a table, nor do the pairs `apart`. `proposals` caps the swaps
    tried, by default 4,000 a round and 120,000 in all. Raises BadInput for a roster that cannot be
    seated.
    """
    size = n + house
    check_roster(size, k, owners=owners)
    wanted = size - 1 if rounds is None else rounds
    if wanted < 1:
        raise BadInput("rounds", wanted, "1 or more")
    lots = RandomStream(seed, "near balanced")
    plan = _started(_empty(size, k, owners=owners, apart=apart), rounds=wanted, lots=lots)
    cap = min(PROPOSALS_PER_ROUND * wanted, PROPOSALS) if proposals is None else proposals
    _search(plan, lots, cap=cap)
    order_tables([table for tables in plan.rounds for table in tables])
    done = [tuple(tuple(table) for table in tables) for tables in plan.rounds]
    schedule = schedule_of("near_balanced", done, n=n, k=k, house=house)
    if apart:
        check_played(schedule)
    return schedule


def _numbered(size: int, owners: Sequence[str]) -> tuple[int, ...]:
    """Owner numbers of all participants; who has no owner given owns only itself."""
    numbers: dict[str, int] = {}
    known = [numbers.setdefault(owner, len(numbers)) for owner in owners[:size]]
    return (*known, *range(size, size + size - len(known)))


def _empty(size: int, k: int, *, owners: Sequence[str], apart: Pairs) -> _Plan:
    """A plan without a round. Raises Unseatable for a field of which parts never meet."""
    numbers = _numbered(size, owners)
    conflicts = conflicts_of(dict(enumerate(numbers)), apart)
    if apart:
        check_comparable(conflicts)
    met = [[0] * size for _ in range(size)]
    return _Plan(
        *(k, numbers, conflicts, bool(apart)), rounds=[], byes=[], met=met, games=[0] * size
    )


def _started(plan: _Plan, *, rounds: int, lots: RandomStream) -> _Plan:
    size = len(plan.games)
    for _ in range(rounds):
        order = lots.shuffled(range(size))
        by_games = sorted(order, key=lambda bot: -plan.games[bot])
        byes = by_games[: size % plan.k]
        players = [bot for bot in order if bot not in byes]
        tables = _greedy(plan, players)
        if tables is None and plan.apart:
            games = dict(enumerate(plan.games))
            byes, tables = seated_round(by_games, plan.k, plan.conflicts, games=games, even=True)
        plan.rounds.append(tables or _dealt(plan, players))
        plan.byes.append(byes)
        for table in plan.rounds[-1]:
            plan.count(table, 1)
    return plan


def _greedy(plan: _Plan, players: Sequence[int]) -> list[list[int]] | None:
    """Tables begun by who has met most and filled with those met least; None if that leads to
    a conflict."""
    waiting = list(players)
    total = {bot: sum(plan.met[bot]) for bot in players}
    tables = []
    while waiting:
        table = [max(waiting, key=total.__getitem__)]
        waiting.remove(table[0])
        if not _fill(plan, table, waiting):
            return None
        tables.append(table)
    return tables


def _fill(plan: _Plan, table: list[int], waiting: list[int]) -> bool:
    """Move the bots met least from `waiting` to `table`; False if nobody is left for a seat."""
    met = list(plan.met[table[0]])
    barred = set(plan.conflicts[table[0]])
    while len(table) < plan.k:
        allowed = [bot for bot in waiting if bot not in barred]
        if not allowed:
            return False
        bot = min(allowed, key=met.__getitem__)
        waiting.remove(bot)
        table.append(bot)
        barred |= plan.conflicts[bot]
        met = [a + b for a, b in zip(met, plan.met[bot], strict=True)]
    return True


def _dealt(plan: _Plan, players: Sequence[int]) -> list[list[int]]:
    """Tables dealt owner by owner, which always works: nobody owns more bots than tables."""
    first: dict[int, int] = {}
    for at, bot in enumerate(players):
        first.setdefault(plan.owners[bot], at)
    order = sorted(players, key=lambda bot: first[plan.owners[bot]])
    count = len(players) // plan.k
    return [order[table::count] for table in range(count)]


def _search(plan: _Plan, lots: RandomStream, *, cap: int) -> None:
    """Try swaps that do not raise the sum of meetings squared, until even or the cap is met."""
    excess = _excess(plan)
    several = len(plan.rounds[0]) > 1
    for _ in range(cap):
        if excess <= 0:
            return
        if several and not (plan.byes[0] and lots.below(4) == 0):
            excess += _swap_seats(plan, lots)
        elif plan.byes[0]:
            excess += _swap_byes(plan, lots)
        else:
            return


def _excess(plan: _Plan) -> int:
    """Sum over pairs of meetings squared, above the least that this many meetings allow."""
    size = len(plan.games)
    pairs = [
        plan.met[i][j]
        for i, j in itertools.combinations(range(size), 2)
        if j not in plan.conflicts[i]
    ]
    each, over = divmod(sum(pairs), len(pairs))
    least = over * (each + 1) ** 2 + (len(pairs) - over) * each**2
    return sum(m * m for m in pairs) - least


def _gain(plan: _Plan, table: Sequence[int], out: int, into: int) -> int:
    """Change of the sum of meetings squared when `into` takes the seat of `out`."""
    leaving, joining = plan.met[out], plan.met[into]
    change = 0
    for x in table:  # a sum of a generator takes twice as long, and this is most of the search
        if x != out:
            change += joining[x] - leaving[x] + 1
    return 2 * change


def _welcome(plan: _Plan, table: Sequence[int], out: int, into: int) -> bool:
    barred = plan.conflicts[into]
    return not barred or barred.isdisjoint(x for x in table if x != out)


def _replace(plan: _Plan, table: list[int], out: int, into: int) -> None:
    """Give the seat of `out` to `into`; only their own counts change."""
    met, seat = plan.met, table.index(out)
    for x in table:
        if x != out:
            met[out][x] -= 1
            met[x][out] -= 1
            met[into][x] += 1
            met[x][into] += 1
    plan.games[out] -= 1
    plan.games[into] += 1
    table[seat] = into


def _swap_seats(plan: _Plan, lots: RandomStream) -> int:
    """Swap two bots between two tables of a round if that does not make it worse."""
    tables = plan.rounds[lots.below(len(plan.rounds))]
    first = lots.below(len(tables))
    second = (first + 1 + lots.below(len(tables) - 1)) % len(tables)
    here, there = tables[first], tables[second]
    a, b = here[lots.below(plan.k)], there[lots.below(plan.k)]
    change = _gain(plan, here, a, b) + _gain(plan, there, b, a)
    if change > 0 or not (_welcome(plan, here, a, b) and _welcome(plan, there, b, a)):
        return 0
    _replace(plan, here, a, b)
    _replace(plan, there, b, a)
    return change


def _swap_byes(plan: _Plan, lots: RandomStream) -> int:
    """Swap who sits out: a for b in one round and b for a in another, so that games stay even."""
    first, second = lots.below(len(plan.rounds)), lots.below(len(plan.rounds))
    a = plan.byes[second][lots.below(len(plan.byes[second]))]
    b = plan.byes[first][lots.below(len(plan.byes[first]))]
    here, there = _table_of(plan, first, a), _table_of(plan, second, b)
    if here is None or there is None:
        return 0
    if not (_welcome(plan, here, a, b) and _welcome(plan, there, b, a)):
        return 0
    change = _gain(plan, here, a, b)
    _replace(plan, here, a, b)
    change += _gain(plan, there, b, a)
    if change > 0:
        _replace(plan, here, b, a)
        return 0
    _replace(plan, there, b, a)
    plan.byes[first][plan.byes[first].index(b)] = a
    plan.byes[second][plan.byes[second].index(a)] = b
    return change


def _table_of(plan: _Plan, number: int, bot: int) -> list[int] | None:
    return next((table for table in plan.rounds[number] if bot in table), None)


def order_tables(tables: Sequence[list[int]]) -> None:
    """Swap seats within tables, in place, while that lowers the sum of acts-directly-after²."""
    after: Counter[tuple[int, int]] = Counter()
    for table in tables:
        after.update(_steps(table))
    for _ in range(PASSES):
        if not sum(_reordered(table, after) for table in tables):
            return


def _steps(table: Sequence[int]) -> list[tuple[int, int]]:
    return [(table[i - 1], table[i]) for i in range(len(table))]


def _reordered(table: list[int], after: Counter[tuple[int, int]]) -> bool:
    """Put the table into the best order one swap away; True if that is better than its own."""
    after.subtract(_steps(table))
    best = min(_one_swap_away(table), key=lambda order: sum(after[s] for s in _steps(order)))
    better = sum(after[s] for s in _steps(best)) < sum(after[s] for s in _steps(table))
    if better:
        table[:] = best
    after.update(_steps(table))
    return better


def _one_swap_away(table: Sequence[int]) -> list[list[int]]:
    orders = []
    for i, j in itertools.combinations(range(len(table)), 2):
        order = list(table)
        order[i], order[j] = order[j], order[i]
        orders.append(order)
    return orders
