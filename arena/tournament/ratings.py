"""Ratings: batch Bradley-Terry on "finished ahead of" pairs, with errors that know about blocks.

A pure function of the tally of one pool: no order of games, no state, no chance. It may not know
names beyond identity, nor how standings look. Logits inside, Elo (400 / ln 10 of a logit) outside.

Sources: R. A. Bradley and M. E. Terry, Biometrika 39 (1952); D. R. Hunter, Annals of Statistics
32 (2004); H. Azari Soufiani et al., NIPS 2013 (rankings broken into pairs); K.-Y. Liang and
S. L. Zeger, Biometrika 73 (1986) (errors from clusters).
"""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from arena.errors import BadInput
from arena.tournament.distributions import Floats, t_quantile
from arena.tournament.results import HandResult
from arena.tournament.tallies import BlockTally, Ints, Pairs, tally

ELO_PER_LOGIT = 400 / math.log(10)
ANCHOR_ELO = 1500.0
ANCHOR_BLOCKS = 10
"""Blocks that a named anchor must have played to carry the scale."""
PRIOR_BLOCKS = 12
"""Weight of the design effect of the whole field against a bot's own blocks, in blocks."""
FREEDOM = PRIOR_BLOCKS - 1
"""Degrees of freedom that the field's design effect adds to those of a bot's own blocks."""
CONFIDENCE = 0.95
ABOVE, BELOW = ">", "<"

MAX_STEP = 2.0
PRECISION = 1e-10
ITERATIONS = 200
CHUNK = 4_096


@dataclass(frozen=True, eq=False)
class Group:
    """The ratings of bots that are connected by hands; arrays are parallel to `bots`.

    bots: sorted. theta: ratings in logits, zero at the virtual opponent. covariance: of theta
    relative to the mean of the bots without a bound (the blended V*).
    blocks: blocks played.
    bounds: `>` for a bot that was always ahead of everybody, `<` always behind, else empty.
    limits: the one-sided 95 % bound in logits where there is one, else NaN.
    points: twice the hands in which row finished ahead of column. origin: the logits of
    1500 Elo. anchor: the bot at 1500, None for the mean. design_effect: None with one block.
    """

    bots: tuple[str, ...]
    theta: Floats
    covariance: Floats
    blocks: Ints
    bounds: tuple[str, ...]
    limits: Floats
    points: Ints
    origin: float
    anchor: str | None
    design_effect: float | None

    @cached_property
    def elo(self) -> Floats:
        """Ratings on the Elo scale."""
        return self.on_elo_scale(self.theta)

    @cached_property
    def bound_elo(self) -> Floats:
        """One-sided 95 % bounds on the Elo scale, NaN where `bounds` is empty."""
        return self.on_elo_scale(self.limits)

    @cached_property
    def errors(self) -> Floats:
        """Half-widths of the 95 % intervals in Elo, relative to the field."""
        quantiles = t_quantile(0.5 + CONFIDENCE / 2, self.blocks + FREEDOM)
        return quantiles * ELO_PER_LOGIT * np.sqrt(np.diag(self.covariance))

    def on_elo_scale(self, logits: Floats) -> Floats:
        """Logits of this group as Elo."""
        return ANCHOR_ELO + ELO_PER_LOGIT * (logits - self.origin)


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of a pool. Bots of different groups never met, not even over others: their
    numbers cannot be compared. `unrated` bots have no pair at all."""

    tally: BlockTally
    groups: tuple[Group, ...]
    unrated: tuple[str, ...]


class Solved(NamedTuple):
    """A fit of one group. theta: ratings in logits. curvature: minus the second derivative of the
    log-likelihood there. scatter: the sum over blocks of g gᵀ, g being the block's score vector."""

    theta: Floats
    curvature: Floats
    scatter: Floats


Solver = Callable[[Ints, Ints, Pairs], Solved]
"""Fits a group: from its members (indices into the tally), their points, and their pairs, in which
members and blocks are numbered from 0."""


def rate(
    hands: Iterable[HandResult],
    *,
    roster: Sequence[str] = (),
    anchor: str | None = None,
    anchor_blocks: int = ANCHOR_BLOCKS,
) -> Ratings:
    """Rate the hands of one pool (see `rate_tally`)."""
    return rate_tally(tally(hands, roster=roster), anchor=anchor, anchor_blocks=anchor_blocks)


def bradley_terry(members: Ints, points: Ints, pairs: Pairs) -> Solved:
    """The solver of the official ratings."""
    theta = fit(points / 2)
    return Solved(theta, _curvature(theta, points / 2), _scatter(theta, pairs))


def rate_tally(
    counted: BlockTally,
    *,
    anchor: str | None = None,
    anchor_blocks: int = ANCHOR_BLOCKS,
    solver: Solver = bradley_terry,
) -> Ratings:
    """Ratings, larger groups first.

    `anchor` names the bot at 1500 Elo. A group without it, or in which it has fewer than
    `anchor_blocks` blocks or is bounded, has the mean of its bots that are not bounded at 1500.
    Raises BadInput for an anchor that is not in the tally.
    """
    if anchor is not None and anchor not in counted.bots:
        raise BadInput("anchor", anchor, "a bot of the session")
    points = counted.points
    parts = _components(points + points.T > 0)
    groups = [
        _group(counted, points, members, anchor=anchor, anchor_blocks=anchor_blocks, solver=solver)
        for members in parts
        if len(members) > 1
    ]
    alone = sorted(counted.bots[part[0]] for part in parts if len(part) == 1)
    return Ratings(counted, groups=tuple(groups), unrated=tuple(alone))


def _components(met: NDArray[np.bool_]) -> list[Ints]:
    """The connected parts of the comparison graph, largest first, then by first bot."""
    parts = []
    left = set(range(len(met)))
    while left:
        part, edge = set[int](), {min(left)}
        while edge:
            part |= edge
            near = np.flatnonzero(met[sorted(edge)].any(axis=0))
            edge = set(near.tolist()) - part
        parts.append(np.array(sorted(part), dtype=np.int64))
        left -= part
    return sorted(parts, key=lambda part: (-len(part), int(part[0])))


def _group(
    counted: BlockTally,
    points: Ints,
    members: Ints,
    *,
    anchor: str | None,
    anchor_blocks: int,
    solver: Solver,
) -> Group:
    bots = tuple(counted.bots[at] for at in members)
    own = points[np.ix_(members, members)]
    pairs = _pairs_of(counted.pairs, members, size=len(counted.bots))
    blocks = _blocks_per_bot(pairs, len(bots))
    bounds = _bounds(own)
    solved = solver(members, own, pairs)
    theta = solved.theta
    count = int(pairs.block.max()) + 1
    covariance, effect = _covariance(solved, count, blocks=blocks, bounds=bounds)
    at = bots.index(anchor) if anchor in bots else None
    if at is not None and (bounds[at] or blocks[at] < anchor_blocks):
        at = None
    return Group(
        bots=bots,
        theta=theta,
        covariance=covariance,
        blocks=blocks,
        bounds=bounds,
        limits=_limits(theta, own, bounds, effect=max(1.0, effect or 1.0)),
        points=own,
        origin=float(np.average(theta, weights=_field(bounds)) if at is None else theta[at]),
        anchor=None if at is None else bots[at],
        design_effect=effect,
    )


def fit(ahead: Floats) -> Floats:
    """Bradley-Terry ratings in logits.

    `ahead[i, j]` counts the hands in which i finished ahead of j, a tie as one half for each.
    One virtual drawn meeting of every bot with an opponent at zero keeps all of them finite and
    makes the maximum unique.
    """
    return newton(
        len(ahead),
        height=lambda theta: _likelihood(theta, ahead),
        slope=lambda theta: _slope(theta, ahead),
        curvature=lambda theta: _curvature(theta, ahead),
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


def _likelihood(theta: Floats, ahead: Floats) -> float:
    """The log-likelihood, the virtual meetings included."""
    real = -(ahead * np.logaddexp(0.0, -_gaps(theta))).sum()
    virtual = -0.5 * (np.logaddexp(0.0, -theta) + np.logaddexp(0.0, theta)).sum()
    return float(real + virtual)


def _slope(theta: Floats, ahead: Floats) -> Floats:
    meetings = ahead + ahead.T
    expected = (meetings * chance(_gaps(theta))).sum(axis=1)
    return np.asarray(ahead.sum(axis=1) - expected + 0.5 - chance(theta))


def _curvature(theta: Floats, ahead: Floats) -> Floats:
    """Minus the second derivative of the log-likelihood: positive definite."""
    gaps = _gaps(theta)
    weights = (ahead + ahead.T) * chance(gaps) * chance(-gaps)
    own = weights.sum(axis=1) + chance(theta) * chance(-theta)
    return np.asarray(np.diag(own) - weights, dtype=np.float64)


def _pairs_of(pairs: Pairs, members: Ints, *, size: int) -> Pairs:
    """The pairs among members, renumbered: bots as in members, blocks from 0 without gaps."""
    place = np.full(size, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    keep = place[pairs.i] >= 0
    _, block = np.unique(pairs.block[keep], return_inverse=True)
    return Pairs(
        block=block.astype(np.int64),
        i=place[pairs.i[keep]],
        j=place[pairs.j[keep]],
        meetings=pairs.meetings[keep],
        points=pairs.points[keep],
    )


def _blocks_per_bot(pairs: Pairs, n: int) -> Ints:
    present = np.unique(np.concatenate([pairs.block * n + pairs.i, pairs.block * n + pairs.j]))
    return np.bincount(present % n, minlength=n).astype(np.int64)


def _covariance(
    solved: Solved, count: int, *, blocks: Ints, bounds: Sequence[str]
) -> tuple[Floats, float | None]:
    """The blended covariance V* of theta relative to the field, and the design effect.

    `count`: blocks of the group.
    """
    inverse = _pseudo_inverse(solved.curvature)
    field = _field(bounds)
    centre = np.eye(len(solved.theta)) - field / field.sum()
    plain = centre @ inverse @ centre.T
    if count == 1:
        return _widened(plain, plain, bounds), None
    bread = centre @ inverse
    robust = bread @ solved.scatter @ bread.T * (count / (count - 1))
    effect = float(np.diag(robust) @ field / (np.diag(plain) @ field))
    weight = PRIOR_BLOCKS / (PRIOR_BLOCKS + float(blocks.mean()) - 1)
    blend = (1 - weight) * robust + weight * effect * plain
    return _widened(blend, max(1.0, effect) * plain, bounds), effect


def _field(bounds: Sequence[str]) -> Floats:
    """1 for the bots that make the mean, 0 for the others.

    Bounded bots do not: only the virtual meeting holds their ratings, and the huge variance it
    leaves them would drown the design effect and everybody's errors. If fewer than two bots are
    free of a bound, all make the mean.
    """
    free = np.array([not bound for bound in bounds], dtype=np.float64)
    return free if free.sum() >= 2 else np.ones_like(free)


def _pseudo_inverse(curvature: Floats) -> Floats:
    """The inverse on the mean-zero subspace, zero along the mean."""
    flat = np.full_like(curvature, 1 / len(curvature))
    centre = np.eye(len(curvature)) - flat
    inverse = np.linalg.inv(centre @ curvature @ centre + flat) - flat
    return np.asarray((inverse + inverse.T) / 2)


def _scatter(theta: Floats, pairs: Pairs) -> Floats:
    """Sum over blocks of g gᵀ, where g is the block's score vector: points scored less expected."""
    n, count = len(theta), int(pairs.block.max()) + 1
    surprise = pairs.points / 2 - pairs.meetings * chance(theta[pairs.i] - theta[pairs.j])
    total = np.zeros((n, n))
    for start in range(0, count, CHUNK):
        low, high = np.searchsorted(pairs.block, (start, start + CHUNK))
        rows = (pairs.block[low:high] - start) * n
        where = np.concatenate([rows + pairs.i[low:high], rows + pairs.j[low:high]])
        signed = np.concatenate([surprise[low:high], -surprise[low:high]])
        size = min(CHUNK, count - start) * n
        scores = np.bincount(where, weights=signed, minlength=size).reshape(-1, n)
        total += scores.T @ scores
    return total


def _widened(blend: Floats, model: Floats, bounds: Sequence[str]) -> Floats:
    """No bounded bot is surer than the model says: without surprises blocks show no spread."""
    missing = np.maximum(np.diag(model) - np.diag(blend), 0.0)
    return np.asarray(blend + np.diag(np.where([bool(b) for b in bounds], missing, 0.0)))


def _bounds(points: Ints) -> tuple[str, ...]:
    ahead, behind = points.sum(axis=1), points.sum(axis=0)
    return tuple(
        ABOVE if not lost else BELOW if not won else ""
        for won, lost in zip(ahead.tolist(), behind.tolist(), strict=True)
    )


def _limits(theta: Floats, points: Ints, bounds: Sequence[str], *, effect: float) -> Floats:
    """For a bounded bot, the rating at which its record would have had a chance of 5 %."""
    limits = np.full(len(theta), np.nan)
    meetings = (points + points.T) / 2
    for at, bound in enumerate(bounds):
        if bound:
            sign = 1.0 if bound == ABOVE else -1.0
            limits[at] = sign * _least(sign * theta, meetings[at] / effect)
    return limits


def _least(theta: Floats, meetings: Floats) -> float:
    """The x with sum of meetings * ln chance(x - theta) = ln 0.05, by bisection."""
    low, high = float(theta.min()) - 60.0, float(theta.max()) + 60.0
    for _ in range(100):
        middle = (low + high) / 2
        record = -(meetings * np.logaddexp(0.0, theta - middle)).sum()
        low, high = (middle, high) if record < math.log(1 - CONFIDENCE) else (low, middle)
    return high
