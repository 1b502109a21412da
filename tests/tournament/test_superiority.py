"""How sure it is that one bot is better than another."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from arena.tournament.distributions import t_quantile
from arena.tournament.ratings import ELO_PER_LOGIT, rate
from arena.tournament.superiority import (
    freedom,
    gap_errors,
    rank_ranges,
    separations,
    superiority,
    superiority_matrix,
)
from tests.tournament.simulation import hand, played
from tests.tournament.test_ratings import LADDER, TWELVE

GROUP = rate(played(TWELVE, LADDER, seed=1, hands=5)).groups[0]


def test_better_and_worse_add_up_to_one():
    chances = superiority_matrix(GROUP)
    assert chances + chances.T == pytest.approx(np.ones((12, 12)))
    assert chances.diagonal().tolist() == [0.5] * 12


def test_a_cell_of_the_matrix_is_the_superiority_of_its_bots():
    chance = superiority(GROUP, "bot09", "bot02")
    assert chance == pytest.approx(superiority_matrix(GROUP)[9, 2])
    assert superiority(GROUP, "bot11", "bot00") > 0.99


def test_rank_ranges_hold_the_order_by_rating():
    order = np.argsort(-GROUP.theta)
    ranges = rank_ranges(GROUP)
    for place, at in enumerate(order, 1):
        low, high = ranges[GROUP.bots[at]]
        assert 1 <= low <= place <= high <= 12


def test_ranges_are_wider_than_those_of_single_comparisons():
    better = superiority_matrix(GROUP) > 0.975
    np.fill_diagonal(better, val=False)
    for at, (low, high) in enumerate(rank_ranges(GROUP).values()):
        assert low <= 1 + better[:, at].sum()
        assert high >= 12 - better[at].sum()


def test_ranges_among_some_bots_count_only_those():
    some = rank_ranges(GROUP, ["bot11", "bot00"])
    assert some == {"bot11": (1, 1), "bot00": (2, 2)}
    assert rank_ranges(GROUP, ["bot05"]) == {"bot05": (1, 1)}


def test_separation_says_how_many_hands_are_missing():
    order = [GROUP.bots[at] for at in np.argsort(-GROUP.theta)]
    found = separations(GROUP, order, dict.fromkeys(order, 50))
    assert [gap.ahead for gap in found] == order[:-1]
    for gap in found:
        i, j = GROUP.bots.index(gap.ahead), GROUP.bots.index(gap.behind)
        assert gap.gap == pytest.approx(GROUP.elo[i] - GROUP.elo[j])
        quantile = t_quantile(0.975, freedom(GROUP)[i, j])[0]
        assert gap.error == pytest.approx(quantile * ELO_PER_LOGIT * gap_errors(GROUP)[i, j])
        assert (gap.more_hands == 0) == (gap.superiority > 0.975)
        expected = max(0, 50 * ((gap.error / gap.gap) ** 2 - 1))
        assert gap.more_hands == pytest.approx(expected, abs=1)


def test_a_gap_that_is_only_noise_is_no_gap():
    hands = [hand(*order, block=f"b{i}") for i, order in enumerate(["abc", "bac", "cab", "cba"])]
    group = rate(hands * 3).groups[0]
    noisy = replace(group, theta=group.theta + np.array([0.0, 1e-15, 0.0]))
    (gap,) = separations(noisy, ["b", "a"], {"a": 12, "b": 12})
    assert gap.more_hands is None


def test_bots_that_are_surely_close_are_a_tie():
    hands = [hand(*order, block=f"b{i}") for i in range(6_000) for order in ("ab", "ba")]
    (gap,) = separations(rate(hands).groups[0], ["a", "b"], {"a": 12_000, "b": 12_000})
    assert gap.tie
    assert gap.error < 10
