"""The sequential test keeps its promises; stopping at a likelihood of superiority does not."""

from __future__ import annotations

import math

import numpy as np
import pytest

from arena.errors import BadInput
from arena.tournament.distributions import t_cdf
from arena.tournament.results import HandResult, forfeit
from arena.tournament.sprt import (
    BETTER,
    LEAST_BLOCKS,
    NOT_SHOWN,
    OPEN,
    WORSE,
    BlockScore,
    Bounds,
    block_score,
    block_scores,
    expected_share,
    fixed_verdict,
    line,
    run,
    sprt,
    summary,
)
from tests.tournament.simulation import hand

HANDS = 10


def blocks(elo, *, chance, count=1_000, alike=8.0):
    """Blocks of hands that hang together: each block has a share of its own round the true one."""
    share = expected_share(elo)
    shares = chance.beta(share * alike, (1 - share) * alike, count)
    return [BlockScore(HANDS, float(n)) for n in chance.binomial(HANDS, shares)]


def verdicts(elo, bounds, *, runs=300, seed=1):
    """Shares of the verdicts over many sessions."""
    chance = np.random.default_rng(seed)
    found = [run(blocks(elo, chance=chance), bounds).verdict for _ in range(runs)]
    return {verdict: found.count(verdict) / runs for verdict in (BETTER, WORSE, NOT_SHOWN, OPEN)}


def no_more_than(level, runs=300):
    """A share that is exceeded by chance alone once in a thousand times; and a little for the
    normal approximation."""
    return level + 0.015 + 3.1 * math.sqrt(level * (1 - level) / runs)


@pytest.mark.simulation
def test_between_equals_a_winner_is_called_as_rarely_as_promised():
    found = verdicts(0, Bounds(0, 40))
    assert found[BETTER] + found[WORSE] <= no_more_than(0.05)
    assert found[OPEN] == 0


@pytest.mark.simulation
def test_a_difference_of_elo1_is_missed_as_rarely_as_promised():
    found = verdicts(40, Bounds(0, 40))
    assert 1 - found[BETTER] <= no_more_than(0.05)
    assert found[WORSE] <= 0.01


@pytest.mark.simulation
def test_the_worse_bot_is_found_out_as_well():
    assert verdicts(-40, Bounds(0, 40))[WORSE] >= 1 - no_more_than(0.05)


@pytest.mark.simulation
def test_one_sided_bounds_tell_no_worse_from_worse():
    same, worse = verdicts(0, Bounds(-40, 0)), verdicts(-40, Bounds(-40, 0))
    assert same[WORSE] <= no_more_than(0.05)
    assert worse[BETTER] <= no_more_than(0.05)


def test_independent_hands_need_fewer_blocks_than_alike_ones():
    chance = np.random.default_rng(2)
    lengths = {
        alike: np.mean(
            [run(blocks(40, chance=chance, alike=alike), Bounds(0, 40)).blocks for _ in range(60)]
        )
        for alike in (4.0, 1e6)
    }
    assert lengths[1e6] < 0.7 * lengths[4.0]


@pytest.mark.slow
def test_stopping_at_a_likelihood_of_superiority_calls_false_winners():
    """Why no command here stops at LOS 95 %."""
    chance = np.random.default_rng(3)
    wrong = 0
    for _ in range(150):
        shares = np.array([score.ahead / HANDS for score in blocks(0, chance=chance, count=300)])
        count = np.arange(1, 301)
        mean = shares.cumsum() / count
        spread = np.sqrt(np.maximum((shares**2).cumsum() / count - mean**2, 1e-9) / count)
        superiority = t_cdf(((mean - 0.5) / spread)[9:], count[9:])
        wrong += bool(np.any((superiority > 0.95) | (superiority < 0.05)))
    assert wrong / 150 > 0.35


def test_nothing_is_decided_on_a_handful_of_blocks():
    test = run([BlockScore(HANDS, HANDS)] * (LEAST_BLOCKS - 1), Bounds(0, 20))
    assert test.verdict == OPEN
    assert test.after(BlockScore(HANDS, HANDS)).verdict == BETTER


def test_a_verdict_that_has_been_reached_stays():
    test = run([BlockScore(HANDS, 9)] * 40, Bounds(0, 20))
    for _ in range(60):
        test = test.after(BlockScore(HANDS, 0))
    assert test.verdict == BETTER


def test_the_ratio_is_that_of_a_normal_test_with_blocks_as_units():
    scores = [BlockScore(HANDS, ahead) for ahead in (4, 7, 5, 6, 8, 5, 3, 6, 9, 5)] * 20
    test = run(scores, Bounds(0, 1e-9 + 100, alpha=1e-12, beta=1e-12))
    shares = np.array([score.ahead / HANDS for score in scores[: test.blocks]])
    low, high = 0.5, expected_share(100)
    variance = shares.var(ddof=1) / len(shares)
    expected = (high - low) * (shares.mean() - (high + low) / 2) / variance
    assert test.llr == pytest.approx(expected, rel=0.05)
    assert test.elo == pytest.approx(173.7 * math.log(shares.mean() / (1 - shares.mean())), abs=1)


def test_blocks_without_a_meeting_count_nothing():
    test = sprt().after(BlockScore(0, 0.0))
    assert (test.blocks, test.share, test.llr) == (0, 0.5, 0.0)
    assert test.elo_error == math.inf


def test_swapping_the_bots_swaps_the_verdict():
    chance = np.random.default_rng(4)
    for _ in range(10):
        scores = blocks(30, chance=chance)
        mirrored = [BlockScore(s.meetings, s.meetings - s.ahead) for s in scores]
        one, other = run(scores), run(mirrored)
        assert one.blocks == other.blocks
        assert {one.verdict, other.verdict} in ({BETTER, WORSE}, {NOT_SHOWN})
        assert one.llr == pytest.approx(other.llr_behind)


def test_a_block_counts_hands_of_both_and_ties_as_half():
    played = [
        hand("a", "b", "x"),
        hand("x", "b", "a"),
        HandResult("b1", "p", ("a", "b", "x"), (1, 1, 3)),
        hand("a", "x", "y"),
        forfeit("abx", ("x",), block="b1", pool="p"),
        forfeit("abx", ("b",), block="b1", pool="p"),
    ]
    assert block_score(played, "a", "b") == BlockScore(4, 2.5)


def test_scores_come_in_the_order_of_the_blocks_names():
    played = [hand("b", "a", block="2"), hand("a", "b", block="1"), hand("x", "a", block="0")]
    assert block_scores(played, "a", "b") == [BlockScore(1, 1.0), BlockScore(1, 0.0)]


@pytest.mark.simulation
def test_a_fixed_number_of_blocks_is_judged_by_its_interval():
    chance = np.random.default_rng(5)
    false = 0
    for _ in range(200):
        test = sprt()
        for score in blocks(0, chance=chance, count=30):
            test = test.after(score)
        false += fixed_verdict(test) != NOT_SHOWN
    assert false / 200 <= no_more_than(0.05, 200)
    far = sprt()
    for score in blocks(-150, chance=chance, count=30):
        far = far.after(score)
    assert fixed_verdict(far) == WORSE
    ever = sprt()
    for _ in range(20):
        ever = ever.after(BlockScore(HANDS, HANDS))
    assert fixed_verdict(ever) == BETTER


def test_a_test_reads_like_this():
    test = run([BlockScore(10, 6), BlockScore(10, 5)] * 10, Bounds(0, 20))
    assert line(test, "A", "B") == (
        "LLR +2.68 / -4.85 in (-2.97, 3.64) for [0, 20]"
        "  A ahead of B in 55.0 % of 200 hands, 20 blocks: +35 ±29 Elo"
    )
    assert line(run([], Bounds(-5, 5)), "A", "B").startswith("LLR +0.00 in (-2.94, 2.94)")
    assert summary(run([BlockScore(4, 4)]), "x", "y") == (
        "x ahead of y in 100.0 % of 4 hands, 1 block:"
        " too few blocks to say how much that may be by chance"
    )


@pytest.mark.parametrize(
    ("bounds", "reason"),
    [
        (Bounds(20, 0), "elo0 below elo1"),
        (Bounds(0, 0), "elo0 below elo1"),
        (Bounds(0, math.nan), "elo0 below elo1"),
        (Bounds(0, 5_000), "within 1000"),
        (Bounds(alpha=0), "alpha"),
        (Bounds(beta=0.7), "beta"),
    ],
)
def test_bounds_that_cannot_be_tested_are_refused(bounds, reason):
    with pytest.raises(BadInput, match=reason):
        sprt(bounds)
