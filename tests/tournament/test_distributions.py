"""Our distributions equal those of SciPy."""

from __future__ import annotations

import numpy as np
import pytest

from arena.tournament.distributions import normals, t_cdf, t_quantile

POINTS = np.array([-40, -6, -2, -1, -0.1, 0, 0.3, 1, 2.5, 7, 40.0])
FREEDOMS = [1, 2, 3, 12, 13, 40, 311, 5_000, 80_000]


@pytest.fixture(scope="module")
def stats():
    """SciPy comes with choix; it takes so long to import that only these tests do it."""
    return pytest.importorskip("scipy.stats")


@pytest.mark.slow
@pytest.mark.parametrize("df", FREEDOMS)
def test_the_distribution_function_equals_scipys(df, stats):
    assert t_cdf(POINTS, df) == pytest.approx(stats.t.cdf(POINTS, df), abs=1e-10)


def test_one_degree_of_freedom_is_cauchys_distribution():
    assert t_cdf([1e-8, 1.0, -1.0], 1) == pytest.approx([0.5 + 1e-8 / np.pi, 0.75, 0.25], abs=1e-15)
    assert t_quantile(0.75, 1) == pytest.approx([1.0])


@pytest.mark.slow
@pytest.mark.parametrize("p", [0.5, 0.6, 0.95, 0.975, 0.9995, 0.999999, 0.01])
def test_quantiles_equal_scipys(p, stats):
    assert t_quantile(p, FREEDOMS) == pytest.approx(stats.t.ppf(p, FREEDOMS), rel=1e-8, abs=1e-10)


@pytest.mark.slow
def test_arrays_are_broadcast_and_small_tails_are_not_lost(stats):
    grid = t_cdf(POINTS[:, None], np.array(FREEDOMS)[None, :])
    assert grid == pytest.approx(stats.t.cdf(POINTS[:, None], FREEDOMS), rel=1e-7)


@pytest.mark.slow
def test_normal_draws_are_normal_and_the_same_for_a_seed(stats):
    draws = normals(b"seed", 40_000)
    assert stats.kstest(draws, "norm").pvalue > 0.01
    assert draws[:3] == pytest.approx(normals(b"seed", 40_000)[:3], abs=0)
    assert normals(b"seed", 4) != pytest.approx(normals(b"other", 4))
