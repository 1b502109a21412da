"""Tallies count every pair of every block once."""

from __future__ import annotations

import numpy as np
import pytest

from arena.errors import BadInput
from arena.tournament.results import HandResult, forfeit
from arena.tournament.tallies import tally
from tests.tournament.simulation import hand


def points(counted, ahead, behind):
    bots = counted.bots
    return int(counted.points[bots.index(ahead), bots.index(behind)])


def test_a_hand_counts_two_points_for_every_pair_and_one_each_for_a_tie():
    counted = tally([HandResult("b", "p", ("a", "b", "c"), (1, 2, 2))])
    assert [points(counted, *pair) for pair in ("ab", "ba", "bc", "cb")] == [2, 0, 1, 1]


def test_in_a_forfeited_hand_the_others_make_no_pairs():
    counted = tally([forfeit("abcd", ("c", "a"), block="b", pool="p")])
    assert [points(counted, *pair) for pair in ("bd", "db", "ac", "ca", "ba", "dc")] == [
        *(0, 0, 2, 0, 2, 2)
    ]
    assert counted.forfeits.tolist() == [1, 0, 1, 0]


def test_places_of_the_others_are_not_counted_in_a_forfeited_hand():
    counted = tally([hand("a", "b", "c"), forfeit("abc", ("a",), block="b1", pool="test/3")])
    assert counted.hands.tolist() == [2, 2, 2]
    assert counted.placed.tolist() == [2, 1, 1]
    assert counted.places.tolist() == [2 * (1 + 3), 2 * 2, 2 * 3]
    assert (counted.firsts.tolist(), counted.lasts.tolist()) == ([1, 0, 0], [1, 0, 1])


def test_tied_bots_share_the_mean_of_their_places():
    counted = tally([HandResult("b", "p", ("a", "b", "c", "d"), (1, 2, 2, 2))])
    assert (counted.places / 2).tolist() == [1, 3, 3, 3]
    assert counted.lasts.tolist() == [0, 1, 1, 1]


def test_tables_of_different_sizes_are_counted_together():
    counted = tally([hand("a", "b", "c"), hand("b", "a", block="b2")])
    assert (points(counted, "a", "b"), points(counted, "b", "a")) == (2, 2)
    assert counted.pairs.block.tolist() == [0, 0, 0, 1]


def test_a_faulty_hand_counts_once_for_a_bot():
    counted = tally([hand("a", "b")._replace(faults=("b",)), hand("a", "b")])
    assert counted.faults.tolist() == [0, 1]


def test_a_bot_of_the_roster_without_a_hand_is_there_with_zeros():
    counted = tally([], roster=["x"])
    assert (counted.bots, counted.total, counted.hands.tolist()) == (("x",), 0, [0])
    assert counted.points.shape == (1, 1)
    assert tally([]).points.shape == (0, 0)


@pytest.mark.parametrize(
    ("bots", "finish"),
    [
        (("a", "b", "c"), (1, 3, 2)),
        (("a", "b", "c"), (1, 1, 2)),
        (("a", "b", "c"), (2, 2, 3)),
        (("a", "b", "c"), (1, 2)),
        (("a", "b", "a"), (1, 2, 3)),
    ],
)
def test_a_hand_that_cannot_be_is_refused(bots, finish):
    good = hand("a", "b", "c")
    with pytest.raises(BadInput):
        tally([good, HandResult("b1", "test/3", bots, finish), good])


def test_pools_are_never_mixed():
    with pytest.raises(BadInput, match="pools"):
        tally([hand("a", "b", pool="nihon/4"), hand("a", "b", pool="nihon/5")])


def test_counts_are_whole_numbers():
    assert tally([hand("a", "b")]).points.dtype == np.int64
