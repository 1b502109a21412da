"""Alerts: what an organiser should look at. Statistics, never verdicts.

Pairs that help each other more than chance, bots that play otherwise when another's play lies there
(see `moves`), seats and neighbours that were not shared out evenly,
seats that pay, blocks that were cut short. A bot that plays a style another cannot cope with looks
like a friend of the others; only the replays decide. Pure; it rates nothing and prints nothing (see
`alert_reports`).

Source: Y. Benjamini and Y. Hochberg, Journal of the Royal Statistical Society B 57 (1995), for
many tests at once.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from arena.tournament.distributions import Floats, chi_square_tail, t_cdf
from arena.tournament.fitting import chance
from arena.tournament.moves import HABITS, Habit, MoveLog, habits
from arena.tournament.ratings import Group, Ratings
from arena.tournament.results import HandResult
from arena.tournament.tallies import BlockTally

FALSE_ALERTS = 0.05
"""Share of honest sessions that may have an alert, over all kinds of tests together."""
LEAST_BLOCKS = 5
"""Fewer blocks with, or without, the other bot say nothing."""
MIXED_BLOCKS = 2
"""Weight of the common variance in that of the blocks with, and of those without, in blocks."""
LEAST_EXPECTED = 5.0
"""Counts are tested where at least this many are expected."""


class Seated(NamedTuple):
    """A hand that was played, with its bots by seat."""

    result: HandResult
    bots: tuple[str, ...]


class Help(NamedTuple):
    """How `helped` does when `helper` is at its table.

    residual_with, residual_without: share of the pairs it won, less what ratings expect, in
    blocks with and without the helper. error: standard error of the difference. chance: of a
    difference like this or larger; adjusted: for the number of pairs tested.
    """

    helper: str
    helped: str
    residual_with: float
    residual_without: float
    error: float
    blocks_with: int
    blocks_without: int
    chance: float
    adjusted: float

    @property
    def gap(self) -> float:
        """The share of pairs gained by the helper's presence."""
        return self.residual_with - self.residual_without


class CountTest(NamedTuple):
    """Something that should have come out evenly. counted against expected, for `bot` at a seat, or
    acting directly after `other`; statistic: chi-square with `freedom` degrees."""

    bot: str
    other: str
    counted: tuple[int, ...]
    expected: float
    statistic: float
    freedom: int
    chance: float
    adjusted: float


class SeatEffect(NamedTuple):
    """What a seat was worth: mean share of pairs won there, less what ratings expect."""

    seat: int
    residual: float
    error: float
    blocks: int
    chance: float
    adjusted: float


class Partial(NamedTuple):
    """A block with fewer hands than most."""

    block: str
    hands: int
    due: int


class Alerts(NamedTuple):
    """Everything that was tested, the most striking first; `raised` decides what is an alert.

    hands_read: whose moves were read; hands_unread: that count, and whose moves were not.
    """

    helps: tuple[Help, ...] = ()
    seats: tuple[CountTest, ...] = ()
    neighbours: tuple[CountTest, ...] = ()
    effects: tuple[SeatEffect, ...] = ()
    partial: tuple[Partial, ...] = ()
    habits: tuple[Habit, ...] = ()
    hands_read: int = 0
    hands_unread: int = 0


Finding = Help | CountTest | SeatEffect | Habit


def raised(finding: Finding) -> bool:
    """Is this out of the ordinary, after allowing for the number of tests?"""
    return finding.adjusted <= FALSE_ALERTS


def alerts(
    hands: Sequence[HandResult],
    ratings: Ratings,
    *,
    seated: Sequence[Seated] = (),
    moves: MoveLog | None = None,
    due: int | None = None,
) -> Alerts:
    """All alerts of a pool. `seated`: the hands whose seats are known; `moves`: those whose moves
    are; `due`: hands of a block, by default as many as most blocks have.

    Every finding's `adjusted` allows for all kinds of tests together: at most 5 % of honest
    sessions have an alert at all.
    """
    moves = moves or MoveLog()
    found = helps(ratings), seat_counts(seated), neighbour_counts(seated)
    effects, habits_ = seat_effects(seated, ratings), _habits(moves)
    kinds = [*found, effects, *([h for h in habits_ if h.kind == kind] for kind in HABITS)]
    tested = sum(bool(kind) for kind in kinds)
    return Alerts(
        helps=_shared(found[0], tested),
        seats=_shared(found[1], tested),
        neighbours=_shared(found[2], tested),
        effects=_shared(effects, tested),
        partial=partial_blocks(hands, due=due),
        habits=_shared(habits_, tested),
        hands_read=moves.hands,
        hands_unread=max(0, len(seated) - moves.hands),
    )


Tested = TypeVar("Tested", Help, CountTest, SeatEffect, Habit)


def _shared(findings: Sequence[Tested], kinds: int) -> tuple[Tested, ...]:
    """The findings of one of several kinds: each kind has its part of the false alerts."""
    return tuple(f._replace(adjusted=min(1.0, kinds * f.adjusted)) for f in findings)


def _habits(moves: MoveLog) -> tuple[Habit, ...]:
    """How bots treat each other, the most striking first, each kind adjusted by itself."""
    done: list[Habit] = []
    for kind in HABITS:
        found = habits(moves, kind)
        levels = adjusted([habit.chance for habit in found])
        done += [h._replace(adjusted=level) for h, level in zip(found, levels, strict=True)]
    return tuple(sorted(done, key=lambda h: (h.adjusted, h.chance, h.kind, h.bot, h.other)))


def helps(ratings: Ratings) -> tuple[Help, ...]:
    """Every ordered pair with enough blocks with and without: does one gain by the other?"""
    tested = [help_ for group in ratings.groups for help_ in _helps(ratings.tally, group)]
    levels = adjusted([help_.chance for help_ in tested])
    done = [h._replace(adjusted=level) for h, level in zip(tested, levels, strict=True)]
    return tuple(sorted(done, key=lambda h: (h.chance, h.helper, h.helped)))


def _helps(counted: BlockTally, group: Group) -> list[Help]:
    residuals, met = _block_residuals(counted, group)
    tested = []
    for j, helped in enumerate(group.bots):
        mine = ~np.isnan(residuals[:, j])
        values, present = residuals[mine, j], met[j][mine]
        for i, helper in enumerate(group.bots):
            with_, without = values[present[:, i]], values[~present[:, i]]
            if i != j and min(len(with_), len(without)) >= LEAST_BLOCKS:
                tested.append(_compared(helper, helped, with_, without))
    return tested


def _compared(helper: str, helped: str, with_: Floats, without: Floats) -> Help:
    """Welch's test of two means, one-sided: only gains are help.

    Each variance is mixed with a little of the common one: the calm of a handful of blocks is often
    luck, and with this many tests luck shows (8 to 12 honest sessions of 100 had an alarm, now 5
    to 6; `tests/tournament/test_alerts.py`).
    """
    sizes = (len(with_) - 1, len(without) - 1)
    sums = [float(((values - values.mean()) ** 2).sum()) for values in (with_, without)]
    common = sum(sums) / sum(sizes)
    parts = [
        (each + MIXED_BLOCKS * common) / (size + MIXED_BLOCKS) / (size + 1)
        for each, size in zip(sums, sizes, strict=True)
    ]
    error = math.sqrt(sum(parts))
    gap = float(with_.mean() - without.mean())
    level = 0.5 if gap <= 0 else 0.0
    if error > 0:
        known = zip(parts, sizes, strict=True)
        freedom = sum(parts) ** 2 / sum(part**2 / (size + MIXED_BLOCKS) for part, size in known)
        level = float(t_cdf(-gap / error, min(freedom, sum(sizes))))
    return Help(
        helper,
        helped,
        residual_with=float(with_.mean()),
        residual_without=float(without.mean()),
        error=error,
        blocks_with=len(with_),
        blocks_without=len(without),
        chance=level,
        adjusted=1.0,
    )


def _block_residuals(counted: BlockTally, group: Group) -> tuple[Floats, NDArray[np.bool_]]:
    """Per block and bot the mean residual of its pairs (NaN: none), and whom it met.

    Pairs of different components say nothing: one of the two always won.
    """
    n = len(group.bots)
    place = np.full(len(counted.bots), -1, dtype=np.int64)
    place[[counted.bots.index(bot) for bot in group.bots]] = np.arange(n)
    pairs = counted.pairs
    there = place[pairs.i] >= 0
    count = len(counted.blocks)
    met = np.zeros((n, count, n), dtype=np.bool_)
    block, i, j = pairs.block[there], place[pairs.i[there]], place[pairs.j[there]]
    met[i, block, j] = met[j, block, i] = True
    same = group.strata.component[i] == group.strata.component[j]
    block, i, j = block[same], i[same], j[same]
    meetings = pairs.meetings[there][same].astype(np.float64)
    surprise = pairs.points[there][same] / 2
    surprise -= meetings * chance(group.theta[i] - group.theta[j])
    sums, pairs_of = np.zeros((count, n)), np.zeros((count, n))
    for bot, sign in ((i, 1.0), (j, -1.0)):
        np.add.at(sums, (block, bot), sign * surprise)
        np.add.at(pairs_of, (block, bot), meetings)
    residuals = np.where(pairs_of > 0, sums / np.maximum(pairs_of, 1), np.nan)
    return residuals, met


def seat_counts(seated: Iterable[Seated]) -> tuple[CountTest, ...]:
    """For every bot, how often it sat at each seat; even shares are expected."""
    hands: dict[str, Counter[int]] = {}
    size = 0
    for hand in seated:
        size = max(size, len(hand.bots))
        for seat, bot in enumerate(hand.bots):
            hands.setdefault(bot, Counter())[seat] += 1
    tested = [
        _counted(bot, "", [hands[bot][seat] for seat in range(size)])
        for bot in sorted(hands)
        if hands[bot].total() >= LEAST_EXPECTED * size
    ]
    return _sorted(tested)


def neighbour_counts(seated: Iterable[Seated]) -> tuple[CountTest, ...]:
    """For every ordered pair, how often one acted directly after the other, of the hands shared."""
    shared: Counter[tuple[str, str]] = Counter()
    after: Counter[tuple[str, str]] = Counter()
    sizes: dict[tuple[str, str], int] = {}
    for hand in seated:
        for pair in permutations(hand.bots, 2):
            shared[pair] += 1
            sizes[pair] = len(hand.bots)
        after.update((bot, hand.bots[seat - 1]) for seat, bot in enumerate(hand.bots))
    return _sorted(
        _binomial(pair, after[pair], shared[pair], 1 / (sizes[pair] - 1))
        for pair in sorted(shared)
        if sizes[pair] > 2 and shared[pair] / (sizes[pair] - 1) >= LEAST_EXPECTED
    )


def _counted(bot: str, other: str, counts: Sequence[int]) -> CountTest:
    expected = sum(counts) / len(counts)
    statistic = sum((count - expected) ** 2 / expected for count in counts)
    level = chi_square_tail(statistic, len(counts) - 1)
    return CountTest(bot, other, tuple(counts), expected, statistic, len(counts) - 1, level, 1.0)


def _binomial(pair: tuple[str, str], count: int, hands: int, share: float) -> CountTest:
    expected = hands * share
    statistic = (count - expected) ** 2 / (expected * (1 - share))
    level = chi_square_tail(statistic, 1)
    return CountTest(*pair, (count,), expected, statistic, 1, level, 1.0)


def _sorted(tested: Iterable[CountTest]) -> tuple[CountTest, ...]:
    findings = list(tested)
    levels = adjusted([count.chance for count in findings])
    done = [count._replace(adjusted=level) for count, level in zip(findings, levels, strict=True)]
    return tuple(sorted(done, key=lambda count: (count.chance, count.bot, count.other)))


def seat_effects(seated: Sequence[Seated], ratings: Ratings) -> tuple[SeatEffect, ...]:
    """What each seat was worth, blocks being the units."""
    theta = {bot: float(t) for g in ratings.groups for bot, t in zip(g.bots, g.theta, strict=True)}
    sums: dict[int, dict[str, list[float]]] = {}
    for hand in seated:
        if not all(bot in theta for bot in hand.bots):
            continue
        for seat, residual in enumerate(_hand_residuals(hand, theta)):
            sums.setdefault(seat, {}).setdefault(hand.result.block, []).append(residual)
    tested = [
        _effect(seat, np.array([np.mean(blocks[name]) for name in sorted(blocks)]))
        for seat, blocks in sorted(sums.items())
        if len(blocks) >= LEAST_BLOCKS
    ]
    levels = adjusted([effect.chance for effect in tested])
    done = [effect._replace(adjusted=level) for effect, level in zip(tested, levels, strict=True)]
    return tuple(sorted(done, key=lambda effect: (effect.chance, effect.seat)))


def _hand_residuals(hand: Seated, theta: dict[str, float]) -> list[float]:
    """By seat: the share of pairs won, less what was expected."""
    finish = dict(zip(hand.result.bots, hand.result.finish, strict=True))
    residuals = []
    for bot in hand.bots:
        others = [other for other in hand.bots if other != bot]
        won = sum((finish[bot] < finish[x]) + 0.5 * (finish[bot] == finish[x]) for x in others)
        expected = sum(1 / (1 + math.exp(theta[x] - theta[bot])) for x in others)
        residuals.append((won - expected) / len(others))
    return residuals


def _effect(seat: int, means: Floats) -> SeatEffect:
    mean, error = float(means.mean()), float(means.std(ddof=1)) / math.sqrt(len(means))
    level = 1.0 if error == 0 else 2 * float(t_cdf(-abs(mean) / error, len(means) - 1))
    return SeatEffect(seat, mean, error, len(means), level, 1.0)


def partial_blocks(hands: Iterable[HandResult], *, due: int | None = None) -> tuple[Partial, ...]:
    """Blocks that have fewer hands than are due; by default, than most blocks have."""
    counts = Counter(hand.block for hand in hands)
    if not counts:
        return ()
    usual = Counter(counts.values())
    wanted = max(usual, key=lambda size: (usual[size], size)) if due is None else due
    short = sorted(block for block, count in counts.items() if count < wanted)
    return tuple(Partial(block, counts[block], wanted) for block in short)


def adjusted(chances: Sequence[float]) -> list[float]:
    """Benjamini and Hochberg's levels: who is raised at level q has a share q of false alerts."""
    order = sorted(range(len(chances)), key=lambda at: chances[at])
    levels = [1.0] * len(chances)
    least = 1.0
    for rank in range(len(order), 0, -1):
        least = min(least, chances[order[rank - 1]] * len(order) / rank)
        levels[order[rank - 1]] = least
    return levels
