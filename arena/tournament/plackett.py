"""Plackett-Luce: ratings from whole hands instead of pairs, for those who ask.

A hand is a row of choices: who finishes first of all, then second of those that are left, and so
on. Scale, virtual meeting, errors by blocks and everything else are those of `ratings`; under this
model, too, 100 Elo mean to be ahead in 64 % of shared hands.

Sources: R. L. Plackett, Applied Statistics 24 (1975); R. D. Luce, "Individual Choice Behavior"
(1959); D. R. Hunter, Annals of Statistics 32 (2004).
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.tournament.distributions import Floats
from arena.tournament.ratings import CHUNK, Solved, Solver, chance, newton
from arena.tournament.results import HandResult
from arena.tournament.tallies import Batch, BlockTally, Ints, Pairs, batches_of


class _Choices(NamedTuple):
    """Hands with equally many bots. block: of each hand. bots: shape (hands, bots), best to last.

    among: shape (hands, bots, bots): those among whom each bot came first, itself included. Bots
    that tied, or whose pair does not count, are not among each other's.
    """

    block: Ints
    bots: Ints
    among: NDArray[np.bool_]


def plackett_luce(hands: Iterable[HandResult], counted: BlockTally) -> Solver:
    """The solver for these hands, which `counted` has counted."""
    batches = batches_of(sorted(hands), counted.bots, counted.blocks)

    def solve(members: Ints, points: Ints, pairs: Pairs) -> Solved:
        choices = _choices(batches, members, size=len(counted.bots))
        n = len(members)
        theta = newton(
            n,
            height=lambda theta: _likelihood(theta, choices),
            slope=lambda theta: _slope(theta, choices),
            curvature=lambda theta: _curvature(theta, choices),
        )
        return Solved(theta, _curvature(theta, choices), _scatter(theta, choices))

    return solve


def _choices(batches: Sequence[Batch], members: Ints, *, size: int) -> list[_Choices]:
    """The hands of the members, renumbered: whoever sat at one with a member is one too."""
    place = np.full(size, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    keep = [place[batch.bots[:, 0]] >= 0 for batch in batches]
    blocks = [batch.block[rows] for batch, rows in zip(batches, keep, strict=True)]
    known = np.unique(np.concatenate(blocks))
    return [
        _Choices(np.searchsorted(known, block), place[batch.bots[rows]], _among(batch)[rows])
        for batch, rows, block in zip(batches, keep, blocks, strict=True)
    ]


def _among(batch: Batch) -> NDArray[np.bool_]:
    behind = batch.finish[:, None, :] > batch.finish[:, :, None]
    played = np.logical_not(batch.out.any(axis=1, keepdims=True))[:, :, None]
    counts = played | batch.out[:, None, :] | batch.out[:, :, None]
    return np.asarray((behind & counts) | np.eye(batch.bots.shape[1], dtype=np.bool_))


def _weights(theta: Floats, choice: _Choices) -> Floats:
    """Shape (hands, bots, bots): exp of the ratings of those among whom each came first."""
    strength: Floats = np.exp(theta - theta.max())
    return np.where(choice.among, strength[choice.bots][:, None, :], 0.0)


def _chances(theta: Floats, choice: _Choices) -> Floats:
    """Shape (hands, bots, bots): the chance of each to have come first among those."""
    weights = _weights(theta, choice)
    return np.asarray(weights / weights.sum(axis=2, keepdims=True), dtype=np.float64)


def _likelihood(theta: Floats, choices: Sequence[_Choices]) -> float:
    """The log-likelihood, the virtual meetings included."""
    total = -0.5 * float((np.logaddexp(0.0, -theta) + np.logaddexp(0.0, theta)).sum())
    for choice in choices:
        logs = np.log(_weights(theta, choice).sum(axis=2)) + theta.max()
        total += float((theta[choice.bots] - logs).sum())
    return total


def _slope(theta: Floats, choices: Sequence[_Choices]) -> Floats:
    slope: Floats = 0.5 - chance(theta)
    for choice in choices:
        scores = _scores(theta, choice)
        slope += np.bincount(choice.bots.ravel(), weights=scores.ravel(), minlength=len(theta))
    return slope


def _scores(theta: Floats, choice: _Choices) -> Floats:
    """Shape (hands, bots): choices won, less those expected."""
    return np.asarray(1 - _chances(theta, choice).sum(axis=1), dtype=np.float64)


def _curvature(theta: Floats, choices: Sequence[_Choices]) -> Floats:
    """Minus the second derivative of the log-likelihood: positive definite."""
    n = len(theta)
    own: Floats = chance(theta) * chance(-theta)
    shared = np.zeros(n * n)
    for choice in choices:
        chances = _chances(theta, choice)
        sums = np.bincount(choice.bots.ravel(), weights=chances.sum(axis=1).ravel(), minlength=n)
        own = own + sums
        both = np.einsum("hab,hac->hbc", chances, chances)
        where = choice.bots[:, :, None] * n + choice.bots[:, None, :]
        shared += np.bincount(where.ravel(), weights=both.ravel(), minlength=n * n)
    return np.asarray(np.diag(own) - shared.reshape(n, n), dtype=np.float64)


def _scatter(theta: Floats, choices: Sequence[_Choices]) -> Floats:
    """Sum over blocks of g gᵀ, where g is the block's score vector."""
    n = len(theta)
    total = np.zeros((n, n))
    for start, rows in _by_blocks(theta, choices):
        scores = np.zeros(CHUNK * n)
        for block, bots, values in rows:
            where = (block - start)[:, None] * n + bots
            scores += np.bincount(where.ravel(), weights=values.ravel(), minlength=CHUNK * n)
        table = scores.reshape(CHUNK, n)
        total += table.T @ table
    return total


Rows = list[tuple[Ints, Ints, Floats]]


def _by_blocks(theta: Floats, choices: Sequence[_Choices]) -> Iterator[tuple[int, Rows]]:
    """Blocks, bots and scores of the hands, some thousand blocks at a time."""
    scores = [_scores(theta, choice) for choice in choices]
    count = max(int(choice.block.max(initial=-1)) for choice in choices) + 1
    for start in range(0, count, CHUNK):
        rows = []
        for choice, values in zip(choices, scores, strict=True):
            here = (choice.block >= start) & (choice.block < start + CHUNK)
            rows.append((choice.block[here], choice.bots[here], values[here]))
        yield start, rows
