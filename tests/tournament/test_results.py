"""What a fault does to a hand, and what a forfeited hand counts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.results import forfeit, forfeiting, pools, settle

FOUR = ("east", "south", "west", "north")


def test_without_faults_the_places_of_the_game_stand():
    result = settle(FOUR, (2, 1, 4, 3), block="t1", pool="p")
    assert result.bots == ("south", "east", "north", "west")
    assert result.finish == (1, 2, 3, 4)
    assert (result.faults, result.forfeits) == ((), ())


def test_who_fails_comes_last_and_the_others_keep_their_order():
    result = settle(FOUR, (1, 2, 3, 4), block="t1", pool="p", faults=("east",))
    assert result.bots == ("south", "west", "north", "east")


def test_the_first_to_fail_comes_lowest():
    result = settle(FOUR, (1, 2, 3, 4), block="t1", pool="p", faults=("south", "east", "south"))
    assert result.bots == ("west", "north", "east", "south")
    assert result.faults == ("south", "east")


def test_ties_share_a_place_as_in_sport():
    result = settle(FOUR, (1, 3, 3, 2), block="t1", pool="p")
    assert result.bots == ("east", "north", "south", "west")
    assert result.finish == (1, 2, 3, 3)


def test_a_fault_breaks_a_tie():
    result = settle(FOUR, (1, 1, 1, 1), block="t1", pool="p", faults=("west",))
    assert result.finish == (1, 1, 1, 4)
    assert result.bots[-1] == "west"


def test_a_hand_that_is_not_played_only_puts_the_forfeiters_last():
    result = forfeit(FOUR, ("west", "east"), block="t1", pool="p")
    assert result.bots == ("north", "south", "east", "west")
    assert result.finish == (1, 1, 3, 4)
    assert result.forfeits == ("west", "east")


def test_three_faulty_hands_at_a_table_put_a_bot_out():
    assert forfeiting([("a",), ("a", "a"), ("b",)]) == ()
    assert forfeiting([("a",), ("a", "b"), ("b",), ("b", "a")]) == ("b", "a")


@given(st.permutations(FOUR), st.lists(st.sampled_from(FOUR)))
def test_seats_leave_no_trace_in_a_result(seats, faults):
    places = {"east": 1, "south": 2, "west": 2, "north": 4}
    here = settle(seats, [places[bot] for bot in seats], block="b", pool="p", faults=faults)
    there = settle(FOUR, [places[bot] for bot in FOUR], block="b", pool="p", faults=faults)
    assert here == there


@pytest.mark.parametrize(
    ("bots", "places", "faults", "thing"),
    [
        (("a", "a"), (1, 2), (), "bots"),
        (("a",), (1,), (), "bots"),
        (("a", "b"), (1,), (), "places"),
        (("a", "b"), (1, 2), ("c",), "bot is 'c'"),
    ],
)
def test_a_hand_that_cannot_be_is_refused(bots, places, faults, thing):
    with pytest.raises(BadInput, match=thing):
        settle(bots, places, block="b", pool="p", faults=faults)


def test_a_forfeited_hand_names_who_forfeits():
    with pytest.raises(BadInput, match="forfeits"):
        forfeit(FOUR, (), block="b", pool="p")


def test_hands_are_sorted_into_their_pools():
    hands = [settle(FOUR, (1, 2, 3, 4), block="b", pool=pool) for pool in ("z", "a", "z")]
    assert {pool: len(found) for pool, found in pools(hands).items()} == {"a": 1, "z": 2}
