"""Plackett-Luce equals choix's, agrees with Bradley-Terry where both hold, and stays finite."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.models import MODELS, PLACKETT_LUCE, rate_by
from arena.tournament.reporting.layouts import render
from arena.tournament.results import HandResult, forfeit
from arena.tournament.standings import compile_standings
from tests.tournament.simulation import hand, played
from tests.tournament.test_ratings import LADDER, TWELVE, is_finite


def only_group(hands, **options):
    (group,) = rate_by(hands, model=PLACKETT_LUCE, **options).groups
    return group


def by_choix(hands, bots):
    """Everything twice, as choix has no half meetings; the virtual opponent is one more item."""
    import choix  # with SciPy it takes longer to import than all else here

    n = len(bots)
    rankings = [[bots.index(bot) for bot in each.bots] for each in hands] * 2
    rankings += [list(pair) for i in range(n) for pair in ((i, n), (n, i))]
    found = choix.opt_rankings(n + 1, rankings, alpha=0.0, method="Newton-CG", tol=1e-12)
    return found[:n] - found[n]


@pytest.mark.slow
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_the_fit_equals_choix_on_the_same_hands(seed):
    hands = played(TWELVE, LADDER, seed=seed, hands=1)
    group = only_group(hands)
    assert group.theta == pytest.approx(by_choix(hands, group.bots), abs=1e-4)


def test_with_two_bots_to_a_hand_it_is_bradley_terry():
    hands = [hand(*pair, block=f"{i}") for i, pair in enumerate(["ab", "ba", "bc", "ca", "ab"] * 5)]
    ours, pairs = only_group(hands), rate_by(hands).groups[0]
    assert ours.theta == pytest.approx(pairs.theta)
    assert ours.covariance == pytest.approx(pairs.covariance)
    assert ours.design_effect == pytest.approx(pairs.design_effect)


@pytest.mark.simulation
def test_its_own_hands_it_estimates_well_and_with_fair_errors():
    """Luce's choices are what the simulation makes of skills when there is no mood."""
    inside = []
    for seed in range(40):
        group = only_group(played(TWELVE, LADDER, seed=seed, hands=3, mood=0.5))
        truth = 1500 + 173.7 * 0.92 * (LADDER - LADDER.mean())
        inside.append(np.abs(group.elo - truth) <= group.errors)
    assert 0.88 <= np.mean(inside) <= 0.99


def test_permuting_the_log_does_not_change_a_byte():
    hands = played(TWELVE, LADDER, seed=2, hands=4)
    before = only_group(hands)
    for seed in range(3):
        Random(seed).shuffle(hands)
        again = only_group(hands)
        assert again.theta.tobytes() == before.theta.tobytes()
        assert again.covariance.tobytes() == before.covariance.tobytes()


def test_ties_are_not_compared():
    tied = [HandResult(f"{i}", "test/3", tuple("abc"), (1, 1, 3)) for i in range(3)]
    group = only_group([*tied, hand("c", "b", "a", block="x")])
    assert group.theta[0] < group.theta[1]
    assert only_group(tied).theta[0] == pytest.approx(only_group(tied).theta[1])


def test_forfeits_make_no_pairs_among_the_others():
    group = only_group([forfeit("abc", ("b",), block=f"b{i}", pool="p") for i in range(8)])
    assert group.bounds == (">", "<", ">")
    assert group.theta[0] == pytest.approx(group.theta[2])
    assert is_finite(group)


@pytest.mark.slow
@given(
    st.lists(st.tuples(st.permutations("abcde"), st.integers(2, 5), st.integers(0, 3)), max_size=8)
)
@settings(max_examples=min(40, settings().max_examples), deadline=None)
def test_any_hands_at_all_give_finite_ratings(drawn):
    hands = [hand(*order[:size], block=f"b{block}") for order, size, block in drawn]
    assert all(is_finite(group) for group in rate_by(hands, model=PLACKETT_LUCE).groups)


def test_standings_say_which_model_they_are_of():
    standings = compile_standings(played(TWELVE, LADDER, seed=1, hands=2), model=PLACKETT_LUCE)
    assert MODELS[PLACKETT_LUCE] in render(standings)


def test_an_unknown_model_is_refused():
    with pytest.raises(BadInput, match="model is 'elo'"):
        rate_by([], model="elo")
