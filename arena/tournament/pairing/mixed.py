"""Mixed sizes: tables of two sizes instead of byes, for organisers who ask for it.

Tables of different sizes are different games: their ratings never mix. So this is not a default.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.errors import BadInput
from arena.tournament.pairing.balance import near_balanced, order_tables
from arena.tournament.pairing.conflicts import Pairs, check_comparable, conflicts_of
from arena.tournament.pairing.lineups import Schedule, schedule_of
from arena.tournament.random_stream import Seed

MIXED = "mixed"
SMALLEST = 3
NOBODY = "\0nobody"


def mixed_rounds(
    owners: Sequence[str],
    seats: int,
    *,
    seed: Seed,
    rounds: int | None = None,
    apart: Pairs = (),
) -> Schedule:
    """Near-balanced rounds in which everybody plays, at tables of `seats` or one less.

    `owners[i]` owns participant i. Who sits at the smaller tables goes round: nobody in particular
    is scheduled for the seats that stay empty, one at a table at most. The pairs `apart` never
    meet. Raises BadInput for a roster that cannot be seated, if there would be too few tables, or
    tables of fewer than three.
    """
    n = len(owners)
    empty = -n % seats if seats > 0 else 0
    tables = (n + empty) // seats if seats > 0 else 0
    if empty > tables:
        wanted = f"a number that tables of {seats} and {seats - 1} can seat"
        raise BadInput("roster", n, wanted)
    if empty and seats - 1 < SMALLEST:
        raise BadInput("seats", seats, f"{SMALLEST + 1} or more, to have smaller tables too")
    if apart:
        check_comparable(conflicts_of(dict(enumerate(owners)), apart))
    wanted_rounds = n - 1 if rounds is None else rounds
    full = near_balanced(
        *(n + empty, seats),
        rounds=wanted_rounds,
        owners=[*owners, *[NOBODY] * empty],
        apart=apart,
        seed=seed,
    )
    seated = [[[bot for bot in table if bot < n] for table in tables] for tables in full.rounds]
    order_tables([table for tables in seated for table in tables])
    done = [tuple(tuple(table) for table in tables) for tables in seated]
    return schedule_of(MIXED if empty else full.kind, done, n=n, k=seats)
