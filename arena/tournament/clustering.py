"""Clustering: the errors of ratings from the spread of whole blocks, not of single hands.

Hands of a block share cards, titles and moods, so that only blocks are independent. Logits; it may
not know names, anchors or bounds.

Source: K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986).
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import Floats
from arena.tournament.fitting import BlockScores, Solved
from arena.tournament.tallies import Ints

PRIOR_BLOCKS = 12
"""Weight of the design effect of the whole field against a bot's own blocks, in blocks."""
FREEDOM = PRIOR_BLOCKS - 1
"""Degrees of freedom that the field's design effect adds to those of a bot's own blocks."""
CHUNK = 4_096


class Errors(NamedTuple):
    """How sure the ratings of a field are.

    covariance: of theta, relative to the mean of the field (the blended V*). freedom: degrees of
    freedom of each rating's error. design_effect: how many times the variance is that of
    independent hands; None with one block.
    """

    covariance: Floats
    freedom: Floats
    design_effect: float | None


def errors_of(solved: Solved) -> Errors:
    """The errors of a fit."""
    n = len(solved.theta)
    blocks = blocks_per_bot(solved.blocks, n)
    freedom = np.asarray(blocks + float(FREEDOM))
    count = sum(len(batch.bots) for batch in solved.blocks)
    plain = mean_zero_inverse(solved.curvature)
    if count == 1:
        return Errors(plain, freedom, design_effect=None)
    robust = plain @ _scatter(solved.blocks, n) @ plain * (count / (count - 1))
    effect = float(np.trace(robust) / np.trace(plain))
    weight = PRIOR_BLOCKS / (PRIOR_BLOCKS + float(blocks.mean()) - 1)
    return Errors((1 - weight) * robust + weight * effect * plain, freedom, effect)


def blocks_per_bot(blocks: Sequence[BlockScores], n: int) -> Ints:
    """In how many blocks each bot has a pair."""
    present = np.concatenate([batch.bots.ravel() for batch in blocks])
    return np.bincount(present, minlength=n).astype(np.int64)


def mean_zero_inverse(curvature: Floats) -> Floats:
    """The inverse on the mean-zero subspace, zero along the mean."""
    flat = np.full_like(curvature, 1 / len(curvature))
    centre = np.eye(len(curvature)) - flat
    inverse = np.linalg.inv(centre @ curvature @ centre + flat) - flat
    return np.asarray((inverse + inverse.T) / 2)


def _scatter(blocks: Sequence[BlockScores], n: int) -> Floats:
    """Sum over blocks of g gᵗ, where g is the block's score vector."""
    total = np.zeros((n, n))
    for batch in blocks:
        for start in range(0, len(batch.bots), CHUNK):
            bots = batch.bots[start : start + CHUNK]
            scores = np.zeros((len(bots), n))
            np.put_along_axis(scores, bots, batch.scores[start : start + CHUNK], axis=1)
            total += scores.T @ scores
    return total
