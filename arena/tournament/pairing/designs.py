"""Designs: rounds in which everybody plays and every pair meets equally often, exactly.

Resolvable balanced designs for the sizes at which the local search (see `balance`) ends one meeting
off. A design is stored by its first round: its points are the numbers 0..m-1, once or several times
over, and one point that stays where it is; each further round adds 1 to every other point, modulo
m. Planes of prime order are computed. The rounds were found by our own search over differences;
a test counts the pairs of every one. Pure; nothing is drawn here (see `schedules`).

Sources: D. K. Ray-Chaudhuri and R. M. Wilson, Proc. Symp. Pure Math. 19 (1971) (k = 3); H. Hanani,
D. K. Ray-Chaudhuri and R. M. Wilson, Discrete Mathematics 3 (1972) (k = 4); I. Anderson,
Combinatorial Designs and Tournaments (1997) (the method of differences).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from arena.tournament.pairing.lineups import Round, Schedule, Table, schedule_of

BALANCED = "balanced"
FIRST_ROUNDS: Mapping[tuple[int, int, int], Round] = MappingProxyType(
    {
        (9, 3, 8): ((8, 1, 5), (0, 3, 2), (4, 6, 7)),
        (12, 3, 11): ((11, 0, 8), (1, 6, 10), (2, 3, 9), (4, 5, 7)),
        (15, 3, 7): ((14, 1, 7), (0, 2, 9), (3, 6, 11), (4, 5, 8), (10, 12, 13)),
        (15, 3, 14): ((14, 2, 9), (0, 4, 1), (3, 13, 11), (5, 8, 10), (6, 7, 12)),
        (18, 3, 17): ((17, 10, 15), (0, 11, 13), (1, 8, 16), (2, 3, 7), (4, 5, 14), (6, 9, 12)),
        (21, 3, 20): (
            *((20, 1, 11), (0, 7, 9), (2, 19, 18), (3, 15, 8), (4, 12, 6), (5, 10, 16)),
            (13, 14, 17),
        ),
        (24, 3, 23): (
            *((23, 11, 15), (0, 2, 16), (1, 20, 21), (3, 6, 12), (4, 14, 22), (5, 7, 18)),
            *((8, 13, 19), (9, 10, 17)),
        ),
        (27, 3, 13): (
            *((26, 9, 23), (0, 17, 19), (1, 12, 22), (2, 8, 11), (3, 16, 21), (4, 13, 20)),
            *((5, 10, 25), (6, 7, 18), (14, 15, 24)),
        ),
        (27, 3, 26): (
            *((26, 25, 12), (0, 24, 10), (1, 23, 17), (2, 8, 9), (3, 18, 6), (4, 13, 5)),
            *((7, 14, 22), (11, 15, 20), (16, 19, 21)),
        ),
        (30, 3, 29): (
            *((29, 22, 26), (0, 24, 25), (1, 23, 28), (2, 8, 17), (3, 6, 19), (4, 13, 14)),
            *((5, 12, 20), (7, 15, 18), (9, 11, 21), (10, 16, 27)),
        ),
        (12, 4, 11): ((11, 0, 8, 10), (1, 3, 6, 7), (2, 4, 5, 9)),
        (16, 4, 15): ((15, 10, 13, 14), (0, 4, 5, 7), (1, 2, 9, 11), (3, 6, 8, 12)),
        (20, 4, 19): (
            *((19, 10, 13, 15), (0, 4, 9, 11), (1, 2, 3, 16), (5, 8, 12, 18)),
            (6, 7, 14, 17),
        ),
        (24, 4, 23): (
            *((23, 11, 15, 17), (0, 6, 19, 20), (1, 4, 12, 22), (2, 8, 9, 16)),
            *((3, 13, 14, 18), (5, 7, 10, 21)),
        ),
        (28, 4, 9): (
            *((27, 4, 16, 24), (0, 8, 23, 25), (1, 7, 19, 20), (2, 6, 15, 17)),
            *((3, 5, 10, 13), (9, 14, 18, 21), (11, 12, 22, 26)),
        ),
        (28, 4, 27): (
            *((27, 23, 24, 26), (0, 15, 19, 20), (1, 6, 14, 18), (2, 3, 9, 12)),
            *((4, 11, 17, 22), (5, 7, 13, 16), (8, 10, 21, 25)),
        ),
        (20, 5, 19): (
            *((19, 5, 11, 16, 18), (0, 1, 2, 4, 12), (3, 7, 8, 14, 17)),
            (6, 9, 10, 13, 15),
        ),
        (25, 5, 24): (
            *((24, 2, 14, 15, 19), (0, 8, 9, 12, 18), (1, 3, 4, 5, 20)),
            *((6, 11, 13, 16, 22), (7, 10, 17, 21, 23)),
        ),
        (30, 5, 29): (
            *((29, 10, 19, 22, 24), (0, 6, 21, 27, 28), (1, 9, 13, 18, 20)),
            *((2, 12, 15, 25, 26), (3, 7, 11, 14, 16), (4, 5, 8, 17, 23)),
        ),
        (12, 6, 11): ((11, 0, 4, 7, 9, 10), (1, 2, 3, 5, 6, 8)),
        (24, 6, 23): (
            *((23, 1, 12, 19, 20, 22), (0, 2, 7, 8, 11, 14)),
            *((3, 4, 6, 13, 17, 21), (5, 9, 10, 15, 16, 18)),
        ),
        (16, 8, 15): ((15, 4, 6, 9, 10, 12, 13, 14), (0, 1, 2, 3, 5, 7, 8, 11)),
    }
)
"""By bots, seats and rounds."""
PLANES = (3, 5, 7)
"""Orders of planes, which are the seats: k² bots meet once in k + 1 rounds."""


def sizes() -> tuple[tuple[int, int, int], ...]:
    """Bots, seats and rounds of every design."""
    return tuple(sorted({*FIRST_ROUNDS, *((k * k, k, k + 1) for k in PLANES)}))


def balanced(n: int, k: int, rounds: int) -> Schedule | None:
    """The longest design of which `rounds` rounds are a whole number of laps, one lap of it."""
    lengths = [r for bots, seats, r in sizes() if (bots, seats) == (n, k) and rounds % r == 0]
    if not lengths:
        return None
    length = max(lengths)
    first = FIRST_ROUNDS.get((n, k, length))
    drawn = _plane(k) if first is None else _developed(first, n, length)
    return schedule_of(BALANCED, drawn, n=n, k=k)


def _developed(first: Round, n: int, rounds: int) -> list[Round]:
    """The first round, and what follows from it."""
    return [tuple(_moved(table, x, n, rounds) for table in first) for x in range(rounds)]


def _moved(table: Table, by: int, n: int, m: int) -> Table:
    """A table whose points have moved on within their copies of 0..m-1; the last one stays."""
    return tuple(p if p == n - 1 else p - p % m + (p % m + by) % m for p in table)


def _plane(p: int) -> list[Round]:
    """The affine plane of a prime order: the lines of each direction are a round."""

    def lines(direction: int) -> Iterator[Table]:
        for c in range(p):
            if direction == p:
                yield tuple(c * p + y for y in range(p))
            else:
                yield tuple(x * p + (direction * x + c) % p for x in range(p))

    return [tuple(lines(direction)) for direction in range(p + 1)]
