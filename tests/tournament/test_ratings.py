"""Ratings equal choix's, cover the truth, and stay finite whatever happens."""

from __future__ import annotations

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.distributions import t_quantile
from arena.tournament.fitting import fit
from arena.tournament.pairing.schedules import mendelsohn, round_robin
from arena.tournament.ratings import ELO_PER_LOGIT, rate
from arena.tournament.results import HandResult, forfeit
from arena.tournament.superiority import freedom, gap_errors, rank_ranges
from tests.tournament.simulation import hand, named, played

LADDER = np.linspace(-1.2, 1.2, 12)
TWELVE = round_robin([f"owner {i}" for i in range(12)], 4, seed=3, house=0)


def only_group(hands, **options):
    (group,) = rate(hands, **options).groups
    return group


def is_finite(group):
    return all(np.isfinite(values).all() for values in (group.elo, group.errors, group.covariance))


def by_choix(points):
    """Ratings of choix on the same pairs. It has no half meetings, so everything is counted
    twice; the virtual opponent is one more item, which is then set to zero."""
    import choix  # with SciPy it takes longer to import than all else here

    n = len(points)
    pairs = [(i, j) for i in range(n) for j in range(n) for _ in range(int(points[i, j]))]
    pairs += [pair for i in range(n) for pair in ((i, n), (n, i))]
    found = choix.opt_pairwise(n + 1, pairs, alpha=0.0, method="Newton-CG", tol=1e-12)
    return found[:n] - found[n]


@pytest.mark.slow
@given(st.integers(2, 7), st.randoms(use_true_random=False))
@settings(max_examples=15, deadline=None)
def test_the_fit_equals_choix_on_the_same_pairs(n, chance):
    points = np.array([[chance.randrange(5) * (i != j) for j in range(n)] for i in range(n)])
    assert fit(points / 2) == pytest.approx(by_choix(points), abs=1e-5)


@pytest.mark.slow
def test_the_fit_of_a_session_equals_choix():
    group = only_group(played(TWELVE, LADDER, seed=1, hands=3))
    assert group.theta == pytest.approx(by_choix(group.points), abs=1e-5)


def test_a_single_hand_is_fitted_as_the_formula_says():
    # One win and a virtual draw each: the slope 1 - p(2x) + 1/2 - p(x) is zero.
    x = fit(np.array([[0.0, 1.0], [0.0, 0.0]]))[0]
    assert 1.5 - 1 / (1 + math.exp(-2 * x)) - 1 / (1 + math.exp(-x)) == pytest.approx(0, abs=1e-12)


def everything(hands):
    """All numbers of the ratings, to the byte."""
    group = only_group(hands)
    arrays = (group.theta, group.covariance, group.limits, group.errors, group.points)
    return group.bots, [values.tobytes() for values in arrays], rank_ranges(group)


def test_permuting_the_log_does_not_change_a_byte():
    hands = played(TWELVE, LADDER, seed=2, hands=4)
    before = everything(hands)
    for seed in range(3):
        Random(seed).shuffle(hands)
        assert everything(hands) == before


@pytest.mark.parametrize("seed", range(5))
def test_in_a_balanced_session_the_order_by_elo_is_the_order_by_points(seed):
    design = mendelsohn(13, 4)
    group = only_group(played(design, np.linspace(-1, 1, 13), seed=seed, hands=3))
    ahead = group.points.sum(axis=1)
    for i in range(13):
        for j in range(13):
            if ahead[i] > ahead[j]:
                assert group.elo[i] > group.elo[j]
            elif ahead[i] == ahead[j]:
                assert group.elo[i] == pytest.approx(group.elo[j], abs=1e-6)


@pytest.mark.simulation
def test_intervals_cover_the_truth_in_90_to_99_per_cent_of_correlated_sessions():
    sessions = [played(TWELVE, LADDER, seed=seed, hands=6) for seed in range(100)]
    truth = only_group([result for session in sessions for result in session])
    inside, pairs_inside, ranges_hold = [], [], []
    upper = np.triu_indices(12, 1)
    for session in sessions:
        group = only_group(session)
        assert group.design_effect > 2
        inside.append(np.abs(group.elo - truth.elo) <= group.errors)
        off = np.subtract.outer(group.theta - truth.theta, group.theta - truth.theta)
        pairs_inside.append((np.abs(off) <= 1.96 * gap_errors(group))[upper])
        ranges = rank_ranges(group)
        ranges_hold.append(
            all(ranges[named(i)][0] <= 12 - i <= ranges[named(i)][1] for i in range(12))
        )
    assert 0.90 <= np.mean(inside) <= 0.99
    assert 0.90 <= np.mean(pairs_inside) <= 0.99
    assert np.mean(ranges_hold) >= 0.95


def test_independent_hands_have_no_design_effect():
    """One pair to a hand, one hand to a block: the clustered error is the textbook error."""
    design = mendelsohn(7, 2)
    group = only_group(played(design, [0.0] * 7, seed=4, hands=1, mood=0.0, laps=60))
    assert group.design_effect == pytest.approx(1, abs=0.15)
    assert ELO_PER_LOGIT * np.sqrt(group.covariance[0, 0]) * 1.96 == pytest.approx(
        group.errors[0], rel=0.02
    )


def test_a_hundred_elo_are_64_per_cent():
    hands = [hand("a", "b", block=f"{i}") for i in range(640)]
    hands += [hand("b", "a", block=f"-{i}") for i in range(360)]
    group = only_group(hands)
    assert group.elo[0] - group.elo[1] == pytest.approx(100, abs=1)


def test_a_perfect_bot_gets_a_one_sided_bound():
    hands = [
        hand("ace", *order, block=f"b{i}") for i, order in enumerate([("x", "y"), ("y", "x")] * 10)
    ]
    group = only_group(hands)
    assert (group.bots, group.bounds) == (("ace", "x", "y"), (">", "", ""))
    assert is_finite(group)
    assert 1500 < group.bound_elo[0] < group.elo[0]
    assert np.isnan(group.bound_elo[1:]).all()


def test_the_bound_is_where_the_record_would_have_had_a_chance_of_5_per_cent():
    group = only_group([hand("ace", "x", block=f"b{i}") for i in range(30)])
    gap = group.limits[0] - group.theta[1]
    assert (1 / (1 + math.exp(-gap))) ** 30 == pytest.approx(0.05)
    assert group.bounds == (">", "<")
    assert group.limits[1] == pytest.approx(-group.limits[0])


def test_a_bounded_bot_is_not_surer_than_its_hands_allow():
    hands = [hand("ace", "x", "y", block="b1"), hand("ace", "y", "x", block="b2")]
    ace = only_group(hands)
    assert rank_ranges(ace)["ace"] == (1, 3)
    assert ace.errors[0] > 300


def test_a_perfect_bot_in_the_field_leaves_the_others_their_ratings_and_errors():
    plain = played(TWELVE, LADDER, seed=6)
    with_ace = [
        HandResult(result.block, "test/5", ("ace", *result.bots), (1, 2, 3, 4, 5))
        for result in plain
    ]
    before, after = only_group(plain), only_group(with_ace)
    assert after.bounds == (">", *[""] * 12)
    assert after.elo[1:] == pytest.approx(before.elo, abs=1)
    assert after.errors[1:] == pytest.approx(before.errors, rel=0.03)
    assert after.design_effect == pytest.approx(before.design_effect, rel=0.05)


def with_dead(count, *, seed, dead=-30.0, hands=6):
    """A session of twelve, of whom `count` only ever beat each other; and the skills."""
    skill = np.concatenate([LADDER[count:], np.full(count, dead)])
    return played(TWELVE, skill, seed=seed, hands=hands)


def without(hands, bots):
    """The same hands as if these bots had not been there."""
    left = [[bot for bot in result.bots if bot not in bots] for result in hands]
    return [
        hand(*order, block=result.block, pool=result.pool)
        for order, result in zip(left, hands, strict=True)
        if len(order) > 1
    ]


@pytest.mark.parametrize(("dead", "bound"), [(-30.0, "<"), (30.0, ">")])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_bots_that_only_beat_each_other_change_nothing_for_the_others(count, dead, bound):
    hands = with_dead(count, seed=4, dead=dead)
    sound = 12 - count
    broken = [named(i) for i in range(sound, 12)]
    group, alone = only_group(hands), only_group(without(hands, broken))
    assert group.bounds == (*[""] * sound, *[bound] * count)
    assert group.elo[:sound].tolist() == alone.elo.tolist()
    assert group.errors[:sound] == pytest.approx(alone.errors, rel=1e-9)
    assert gap_errors(group)[:sound, :sound] == pytest.approx(gap_errors(alone), rel=1e-9, abs=1e-9)
    assert group.design_effect == pytest.approx(alone.design_effect, rel=1e-9)
    assert group.elo[:sound].mean() == pytest.approx(1500)
    assert is_finite(group)
    assert not np.isnan(group.bound_elo[sound:]).any()


@pytest.mark.simulation
@pytest.mark.parametrize("count", [0, 1, 2, 3])
def test_intervals_cover_the_truth_beside_bots_that_always_lose(count):
    sound = 12 - count
    sessions = [with_dead(count, seed=seed) for seed in range(100)]
    truth = only_group([result for session in sessions for result in session])
    rated = [only_group(session) for session in sessions]
    inside = [np.abs(g.elo - truth.elo)[:sound] <= g.errors[:sound] for g in rated]
    assert 0.93 <= np.mean(inside) <= 0.97


def test_two_bots_far_above_the_rest_are_flagged():
    skill = np.concatenate([LADDER[:10], [9.0, 9.0]])  # 1,400 Elo above the best of the others
    group = only_group(played(TWELVE, skill, seed=8, hands=6))
    assert group.bounds == (*[""] * 10, ">", ">")
    assert group.elo[:10].mean() == pytest.approx(1500)
    assert (group.bound_elo[10:] > group.elo[:10].max()).all()
    assert (group.bound_elo[10:] < group.elo[10:]).all()


def test_two_bots_that_forfeit_everything_are_bounded_as_one():
    hands = played(
        round_robin([f"owner {i}" for i in range(8)], 4, seed=1, house=0), [0] * 8, seed=3
    )
    gone = [
        forfeit(("x", "y", f"bot{i:02}"), order, block=f"gone {i}", pool="test/4")
        for i in range(8)
        for order in (("x", "y") if i % 2 else ("y", "x"),)
    ]
    group, alone = only_group([*hands, *gone]), only_group(hands)
    assert group.bounds == (*[""] * 8, "<", "<")
    assert group.elo[:8].tolist() == alone.elo.tolist()
    assert group.errors[:8] == pytest.approx(alone.errors)


def test_the_bound_of_a_component_comes_from_its_record_as_a_whole():
    hands = [hand("x", "y", block=f"f{i}") for i in range(20)]
    hands += [hand("y", "x", block=f"g{i}") for i in range(20)]
    hands += [hand("z", "x", block=f"h{i}") for i in range(20)]
    hands += [hand("x", "z", block=f"k{i}") for i in range(20)]
    hands += [hand(top, "x", block=f"{top}{i}") for top in "ab" for i in range(10)]
    hands += [hand("a", "b", block=f"l{i}") for i in range(30)]
    hands += [hand("b", "a", block=f"m{i}") for i in range(30)]
    group = only_group(hands)
    assert group.bounds == (">", ">", "", "", "")
    gap = group.theta[0] - group.theta[2]
    inside = 1.645 * math.sqrt((group.covariance[0, 0] - group.covariance[0, 1]) / 2)
    shift = math.sqrt((group.theta[0] - group.limits[0]) ** 2 - inside**2)
    effect = max(1.0, group.design_effect)
    record = 20 / effect * math.log(1 / (1 + math.exp(shift - gap)))
    assert record == pytest.approx(math.log(0.05), rel=0.02)


def test_the_field_is_the_largest_component_whatever_is_ahead():
    hands = [hand(*order, block=f"t{i}") for i, order in enumerate(["ab", "ba"] * 10)]
    hands += [hand(*order, block=f"s{i}") for i, order in enumerate(["xyz", "zxy", "yzx"] * 4)]
    hands += [hand(top, low, block=f"{top}{low}") for top in "ab" for low in "xyz"]
    assert only_group(hands).bounds == (">", ">", "", "", "")


def test_pools_that_never_meet_are_separate_groups():
    hands = [hand("a", "b", block="1"), hand("b", "a", block="2")]
    hands += [hand("p", "q", "r", block="3"), hand("r", "q", "p", block="4")]
    ratings = rate(hands, roster=["z"])
    assert [group.bots for group in ratings.groups] == [("p", "q", "r"), ("a", "b")]
    assert ratings.unrated == ("z",)
    assert all(group.elo.mean() == pytest.approx(1500) for group in ratings.groups)


def test_a_group_is_rated_as_if_it_were_alone():
    left, right = (
        [hand("a", "b", block="1"), hand("b", "a", block="3")],
        [hand("p", "q", block="2")],
    )
    together = rate([*left, *right]).groups[0]
    alone = only_group(left)
    assert together.theta.tobytes() == alone.theta.tobytes()
    assert together.covariance.tobytes() == alone.covariance.tobytes()


def test_if_one_bot_forfeits_everything_it_is_bounded_below_and_the_others_above():
    hands = [forfeit("abc", ("b",), block=f"b{i}", pool="p") for i in range(8)]
    group = only_group(hands)
    assert group.bounds == (">", "<", ">")
    assert is_finite(group)
    assert group.elo[0] == pytest.approx(group.elo[2])


def test_hands_that_all_forfeit_are_still_finite():
    group = only_group([forfeit("ab", ("b", "a"), block="b1", pool="p")])
    assert group.bounds == (">", "<")
    assert is_finite(group)


@pytest.mark.parametrize("roster", [[], ["alone"], ["a", "b"]])
def test_without_hands_nobody_is_rated(roster):
    ratings = rate([], roster=roster)
    assert (ratings.groups, ratings.unrated) == ((), tuple(roster))


def test_all_ties_are_all_equal():
    hands = [HandResult(f"b{i}", "p", ("a", "b", "c"), (1, 1, 1)) for i in range(6)]
    group = only_group(hands)
    assert group.elo == pytest.approx([1500] * 3)
    assert is_finite(group)
    assert set(rank_ranges(group).values()) == {(1, 3)}
    assert group.errors.min() > 100  # not ± 0.0: ties alone show no spread of blocks


@pytest.mark.slow
def test_identical_bots_are_called_different_as_rarely_as_promised_after_five_blocks():
    design = replace(TWELVE, rounds=TWELVE.rounds[:5])
    called = []
    for seed in range(120):
        group = only_group(played(design, [0.0] * 12, seed=seed, hands=6))
        gaps = np.abs(group.theta[:, None] - group.theta[None, :])
        limits = t_quantile(0.975, freedom(group).ravel()).reshape(12, 12) * gap_errors(group)
        called.append((gaps > limits)[np.triu_indices(12, 1)])
    assert 0.03 <= np.mean(called) <= 0.06


def mirrored(laps):
    """Hands in which z does from below what a does from above: only their ratings differ."""
    tables = ("amz maz", "amz azm", "amz zma", "maz azm")
    return [
        hand(*order, block=f"{lap}/{number}")
        for lap in range(laps)
        for number, orders in enumerate(tables)
        for order in orders.split()
    ]


def test_few_blocks_say_less_of_a_strong_bot_than_of_a_weak_one_many_speak_for_themselves():
    few, many = only_group(mirrored(laps=1)), only_group(mirrored(laps=100))
    strong, _, weak = few.errors
    assert few.theta[0] == pytest.approx(-few.theta[2])
    assert 1.05 * weak < strong < 1.4 * weak
    assert many.errors[0] == pytest.approx(many.errors[2], rel=0.01)


def test_degrees_of_freedom_grow_with_the_blocks_and_never_fall_below_two():
    few, many = (only_group(played(TWELVE, LADDER, seed=1, hands=2, laps=n)) for n in (1, 6))
    assert (few.freedom < many.freedom).all()
    assert only_group([hand(*order, block=order) for order in ("abc", "bca")]).freedom.min() >= 2


def test_one_block_is_finite_and_knows_no_design_effect():
    group = only_group([hand("a", "b", "c"), hand("b", "c", "a")])
    assert group.design_effect is None
    assert is_finite(group)
    assert group.blocks.tolist() == [1, 1, 1]


def test_the_mean_carries_the_scale_unless_a_bot_is_named():
    hands = played(TWELVE, LADDER, seed=5, hands=2)
    mean, named_ = only_group(hands), only_group(hands, anchor="bot03")
    assert mean.elo.mean() == pytest.approx(1500)
    assert (mean.anchor, named_.anchor) == (None, "bot03")
    assert named_.elo[3] == pytest.approx(1500, abs=1e-9)
    assert named_.errors.tobytes() == mean.errors.tobytes()
    assert np.diff(named_.elo) == pytest.approx(np.diff(mean.elo))


def test_an_anchor_with_few_blocks_or_a_bound_does_not_carry_the_scale():
    few = [hand("a", "b", block="1"), hand("b", "a", block="2")]
    assert only_group(few, anchor="a").anchor is None
    assert only_group(few, anchor="a", anchor_blocks=2).anchor == "a"
    always = [hand("a", "b", block=f"{i}") for i in range(20)]
    assert only_group(always, anchor="a").anchor is None


def test_an_unknown_anchor_is_refused():
    with pytest.raises(BadInput, match="anchor is 'nobody'"):
        rate([hand("a", "b")], anchor="nobody")


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.permutations("abcde"), st.integers(2, 5), st.integers(0, 3)), max_size=8)
)
@settings(max_examples=min(60, settings().max_examples), deadline=None)
def test_any_hands_at_all_give_finite_ratings(drawn):
    hands = [hand(*order[:size], block=f"b{block}") for order, size, block in drawn]
    ratings = rate(hands, roster="abcde")
    assert all(is_finite(group) for group in ratings.groups)
    rated = [bot for group in ratings.groups for bot in group.bots]
    assert sorted([*rated, *ratings.unrated]) == list("abcde")
