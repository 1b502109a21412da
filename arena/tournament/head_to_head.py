"""Head to head: how one bot did against each other in the hands that they shared.

Counts and shares of the hands themselves, with an interval that takes the hands of a block as one
observation; no model, so it may differ from what the ratings, which know all hands, say of the two.
Pure.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import t_quantile
from arena.tournament.ratings import CONFIDENCE, ELO_PER_LOGIT, Group
from arena.tournament.superiority import freedom_of, gap_error, superiority
from arena.tournament.tallies import BlockTally, Ints


class Record(NamedTuple):
    """One bot against another. hands: shared; ahead: in how many it finished ahead, ties as halves;
    blocks: of these hands. error: the 95 % half-width of the share, None for a single block."""

    hands: int
    ahead: float
    blocks: int
    error: float | None

    @property
    def share(self) -> float:
        """In which part of the hands it finished ahead."""
        return self.ahead / self.hands


class Gap(NamedTuple):
    """The difference of two ratings by all hands, in Elo, with its 95 % half-width, and how likely
    the first is better."""

    elo: float
    error: float
    superiority: float


def records(counted: BlockTally, bot: str) -> Mapping[str, Record]:
    """How a bot did against each that it met, by their ids."""
    if bot not in counted.bots:
        return {}
    at, pairs = counted.bots.index(bot), counted.pairs
    first, second = pairs.i == at, pairs.j == at
    chosen = first | second
    others = np.where(first, pairs.j, pairs.i)[chosen]
    meetings = pairs.meetings[chosen]
    points = np.where(first, pairs.points, 2 * pairs.meetings - pairs.points)[chosen]
    return {
        counted.bots[other]: _record(meetings[others == other], points[others == other])
        for other in np.unique(others).tolist()
    }


def _record(meetings: Ints, points: Ints) -> Record:
    """From the meetings and the halves won in each block."""
    hands, ahead, blocks = int(meetings.sum()), int(points.sum()) / 2, len(meetings)
    return Record(hands, ahead, blocks, _error(meetings, points) if blocks > 1 else None)


def _error(meetings: Ints, points: Ints) -> float:
    """Blocks that are all alike do not make it sure: it is never less than hands that have nothing
    to do with each other leave, with one won and one lost added to them."""
    hands, blocks = int(meetings.sum()), len(meetings)
    share = float(points.sum()) / 2 / hands
    rests = points / 2 - share * meetings
    clustered = float(rests @ rests) * blocks / (blocks - 1) / hands**2
    likely = (share * hands + 1) / (hands + 2)
    quantile = float(t_quantile(0.5 + CONFIDENCE / 2, float(blocks - 1))[0])
    return min(1.0, quantile * math.sqrt(max(clustered, likely * (1 - likely) / hands)))


def gap(group: Group, bot: str, other: str) -> Gap:
    """What the ratings say of two bots of a group."""
    i, j = group.bots.index(bot), group.bots.index(other)
    quantile = float(t_quantile(0.5 + CONFIDENCE / 2, freedom_of(group, i, j))[0])
    return Gap(
        ELO_PER_LOGIT * float(group.theta[i] - group.theta[j]),
        quantile * ELO_PER_LOGIT * gap_error(group, i, j),
        superiority(group, bot, other),
    )
