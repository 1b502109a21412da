"""Ratings: batch Bradley-Terry on "finished ahead of" pairs, with errors that know about blocks.

A pure function of the tally of one pool: no order of games, no state, no chance. It may not know
names beyond identity, nor how standings look. Logits inside, Elo (400 / ln 10 of a logit) outside.

The scale, its errors and its design effect rest on the field: the largest component of bots that
can be placed among each other (see `components`). Bots that were always ahead of the field, or
always behind, are rated against it, change nothing in it, and have a bound instead of an error.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from arena.errors import BadInput
from arena.tournament.bounds import limit_of
from arena.tournament.clustering import Errors, errors_of, mean_zero_inverse
from arena.tournament.components import Strata, connected, stratify
from arena.tournament.distributions import Floats, t_quantile
from arena.tournament.fitting import Solver, bradley_terry, curvature, fit_around
from arena.tournament.results import HandResult
from arena.tournament.tallies import BlockTally, Ints, Pairs, tally

ELO_PER_LOGIT = 400 / math.log(10)
ANCHOR_ELO = 1500.0
ANCHOR_BLOCKS = 10
"""Blocks that a named anchor must have played to carry the scale."""
CONFIDENCE = 0.95


@dataclass(frozen=True, eq=False)
class Group:
    """The ratings of bots that are connected by hands; arrays are parallel to `bots`.

    bots: sorted. theta: ratings in logits, zero at the virtual opponent. covariance: of theta
    relative to the mean of the bots without a bound (the blended V*). freedom: degrees of freedom
    of each bot's error. blocks: blocks played.
    strata: which bots can be placed among each other. bounds: `>` for a bot of a component that was
    always ahead of the rest, `<` always behind, else empty.
    limits: the one-sided 95 % bound in logits where there is one, else NaN.
    points: twice the hands in which row finished ahead of column. origin: the logits of
    1500 Elo. anchor: the bot at 1500, None for the mean. design_effect: None if blocks are too few,
    or too even, to show it.
    """

    bots: tuple[str, ...]
    theta: Floats
    covariance: Floats
    freedom: Floats
    blocks: Ints
    strata: Strata
    limits: Floats
    points: Ints
    origin: float
    anchor: str | None
    design_effect: float | None

    @property
    def bounds(self) -> tuple[str, ...]:
        """The bound of each bot."""
        return self.strata.bounds

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
        quantiles = t_quantile(0.5 + CONFIDENCE / 2, self.freedom)
        return quantiles * ELO_PER_LOGIT * np.sqrt(np.diag(self.covariance))

    def on_elo_scale(self, logits: Floats) -> Floats:
        """Logits of this group as Elo."""
        return ANCHOR_ELO + ELO_PER_LOGIT * (logits - self.origin)

    def limit(self, at: int, *, tail: float) -> float:
        """The one-sided bound in logits of a bot that has one; the truth is beyond it with chance
        `tail`."""
        return limit_of(
            at,
            self.strata.component == self.strata.component[at],
            bound=self.bounds[at],
            theta=self.theta,
            points=self.points,
            covariance=self.covariance,
            freedom=float(self.freedom[at]),
            effect=max(1.0, self.design_effect or 1.0),
            tail=tail,
        )


@dataclass(frozen=True, eq=False)
class Ratings:
    """The ratings of a pool. Bots of different groups never met, not even over others: their
    numbers cannot be compared. `unrated` bots have no pair at all."""

    tally: BlockTally
    groups: tuple[Group, ...]
    unrated: tuple[str, ...]


def rate(
    hands: Iterable[HandResult],
    *,
    roster: Sequence[str] = (),
    anchor: str | None = None,
    anchor_blocks: int = ANCHOR_BLOCKS,
) -> Ratings:
    """Rate the hands of one pool (see `rate_tally`)."""
    return rate_tally(tally(hands, roster=roster), anchor=anchor, anchor_blocks=anchor_blocks)


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
    parts = connected(points + points.T > 0)
    groups = [
        _anchored(_group(counted, points, members, solver), anchor, anchor_blocks)
        for members in parts
        if len(members) > 1
    ]
    alone = sorted(counted.bots[part[0]] for part in parts if len(part) == 1)
    return Ratings(counted, groups=tuple(groups), unrated=tuple(alone))


def _group(counted: BlockTally, points: Ints, members: Ints, solver: Solver) -> Group:
    """A group with its mean at 1500 Elo."""
    own = points[np.ix_(members, members)]
    strata = stratify(own)
    field = strata.field
    everybody = _pairs_of(counted.pairs, members, size=len(counted.bots))
    inner = np.flatnonzero(field)
    pairs = everybody if field.all() else _pairs_of(everybody, inner, size=len(members))
    solved = solver(members[inner], own[np.ix_(inner, inner)], pairs)
    theta = np.zeros(len(members))
    theta[field] = solved.theta
    if not field.all():
        theta = fit_around(own / 2, theta, ~field)
    blocks = _blocks_per_bot(everybody, len(members))
    errors = _widened(errors_of(solved), theta, own, strata)
    group = Group(
        bots=tuple(counted.bots[at] for at in members),
        theta=theta,
        covariance=errors.covariance,
        freedom=errors.freedom,
        blocks=blocks,
        strata=strata,
        limits=np.full(len(theta), np.nan),
        points=own,
        origin=float(theta[field].mean()),
        anchor=None,
        design_effect=errors.design_effect,
    )
    return replace(group, limits=_limits(group))


def _anchored(group: Group, anchor: str | None, least: int) -> Group:
    """The group with the anchor at 1500 Elo, if it can carry the scale."""
    at = group.bots.index(anchor) if anchor in group.bots else None
    if at is None or group.bounds[at] or group.blocks[at] < least:
        return group
    return replace(group, anchor=anchor, origin=float(group.theta[at]))


def _pairs_of(pairs: Pairs, members: Ints, *, size: int) -> Pairs:
    """The pairs among members, renumbered: bots as in members, blocks from 0 without gaps."""
    place = np.full(size, -1, dtype=np.int64)
    place[members] = np.arange(len(members))
    keep = (place[pairs.i] >= 0) & (place[pairs.j] >= 0)
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


def _widened(errors: Errors, theta: Floats, points: Ints, strata: Strata) -> Errors:
    """The errors of the field, and those of the model for bots that have a bound.

    Only the virtual meeting holds the rating of a bounded bot, and without surprises its blocks
    show no spread: it is as sure as the model says, times the design effect of the field.
    """
    effect = max(1.0, errors.design_effect or 1.0)
    model = curvature(theta, points / 2)
    bounded = np.array([bool(bound) for bound in strata.bounds])
    covariance = np.zeros_like(model)
    covariance[np.ix_(strata.field, strata.field)] = errors.covariance
    if strata.field.all():
        plain = effect * np.diag(mean_zero_inverse(model))
        missing = np.maximum(plain - np.diag(covariance), 0.0)
        covariance += np.diag(np.where(bounded, missing, 0.0))
    else:
        among = np.ix_(bounded, bounded)
        covariance[among] = effect * np.linalg.inv(model[among])
    freedom = np.full(len(theta), errors.effect_freedom)
    freedom[strata.field] = errors.freedom
    return errors._replace(covariance=covariance, freedom=freedom)


def _limits(group: Group) -> Floats:
    """For a bounded bot, the rating at which its record would have had a chance of 5 %."""
    limits = [
        group.limit(at, tail=1 - CONFIDENCE) if bound else np.nan
        for at, bound in enumerate(group.bounds)
    ]
    return np.array(limits, dtype=np.float64)
