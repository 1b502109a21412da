"""Tallies: the hands of a pool, counted.

Everything ratings and standings need, as whole numbers in arrays sorted by bot and block, so that
the order in which hands arrive cannot change a byte of what follows. It estimates nothing and
rounds nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from numpy.typing import NDArray

from arena.errors import BadInput
from arena.tournament.results import HandResult

Ints = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Pairs:
    """How often two bots met in a block: parallel arrays, sorted by block, then i, then j.

    i < j are bots (indices into `Tally.bots`); meetings counts hands; points counts 2 for a hand
    in which i finished ahead and 1 for a tie.
    """

    block: Ints
    i: Ints
    j: Ints
    meetings: Ints
    points: Ints


@dataclass(frozen=True, eq=False)
class BlockTally:
    """Counts per bot (arrays of n) and per pair of bots and block.

    hands: hands with a pair to count. placed: hands with a place: all that were played, and a
    forfeiter's forfeited ones; places: the sum of twice the (mean) place over them. firsts and
    lasts: of those, where nobody finished ahead or behind. faults: faulty hands.
    forfeits: forfeited hands.
    """

    pool: str
    bots: tuple[str, ...]
    blocks: tuple[str, ...]
    total: int
    pairs: Pairs
    hands: Ints
    placed: Ints
    places: Ints
    firsts: Ints
    lasts: Ints
    faults: Ints
    forfeits: Ints

    @property
    def points(self) -> Ints:
        """Shape (n, n): twice the number of hands in which row finished ahead of column."""
        n = len(self.bots)
        behind = 2 * self.pairs.meetings - self.pairs.points
        upper = _sums(self.pairs.i * n + self.pairs.j, self.pairs.points, size=n * n)
        lower = _sums(self.pairs.j * n + self.pairs.i, behind, size=n * n)
        return (upper + lower).reshape(n, n)


@dataclass(frozen=True, eq=False)
class Batch:
    """Hands with equally many bots: arrays of shape (hands, bots), best to last; out: forfeits."""

    block: Ints
    bots: Ints
    finish: Ints
    out: NDArray[np.bool_]


def tally(hands: Iterable[HandResult], *, roster: Sequence[str] = ()) -> BlockTally:
    """Count the hands of one pool; bots of `roster` are there even without a hand.

    Raises BadInput if pools are mixed or a hand's places do not fit its bots.
    """
    counted = list(hands)
    bots = tuple(sorted(set(chain(roster, *(hand.bots for hand in counted)))))
    blocks = tuple(sorted({hand.block for hand in counted}))
    batches = batches_of(counted, bots, blocks)
    n = len(bots)
    return BlockTally(
        pool=_only_pool(counted),
        bots=bots,
        blocks=blocks,
        total=len(counted),
        pairs=_pairs(batches, n),
        faults=_named((hand.faults for hand in counted), bots),
        forfeits=_named((hand.forfeits for hand in counted), bots),
        **_places(batches, n),
    )


def _only_pool(hands: Sequence[HandResult]) -> str:
    names = sorted({hand.pool for hand in hands})
    if len(names) > 1:
        raise BadInput("pools", tuple(names), "hands of one pool (see results.pools)")
    return names[0] if names else ""


def _named(lists: Iterable[tuple[str, ...]], bots: Sequence[str]) -> Ints:
    """In how many of the lists each bot is named."""
    index = {bot: at for at, bot in enumerate(bots)}
    named = [index[bot] for names in lists if names for bot in set(names)]
    return np.bincount(np.array(named, dtype=np.int64), minlength=len(bots)).astype(np.int64)


def batches_of(
    hands: Sequence[HandResult], bots: Sequence[str], blocks: Sequence[str]
) -> list[Batch]:
    """The hands as arrays, by number of bots; bots and blocks as indices into these lists."""
    index = {bot: at for at, bot in enumerate(bots)}
    number = {block: at for at, block in enumerate(blocks)}
    sizes: dict[int, list[HandResult]] = {}
    for hand in hands:
        sizes.setdefault(len(hand.bots), []).append(hand)
    return [_batch(sizes[size], size, index=index, number=number) for size in sorted(sizes)]


def _batch(
    hands: Sequence[HandResult], size: int, *, index: dict[str, int], number: dict[str, int]
) -> Batch:
    seated = [index[bot] for hand in hands for bot in hand.bots]
    finish = list(chain.from_iterable(hand.finish for hand in hands))
    shape = (len(hands), size)
    if len(finish) != len(seated):
        raise BadInput("finish", f"{len(finish)} places", f"{len(seated)}, one for each bot")
    out = np.zeros(shape, dtype=np.bool_)
    for row, hand in enumerate(hands):
        if hand.forfeits:
            out[row] = [bot in hand.forfeits for bot in hand.bots]
    batch = Batch(
        block=np.array([number[hand.block] for hand in hands], dtype=np.int64),
        bots=np.array(seated, dtype=np.int64).reshape(shape),
        finish=np.array(finish, dtype=np.int64).reshape(shape),
        out=out,
    )
    _check(batch, hands)
    return batch


def _check(batch: Batch, hands: Sequence[HandResult]) -> None:
    """Every hand has different bots; places begin with 1, then each is its index + 1 or a tie."""
    size = batch.bots.shape[1]
    seats = np.arange(1, size)
    before, here = batch.finish[:, :-1], batch.finish[:, 1:]
    good = ((here == before) | (here == seats + 1)).all(axis=1) & (batch.finish[:, 0] == 1)
    ordered = np.sort(batch.bots, axis=1)
    good &= (ordered[:, 1:] != ordered[:, :-1]).all(axis=1)
    if not good.all():
        wrong = hands[int(np.argmin(good))]
        raise BadInput(
            "hand", (wrong.bots, wrong.finish), "different bots with places like 1 2 2 4"
        )


def _pairs(batches: Sequence[Batch], n: int) -> Pairs:
    """Count each pair of each block, in sorted order."""
    keys, points = [np.zeros(0, dtype=np.int64)], [np.zeros(0, dtype=np.int64)]
    for batch in batches:
        unplayed = batch.out.any(axis=1)
        for a, b in combinations(range(batch.bots.shape[1]), 2):
            counts = ~unplayed | batch.out[:, a] | batch.out[:, b]
            score = 1 + (batch.finish[:, a] < batch.finish[:, b])
            first, second = batch.bots[:, a], batch.bots[:, b]
            low, high = np.minimum(first, second), np.maximum(first, second)
            keys.append(((batch.block * n + low) * n + high)[counts])
            points.append(np.where(first == low, score, 2 - score)[counts])
    keys_present, where = np.unique(np.concatenate(keys), return_inverse=True)
    return Pairs(
        block=keys_present // (n * n) if n else keys_present,
        i=keys_present // n % n if n else keys_present,
        j=keys_present % n if n else keys_present,
        meetings=np.bincount(where, minlength=len(keys_present)).astype(np.int64),
        points=_sums(where, np.concatenate(points), size=len(keys_present)),
    )


def _sums(where: Ints, counts: Ints, *, size: int) -> Ints:
    """Sums of whole numbers per index; exact in floating point, so their order is of no matter."""
    return np.bincount(where, weights=counts, minlength=size).astype(np.int64)


def _places(batches: Sequence[Batch], n: int) -> dict[str, Ints]:
    sums = {name: np.zeros(n, dtype=np.int64) for name in PLACE_COUNTS}
    for batch in batches:
        for name, counts in _place_counts(batch).items():
            sums[name] += _sums(batch.bots.ravel(), counts.ravel(), size=n)
    return sums


PLACE_COUNTS = ("hands", "placed", "places", "firsts", "lasts")


def _place_counts(batch: Batch) -> dict[str, Ints]:
    """The counts of one hand and bot; arrays shaped like the batch."""
    size = batch.bots.shape[1]
    unplayed = batch.out.any(axis=1, keepdims=True)
    placed = (~unplayed | batch.out).astype(np.int64)
    equal = (batch.finish[:, :, None] == batch.finish[:, None, :]).sum(axis=2)
    return {
        "hands": np.ones_like(batch.bots),
        "placed": placed,
        "places": placed * (2 * batch.finish + equal - 1),
        "firsts": placed * (batch.finish == 1),
        "lasts": placed * (batch.finish + equal - 1 == size),
    }
