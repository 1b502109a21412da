from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.web.api import limits
from arena.web.api.limits import (
    Buckets,
    rate_cost_of_document,
    rate_cost_of_list,
    rate_cost_of_refusal,
)
from tests.web.fakes import FakeClock


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


def test_debts_end_at_the_floor_and_the_wait_is_returned() -> None:
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


def test_several_units_are_taken_together_or_not_at_all() -> None:
    clock = FakeClock()
    buckets = Buckets(2.0, 5, monotonic=clock)
    assert [buckets.take("a", units=3), buckets.take("a", units=3), buckets.take("a")] == [0, 1, 0]
    assert buckets.take("a", units=5) == 2
    clock.now += 2
    assert buckets.take("a", units=5) == 0


def test_what_is_charged_afterwards_has_to_be_there_again_before_the_next() -> None:
    clock = FakeClock()
    buckets = Buckets(1.0, 10, monotonic=clock)
    buckets.charge("a", 64)
    assert buckets.take("a") == 55
    clock.now += 55
    assert buckets.take("a") == 0


def test_of_a_deep_debt_no_more_is_given_back_than_the_units() -> None:
    clock = FakeClock()
    buckets = Buckets(1.0, 10, monotonic=clock)
    buckets.charge("a", 64)
    buckets.credit("a", 2)
    assert buckets.take("a") == 53
    buckets.credit("a", -50)
    assert buckets.take("a") == 53


def test_who_is_in_debt_pays_all_the_same() -> None:
    clock = FakeClock()
    buckets = Buckets(1.0, 10, monotonic=clock)
    through = 0
    for _ in range(640):
        clock.now += 1
        if buckets.take("a", in_debt=True) == 0:
            through += 1
            buckets.charge("a", 63)
    assert through == 11  # one at once, and one for each 64 units of time


def test_a_short_refusal_costs_no_more_than_its_unit_and_a_long_one_by_its_size() -> None:
    costs = [rate_cost_of_refusal(size) for size in (0, 1_023, 1_024, 65_536)]
    assert costs == [0, 0, 1, 64]


def test_a_document_costs_by_its_size() -> None:
    assert [rate_cost_of_document(size) for size in (0, 65_536, 65_537, 190_000)] == [0, 0, 1, 2]


def test_there_is_an_end_to_the_number_of_buckets_even_if_none_is_full() -> None:
    buckets = Buckets(1, 10, monotonic=lambda: 0.0)
    for number in range(2 * limits.MOST_BUCKETS):
        buckets.take(str(number))
    assert len(buckets._levels) <= limits.MOST_BUCKETS


def test_a_long_list_costs_more_than_a_short_one() -> None:
    assert [rate_cost_of_list(entries) for entries in (0, 1, 100, 101, 500)] == [0, 0, 0, 1, 4]
