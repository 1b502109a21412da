"""Distributions: Student's t and a repeatable stream of normal draws, in NumPy alone.

Only mathematics; it may not know what the numbers mean. Accurate to about 1e-12, which the
standings round away.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

STEPS = 2_000
NEWTON_STEPS = 100
TINY = 1e-300


def t_cdf(t: ArrayLike, df: ArrayLike) -> Floats:
    """P(T <= t) for Student's t with `df` degrees of freedom; arrays are broadcast.

    Source: Digital Library of Mathematical Functions, 8.17 (incomplete beta function).
    """
    t, df = np.broadcast_arrays(np.asarray(t, dtype=np.float64), np.asarray(df, dtype=np.float64))
    square = t * t
    both = _beta_share(df / 2, 0.5, x=df / (df + square), rest=square / (df + square))
    return np.where(t > 0, 1 - both / 2, both / 2)


def t_quantile(p: float, df: ArrayLike) -> Floats:
    """The t with P(T <= t) = p, for each of `df`. p strictly between 0 and 1."""
    df = np.atleast_1d(np.asarray(df, dtype=np.float64))
    if p < 0.5:
        return -t_quantile(1 - p, df)
    return np.array(_t_quantiles(p, tuple(df.ravel().tolist()))).reshape(df.shape)


@lru_cache(maxsize=1024)
def _t_quantiles(p: float, each_df: tuple[float, ...]) -> tuple[float, ...]:
    """Newton from zero: for p >= 1/2 the distribution function is concave, so no step overshoots.
    Most bots of a session have the same degrees of freedom."""
    df = np.array(each_df)
    t = np.zeros_like(df)
    for _ in range(NEWTON_STEPS):
        step = (p - t_cdf(t, df)) / _t_density(t, df)
        t = t + step
        if np.all(np.abs(step) <= 1e-9 * (1 + t)):
            break
    return tuple(t.tolist())


def _t_density(t: Floats, df: Floats) -> Floats:
    scale = _log_gamma((df + 1) / 2) - _log_gamma(df / 2) - 0.5 * np.log(df * math.pi)
    return np.exp(scale - (df + 1) / 2 * np.log1p(t * t / df))


def _log_gamma(x: Floats) -> Floats:
    values, where = np.unique(x, return_inverse=True)
    return _floats(math.lgamma(value) for value in values)[where].reshape(x.shape)


def _floats(values: Iterable[float]) -> Floats:
    return np.fromiter(values, dtype=np.float64)


def _beta_share(a: Floats, b: float, *, x: Floats, rest: Floats) -> Floats:
    """The regularised incomplete beta function I_x(a, b); `rest` is 1 - x, given exactly."""
    swap = x >= (a + 1) / (a + b + 2)
    p, q = np.where(swap, b, a), np.where(swap, a, b)
    u, v = np.where(swap, rest, x), np.where(swap, x, rest)
    logs = _log_gamma(p + q) - _log_gamma(p) - _log_gamma(q)
    logs += p * np.log(np.maximum(u, TINY)) + q * np.log(np.maximum(v, TINY))
    share = np.exp(logs) / (p * _fraction(p, q, u))
    return np.where(swap, 1 - share, share)


def _fraction(a: Floats, b: Floats, x: Floats) -> Floats:
    """The continued fraction DLMF 8.17.22, evaluated forwards by Lentz's method."""
    value = above = np.ones_like(x)
    below = np.zeros_like(x)
    for m in range(1, STEPS):
        term = _coefficient(a, b, m) * x
        below = 1 / _away_from_zero(1 + term * below)
        above = _away_from_zero(1 + term / above)
        value = value * above * below
        if np.all(np.abs(above * below - 1) < 1e-15):
            break
    return value


def _coefficient(a: Floats, b: Floats, m: int) -> Floats:
    j, odd = divmod(m, 2)
    if odd:
        return -(a + j) * (a + b + j) / ((a + 2 * j) * (a + 2 * j + 1))
    return j * (b - j) / ((a + 2 * j - 1) * (a + 2 * j))


def _away_from_zero(x: Floats) -> Floats:
    return np.where(np.abs(x) < TINY, TINY, x)


def normals(seed: bytes, count: int) -> Floats:
    """`count` standard normal draws (an even number), the same ones for a seed everywhere.

    32-bit words of SHAKE-256(seed), taken as uniform numbers in (0, 1), in pairs through the
    Box-Muller transform.
    """
    stream = hashlib.shake_256(seed).digest(4 * count)
    uniform = (np.frombuffer(stream, dtype=">u4").astype(np.float64) + 0.5) / 2**32
    radius = np.sqrt(-2 * np.log(uniform[: count // 2]))
    angle = 2 * math.pi * uniform[count // 2 :]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])


def chi_square_tail(x: float, df: int) -> float:
    """P(X >= x) for chi-square with a whole number of degrees of freedom, exactly.

    Source: Abramowitz and Stegun, 26.4.4 and 26.4.5.
    """
    y = max(0.0, x) / 2
    if df % 2 == 0:
        return math.exp(-y) * math.fsum(y**i / math.factorial(i) for i in range(df // 2))
    terms = (y ** (i - 0.5) / math.gamma(i + 0.5) for i in range(1, (df + 1) // 2))
    return math.erfc(math.sqrt(y)) + math.exp(-y) * math.fsum(terms)
