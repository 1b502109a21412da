"""Exact designs: every pair meets equally often, everybody plays in every round."""

from __future__ import annotations

from itertools import chain
from math import comb

import pytest

from arena.tournament.pairing.balance import near_balanced
from arena.tournament.pairing.designs import balanced, sizes
from arena.tournament.pairing.lineups import statistics
from arena.tournament.pairing.schedules import DEFAULT_ROUNDS, round_robin


def owners(n):
    return [f"owner {number}" for number in range(n)]


@pytest.mark.parametrize(("n", "k", "rounds"), sizes())
def test_every_pair_of_a_design_meets_equally_often_and_nobody_has_a_bye(n, k, rounds):
    design = balanced(n, k, rounds)
    assert len(design.rounds) == rounds
    for tables in design.rounds:
        assert sorted(chain.from_iterable(tables)) == list(range(n))
        assert {len(table) for table in tables} == {k}
    even = statistics(design)
    meetings = rounds * (n // k) * comb(k, 2) / comb(n, 2)
    assert even.meetings_min == even.meetings_max == meetings


@pytest.mark.parametrize(
    ("n", "k", "rounds"),
    [
        (15, 3, 7),
        (25, 5, 6),
        *(
            pytest.param(*each, marks=pytest.mark.slow)
            for each in [(28, 4, 9), (16, 4, 15), (20, 5, 19)]
        ),
    ],
)
def test_a_session_gets_the_exact_design_where_the_search_ends_one_off(n, k, rounds):
    searched = statistics(near_balanced(n, k, seed=1, rounds=rounds))
    assert searched.meetings_min < searched.meetings_max
    schedule = round_robin(owners(n), k, seed=1, rounds=rounds)
    even = statistics(schedule)
    assert schedule.kind == "balanced"
    assert even.meetings_min == even.meetings_max
    assert round_robin(owners(n), k, seed=1, rounds=rounds) == schedule
    assert round_robin(owners(n), k, seed=2, rounds=rounds) != schedule


def test_a_design_is_only_cut_at_its_end_and_its_laps_differ():
    assert round_robin(owners(28), 4, seed=1, rounds=10).kind == "near_balanced"
    twice = round_robin(owners(28), 4, seed=1, rounds=18)
    assert twice.kind == "balanced"
    assert statistics(twice).meetings_min == statistics(twice).meetings_max == 2
    first, second = (
        set(map(frozenset, chain(*half))) for half in (twice.rounds[:9], twice.rounds[9:])
    )
    assert len(first & second) < 10


def test_owners_of_several_bots_are_kept_apart_rather_than_balanced():
    schedule = round_robin([*owners(27), "owner 0"], 4, seed=1, rounds=9)
    assert schedule.kind == "near_balanced"
    assert not any({0, 27} <= set(table) for table in schedule.tables)


def test_house_bots_complete_a_design_where_they_are_allowed():
    schedule = round_robin(owners(15), 4, seed=1, house=1)
    assert (schedule.kind, schedule.house, len(schedule.rounds)) == ("balanced", 1, 15)
    assert schedule.participants == 16


@pytest.mark.slow
def test_without_a_number_of_rounds_a_big_field_does_not_play_until_everybody_has_met_all():
    """What a bot's ± rests on is its own blocks, not how many others there are."""
    assert len(round_robin(owners(DEFAULT_ROUNDS + 1), 4, seed=1).rounds) >= DEFAULT_ROUNDS
    big = round_robin(owners(500), 4, seed=1)
    assert len(big.rounds) == DEFAULT_ROUNDS == 40
    assert statistics(big).meetings_max <= 2
    assert len(round_robin(owners(61), 4, seed=1).rounds) == 40
    assert len(round_robin(owners(61), 4, seed=1, rounds=61).rounds) == 61


@pytest.mark.slow
def test_older_programs_drew_without_these_designs_and_their_records_can_be_drawn_again():
    former = round_robin(owners(16), 4, seed=1, house=0, former=True)
    assert (former.kind, len(former.rounds)) == ("near_balanced", 15)
    assert former == near_balanced(16, 4, seed=1, rounds=15)
    assert len(round_robin(owners(61), 4, seed=1, former=True).rounds) == 61
