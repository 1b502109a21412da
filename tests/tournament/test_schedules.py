"""Schedules are even, keep owners apart and follow from the seed."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.pairing.schedules import (
    complete,
    mendelsohn,
    mendelsohn_prime,
    near_balanced,
    round_robin,
    statistics,
)


def owners(n):
    return [f"owner {i}" for i in range(n)]


def is_sound(schedule):
    """Tables are full, nobody sits twice in a round, and who does not play has the bye."""
    everybody = list(range(schedule.participants))
    return all(
        all(len(table) == schedule.k for table in tables)
        and sorted([bot for table in tables for bot in table] + list(byes)) == everybody
        for tables, byes in zip(schedule.rounds, schedule.byes, strict=True)
    )


@pytest.mark.parametrize(
    ("p", "k"),
    [
        *((7, 3), (13, 3), (19, 3), (5, 4), (13, 4), (17, 4), (29, 4), (11, 5), (31, 5), (41, 5)),
        *((7, 6), (13, 6), (19, 6), (29, 7), (43, 7), (17, 8), (41, 8)),
    ],
)
def test_in_a_perfect_design_pairs_meet_k_less_1_times_and_follow_once(p, k):
    design = mendelsohn(p, k)
    found = statistics(design)
    assert is_sound(design)
    assert (found.meetings_min, found.meetings_max) == (k - 1, k - 1)
    assert (found.after_min, found.after_max) == (1, 1)
    assert set(found.games) == {p - 1}
    assert list(design.byes) == [(x,) for x in range(p)]


@pytest.mark.parametrize(("p", "k"), [(9, 4), (12, 5), (15, 7), (4, 3), (2, 1)])
def test_without_such_a_prime_there_is_no_perfect_design(p, k):
    with pytest.raises(BadInput, match="prime"):
        mendelsohn(p, k)


def test_a_complete_schedule_has_every_line_up_equally_often():
    schedule = complete(7, 3, seed=4, repeats=2)
    lineups = Counter(tuple(sorted(table)) for table in schedule.tables)
    assert is_sound(schedule)
    assert lineups == dict.fromkeys(combinations(range(7), 3), 2)
    assert statistics(schedule)[:2] == (10, 10)


def test_as_many_bots_as_seats_play_every_table():
    schedule = round_robin(owners(5), 5, seed=1)
    assert (schedule.kind, len(schedule.tables), schedule.house) == ("complete", 4, 0)
    assert statistics(schedule).games == (4, 4, 4, 4, 4)


def test_a_budget_that_holds_every_line_up_twice_is_filled_twice():
    schedule = round_robin(owners(5), 4, rounds=12, seed=1)
    assert (schedule.kind, len(schedule.tables)) == ("complete", 10)


@pytest.mark.parametrize(
    ("n", "seats", "house"), [(11, 5, 0), (10, 5, 1), (9, 5, 2), (13, 4, 0), (17, 8, 0), (36, 4, 1)]
)
def test_a_perfect_design_is_taken_with_the_house_bots_it_needs(n, seats, house):
    schedule = round_robin(owners(n), seats, seed=1)
    found = statistics(schedule)
    assert (schedule.kind, schedule.n, schedule.house) == ("mendelsohn", n, house)
    assert is_sound(schedule)
    assert found[:4] == (seats - 1, seats - 1, 1, 1)


def test_house_bots_come_only_where_the_organiser_allows_them():
    assert round_robin(owners(10), 5, seed=1, house=0).kind == "near_balanced"
    assert mendelsohn_prime(10, 5, house=0) is None
    assert mendelsohn_prime(10, 5) == 11


@pytest.mark.slow
def test_a_perfect_design_is_only_cut_at_its_end():
    assert round_robin(owners(11), 5, rounds=22, seed=1).kind == "mendelsohn"
    assert round_robin(owners(11), 5, rounds=12, seed=1).kind == "near_balanced"
    doubled = statistics(round_robin(owners(11), 5, rounds=22, seed=1))
    assert doubled[:4] == (8, 8, 2, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "k", "least", "most"), [(9, 3, 2, 2), (12, 4, 2, 4), (20, 5, 3, 5), (12, 5, 2, 5)]
)
def test_near_balanced_rounds_let_pairs_meet_almost_equally_often(n, k, least, most):
    schedule = near_balanced(n, k, seed=7)
    found = statistics(schedule)
    assert is_sound(schedule)
    assert len(schedule.rounds) == n - 1
    assert least <= found.meetings_min <= found.meetings_max <= most
    assert found.after_max <= 2
    assert max(found.games) - min(found.games) <= 1


@pytest.mark.slow
def test_the_search_beats_the_start():
    start, found = near_balanced(16, 4, seed=2, proposals=0), near_balanced(16, 4, seed=2)
    assert spread(found) < spread(start)


def spread(schedule):
    met = Counter(p for table in schedule.tables for p in combinations(sorted(table), 2))
    return sum(count**2 for count in met.values())


@pytest.mark.slow
@pytest.mark.parametrize(("n", "k"), [(7, 4), (8, 3), (11, 4), (14, 5)])
def test_byes_go_round(n, k):
    schedule = near_balanced(n, k, rounds=10, seed=3)
    games = statistics(schedule).games
    assert is_sound(schedule)
    assert all(len(byes) == n % k for byes in schedule.byes)
    assert max(games) - min(games) <= 1


def test_house_bots_fill_tables_instead_of_byes_if_wanted():
    schedule = round_robin(owners(8), 5, seed=1, fill=True, house=0)
    assert (schedule.house, schedule.participants) == (2, 10)
    assert schedule.byes == ((),) * 9
    few = round_robin(["a", "b", "c"], 5, seed=1, fill=True)
    assert (few.n, few.house, few.participants) == (3, 2, 5)


def random_roster(chance):
    """Owners of a roster that can be seated, and the size of its tables."""
    k, tables = chance.randint(2, 6), chance.randint(1, 4)
    n = k * tables + chance.randrange(k)
    while True:
        names = [f"o{chance.randrange(max(k, n // 2) + 2)}" for _ in range(n)]
        if max(Counter(names).values()) <= tables:
            return names, k
        if chance.random() < 0.2:
            return [f"o{i}" for i in range(n)], k


@pytest.mark.slow
def test_over_a_thousand_random_rosters_owners_never_share_a_table():
    chance = Random(11)
    for seed in range(1_000):
        names, k = random_roster(chance)
        schedule = near_balanced(len(names), k, rounds=3, owners=names, seed=seed, proposals=60)
        assert is_sound(schedule)
        for table in schedule.tables:
            assert len({names[bot] for bot in table}) == k


def test_owners_with_as_many_bots_as_tables_sit_at_every_table():
    names = ["a"] * 3 + ["b"] * 3 + ["c"] * 3 + ["d"] * 3
    schedule = round_robin(names, 4, seed=5)
    assert schedule.kind == "near_balanced"
    assert all({names[bot] for bot in table} == set("abcd") for table in schedule.tables)
    assert statistics(schedule, owners=names).meetings_min >= 2


@pytest.mark.slow
@given(seed=st.integers(), n=st.integers(4, 12), k=st.integers(2, 4), rounds=st.integers(1, 4))
@settings(max_examples=min(30, settings().max_examples), deadline=None)
def test_a_schedule_follows_from_the_seed_alone(seed, n, k, rounds):
    first = round_robin(owners(n), k, rounds=rounds, seed=seed)
    assert first == round_robin(owners(n), k, rounds=rounds, seed=seed)
    assert is_sound(first)


def test_a_seed_gives_this_schedule_for_ever():
    assert near_balanced(6, 3, rounds=2, seed=2025).rounds == (
        ((4, 5, 3), (2, 1, 0)),
        ((0, 4, 3), (1, 2, 5)),
    )
    assert round_robin(owners(5), 4, seed=b"secret").tables == (
        *((3, 2, 0, 4), (2, 4, 1, 0), (0, 1, 2, 3), (1, 3, 4, 2), (4, 0, 3, 1)),
    )


@pytest.mark.parametrize(
    ("names", "seats", "reason"),
    [
        ("ab", 3, "at least the 3 bots of one table"),
        ("", 2, "at least the 2 bots of one table"),
        ("aabb", 3, "at least 3, one for each seat"),
        ("aaabc", 3, "'a' is 3; expected at most 1"),
        ("aaabbcde", 4, "'a' is 3; expected at most 2"),
        ("abcd", 1, "seats is 1; expected 2 or more"),
        ("abcd", 0, "seats is 0; expected 2 or more"),
    ],
)
def test_a_roster_that_cannot_be_seated_is_refused_with_the_reason(names, seats, reason):
    with pytest.raises(BadInput, match=reason):
        round_robin(list(names), seats, seed=1)


def test_no_rounds_are_refused():
    for n in (4, 9, 13):
        with pytest.raises(BadInput, match="rounds"):
            round_robin(owners(n), 4, rounds=0, seed=1)
    with pytest.raises(BadInput, match="rounds"):
        near_balanced(9, 4, rounds=0, seed=1)


def test_pairs_of_one_owner_do_not_count_as_never_meeting():
    schedule = near_balanced(4, 2, rounds=2, owners=["a", "a", "b", "b"], seed=1)
    assert statistics(schedule).meetings_min == 0
    assert statistics(schedule, owners=["a", "a", "b", "b"]).meetings_min == 1
