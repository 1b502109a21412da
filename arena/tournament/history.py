"""History: the ratings after each round of a session, with their intervals, as a series.

After rounds and never after hands: within a round some bots have played more than others, and a
curve that moves with every hand shows luck. Each point is a fit of its own, of all hands up to its
round. Pure: it decides neither which hands count nor which rounds are complete.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from arena.tournament.models import BRADLEY_TERRY, rate_by
from arena.tournament.ratings import Group
from arena.tournament.results import HandResult
from arena.tournament.standings import Standings
from arena.tournament.tallies import BlockTally

MOST_POINTS = 64
"""With more rounds every second one has a point, then every fourth, and always the last."""


class RoundResults(NamedTuple):
    """A round that is complete, and the results in it that count."""

    round: int
    results: tuple[HandResult, ...]


class BotPoint(NamedTuple):
    """The rating of one bot after a round.

    group: the number of its ranking, from 1; bots of different ones had never met by then. elo,
    error, bound, bound_elo: as in a row of the standings. hands, blocks: played so far.
    """

    bot: str
    group: int
    anchor: bool
    elo: float
    error: float | None
    bound: str
    bound_elo: float | None
    hands: int
    blocks: int


class Point(NamedTuple):
    """The ratings after a round, best first within each group. hands, blocks: so far, of all."""

    round: int
    hands: int
    blocks: int
    ratings: tuple[BotPoint, ...]


def by_round(
    results: Iterable[HandResult], rounds: Mapping[str, int], *, complete: int
) -> tuple[RoundResults, ...]:
    """The results of the rounds that are complete. rounds: of each block; complete: how many."""
    listed: dict[int, list[HandResult]] = {}
    for result in results:
        if rounds[result.block] <= complete:
            listed.setdefault(rounds[result.block], []).append(result)
    return tuple(RoundResults(round_, tuple(listed[round_])) for round_ in sorted(listed))


def charted(rounds: Iterable[int]) -> tuple[int, ...]:
    """Those of some rounds, in order, that have a point: all of them, if they are not too many.

    Which ones are left out changes only when their number doubles, so that points stay.
    """
    listed = list(rounds)
    step = 1
    while len(listed) > step * MOST_POINTS:
        step *= 2
    return tuple(sorted({*listed[step - 1 :: step], *listed[-1:]}))


def point(
    rounds: Iterable[RoundResults],
    last: int,
    *,
    anchor: str | None = None,
    model: str = BRADLEY_TERRY,
) -> Point:
    """The ratings after round `last`, of all hands in it and before. anchor: as in standings."""
    results = [result for each in rounds if each.round <= last for result in each.results]
    roster = [] if anchor is None else [anchor]
    rated = rate_by(results, model=model, roster=roster, anchor=anchor)
    points = [
        _bot_point(rated.tally, group, at, number=number)
        for number, group in enumerate(rated.groups, start=1)
        for at in range(len(group.bots))
    ]
    ordered = sorted(points, key=lambda each: (each.group, -round(each.elo, 6), each.bot))
    return Point(last, rated.tally.total, len(rated.tally.blocks), tuple(ordered))


def _bot_point(counted: BlockTally, group: Group, at: int, *, number: int) -> BotPoint:
    bot, bound = group.bots[at], group.bounds[at]
    return BotPoint(
        bot,
        number,
        anchor=group.anchor == bot,
        elo=float(group.elo[at]),
        error=None if bound else float(group.errors[at]),
        bound=bound,
        bound_elo=float(group.bound_elo[at]) if bound else None,
        hands=int(counted.hands[counted.bots.index(bot)]),
        blocks=int(group.blocks[at]),
    )


class History(NamedTuple):
    """A series with what it is called by. rounds: how many of the session are complete; names: by
    bot, in the order of the standings."""

    session: str
    rounds: int
    points: tuple[Point, ...]
    names: Mapping[str, str]

    def disguised(self, pseudonyms: Mapping[str, str]) -> History:
        """The same with pseudonyms in the place of ids and names."""
        points = (
            each._replace(ratings=tuple(r._replace(bot=pseudonyms[r.bot]) for r in each.ratings))
            for each in self.points
        )
        called = [pseudonyms[bot] for bot in self.names]
        return self._replace(points=tuple(points), names=dict(zip(called, called, strict=True)))


def history_of(standings: Standings, rounds: int, points: Iterable[Point]) -> History:
    """A series with the names of standings."""
    rows = (row for section in standings.sections for row in section.rows)
    names = {row.bot: row.name for row in rows}
    return History(standings.facts.session, rounds, tuple(points), names)
