"""Schedules: which bots meet at which table, round by round.

Complete and perfect Mendelsohn designs, and the choice between them, other exact designs (see
`designs`) and near-balanced rounds (see `balance`). Pure and deterministic from the seed; a session
stores the schedule it was given. It may not know bots' names, ratings or rules.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace
from math import comb

from arena.errors import BadInput
from arena.tournament.pairing.balance import near_balanced, order_tables
from arena.tournament.pairing.conflicts import Pairs, check_roster
from arena.tournament.pairing.designs import BALANCED, balanced
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

DEFAULT_ROUNDS = 40
"""Most rounds where nobody says how many. Up to 41 bots everybody meets everybody as often, in one
round fewer than there are bots. Beyond that more rounds make the session longer, but not a bot's
rating: its error rests on its own blocks, one a round, and 40 of them
of 10 hands give about ± 35 Elo (see `precision`)."""


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
    former: bool = False,
    apart: Pairs = (),
) -> Schedule:
    """The most even schedule for a roster; `owners[i]` owns participant i.

    Complete (repeated as often as it fits) if every line-up fits into `rounds` rounds of
    n // seats tables; else a perfect Mendelsohn design or a resolvable balanced one, if one exists
    with at most `house` house bots and `rounds` is a multiple of its length; else near-balanced
    rounds. All but the last need owners with one bot each, and nobody kept `apart`. `rounds` is by
    default what the design has, or one fewer than participants, and at most DEFAULT_ROUNDS. With
    `fill`, house bots take the free seats of near-balanced rounds; otherwise there are byes for
    those with most games. `former`: as programs drew before there were resolvable designs and
    DEFAULT_ROUNDS. Raises BadInput for a roster that cannot be seated.
    """
    if rounds is not None and rounds < 1:
        raise BadInput("rounds", rounds, "1 or more")
    extra = -len(owners) % seats if fill and seats > 0 else 0
    check_roster(len(owners) + extra, seats, owners=_with_house(owners, extra))
    alone = len(set(owners)) == len(owners) and not apart
    designed = _former_design if former else _designed
    n, most = len(owners), len(owners) + extra - 1
    design = designed(n, seats, rounds=rounds, house=house, seed=seed) if alone else None
    if rounds is None:
        rounds = most if former else min(most, DEFAULT_ROUNDS)
    return design or near_balanced(
        n, seats, rounds=rounds, owners=owners, seed=seed, house=extra, apart=apart
    )


def _with_house(owners: Sequence[str], extra: int) -> tuple[str, ...]:
    taken = set(owners)
    names = (f"house {i}" for i in itertools.count())
    fresh = itertools.islice((name for name in names if name not in taken), extra)
    return (*owners, *fresh)


def _designed(n: int, k: int, *, rounds: int | None, house: int, seed: Seed) -> Schedule | None:
    """The complete schedule, or the design with fewest house bots, if there is one."""
    everything = _complete(n, k, rounds=rounds, seed=seed)
    if everything is not None or n < k:
        return everything
    for participants in range(n, n + house + 1):
        design = _exact(participants, k, rounds=rounds)
        if design is not None:
            length = len(design.rounds)
            wanted = max(length, participants - 1) if rounds is None else rounds
            return _drawn(design, n=n, laps=wanted // length, seed=seed)
    return None


def _exact(n: int, k: int, *, rounds: int | None) -> Schedule | None:
    """One lap of a design in which `rounds` rounds are whole laps; of the usual number of rounds,
    where nobody says how many."""
    if mendelsohn_prime(n, k, house=0) is not None:
        fits = n <= DEFAULT_ROUNDS + 1 if rounds is None else rounds % n == 0
        return mendelsohn(n, k) if fits else None
    return balanced(n, k, n - 1 if rounds is None else rounds)


def _former_design(
    n: int, k: int, *, rounds: int | None, house: int, seed: Seed
) -> Schedule | None:
    everything = _complete(n, k, rounds=rounds, seed=seed)
    p = mendelsohn_prime(n, k, house=house)
    if everything is not None or n < k or p is None or (rounds is not None and rounds % p):
        return everything
    return _drawn(mendelsohn(p, k), n=n, laps=1 if rounds is None else rounds // p, seed=seed)


def _complete(n: int, k: int, *, rounds: int | None, seed: Seed) -> Schedule | None:
    """Every line-up, as often as it fits; None if it does not."""
    if n < k:
        return None
    repeats = (n - 1 if rounds is None else rounds) * (n // k) // comb(n, k)
    return complete(n, k, repeats=repeats, seed=seed) if repeats else None


def _drawn(design: Schedule, *, n: int, laps: int, seed: Seed) -> Schedule:
    """The design with its labels at random, anew for each lap, and its rounds in that order."""
    lots = RandomStream(seed, "labels")
    rounds: list[Round] = []
    for _ in range(laps):
        labels = lots.shuffled(range(design.n))
        drawn = [tuple(tuple(labels[x] for x in t) for t in tables) for tables in design.rounds]
        rounds.extend(lots.shuffled(drawn))
    if design.kind == BALANCED:
        rounds = _ordered(rounds)
    return replace(
        schedule_of(design.kind, rounds, n=design.n, k=design.k), n=n, house=design.n - n
    )


def _ordered(rounds: Sequence[Round]) -> list[Round]:
    """The rounds with each table in an order that lets everybody act after others about equally
    often."""
    listed = [[list(table) for table in tables] for tables in rounds]
    order_tables([table for tables in listed for table in tables])
    return [tuple(tuple(table) for table in tables) for tables in listed]
