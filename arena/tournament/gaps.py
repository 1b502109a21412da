"""Gaps: the difference of two ratings with its bounds, at any confidence.

Between two bots with an interval it is the clustered interval of the ratings. A bot that was always
ahead of everybody, or behind, has no interval but one bound, computed from its record; the bounds
of the difference then follow from those of its two ends (MOVER: G. Y. Zou and A. Donner, Statistics
in Medicine 27 (2008), 1693-1702). Reads ratings; estimates and judges nothing.
"""

import math
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import t_quantile
from arena.tournament.ratings import ABOVE, ELO_PER_LOGIT, FREEDOM, Group
from arena.tournament.superiority import gap_errors


class Interval(NamedTuple):
    """A value and its bounds, infinite where there is none."""

    gap: float
    low: float
    high: float


def gap_between(group: Group, bot: int, other: int, *, tail: float) -> Interval:
    """The rating of a bot less that of another (indices into the group), in Elo.

    `tail`: the chance that the truth is below the lower bound, and that it is above the upper one.
    """
    bounded = group.bounds[bot] or group.bounds[other]
    return (_from_bounds if bounded else _from_errors)(group, bot, other, tail=tail)


def _from_errors(group: Group, bot: int, other: int, *, tail: float) -> Interval:
    """The clustered interval of the difference, as in the table of superiority."""
    gap = ELO_PER_LOGIT * float(group.theta[bot] - group.theta[other])
    freedom = min(int(group.blocks[bot]), int(group.blocks[other])) + FREEDOM
    quantile = float(t_quantile(1 - tail, freedom)[0])
    error = quantile * ELO_PER_LOGIT * float(gap_errors(group)[bot, other])
    return Interval(gap, gap - error, gap + error)


def _from_bounds(group: Group, bot: int, other: int, *, tail: float) -> Interval:
    """Bounds of the difference from those of its ends."""
    own, its = (_ends(group, at, tail=tail) for at in (bot, other))
    gap = own.gap - its.gap
    down = math.hypot(own.gap - own.low, its.high - its.gap)
    up = math.hypot(own.high - own.gap, its.gap - its.low)
    return Interval(*(ELO_PER_LOGIT * value for value in (gap, gap - down, gap + up)))


def _ends(group: Group, at: int, *, tail: float) -> Interval:
    """A rating in logits, relative to the field, with its bounds."""
    theta, bound = float(group.theta[at]), group.bounds[at]
    if not bound:
        quantile = float(t_quantile(1 - tail, int(group.blocks[at]) + FREEDOM)[0])
        error = quantile * math.sqrt(float(group.covariance[at, at]))
        return Interval(theta, theta - error, theta + error)
    sign = 1.0 if bound == ABOVE else -1.0
    limit = sign * _least(group, at, sign=sign, tail=tail)
    if bound == ABOVE:
        return Interval(theta, min(theta, limit), math.inf)
    return Interval(theta, -math.inf, max(theta, limit))


def _least(group: Group, at: int, *, sign: float, tail: float) -> float:
    """The least rating (times sign) at which an unbroken record had a chance of `tail`."""
    effect = max(1.0, group.design_effect or 1.0)
    meetings = (group.points[at] + group.points[:, at]) / 2 / effect
    others = sign * group.theta
    low, high = float(others.min()) - 60.0, float(others.max()) + 60.0
    for _ in range(100):
        middle = (low + high) / 2
        record = -float((meetings * np.logaddexp(0.0, others - middle)).sum())
        low, high = (middle, high) if record < math.log(tail) else (low, middle)
    return high
