from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.web import limits
from arena.web.limits import Buckets

from .fakes import FakeClock


def test_a_burst_is_let_through_and_then_one_for_each_unit_of_time() -> None:
    clock = FakeClock()
    buckets = Buckets(2.0, 5, monotonic=clock)
    assert [buckets.take("a") for _ in range(6)] == [0, 0, 0, 0, 0, 1]
    clock.now += 0.5
    assert [buckets.take("a"), buckets.take("a")] == [0, 1]


def test_each_key_has_a_bucket_of_its_own() -> None:
    buckets = Buckets(1.0, 1, monotonic=FakeClock())
    assert [buckets.take("a"), buckets.take("a"), buckets.take("b")] == [0, 1, 0]


def test_what_is_given_back_can_be_taken_again_but_never_more_than_a_burst() -> None:
    buckets = Buckets(1.0, 2, monotonic=FakeClock())
    buckets.credit("a", 50.0)
    assert [buckets.take("a") for _ in range(3)] == [0, 0, 1]
    buckets.credit("a", 1.0)
    assert buckets.take("a") == 0


def test_debts_end_at_the_floor_and_the_wait_is_told() -> None:
    clock = FakeClock()
    buckets = Buckets(0.5, 2, monotonic=clock)
    assert [buckets.take("a", in_debt=True) for _ in range(5)] == [0, 0, 0, 0, 2]
    assert buckets.take("a") == 6
    clock.now += 6
    assert buckets.take("a") == 0


def test_a_rate_of_nothing_is_no_limit() -> None:
    buckets = Buckets(0.0, 0, monotonic=FakeClock())
    assert [buckets.take("a") for _ in range(1_000)] == [0] * 1_000


def test_full_buckets_are_forgotten_when_there_are_very_many() -> None:
    clock = FakeClock()
    buckets = Buckets(1.0, 1, monotonic=clock)
    for n in range(limits.MOST_BUCKETS):
        buckets.take(str(n))
    clock.now += 5
    buckets.take("one more")
    assert len(buckets._levels) == 1


@given(st.lists(st.tuples(st.floats(0, 3), st.booleans()), max_size=60))
def test_over_any_time_at_most_the_burst_and_the_rate_are_let_through(
    asks: list[tuple[float, bool]],
) -> None:
    clock = FakeClock()
    buckets = Buckets(2.0, 5, monotonic=clock)
    start, through = clock.now, 0
    for pause, _ in asks:
        clock.now += pause
        through += buckets.take("a") == 0
    assert through <= 5 + 2.0 * (clock.now - start) + 1e-6


def test_there_is_an_end_to_the_number_of_buckets_even_if_none_is_full() -> None:
    buckets = Buckets(1, 10, monotonic=lambda: 0.0)
    for number in range(2 * limits.MOST_BUCKETS):
        buckets.take(str(number))
    assert len(buckets._levels) <= limits.MOST_BUCKETS
