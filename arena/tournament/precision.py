"""Precision: how exact ratings will be, before anybody has played.

What the error formula of the ratings gives for a bot of the middle of the field. In a hand of k
bots of like strength a bot meets k - 1 others, and the number of those it finishes ahead of varies
(k + 1) / 3 times as much as if they were k - 1 independent meetings. Pure; it knows no schedule.
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

from arena.tournament.clustering import LEAST_FREEDOM, PRIOR_BLOCKS
from arena.tournament.distributions import t_quantile
from arena.tournament.ratings import CONFIDENCE, ELO_PER_LOGIT

SPREAD_ELO = 150.0
"""The standard deviation of true strengths that is assumed of a field; our strategies from random
to heuristic have 135 to 270, by ruleset and number of seats."""
THIRD = 0.44
"""Where the error of a difference is this share of the spread, a third of the field is not told
from a bot in its middle."""
UNEVEN = 1.35
"""By how much errors on the real engine are greater than between bots of like strength: hands of a
table go together, and bots of unlike strength tell less. The mean of seven sessions of 12 bots
(pagat with 3, 4 and 5 seats, uecda with 5; 2 and 10 hands a table), 0.9 to 1.8 in single ones."""
POWER = 0.8


class Precision(NamedTuple):
    """error: the half-width of a rating's 95 % interval, in Elo. gap_error: that of a difference of
    two. separable: the true difference that is found in four of five sessions; separable_ahead: the
    share of shared hands that the better one finishes ahead, from 0 to 1. not_separated: the share
    of a field with a spread of SPREAD_ELO that will not be told from a bot in its middle."""

    error: float
    gap_error: float
    separable: float
    separable_ahead: float
    not_separated: float


def precision(*, bots: int, seats: int, hands: float, blocks: float) -> Precision | None:
    """What a bot's rating will be worth after this many hands and blocks of each; None without."""
    if hands <= 0 or blocks <= 0:
        return None
    information = (seats - 1) * hands / 4
    deviation = UNEVEN * ELO_PER_LOGIT * math.sqrt((seats + 1) / 3 / information)
    freedom = _freedom(bots, seats, blocks)
    quantile = float(t_quantile(0.5 + CONFIDENCE / 2, freedom)[0])
    power = float(t_quantile(POWER, freedom)[0])
    of_gap = math.sqrt(2) * deviation
    separable = (quantile + power) * of_gap
    separated = quantile * of_gap
    observed = NormalDist(0.0, math.hypot(SPREAD_ELO, of_gap))
    return Precision(
        error=quantile * deviation,
        gap_error=separated,
        separable=separable,
        separable_ahead=1 / (1 + math.exp(-separable / ELO_PER_LOGIT)),
        not_separated=observed.cdf(separated) - observed.cdf(-separated),
    )


def _freedom(bots: int, seats: int, blocks: float) -> int:
    """Degrees of freedom, as `clustering` will have them for a bot with the mean of blocks."""
    left = max(1.0, blocks * bots * (seats - 1) / seats - (bots - 1))
    own = max(0.0, (blocks - 1) / (PRIOR_BLOCKS + blocks - 1))
    return math.floor(max(LEAST_FREEDOM, 1 / (own**2 / blocks + (1 - own**2) / left)))
