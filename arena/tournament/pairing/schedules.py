"""Schedules: which bots meet at which table, round by round.

Complete and perfect Mendelsohn designs, and the choice between them and near-balanced rounds
(see `balance`). Pure and deterministic from the seed; a session stores the schedule it was given.
It may not know bots' names, ratings or rules.
"""

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import comb

from arena.errors import BadInput
from arena.tournament.pairing.balance import check_roster, near_balanced, order_tables
from arena.tournament.pairing.lineups import (
    Round,
    Schedule,
    Statistics,
    Table,
    check_size,
    schedule_of,
    statistics,
)
from arena.tournament.random_stream import RandomStream, Seed

__all__ = [
    "Round",
    "Schedule",
    "Statistics",
    "Table",
    "complete",
    "mendelsohn",
    "mendelsohn_prime",
    "near_balanced",
    "round_robin",
    "statistics",
]


def complete(n: int, k: int, *, seed: Seed, repeats: int = 1) -> Schedule:
    """Every line-up of k out of n, `repeats` times, in a random order packed into rounds."""
    check_size(n, k)
    lots = RandomStream(seed, "complete")
    rounds: list[list[list[int]]] = []
    for _ in range(repeats):
        lineups = lots.shuffled(itertools.combinations(range(n), k))
        rounds.extend(_packed([list(lots.shuffled(lineup)) for lineup in lineups]))
    order_tables([table for tables in rounds for table in tables])
    done = [tuple(tuple(table) for table in tables) for tables in rounds]
    return schedule_of("complete", done, n=n, k=k)


def _packed(lineups: Sequence[list[int]]) -> list[list[list[int]]]:
    """First fit: each line-up goes into the first round where nobody of it plays yet."""
    rounds: list[list[list[int]]] = []
    busy: list[set[int]] = []
    for lineup in lineups:
        free = (r for r, players in enumerate(busy) if players.isdisjoint(lineup))
        at = next(free, len(rounds))
        if at == len(rounds):
            rounds.append([])
            busy.append(set())
        rounds[at].append(lineup)
        busy[at].update(lineup)
    return rounds


def mendelsohn(p: int, k: int) -> Schedule:
    """The perfect Mendelsohn design of a prime p = 1 (mod k): p rounds, x has the bye in round x.

    Every pair meets k - 1 times and every participant acts directly after every other exactly
    once. Raises BadInput for any other p. Source: N. S. Mendelsohn, "Perfect cyclic designs",
    Discrete Mathematics 20 (1977).
    """
    if k < 2 or p % k != 1 or not _is_prime(p):
        raise BadInput("p", p, f"a prime that leaves 1 when divided by {k} seats")
    g = _primitive_root(p)
    w = pow(g, (p - 1) // k, p)
    base = [[pow(g, i, p) * pow(w, j, p) for j in range(k)] for i in range((p - 1) // k)]
    rounds = [tuple(tuple((b + x) % p for b in row) for row in base) for x in range(p)]
    return schedule_of("mendelsohn", rounds, n=p, k=k)


def mendelsohn_prime(n: int, k: int, *, house: int = 2) -> int | None:
    """The smallest prime p = 1 (mod k) with n <= p <= n + house, if there is one."""
    primes = (p for p in range(n, n + house + 1) if p > k and p % k == 1 and _is_prime(p))
    return next(primes, None)


def _is_prime(p: int) -> bool:
    return p > 1 and all(p % d for d in range(2, int(p**0.5) + 1))


def _primitive_root(p: int) -> int:
    """The smallest g whose powers are all of 1..p-1."""
    return next(g for g in range(1, p) if len({pow(g, i, p) for i in range(p - 1)}) == p - 1)


def round_robin(
    owners: Sequence[str],
    seats: int,
    *,
    seed: Seed,
    rounds: int | None = None,
    house: int = 2,
    fill: bool = False,
) -> Schedule:
    """The most even schedule for a roster; `owners[i]` owns participant i.

    Complete (repeated as often as it fits) if every line-up fits into `rounds` rounds of
    n // seats tables; else a perfect Mendelsohn design if one exists with at most `house` house
    bots and `rounds` is None or a multiple of its length; else near-balanced rounds (default:
    one fewer than participants). The first two need owners with one bot each. With `fill`,
    house bots take the free seats of near-balanced rounds; otherwise there are byes for those
    with most games. Raises BadInput for a roster that cannot be seated.
    """
    if rounds is not None and rounds < 1:
        raise BadInput("rounds", rounds, "1 or more")
    extra = -len(owners) % seats if fill and seats > 0 else 0
    check_roster(len(owners) + extra, seats, owners=_with_house(owners, extra))
    alone = len(set(owners)) == len(owners)
    design = _designed(len(owners), seats, rounds=rounds, house=house, seed=seed) if alone else None
    return design or near_balanced(
        len(owners), seats, rounds=rounds, owners=owners, seed=seed, house=extra
    )


def _with_house(owners: Sequence[str], extra: int) -> tuple[str, ...]:
    taken = set(owners)
    names = (f"house {i}" for i in itertools.count())
    fresh = itertools.islice((name for name in names if name not in taken), extra)
    return (*owners, *fresh)


def _designed(n: int, k: int, *, rounds: int | None, house: int, seed: Seed) -> Schedule | None:
    if n < k:
        return None
    wanted = n - 1 if rounds is None else rounds
    repeats = wanted * (n // k) // comb(n, k)
    if repeats:
        return complete(n, k, repeats=repeats, seed=seed)
    p = mendelsohn_prime(n, k, house=house)
    if p is None or (rounds is not None and rounds % p):
        return None
    return _drawn(mendelsohn(p, k), n=n, laps=1 if rounds is None else rounds // p, seed=seed)


def _drawn(design: Schedule, *, n: int, laps: int, seed: Seed) -> Schedule:
    """The design with its labels at random, anew for each lap, and its rounds in that order."""
    lots = RandomStream(seed, "labels")
    rounds: list[Round] = []
    for _ in range(laps):
        labels = lots.shuffled(range(design.n))
        drawn = [tuple(tuple(labels[x] for x in t) for t in tables) for tables in design.rounds]
        rounds.extend(lots.shuffled(drawn))
    return replace(
        schedule_of(design.kind, rounds, n=design.n, k=design.k), n=n, house=design.n - n
    )
