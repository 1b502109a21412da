"""Clustering: the errors of ratings from the spread of whole blocks, not of single hands.

Hands of a block share cards, titles and moods, so that only blocks are independent. Logits; it may
not know names, anchors or bounds.

A fit takes part of every surprise away, the more the fewer blocks there are. So each block's scores
are first enlarged to what they would be if the ratings were known (bias-reduced errors, CR2, with
the block's own information as working covariance), and the design effect is a sum of squares over
the dimensions that the fit has left.

Sources: K.-Y. Liang and S. L. Zeger, Biometrika 73 (1986); R. M. Bell and D. F. McCaffrey, Survey
Methodology 28 (2002) (CR2, degrees of freedom); J. E. Pustejovsky and E. Tipton, Journal of
Business & Economic Statistics 36 (2018); F. E. Satterthwaite, Biometrics Bulletin 2 (1946).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import Floats
from arena.tournament.fitting import BlockScores, Solved
from arena.tournament.tallies import Ints

PRIOR_BLOCKS = 6
"""Weight of the design effect of the whole field against a bot's own blocks, in blocks.

Chosen by simulations whose scripts were not kept: with 3, 6 or 12, identical twins were called
different in 5.0, 4.9 and 5.4 % of sessions of 5 to 8 blocks a bot, intervals covered 95.5 % with
each. No command compares values; `arena bench statistics --only small_sessions` measures the one
that is in force: 4.9 and 95.1 % over three rulesets and 3 to 5 seats, of the best bot 94.8 %.
"""
EFFECT_SLOPE = 0.25
"""By how much of the field's design effect a bot's own is larger, for each logit that it is rated
above the mean of the field: who is strong keeps the titles, so that its hands hang together more.

Measured in `pagat` at 4 seats, `uecda` at 5 and `pagat+kakumei+hachi_giri+shibari` at 3: the best
bot's is 1.41, 1.23 and 1.50 times that of the field, at 1.05, 1.25 and 1.72 logits above the mean;
the worst one's 0.75, 0.52 and 0.77 times, at 1.86, 2.77 and 2.55 below.
"""
EFFECT_LIMITS = 0.6, 1.5
"""What the slope may multiply it by: no more and no less than what was measured."""
UNMEASURED_FREEDOM = 11
"""Degrees of freedom, besides a bot's own blocks, where no design effect can be measured."""
LEAST_FREEDOM = 2.0
LEAST_LEFT = 0.1
"""A block's scores are enlarged as if the fit had left at least this share of their variance."""
ROUNDING = 1e-9
CHUNK = 4_096


class Errors(NamedTuple):
    """How sure the ratings of a field are.

    covariance: of theta, relative to the mean of the field (the blended V*). freedom: degrees of
    freedom of each rating's error, whole numbers. design_effect: how many times the variance is
    that of independent hands; None if blocks are too few, or too even, to show it.
    effect_freedom: degrees of freedom of the design effect.
    """

    covariance: Floats
    freedom: Floats
    design_effect: float | None
    effect_freedom: float


class Spread(NamedTuple):
    """The spread of blocks about a fit, in units that are independent with variance 1 if hands are.

    blocks: with their scores enlarged. squares: the sum of all squares. left: the dimensions
    that the fit has left for them.
    """

    blocks: list[BlockScores]
    squares: float
    left: float


def errors_of(solved: Solved) -> Errors:
    """The errors of a fit."""
    n = len(solved.theta)
    blocks = blocks_per_bot(solved.blocks, n)
    plain = mean_zero_inverse(solved.curvature)
    spread = _spread(solved.blocks, plain)
    if spread.left < 1 or spread.squares < ROUNDING:
        freedom = np.asarray(blocks + float(UNMEASURED_FREEDOM))
        return Errors(plain, freedom, design_effect=None, effect_freedom=UNMEASURED_FREEDOM)
    effect = spread.squares / spread.left
    robust = plain @ _scatter(spread.blocks, n) @ plain
    pooled = effect * plain @ _expected_scatter(solved) @ plain
    own = (blocks.mean() - 1) / (PRIOR_BLOCKS + blocks.mean() - 1)
    return Errors(
        own * robust + (1 - own) * pooled,
        _freedom(_effective_blocks(solved.blocks, n), spread.left, own=own),
        effect,
        effect_freedom=max(LEAST_FREEDOM, float(np.floor(spread.left))),
    )


def _freedom(blocks: Floats, left: float, *, own: float) -> Floats:
    """Satterthwaite's degrees of freedom of a blend: a share `own` from a bot's own blocks, the
    rest, and what the two have in common, from the spread of all."""
    inverse = own**2 / blocks + (1 - own**2) / left
    return np.maximum(LEAST_FREEDOM, np.floor(1 / inverse))


def _expected_scatter(solved: Solved) -> Floats:
    """The scatter of independent hands, of each bot with the share that `EFFECT_SLOPE` gives it:
    1 on average over the field, bots of which the hands say more counting for more."""
    own = np.diag(solved.curvature)
    above = solved.theta - np.average(solved.theta, weights=own)
    share = np.clip(1 + EFFECT_SLOPE * above, *EFFECT_LIMITS)
    root = np.sqrt(share / np.average(share, weights=own))
    return np.asarray(root[:, None] * solved.curvature * root)


def _effective_blocks(blocks: Sequence[BlockScores], n: int) -> Floats:
    """Each bot's blocks, those that say more counting for more: Σ(m)² / Σ(m²), at least 1."""
    total, squares = np.zeros(n), np.zeros(n)
    for batch in blocks:
        own = np.diagonal(batch.information, axis1=1, axis2=2)
        total += np.bincount(batch.bots.ravel(), weights=own.ravel(), minlength=n)
        squares += np.bincount(batch.bots.ravel(), weights=own.ravel() ** 2, minlength=n)
    return np.maximum(1.0, total**2 / np.maximum(squares, np.finfo(float).tiny))


def _spread(blocks: Sequence[BlockScores], plain: Floats) -> Spread:
    parts = [_enlarged(batch, plain) for batch in blocks]
    return Spread(
        [part.blocks[0] for part in parts],
        squares=sum(part.squares for part in parts),
        left=sum(part.left for part in parts),
    )


def _enlarged(batch: BlockScores, plain: Floats) -> Spread:
    """Blocks with equally many bots, their scores g enlarged to A g, where A (I - I V I) Aᵀ = I for
    the information I of a block and the covariance V of the ratings, both as the model says."""
    size = batch.bots.shape[1]
    values, vectors = np.linalg.eigh(batch.information)
    known = values > ROUNDING * np.maximum(values[:, -1:], np.finfo(float).tiny)
    root = np.sqrt(np.where(known, values, 0.0))
    factor = vectors * root[:, None, :]  # I = factor factorᵀ
    inverse = np.where(known, 1 / np.where(known, root, 1.0), 0.0)
    units = inverse * np.einsum("bsr,bs->br", vectors, batch.scores)
    among = plain[batch.bots[:, :, None], batch.bots[:, None, :]]
    left = np.eye(size) * known[:, None, :] - np.swapaxes(factor, 1, 2) @ among @ factor
    shares, turned = np.linalg.eigh((left + np.swapaxes(left, 1, 2)) / 2)
    enlarging = np.where(shares > ROUNDING, np.maximum(shares, LEAST_LEFT), 1.0) ** -0.5
    along = np.einsum("brq,br->bq", turned, units) * enlarging
    scores = np.einsum("bsr,brq,bq->bs", factor, turned, along)
    dimensions = float(np.trace(left, axis1=1, axis2=2).sum())
    return Spread([batch._replace(scores=scores)], float((units**2).sum()), dimensions)


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
