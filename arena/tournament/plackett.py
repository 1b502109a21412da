"""Plackett-Luce: ratings from whole hands instead of pairs, for those who ask.

A hand is a row of choices: who finishes first of all, then second of those that are left, and so
on. Scale, virtual meeting, errors by blocks and everything else are those of `ratings`; under this
model, too, 100 Elo mean to be ahead in 64 % of shared hands.

Sources: R. L. Plackett, Applied Statistics 24 (1975); R. D. Luce, "Individual Choice Behavior"
(1959); D. R. Hunter, Annals of Statistics 32 (2004).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.tournament.distributions import Floats
from arena.tournament.fitting import BlockScores, Solved, Solver, chance, lineups_of, newton
from arena.tournament.results import HandResult
from arena.tournament.tallies import Batch, BlockTally, Ints, Pairs, batches_of


class _Choices(NamedTuple):
    """Hands with equally many bots. block: of each hand. bots: shape (hands, bots), best to last.

    among: shape (hands, bots, bots): those among whom each bot came first, itself included. Bots
    that tied, or whose pair does not count, are not among each other's.
    rated: shape (hands, bots); one that is not rated stands as bot 0 and is only among its own,
    which is no choice and adds nothing.
    """

    block: Ints
    bots: Ints
    among: NDArray[np.bool_]
    rated: NDArray[np.bool_]


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
        return Solved(theta, _curvature(theta, choices), _block_scores(theta, choices))

    return solve


def _choices(batches: Sequence[Batch], members: Ints, *, size: int) -> list[_Choices]:
    """The hands with several members, renumbered."""
    place = np.full(size, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    chosen = [choice for batch in batches if len((choice := _chosen(batch, place)).block)]
    known = np.unique(np.concatenate([choice.block for choice in chosen]))
    return [choice._replace(block=np.searchsorted(known, choice.block)) for choice in chosen]


def _chosen(batch: Batch, place: Ints) -> _Choices:
    bots = place[batch.bots]
    rated = bots >= 0
    own = np.eye(bots.shape[1], dtype=np.bool_)
    among = _among(batch) & rated[:, :, None] & rated[:, None, :] | own
    keep = rated.sum(axis=1) > 1
    return _Choices(batch.block[keep], np.maximum(bots, 0)[keep], among[keep], rated[keep])


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


def _block_scores(theta: Floats, choices: Sequence[_Choices]) -> list[BlockScores]:
    """What every block adds to the slope and to the curvature, by number of bots."""
    lineups = lineups_of(
        np.concatenate([np.repeat(c.block, c.rated.sum(axis=1)) for c in choices]),
        np.concatenate([c.bots[c.rated] for c in choices]),
        len(theta),
    )
    scores, information = lineups.zeros()
    for choice in choices:
        block = np.broadcast_to(choice.block[:, None], choice.bots.shape)
        column = np.where(choice.rated, lineups.columns(block, choice.bots), 0)
        np.add.at(scores, (block, column), np.where(choice.rated, _scores(theta, choice), 0.0))
        chances = _chances(theta, choice)
        own = np.eye(chances.shape[1]) * chances.sum(axis=1)[:, None, :]
        shared = own - np.einsum("hab,hac->hbc", chances, chances)
        both = choice.rated[:, :, None] & choice.rated[:, None, :]
        where = (choice.block[:, None, None], column[:, :, None], column[:, None, :])
        np.add.at(information, where, np.where(both, shared, 0.0))
    return lineups.batches(scores, information)
