"""Finals: only bots that can still win a prize go on.

Who that is follows from the simultaneous rank ranges of a session: a bot is out when it is surely
below the prizes. It may not know names or rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from arena.errors import BadInput
from arena.tournament.models import rate_by
from arena.tournament.pairing.conflicts import Pairs
from arena.tournament.pairing.lineups import Schedule
from arena.tournament.pairing.schedules import round_robin
from arena.tournament.random_stream import Seed
from arena.tournament.results import HandResult
from arena.tournament.standings import PROVISIONAL_BLOCKS
from arena.tournament.superiority import rank_ranges

FINAL = "final"


def ranges_of(results: Iterable[HandResult], bots: AbstractSet[str]) -> dict[str, tuple[int, int]]:
    """The rank ranges of `bots` among themselves, of those that have played enough to have one.

    Raises BadInput for hands of several pools, and for bots that cannot be compared.
    """
    rated = rate_by(results, roster=sorted(bots))
    fields = [group for group in rated.groups if not bots.isdisjoint(group.bots)]
    if len(fields) > 1:
        raise BadInput("fields that never met", len(fields), "one, so that all have a rank in it")
    group = fields[0] if fields else None
    if group is None:
        return {}
    played = zip(group.bots, group.blocks.tolist(), strict=True)
    sure = [bot for bot, blocks in played if bot in bots and blocks >= PROVISIONAL_BLOCKS]
    return rank_ranges(group, sure) if sure else {}


def finalists(ranges: Mapping[str, tuple[int, int]], *, prizes: int, seats: int) -> tuple[str, ...]:
    """Bots whose rank range reaches a prize, best range first.

    `ranges`: as `superiority.rank_ranges` gives them. If they do not fill a table, the next ones
    come in. Raises BadInput if there are no prizes, or fewer bots than seats.
    """
    if prizes < 1:
        raise BadInput("prizes", prizes, "1 or more")
    if len(ranges) < seats:
        wanted = f"at least the {seats} of one table; {PROVISIONAL_BLOCKS} blocks give a rank"
        raise BadInput("bots with a rank", len(ranges), wanted)
    order = sorted(ranges, key=lambda bot: (*ranges[bot], bot))
    reaching = sum(ranges[bot][0] <= prizes for bot in order)
    return tuple(order[: max(reaching, seats)])


def final(
    owners: Sequence[str],
    seats: int,
    *,
    seed: Seed,
    rounds: int | None = None,
    former: bool = False,
    apart: Pairs = (),
) -> Schedule:
    """The most even schedule of the finalists; `owners[i]` owns finalist i. No house bots.

    `former` and `apart` as in `round_robin`. Raises BadInput for a field that cannot be seated.
    """
    drawn = round_robin(
        owners, seats, seed=seed, rounds=rounds, house=0, former=former, apart=apart
    )
    return replace(drawn, kind=FINAL)
