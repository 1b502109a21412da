"""Superiority: how sure it is that one bot is better than another.

Likelihood of superiority, simultaneous rank ranges, and how many more hands would separate two
neighbours. Reads ratings; estimates none. A likelihood of superiority is no stopping rule: whoever
checks after every block and stops at 95 % calls a false winner about every second time.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import Floats, normals, t_cdf, t_quantile
from arena.tournament.ratings import CONFIDENCE, ELO_PER_LOGIT, FREEDOM, Group

DRAWS = 10_000
CHUNK = 500
RANGE_SEED = b"daifugo-arena rank ranges 1"
TIE_ELO = 10.0
"""Bots whose true gap is surely below this are called a tie."""
NO_GAP_ELO = 1e-6
"""A smaller gap is the noise of floating point: no number of hands would show it."""


class Separation(NamedTuple):
    """Two bots, the first rated higher: the gap and its 95 % half-width in Elo.

    error: with the t of the pair's own blocks, as in LOS. more_hands: about how many more hands
    each would have to play until the gap exceeds its error; 0 if it does already, None if there is
    no gap. tie: the gap is surely within 10 Elo.
    """

    ahead: str
    behind: str
    gap: float
    error: float
    superiority: float
    more_hands: int | None
    tie: bool


def gap_errors(group: Group) -> Floats:
    """Shape (n, n): the standard error, in logits, of every difference of two ratings."""
    own = np.diag(group.covariance)
    return np.sqrt(np.maximum(own[:, None] + own[None, :] - 2 * group.covariance, 0.0))


def freedom(group: Group) -> Floats:
    """Shape (n, n): degrees of freedom of every difference: the fewer blocks, plus 11."""
    fewer = np.minimum(group.blocks[:, None], group.blocks[None, :])
    return np.asarray(fewer + float(FREEDOM))


def superiority_matrix(group: Group) -> Floats:
    """Shape (n, n): the probability that the row's bot is better than the column's."""
    gaps = group.theta[:, None] - group.theta[None, :]
    errors = gap_errors(group)
    return t_cdf(gaps / np.where(errors > 0, errors, 1.0), freedom(group))


def superiority(group: Group, ahead: str, behind: str) -> float:
    """The probability that `ahead` is better than `behind`."""
    return float(superiority_matrix(_only(group, (ahead, behind)))[0, 1])


def _only(group: Group, bots: Sequence[str]) -> Group:
    """The group reduced to some of its bots, in that order; their errors do not change."""
    at = [group.bots.index(bot) for bot in bots]
    return replace(
        group,
        bots=tuple(bots),
        theta=group.theta[at],
        covariance=group.covariance[np.ix_(at, at)],
        blocks=group.blocks[at],
        bounds=tuple(group.bounds[i] for i in at),
        limits=group.limits[at],
        points=group.points[np.ix_(at, at)],
    )


def rank_ranges(group: Group, bots: Sequence[str] | None = None) -> dict[str, tuple[int, int]]:
    """For each of `bots` (default: all) the places among them that it may truly deserve.

    All ranges hold together with 95 %: a bot is counted as better only if the difference exceeds
    the 95 % point of the largest standardised difference of all pairs, estimated from 10,000 draws.
    Small numbers of blocks widen it: the point is carried over to each pair's t distribution.
    """
    chosen = _only(group, group.bots if bots is None else bots)
    n = len(chosen.bots)
    if n < 2:
        return dict.fromkeys(chosen.bots, (1, 1))
    errors = gap_errors(chosen)
    gaps = chosen.theta[:, None] - chosen.theta[None, :]
    better = gaps > _stretched(_critical(chosen.covariance, errors), freedom(chosen)) * errors
    np.fill_diagonal(better, val=False)
    first, last = 1 + better.sum(axis=0), n - better.sum(axis=1)
    return dict(zip(chosen.bots, zip(first.tolist(), last.tolist(), strict=True), strict=True))


def _critical(covariance: Floats, errors: Floats) -> float:
    """The 95 % point of the largest |difference| / error over all pairs, for normal ratings."""
    n = len(covariance)
    # A shift common to all bots cancels in every difference and makes the matrix definite.
    shift = np.full((n, n), max(float(np.trace(covariance)) / n, np.finfo(float).tiny))
    root = np.linalg.cholesky(covariance + shift + 1e-12 * np.diag(np.diag(shift)))
    draws = root @ normals(RANGE_SEED, DRAWS * n).reshape(n, DRAWS)
    largest = np.concatenate(
        [_largest(draws[:, at : at + CHUNK], errors) for at in range(0, DRAWS, CHUNK)]
    )
    return float(np.sort(largest)[math.ceil(CONFIDENCE * DRAWS) - 1])


def _largest(draws: Floats, errors: Floats) -> Floats:
    """Per draw (column), the largest standardised difference of two rows."""
    top = np.zeros(draws.shape[1])
    for i in range(len(draws) - 1):
        scale = np.where(errors[i, i + 1 :] > 0, errors[i, i + 1 :], np.inf)
        apart = np.abs(draws[i + 1 :] - draws[i]) / scale[:, None]
        np.maximum(top, apart.max(axis=0), out=top)
    return top


def _stretched(z: float, df: Floats) -> Floats:
    """The t values that are exceeded as rarely as z is by a normal number."""
    tail = max(0.5 * math.erfc(z / math.sqrt(2)), 1e-15)
    values, where = np.unique(df, return_inverse=True)
    return t_quantile(1 - tail, values)[where].reshape(df.shape)


def separations(group: Group, order: Sequence[str], hands: dict[str, int]) -> list[Separation]:
    """The gap between each bot of `order` and the next; `hands[bot]` have been played."""
    return [
        _separation(_only(group, pair), min(hands[bot] for bot in pair)) for pair in pairwise(order)
    ]


def _separation(two: Group, played: int) -> Separation:
    gap = ELO_PER_LOGIT * float(two.theta[0] - two.theta[1])
    quantile = float(t_quantile(0.5 + CONFIDENCE / 2, freedom(two)[0, 1])[0])
    error = quantile * ELO_PER_LOGIT * float(gap_errors(two)[0, 1])
    more = None if abs(gap) < NO_GAP_ELO else max(0, math.ceil(played * ((error / gap) ** 2 - 1)))
    return Separation(
        ahead=two.bots[0],
        behind=two.bots[1],
        gap=gap,
        error=error,
        superiority=float(superiority_matrix(two)[0, 1]),
        more_hands=more,
        tie=abs(gap) + error <= TIE_ELO,
    )
