"""Finals: only bots that can still win a prize go on.

Who that is follows from the simultaneous rank ranges of a session: a bot is out when it is surely
below the prizes. It may not know names or rules.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from arena.errors import BadInput
from arena.tournament.lineups import Schedule
from arena.tournament.lots import Seed
from arena.tournament.schedules import round_robin

FINAL = "final"


def finalists(ranges: Mapping[str, tuple[int, int]], *, prizes: int, seats: int) -> tuple[str, ...]:
    """Bots whose rank range reaches a prize, best range first.

    `ranges`: as `superiority.rank_ranges` gives them. If they do not fill a table, the next ones
    come in. Raises BadInput if there are no prizes, or fewer bots than seats.
    """
    if prizes < 1:
        raise BadInput("prizes", prizes, "1 or more")
    if len(ranges) < seats:
        raise BadInput("bots with a rank", len(ranges), f"at least the {seats} of one table")
    order = sorted(ranges, key=lambda bot: (*ranges[bot], bot))
    reaching = sum(ranges[bot][0] <= prizes for bot in order)
    return tuple(order[: max(reaching, seats)])


def final(owners: Sequence[str], seats: int, *, seed: Seed, rounds: int | None = None) -> Schedule:
    """The most even schedule of the finalists; `owners[i]` owns finalist i. No house bots.

    Raises BadInput for a field that cannot be seated.
    """
    return replace(round_robin(owners, seats, seed=seed, rounds=rounds, house=0), kind=FINAL)
