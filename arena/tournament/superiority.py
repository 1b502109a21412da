"""Superiority: how sure it is that one bot is better than another.

Likelihood of superiority, simultaneous rank ranges, and how many more hands would separate two
neighbours. Reads ratings; estimates none. A likelihood of superiority is no stopping rule: whoever
checks after every block and stops at 95 % calls a false winner about every second time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import Floats, normals, t_cdf, t_quantile
from arena.tournament.ratings import CONFIDENCE, ELO_PER_LOGIT, Group

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
    """Shape (n, n): degrees of freedom of every difference: those of the less sure bot."""
    return np.minimum(group.freedom[:, None], group.freedom[None, :])


def superiority_matrix(group: Group) -> Floats:
    """Shape (n, n): the probability that the row's bot is better than the column's."""
    gaps = group.theta[:, None] - group.theta[None, :]
    errors = gap_errors(group)
    return t_cdf(gaps / np.where(errors > 0, errors, 1.0), freedom(group))


def superiority(group: Group, ahead: str, behind: str) -> float:
    """The probability that `ahead` is better than `behind`."""
    i, j = group.bots.index(ahead), group.bots.index(behind)
    gap, error = float(group.theta[i] - group.theta[j]), gap_error(group, i, j)
    return float(t_cdf(gap / error if error > 0 else gap, freedom_of(group, i, j)))


def gap_error(group: Group, i: int, j: int) -> float:
    """The standard error, in logits, of the difference of two ratings."""
    own = group.covariance
    return math.sqrt(max(0.0, float(own[i, i] + own[j, j] - 2 * own[i, j])))


def freedom_of(group: Group, i: int, j: int) -> float:
    """Degrees of freedom of the difference of two ratings."""
    return float(min(group.freedom[i], group.freedom[j]))


def rank_ranges(group: Group, bots: Sequence[str] | None = None) -> dict[str, tuple[int, int]]:
    """For each of `bots` (default: all) the places among them that it may truly deserve.

    All ranges hold together with 95 %: a bot is counted as better only if the difference exceeds
    the 95 % point of the largest standardised difference of all pairs, estimated from 10,000 draws.
    Small numbers of blocks widen it: the point is carried over to each pair's t distribution.
    """
    chosen = group.bots if bots is None else bots
    n = len(chosen)
    if n < 2:
        return dict.fromkeys(chosen, (1, 1))
    at = [group.bots.index(bot) for bot in chosen]
    among = np.ix_(at, at)
    errors, theta = gap_errors(group)[among], group.theta[at]
    gaps = theta[:, None] - theta[None, :]
    critical = _critical(group.covariance[among], errors)
    better = gaps > _stretched(critical, freedom(group)[among]) * errors
    np.fill_diagonal(better, val=False)
    first, last = 1 + better.sum(axis=0), n - better.sum(axis=1)
    return dict(zip(chosen, zip(first.tolist(), last.tolist(), strict=True), strict=True))


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
        _separation(group, ahead, behind, min(hands[ahead], hands[behind]))
        for ahead, behind in pairwise(order)
    ]


def _separation(group: Group, ahead: str, behind: str, played: int) -> Separation:
    i, j = group.bots.index(ahead), group.bots.index(behind)
    gap = ELO_PER_LOGIT * float(group.theta[i] - group.theta[j])
    quantile = float(t_quantile(0.5 + CONFIDENCE / 2, freedom_of(group, i, j))[0])
    error = quantile * ELO_PER_LOGIT * gap_error(group, i, j)
    more = None if abs(gap) < NO_GAP_ELO else max(0, math.ceil(played * ((error / gap) ** 2 - 1)))
    return Separation(
        ahead=ahead,
        behind=behind,
        gap=gap,
        error=error,
        superiority=superiority(group, ahead, behind),
        more_hands=more,
        tie=abs(gap) + error <= TIE_ELO,
    )
