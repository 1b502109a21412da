"""Fitting: the top of the Bradley-Terry likelihood, and what every block adds to its slope.

Only mathematics, in logits. It may not know names, anchors or bounds.

Sources: R. A. Bradley and M. E. Terry, Biometrika 39 (1952); D. R. Hunter, Annals of Statistics
32 (2004); H. Azari Soufiani et al., NIPS 2013 (rankings broken into pairs).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from arena.tournament.components import Bools
from arena.tournament.distributions import Floats
from arena.tournament.tallies import Ints, Pairs

MAX_STEP = 2.0
PRECISION = 1e-10
ITERATIONS = 200


class BlockScores(NamedTuple):
    """Blocks with equally many bots, one a row.

    bots: shape (blocks, bots), sorted in each row. scores: the same shape, points scored less
    expected: the block's part of the slope. information: shape (blocks, bots, bots), the block's
    part of minus the second derivative.
    """

    bots: Ints
    scores: Floats
    information: Floats


class Solved(NamedTuple):
    """A fit of one field. theta: ratings in logits. curvature: minus the second derivative of the
    log-likelihood there. blocks: what the blocks add to the slope."""

    theta: Floats
    curvature: Floats
    blocks: Sequence[BlockScores]


Solver = Callable[[Ints, Ints, Pairs], Solved]
"""Fits a field: from its members (indices into the tally), their points, and their pairs, in which
members and blocks are numbered from 0."""


def bradley_terry(members: Ints, points: Ints, pairs: Pairs) -> Solved:
    """The solver of the official ratings."""
    theta = fit(points / 2)
    return Solved(theta, curvature(theta, points / 2), block_scores(theta, pairs))


def fit(ahead: Floats) -> Floats:
    """Bradley-Terry ratings in logits.

    `ahead[i, j]` counts the hands in which i finished ahead of j, a tie as one half for each.
    One virtual drawn meeting of every bot with an opponent at zero keeps all of them finite and
    makes the maximum unique.
    """
    return newton(
        len(ahead),
        height=lambda theta: likelihood(theta, ahead),
        slope=lambda theta: slope(theta, ahead),
        curvature=lambda theta: curvature(theta, ahead),
    )


def fit_around(ahead: Floats, held: Floats, free: Bools) -> Floats:
    """Ratings of the bots that are `free`, while the others keep those of `held`."""
    among = np.ix_(free, free)

    def whole(some: Floats) -> Floats:
        theta = held.copy()
        theta[free] = some
        return theta

    return whole(
        newton(
            int(free.sum()),
            height=lambda some: likelihood(whole(some), ahead),
            slope=lambda some: slope(whole(some), ahead)[free],
            curvature=lambda some: curvature(whole(some), ahead)[among],
        )
    )


def newton(
    n: int,
    *,
    height: Callable[[Floats], float],
    slope: Callable[[Floats], Floats],
    curvature: Callable[[Floats], Floats],
) -> Floats:
    """Climb from zero to the top of a concave function of n ratings, by Newton's method.

    `slope` and `curvature`: the first derivative and minus the second. Steps are capped, and
    halved while they do not climb.
    """
    theta = np.zeros(n)
    reached = height(theta)
    for _ in range(ITERATIONS):
        step = np.asarray(np.linalg.solve(curvature(theta), slope(theta)), dtype=np.float64)
        largest = float(np.abs(step).max(initial=0.0))
        if largest < PRECISION:
            return theta + step
        capped = np.asarray(step * min(1.0, MAX_STEP / largest), dtype=np.float64)
        theta, reached = _climb(theta, capped, reached, height=height)
    return theta


def _climb(
    theta: Floats, step: Floats, before: float, *, height: Callable[[Floats], float]
) -> tuple[Floats, float]:
    reached = height(theta + step)
    slack = 1e-12 * abs(before)
    while reached < before - slack and np.abs(step).max() > PRECISION:
        step = step / 2
        reached = height(theta + step)
    return theta + step, reached


def chance(logits: Floats) -> Floats:
    """The logistic function, without overflow."""
    return np.exp(-np.logaddexp(0.0, -logits))


def _gaps(theta: Floats) -> Floats:
    return theta[:, None] - theta[None, :]


def likelihood(theta: Floats, ahead: Floats) -> float:
    """The log-likelihood, the virtual meetings included."""
    real = -(ahead * np.logaddexp(0.0, -_gaps(theta))).sum()
    virtual = -0.5 * (np.logaddexp(0.0, -theta) + np.logaddexp(0.0, theta)).sum()
    return float(real + virtual)


def slope(theta: Floats, ahead: Floats) -> Floats:
    """The derivative of the log-likelihood."""
    meetings = ahead + ahead.T
    expected = (meetings * chance(_gaps(theta))).sum(axis=1)
    return np.asarray(ahead.sum(axis=1) - expected + 0.5 - chance(theta))


def curvature(theta: Floats, ahead: Floats) -> Floats:
    """Minus the second derivative of the log-likelihood: positive definite."""
    gaps = _gaps(theta)
    weights = (ahead + ahead.T) * chance(gaps) * chance(-gaps)
    own = weights.sum(axis=1) + chance(theta) * chance(-theta)
    return np.asarray(np.diag(own) - weights, dtype=np.float64)


def block_scores(theta: Floats, pairs: Pairs) -> list[BlockScores]:
    """What every block adds to the slope and to the curvature, by number of bots."""
    gaps = theta[pairs.i] - theta[pairs.j]
    surprise = pairs.points / 2 - pairs.meetings * chance(gaps)
    weight = pairs.meetings * chance(gaps) * chance(-gaps)
    both = np.concatenate([pairs.block, pairs.block])
    lineups = lineups_of(both, np.concatenate([pairs.i, pairs.j]), len(theta))
    i, j = (lineups.columns(pairs.block, bot) for bot in (pairs.i, pairs.j))
    scores, information = lineups.zeros()
    for own, other, sign in ((i, j, 1.0), (j, i, -1.0)):
        np.add.at(scores, (pairs.block, own), sign * surprise)
        np.add.at(information, (pairs.block, own, own), weight)
        np.add.at(information, (pairs.block, own, other), -weight)
    return lineups.batches(scores, information)


class Lineups(NamedTuple):
    """Who is in which block. n: all bots. present: block * n + bot, sorted, each once. starts,
    sizes: of each block in it."""

    n: int
    present: Ints
    starts: Ints
    sizes: Ints

    def columns(self, block: Ints, bot: Ints) -> Ints:
        """The column of a bot in its block's row."""
        return np.asarray(np.searchsorted(self.present, block * self.n + bot) - self.starts[block])

    def zeros(self) -> tuple[Floats, Floats]:
        """Room for the scores and the information of every block, as wide as the widest."""
        count, widest = len(self.sizes), int(self.sizes.max())
        return np.zeros((count, widest)), np.zeros((count, widest, widest))

    def batches(self, scores: Floats, information: Floats) -> list[BlockScores]:
        """The blocks by number of bots."""
        batches = []
        for size in np.unique(self.sizes).tolist():
            rows = np.flatnonzero(self.sizes == size)
            bots = self.present[self.starts[rows][:, None] + np.arange(size)] % self.n
            batch = BlockScores(bots, scores[rows, :size], information[rows, :size, :size])
            batches.append(batch)
        return batches


def lineups_of(block: Ints, bot: Ints, n: int) -> Lineups:
    """The line-ups of blocks, numbered from 0 without gaps; parallel arrays of who was there."""
    present = np.unique(block * n + bot)
    sizes = np.bincount(present // n).astype(np.int64)
    return Lineups(n, present, starts=np.cumsum(sizes) - sizes, sizes=sizes)
