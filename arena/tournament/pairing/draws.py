"""Draws: the next round of a schedule, from the results of the rounds before.

What a round is drawn from is a short list of rungs (who, how strong, how many blocks), best first;
a session keeps it beside the round, so that anybody can draw again. Pure: the same results, in
whatever order they come, give the same round. It may not know names or rules.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace
from itertools import combinations

from arena.errors import BadInput
from arena.tournament.models import rate_by
from arena.tournament.pairing.conflicts import Pairs
from arena.tournament.pairing.ladder import Meetings, Rung, ladder_round
from arena.tournament.pairing.lineups import Schedule, schedule_of
from arena.tournament.pairing.swiss import SWISS, swiss_next
from arena.tournament.random_stream import Seed
from arena.tournament.results import HandResult

LADDER = "ladder"
DIGITS = 2
"""Decimals of the Elo that a round is drawn from: far above the noise of floating point."""
UNKNOWN_ELO = 1500.0


def rungs_of(
    results: Iterable[HandResult], bots: Sequence[str], owners: Sequence[str]
) -> tuple[Rung, ...]:
    """Everybody, best first; ties by number. `bots[i]` and `owners[i]` are of participant i."""
    hands = list(results)
    rated = rate_by(hands, roster=bots)
    elos = {
        bot: round(float(elo), DIGITS) + 0.0
        for group in rated.groups
        for bot, elo in zip(group.bots, group.elo, strict=True)
    }
    blocks = Counter(bot for bot, _ in {(bot, hand.block) for hand in hands for bot in hand.bots})
    rungs = [
        Rung(number, owner, elos.get(bot), blocks[bot])
        for number, (bot, owner) in enumerate(zip(bots, owners, strict=True))
    ]
    return tuple(sorted(rungs, key=_height))


def _height(rung: Rung) -> tuple[float, int]:
    return (-(UNKNOWN_ELO if rung.elo is None else rung.elo), rung.bot)


def next_round(
    schedule: Schedule,
    rungs: Sequence[Rung],
    *,
    seed: Seed,
    tables: int | None = None,
    apart: Pairs = (),
) -> Schedule:
    """The schedule with one more round, drawn from the rungs of those that play on.

    The schedule's kind is `swiss` or `ladder`; tables: most tables of a ladder's round; apart: who
    never meets. Raises
    BadInput for a field that cannot be seated, and for other kinds.
    """
    if schedule.kind == SWISS:
        owners = _owners(schedule, rungs)
        ranking = [rung.bot for rung in rungs]
        return swiss_next(schedule, ranking, owners=owners, seed=seed, apart=apart)
    if schedule.kind == LADDER:
        return _next_block(schedule, rungs, seed=seed, tables=tables, apart=apart)
    raise BadInput("kind", schedule.kind, f"{SWISS} or {LADDER}: others are drawn as a whole")


def _owners(schedule: Schedule, rungs: Sequence[Rung]) -> tuple[str, ...]:
    """The owner of each participant; who plays no more has an owner of its own."""
    known = {rung.bot: rung.owner for rung in rungs}
    return tuple(known.get(bot, f"\0{bot}") for bot in range(schedule.participants))


def _next_block(
    schedule: Schedule, rungs: Sequence[Rung], *, seed: Seed, tables: int | None, apart: Pairs
) -> Schedule:
    number = len(schedule.rounds) + 1
    most = max(1, len(rungs) // schedule.k) if tables is None else tables
    drawn = ladder_round(
        *(rungs, schedule.k),
        number=number,
        seed=seed,
        met=meetings(schedule),
        tables=most,
        apart=apart,
    )
    if not drawn:
        raise BadInput("apart", len(apart), "fewer pairs, so that one table at least can be filled")
    rounds = [*schedule.rounds, drawn]
    longer = schedule_of(schedule.kind, rounds, n=schedule.n, k=schedule.k, house=schedule.house)
    playing = {rung.bot for rung in rungs}
    sitting_out = tuple(bot for bot in longer.byes[-1] if bot in playing)
    return replace(longer, byes=(*schedule.byes, sitting_out))


def meetings(schedule: Schedule) -> Meetings:
    """How many blocks each two participants have met in."""
    return Counter(pair for table in schedule.tables for pair in combinations(sorted(table), 2))


def only(rungs: Iterable[Rung], playing: Collection[int]) -> tuple[Rung, ...]:
    """The rungs of those that play on."""
    return tuple(rung for rung in rungs if rung.bot in playing)
