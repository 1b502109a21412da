"""Bounds: how far a component that was always ahead of the rest is ahead at least.

Its record fixes one number, how far all of it can be moved towards the others before the record
becomes unlikely. Logits; it estimates no rating.
"""

from __future__ import annotations

import math

import numpy as np

from arena.tournament.components import ABOVE, Bools
from arena.tournament.distributions import Floats, t_quantile
from arena.tournament.tallies import Ints


def limit_of(
    at: int,
    inside: Bools,
    *,
    bound: str,
    theta: Floats,
    points: Ints,
    covariance: Floats,
    freedom: float,
    effect: float,
    tail: float,
) -> float:
    """The one-sided bound of a bot's rating; the truth is beyond it with chance `tail`.

    `inside`: the bots of its component, which was always ahead or behind as `bound` says. The
    bound lies where the record of the component, taken as 1/`effect` as many hands, would have had
    that chance; where a component has several bots, their errors within it are added in squares.
    """
    sign = 1.0 if bound == ABOVE else -1.0
    record = points if bound == ABOVE else points.T
    meetings = record[np.ix_(inside, ~inside)] / 2 / effect
    gaps = sign * (theta[inside][:, None] - theta[~inside][None, :])
    shift = min(0.0, _least(gaps, meetings, math.log(tail)))
    within = float(t_quantile(1 - tail, freedom)[0]) * _error_within(at, inside, covariance)
    return float(theta[at]) - sign * math.hypot(shift, within)


def _least(gaps: Floats, meetings: Floats, log_chance: float) -> float:
    """The x with sum of meetings * ln chance(gaps + x) = log_chance, by bisection."""
    low, high = -float(gaps.max()) - 60.0, -float(gaps.min()) + 60.0
    for _ in range(100):
        middle = (low + high) / 2
        record = -(meetings * np.logaddexp(0.0, -gaps - middle)).sum()
        low, high = (middle, high) if record < log_chance else (low, middle)
    return high


def _error_within(at: int, inside: Bools, covariance: Floats) -> float:
    """The standard error of a bot's rating relative to the mean of its component."""
    contrast = np.where(inside, -1 / inside.sum(), 0.0)
    contrast[at] += 1
    return math.sqrt(max(0.0, float(contrast @ covariance @ contrast)))
