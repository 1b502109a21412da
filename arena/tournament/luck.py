"""Luck: how much of a bot's results its cards explain, and its results without that.

A control variate: from what a bot has won in a hand is taken what its dealt cards are worth, which
is a sum over the ranks of (cards held - cards expected) times a worth of the rank. What a packet
of a shuffled deck is expected to hold is known exactly, so the correction has the mean zero
whatever the worths are, and what is left has the mean of the results themselves, with less spread.
The worths are estimated by ridge regression, for each block from all other blocks (cross-fitting):
from its own they would take a part of what the bot has earned.

Cards as they were dealt, before any exchange: who has to give good cards away follows from earlier
results, and so from strength. Where line-ups follow from results, or tables share their shuffles,
other blocks are not independent of a block, and the mean would not be kept; who has the hands has
to see to that. Never an official number.

Source: M. Zinkevich, M. Bowling et al., "Optimal unbiased estimators for evaluating agent
performance", AAAI 2006, for the idea; the control here is simpler.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from arena.errors import BadInput
from arena.tournament.distributions import Floats, t_quantile
from arena.tournament.ratings import CONFIDENCE
from arena.tournament.results import HandResult
from arena.tournament.tallies import Ints

LEAST_BLOCKS = 10
"""With fewer the worths are noise, and the spread grows."""
RIDGE = 0.05
"""Weight of worths of zero, as a share of the hands and bots that the worths are estimated from."""


class DealtHand(NamedTuple):
    """A hand that was played. luck: for each bot of the result, by rank how many cards more it was
    dealt than expected."""

    result: HandResult
    luck: tuple[tuple[float, ...], ...]


class Share(NamedTuple):
    """A mean share of pairs won, and half of its 95 % interval."""

    mean: float
    error: float


class BotLuck(NamedTuple):
    """A bot's share of pairs won, as it was and without what its cards explain. hands, blocks: that
    were played."""

    bot: str
    hands: int
    blocks: int
    plain: Share
    adjusted: Share

    @property
    def luck(self) -> float:
        """What the cards have brought it."""
        return self.plain.mean - self.adjusted.mean


class Luck(NamedTuple):
    """All bots, by name. saved: the share of the variance that is gone, over all bots."""

    bots: tuple[BotLuck, ...]
    blocks: int
    saved: float


class _Rows(NamedTuple):
    """One row for each hand and bot of it."""

    block: Ints
    bot: Ints
    won: Floats
    luck: Floats


def dealt_hand(
    result: HandResult, seats: Sequence[str], by_seat: Sequence[tuple[float, ...]]
) -> DealtHand:
    """A hand with the luck of the bots that its result has; seats: the bots by seat."""
    of = dict(zip(seats, by_seat, strict=True))
    return DealtHand(result, tuple(of[bot] for bot in result.bots))


def luck(hands: Iterable[DealtHand]) -> Luck:
    """The shares of all bots. Raises BadInput for too few blocks."""
    listed = sorted(hands)
    blocks = sorted({hand.result.block for hand in listed})
    bots = sorted({bot for hand in listed for bot in hand.result.bots})
    if len(blocks) < LEAST_BLOCKS:
        raise BadInput("blocks whose cards are known", len(blocks), f"{LEAST_BLOCKS} or more")
    rows = _rows(listed, blocks, bots)
    adjusted = rows.won - _explained(rows, len(blocks))
    found = [_of_bot(bot, at, rows, adjusted) for at, bot in enumerate(bots)]
    sure = [each for each in found if each.blocks > 1]
    before = sum(each.plain.error**2 for each in sure)
    after = sum(each.adjusted.error**2 for each in sure)
    return Luck(tuple(found), len(blocks), 1 - after / before if before else 0.0)


def _rows(hands: Sequence[DealtHand], blocks: Sequence[str], bots: Sequence[str]) -> _Rows:
    number = {block: at for at, block in enumerate(blocks)}
    index = {bot: at for at, bot in enumerate(bots)}
    rows = [
        (number[hand.result.block], index[bot], share, cards)
        for hand in hands
        for bot, share, cards in zip(
            hand.result.bots, _shares(hand.result.finish), hand.luck, strict=True
        )
    ]
    block, bot, won, cards = zip(*rows, strict=True)
    return _Rows(np.array(block), np.array(bot), np.array(won), np.array(cards, dtype=np.float64))


def _shares(finish: Sequence[int]) -> list[float]:
    """By place in the result the share of the others that finished behind; ties count half."""
    others = len(finish) - 1
    return [
        (sum(own < each for each in finish) + (finish.count(own) - 1) / 2) / others
        for own in finish
    ]


def _explained(rows: _Rows, blocks: int) -> Floats:
    """What the cards explain of each row, by worths that its own block had no part in."""
    ranks = rows.luck.shape[1]
    moments, pulls = np.zeros((blocks, ranks, ranks)), np.zeros((blocks, ranks))
    sizes = np.bincount(rows.block, minlength=blocks)
    for block in range(blocks):
        cards = rows.luck[rows.block == block]
        moments[block] = cards.T @ cards
        pulls[block] = cards.T @ (rows.won[rows.block == block] - 0.5)
    ridge = RIDGE * (sizes.sum() - sizes)[:, None, None] * np.eye(ranks)
    matrices = moments.sum(axis=0) - moments + ridge
    worths = np.linalg.solve(matrices, (pulls.sum(axis=0) - pulls)[:, :, None])[:, :, 0]
    explained: Floats = (rows.luck * worths[rows.block]).sum(axis=1)
    return explained


def _of_bot(bot: str, at: int, rows: _Rows, adjusted: Floats) -> BotLuck:
    mine = rows.bot == at
    _, block = np.unique(rows.block[mine], return_inverse=True)
    sizes = np.bincount(block).astype(np.float64)
    return BotLuck(
        bot,
        hands=int(mine.sum()),
        blocks=len(sizes),
        plain=_share(rows.won[mine], block, sizes),
        adjusted=_share(adjusted[mine], block, sizes),
    )


def _share(values: Floats, block: Ints, sizes: Floats) -> Share:
    """The mean with the error of whole blocks; nothing is known of the error of one block."""
    mean, count = float(values.mean()), len(sizes)
    if count < 2:
        return Share(mean, float("inf"))
    off = np.bincount(block, weights=values) - mean * sizes
    variance = count / (count - 1) * float((off**2).sum()) / float(sizes.sum()) ** 2
    quantile = float(t_quantile(0.5 + CONFIDENCE / 2, count - 1)[0])
    return Share(mean, quantile * variance**0.5)
