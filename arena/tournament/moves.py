"""Moves: does a bot play otherwise when a certain other bot's play lies there, or when it gives?

Results show help only after many tables; moves show it sooner. A feeder passes where it would beat
anybody else, or gives its best card back where it would give its worst. Each bot is compared with
itself in like situations (strata), and with what the others do to the same bot: a strong player
is passed on by everybody. Statistics, never verdicts; pure, prints nothing.

Source: N. Mantel and W. Haenszel, Journal of the National Cancer Institute 22 (1959), for tables in
strata; here with the hand as the independent unit.
"""

import math
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import NamedTuple

import numpy as np

from arena.tournament.distributions import Floats, t_cdf
from arena.tournament.tallies import Ints

PASSES, SPENDING, GIFTS = "passes", "spending", "gifts"
HABITS = (PASSES, SPENDING, GIFTS)
"""Passes on its plays; beats its plays with cards no higher than necessary; gives it good cards."""
LEAST_HANDS: Mapping[str, int] = MappingProxyType({PASSES: 8, SPENDING: 8, GIFTS: 2})
"""A habit towards a bot is tested from this many hands on."""
MIXED_HANDS = 10
"""Weight of a bot's spread towards everybody in that towards one other, in hands."""


class Reaction(NamedTuple):
    """What `bot` did when it could beat a play of `other`. stratum: the situation, but for whose
    play it was. spent: how many ranks higher than necessary it played, None if it passed."""

    bot: str
    other: str
    stratum: Hashable
    spent: float | None

    @property
    def passed(self) -> bool:
        """Did it let the play stand?"""
        return self.spent is None


class Gift(NamedTuple):
    """Cards that a bot chose to give. share: how strong they are, from 0 (its worst) to 1."""

    giver: str
    receiver: str
    stratum: Hashable
    share: float


class HandMoves(NamedTuple):
    """The reactions and gifts of one hand."""

    reactions: tuple[Reaction, ...]
    gifts: tuple[Gift, ...]

    def renamed(self, ids: Mapping[str, str]) -> "HandMoves":
        """The same with other ids for some bots."""

        def of(bot: str) -> str:
            return ids.get(bot, bot)

        return HandMoves(
            tuple(r._replace(bot=of(r.bot), other=of(r.other)) for r in self.reactions),
            tuple(g._replace(giver=of(g.giver), receiver=of(g.receiver)) for g in self.gifts),
        )


class Habit(NamedTuple):
    """How `bot` treats `other`: what it does more (per move) for it than for the others.

    kind: one of HABITS. gap: share of passes, ranks saved, or strength of gifts, above what the
    situation and the way all treat `other` explain; error: its standard error. moves, hands: that
    it rests on. chance: of a gap like this or larger; adjusted: for the number of tests.
    """

    kind: str
    bot: str
    other: str
    gap: float
    error: float
    moves: int
    hands: int
    chance: float
    adjusted: float


class _Moves(NamedTuple):
    """Moves of one kind as arrays. value: what was done, more being more helpful."""

    hand: Ints
    bot: Ints
    other: Ints
    value: Floats


def habits(hands: Sequence[HandMoves], kind: str) -> tuple[Habit, ...]:
    """Every habit of a kind with enough hands, the most striking first; not adjusted yet."""
    rows = list(_READ[kind](hands))
    bots = sorted({row[1] for row in rows} | {row[2] for row in rows})
    found = _tested(kind, _residuals(rows, bots), bots) if rows else ()
    return tuple(sorted(found, key=lambda h: (h.chance, h.bot, h.other)))


Row = tuple[int, str, str, Hashable, float]


def _passes(hands: Sequence[HandMoves]) -> Iterable[Row]:
    for at, hand in enumerate(hands):
        for reaction in hand.reactions:
            yield at, reaction.bot, reaction.other, reaction.stratum, float(reaction.passed)


def _savings(hands: Sequence[HandMoves]) -> Iterable[Row]:
    for at, hand in enumerate(hands):
        for reaction in hand.reactions:
            if reaction.spent is not None:
                yield at, reaction.bot, reaction.other, reaction.stratum, -reaction.spent


def _gifts(hands: Sequence[HandMoves]) -> Iterable[Row]:
    for at, hand in enumerate(hands):
        for gift in hand.gifts:
            yield at, gift.giver, gift.receiver, gift.stratum, gift.share


_READ: dict[str, Callable[[Sequence[HandMoves]], Iterable[Row]]] = {
    PASSES: _passes,
    SPENDING: _savings,
    GIFTS: _gifts,
}


def _residuals(rows: Iterable[Row], bots: Sequence[str]) -> _Moves:
    """What was done, less the mean of the same bot in the same situation."""
    index = {bot: at for at, bot in enumerate(bots)}
    situations: dict[Hashable, int] = {}
    listed = [
        (hand, index[bot], index[other], situations.setdefault((bot, stratum), len(situations)), x)
        for hand, bot, other, stratum, x in rows
    ]
    hand, bot, other, situation = (
        np.array([row[at] for row in listed], dtype=np.int64) for at in range(4)
    )
    value = np.array([row[4] for row in listed], dtype=np.float64)
    counts = np.maximum(np.bincount(situation, minlength=len(situations)), 1)
    means = np.bincount(situation, weights=value, minlength=len(situations)) / counts
    return _Moves(hand, bot, other, value - means[situation])


def _tested(kind: str, moves: _Moves, bots: Sequence[str]) -> Iterable[Habit]:
    n = len(bots)
    key = moves.bot * n + moves.other
    cells, where = np.unique(moves.hand * n * n + key, return_inverse=True)
    pair = cells % (n * n)
    sums = np.bincount(where, moves.value, len(cells)).astype(np.float64)
    sizes = np.bincount(where, minlength=len(cells)).astype(np.float64)

    def of_pairs(values: Floats) -> Floats:
        return np.bincount(pair, values, n * n).astype(np.float64).reshape(n, n)

    total, count, hands = of_pairs(sums), of_pairs(sizes), of_pairs(np.ones(len(cells)))
    means = total / np.maximum(count, 1)
    off = sums - means.ravel()[pair] * sizes
    own = of_pairs(off**2) * hands / np.maximum(hands - 1, 1)
    # A bot's spread over all its moves, as if it treated all alike.
    alike = of_pairs(sums**2).sum(axis=1) / np.maximum(count.sum(axis=1), 1)
    variance = (hands * own + MIXED_HANDS * alike[:, None] * count) / (hands + MIXED_HANDS)
    rest = total.sum(axis=0) - total
    size = np.maximum(count.sum(axis=0) - count, 1.0)
    gaps = means - rest / size
    parts = variance / np.maximum(count, 1) ** 2 + (variance.sum(axis=0) - variance) / size**2
    for i, j in np.argwhere((hands >= LEAST_HANDS[kind]) & (variance > 0)).tolist():
        error = math.sqrt(parts[i, j])
        yield Habit(
            kind,
            bots[i],
            bots[j],
            float(gaps[i, j]),
            error,
            moves=int(count[i, j]),
            hands=int(hands[i, j]),
            chance=float(t_cdf(-gaps[i, j] / error, hands[i, j] + MIXED_HANDS)),
            adjusted=1.0,
        )
