"""Gaps: the difference of two ratings with its bounds, at any confidence.

Between two bots that can be placed among each other it is the clustered interval of the ratings. A
bot of a component that was always ahead of the rest, or behind, has one bound, computed from that
record; the bounds of the difference then follow from those of its two ends (MOVER: G. Y. Zou and
A. Donner, Statistics in Medicine 27 (2008), 1693-1702). Reads ratings; estimates and judges
nothing.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from arena.tournament.components import ABOVE, BELOW
from arena.tournament.distributions import t_quantile
from arena.tournament.ratings import ELO_PER_LOGIT, Group
from arena.tournament.superiority import freedom_of, gap_error


class Interval(NamedTuple):
    """A value and its bounds, infinite where there is none."""

    gap: float
    low: float
    high: float


def gap_between(group: Group, bot: int, other: int, *, tail: float) -> Interval:
    """The rating of a bot less that of another (indices into the group), in Elo.

    `tail`: the chance that the truth is below the lower bound, and that it is above the upper one.
    """
    if group.strata.component[bot] == group.strata.component[other]:
        return _from_errors(group, bot, other, tail=tail)
    gap = float(group.theta[bot] - group.theta[other])
    down = math.hypot(_down(group, bot, other, tail=tail), _up(group, other, bot, tail=tail))
    up = math.hypot(_up(group, bot, other, tail=tail), _down(group, other, bot, tail=tail))
    return Interval(*(ELO_PER_LOGIT * value for value in (gap, gap - down, gap + up)))


def _from_errors(group: Group, bot: int, other: int, *, tail: float) -> Interval:
    """The clustered interval of the difference, as in the table of superiority."""
    gap = ELO_PER_LOGIT * float(group.theta[bot] - group.theta[other])
    quantile = float(t_quantile(1 - tail, freedom_of(group, bot, other))[0])
    error = quantile * ELO_PER_LOGIT * gap_error(group, bot, other)
    return Interval(gap, gap - error, gap + error)


def _down(group: Group, at: int, other: int, *, tail: float) -> float:
    """How far below its estimate a rating may be, in logits, seen from another component."""
    if group.bounds[at] == ABOVE:
        return float(group.theta[at]) - group.limit(at, tail=tail)
    unknown = group.bounds[at] == BELOW and not group.strata.above[at, other]
    return math.inf if unknown else _error(group, at, tail=tail)


def _up(group: Group, at: int, other: int, *, tail: float) -> float:
    """How far above its estimate a rating may be, in logits, seen from another component."""
    if group.bounds[at] == BELOW:
        return group.limit(at, tail=tail) - float(group.theta[at])
    unknown = group.bounds[at] == ABOVE and not group.strata.above[other, at]
    return math.inf if unknown else _error(group, at, tail=tail)


def _error(group: Group, at: int, *, tail: float) -> float:
    """The half-width of a rating's own interval."""
    quantile = float(t_quantile(1 - tail, group.freedom[at])[0])
    return quantile * math.sqrt(float(group.covariance[at, at]))
