"""The arithmetic of waiting."""

from __future__ import annotations

import email.utils
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.client.retry import Backoff, read_retry_after, worth_repeating

CHANCE = st.floats(0, 1)


@given(st.integers(0, 10_000), CHANCE)
def test_a_wait_is_never_nothing_and_never_over_the_limit(attempt: int, chance: float) -> None:
    assert 0 < Backoff(0.1, 5.0).wait_s(attempt, chance=chance) <= 5.0


@given(st.integers(0, 10_000), CHANCE, st.floats(0, 1000))
def test_what_the_arena_asks_for_is_never_undercut(
    attempt: int, chance: float, asked_s: float
) -> None:
    assert Backoff().wait_s(attempt, chance=chance, retry_after_s=asked_s) >= asked_s


@pytest.mark.parametrize(
    ("status", "idempotent", "again"),
    [
        (503, False, True),
        (429, False, True),
        (500, False, False),
        (500, True, True),
        (502, True, True),
        (422, True, False),
        (200, True, False),
    ],
)
def test_which_statuses_are_worth_another_try(status: int, idempotent: bool, again: bool) -> None:
    assert worth_repeating(status, idempotent=idempotent) is again


def test_retry_after_may_be_seconds_or_a_date_or_nonsense() -> None:
    assert read_retry_after("2.5") == 2.5
    assert read_retry_after(3) == 3.0
    assert read_retry_after("-4") == 0.0
    assert read_retry_after(None) is None
    assert read_retry_after("soon") is None
    date = email.utils.formatdate(time.time() + 60, usegmt=True)
    assert 50 < (read_retry_after(date) or 0) <= 60
