"""Seatings let everybody sit directly after everybody equally often."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.pairing.seatings import BALANCED, seating

SIZES = sorted(BALANCED)


def cyclic(order):
    """The order, turned so that player 0 comes first."""
    at = order.index(0)
    return tuple(order[at:]) + tuple(order[:at])


def followers(orders):
    return Counter(
        pair for order in orders for pair in zip(order, order[1:] + order[:1], strict=True)
    )


@pytest.mark.parametrize("k", SIZES)
def test_in_each_list_everybody_follows_everybody_equally_often(k):
    counts = followers(BALANCED[k])
    assert len(counts) == k * (k - 1)
    assert set(counts.values()) == ({2} if k in (4, 6) else {1})


@pytest.mark.parametrize("k", SIZES)
def test_each_list_has_different_cyclic_orders_that_begin_with_player_0(k):
    assert all(sorted(order) == list(range(k)) and order[0] == 0 for order in BALANCED[k])
    assert len(set(BALANCED[k])) == len(BALANCED[k])


@pytest.mark.parametrize("k", SIZES)
def test_a_table_goes_through_its_whole_list_before_an_order_returns(k):
    lap = len(BALANCED[k])
    hands = [seating(k, number, seed=5) for number in range(1, 3 * lap + 1)]
    for start in (0, lap, 2 * lap):
        assert {cyclic(hand) for hand in hands[start : start + lap]} == set(BALANCED[k])
    assert set(followers(hands).values()) == ({6} if k in (4, 6) else {3})


def test_rotations_bring_everybody_to_every_seat():
    on_seat_0 = Counter(seating(5, number, seed=b"table 9")[0] for number in range(1, 1001))
    assert all(150 < on_seat_0[player] < 250 for player in range(5))


def test_reseating_every_third_hand_keeps_a_seating_for_three_hands():
    hands = [seating(4, number, seed=1, reseat_every=3) for number in range(1, 19)]
    assert all(hands[i] == hands[i + 1] == hands[i + 2] for i in range(0, 18, 3))
    assert len({cyclic(hand) for hand in hands}) == 6


def test_without_reseating_the_order_of_the_schedule_stays():
    hands = {seating(6, number, seed=3, reseat_every=0) for number in range(1, 50)}
    assert [cyclic(hand) for hand in hands] == [(0, 1, 2, 3, 4, 5)]


@given(
    k=st.sampled_from(SIZES),
    number=st.integers(1, 500),
    seed=st.one_of(st.integers(), st.binary(max_size=40)),
    every=st.integers(0, 12),
)
def test_every_seating_seats_everybody_and_depends_on_nothing_else(k, number, seed, every):
    seats = seating(k, number, seed=seed, reseat_every=every)
    assert sorted(seats) == list(range(k))
    assert seats == seating(k, number, seed=seed, reseat_every=every)


def test_a_seed_gives_these_seatings_for_ever():
    hands = ["".join(map(str, seating(4, number, seed=2025))) for number in range(1, 5)]
    assert hands == ["3210", "1302", "1023", "1320"]


@pytest.mark.parametrize(
    ("k", "number", "every", "thing"),
    [(1, 1, 1, "seats"), (9, 1, 1, "seats"), (4, 0, 1, "hand_number"), (4, 1, -1, "reseat_every")],
)
def test_what_cannot_be_seated_is_refused(k, number, every, thing):
    with pytest.raises(BadInput, match=thing):
        seating(k, number, seed=1, reseat_every=every)
