"""Moves: does a bot play otherwise when a certain other bot's play lies there, or when it gives?

Results show help only after many tables; moves show it sooner. A feeder passes where it would beat
anybody else, or gives its best card back where it would give its worst. Each bot is compared with
itself in like situations (strata), and with what the others do to the same bot: a strong player
is passed on by everybody. Statistics, never verdicts; pure, prints nothing.

Source: N. Mantel and W. Haenszel, Journal of the National Cancer Institute 22 (1959), for tables in
strata; here with the hand as the independent unit.
"""

from __future__ import annotations

import math
from array import array
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

    def renamed(self, ids: Mapping[str, str]) -> HandMoves:
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


class MoveIndex:
    """Numbers for bots and situations, common to several logs that are put together later."""

    def __init__(self) -> None:
        self.bots: dict[str, int] = {}
        self.situations: dict[Hashable, int] = {}

    def bot(self, bot: str) -> int:
        """The number of a bot."""
        return self.bots.setdefault(bot, len(self.bots))

    def situation(self, bot: int, stratum: Hashable) -> int:
        """The number of a situation of a bot."""
        return self.situations.setdefault((bot, stratum), len(self.situations))


class MoveColumns:
    """Moves of one sort, column by column: about 24 bytes each.

    value: how many ranks higher than necessary a bot played, NaN if it passed; or how strong its
    gift was.
    """

    def __init__(self) -> None:
        self.hand, self.bot, self.other = array("i"), array("i"), array("i")
        self.situation, self.value = array("i"), array("d")

    def __len__(self) -> int:
        return len(self.value)

    def add(self, hand: int, bot: int, other: int, *, situation: int, value: float) -> None:
        """One more."""
        self.hand.append(hand)
        self.bot.append(bot)
        self.other.append(other)
        self.situation.append(situation)
        self.value.append(value)

    def extend(self, more: MoveColumns, *, after: int) -> None:
        """Those of another log of the same index, whose hands follow hand number `after`."""
        self.hand.extend(hand + after for hand in more.hand)
        self.bot.extend(more.bot)
        self.other.extend(more.other)
        self.situation.extend(more.situation)
        self.value.extend(more.value)


class MoveLog:
    """The moves of some hands, as far as the tests need them."""

    def __init__(self, index: MoveIndex | None = None) -> None:
        self.index = index or MoveIndex()
        self.hands = 0
        self.reactions = MoveColumns()
        self.gifts = MoveColumns()

    def add(self, hand: HandMoves) -> None:
        """One more hand."""
        bot, situation = self.index.bot, self.index.situation
        for r in hand.reactions:
            here = situation(bot(r.bot), r.stratum)
            spent = math.nan if r.spent is None else r.spent
            self.reactions.add(self.hands, bot(r.bot), bot(r.other), situation=here, value=spent)
        for g in hand.gifts:
            here = situation(bot(g.giver), g.stratum)
            self.gifts.add(self.hands, bot(g.giver), bot(g.receiver), situation=here, value=g.share)
        self.hands += 1

    def extend(self, more: MoveLog) -> None:
        """The hands of another log of the same index."""
        self.reactions.extend(more.reactions, after=self.hands)
        self.gifts.extend(more.gifts, after=self.hands)
        self.hands += more.hands


def move_log(hands: Iterable[HandMoves]) -> MoveLog:
    """The log of some hands."""
    log = MoveLog()
    for hand in hands:
        log.add(hand)
    return log


class _Moves(NamedTuple):
    """Moves of one kind as arrays. value: what was done, more being more helpful."""

    hand: Ints
    bot: Ints
    other: Ints
    situation: Ints
    value: Floats


def habits(log: MoveLog, kind: str) -> tuple[Habit, ...]:
    """Every habit of a kind with enough hands, the most striking first; not adjusted yet."""
    moves = _residuals(READ[kind](log))
    found = _tested(kind, moves, list(log.index.bots)) if len(moves.hand) else ()
    return tuple(sorted(found, key=lambda h: (h.chance, h.bot, h.other)))


def _moves(columns: MoveColumns) -> _Moves:
    whole = (columns.hand, columns.bot, columns.other, columns.situation)
    hand, bot, other, situation = (np.array(column, dtype=np.int64) for column in whole)
    return _Moves(hand, bot, other, situation, np.array(columns.value, dtype=np.float64))


def _passes(log: MoveLog) -> _Moves:
    moves = _moves(log.reactions)
    return moves._replace(value=np.isnan(moves.value).astype(np.float64))


def _savings(log: MoveLog) -> _Moves:
    moves = _moves(log.reactions)
    played = ~np.isnan(moves.value)
    return _Moves(
        moves.hand[played],
        moves.bot[played],
        moves.other[played],
        moves.situation[played],
        -moves.value[played],
    )


READ: dict[str, Callable[[MoveLog], _Moves]] = {
    PASSES: _passes,
    SPENDING: _savings,
    GIFTS: lambda log: _moves(log.gifts),
}


def _residuals(moves: _Moves) -> _Moves:
    """What was done, less the mean of the same bot in the same situation."""
    counts = np.maximum(np.bincount(moves.situation), 1)
    means = np.bincount(moves.situation, weights=moves.value) / counts
    return moves._replace(value=moves.value - means[moves.situation])


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
