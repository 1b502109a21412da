"""Gauntlets, Swiss rounds, ladders, finals, tables of two sizes."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.pairing.finals import final, finalists
from arena.tournament.pairing.gauntlet import gauntlet
from arena.tournament.pairing.ladder import PLACEMENT_BLOCKS, Rung, ladder_round
from arena.tournament.pairing.lineups import statistics
from arena.tournament.pairing.mixed import mixed_rounds
from arena.tournament.pairing.swiss import swiss_next, swiss_start
from tests.tournament.test_schedules import is_sound, owners


def pairs_of(tables):
    return Counter(pair for table in tables for pair in combinations(sorted(table), 2))


# Gauntlets


@pytest.mark.parametrize(("n", "k", "regulars"), [(9, 4, (0,)), (13, 5, (3, 7)), (8, 4, (1, 2, 3))])
def test_in_a_gauntlet_the_regulars_sit_at_every_table(n, k, regulars):
    schedule = gauntlet(owners(n), k, regulars=regulars, seed=1, rounds=20)
    games = statistics(schedule).games
    others = [games[bot] for bot in range(n) if bot not in regulars]
    assert is_sound(schedule)
    assert [len(tables) for tables in schedule.rounds] == [1] * 20
    assert all(set(regulars) <= set(table) for table in schedule.tables)
    assert max(others) - min(others) <= 1


def test_the_others_of_a_gauntlet_meet_evenly_and_sit_everywhere():
    schedule = gauntlet(owners(10), 4, regulars=(0,), seed=2, rounds=30)
    met = pairs_of(schedule.tables)
    assert all(1 <= met[pair] <= 4 for pair in combinations(range(1, 10), 2))
    before = Counter(table[table.index(0) - 1] for table in schedule.tables)
    assert max(before.values()) - min(before.values()) <= 2


def test_a_gauntlet_seats_each_of_the_others_as_often_as_there_are_free_seats():
    assert set(statistics(gauntlet(owners(10), 4, regulars=(0,), seed=2)).games[1:]) == {3}


@pytest.mark.parametrize(
    ("names", "seats", "regulars", "reason"),
    [
        ("abcd", 3, (), "number of regulars is 0"),
        ("abcd", 3, (0, 1, 2), "1 to 2, so that a seat is left"),
        ("abcd", 3, (0, 0), "different bots"),
        ("abcd", 3, (4,), "different bots of 0 to 3"),
        ("aabcd", 3, (0, 1), "owners of the regulars"),
        ("abcda", 3, (0,), "owner of bot 4 is 'a'"),
        ("abbb", 3, (0,), "owners of the others is 1"),
        ("ab", 3, (0,), "at least the 3 bots of one table"),
    ],
)
def test_a_gauntlet_that_cannot_be_seated_is_refused_with_the_reason(
    names, seats, regulars, reason
):
    with pytest.raises(BadInput, match=reason):
        gauntlet(list(names), seats, regulars=regulars, seed=1)


# Swiss


def swiss(n, k, rounds, *, names=None, seed=1):
    """A whole Swiss session in which bot 0 is always ranked first, bot 1 second ..."""
    names = names or owners(n)
    schedule = swiss_start(names, k, rounds=rounds, seed=seed)
    while len(schedule.rounds) < rounds:
        schedule = swiss_next(schedule, range(n), owners=names, seed=seed)
    return schedule


@pytest.mark.parametrize(("n", "k", "rounds"), [(24, 4, 8), (22, 4, 7), (17, 5, 4), (9, 3, 2)])
def test_swiss_rounds_are_sound(n, k, rounds):
    schedule = swiss(n, k, rounds)
    games = statistics(schedule).games
    assert is_sound(schedule)
    assert len(schedule.rounds) == rounds
    assert max(games) - min(games) <= 1


def test_swiss_rounds_seat_neighbours_together_and_let_few_meet_again():
    half = swiss_start(owners(40), 4, rounds=8, seed=3)
    whole = swiss(40, 4, 8, seed=3)
    late = [table for tables in whole.rounds[4:] for table in tables]
    apart = [j - i for i, j in pairs_of(late).elements()]
    assert sum(apart) / len(apart) < 7
    assert max(pairs_of(late).values()) <= 3
    assert whole.rounds[:4] == half.rounds


def test_a_swiss_round_leaves_out_who_is_not_ranked():
    schedule = swiss_start(owners(12), 4, rounds=2, seed=1)
    after = swiss_next(schedule, [bot for bot in range(12) if bot != 5])
    assert 5 not in {bot for table in after.rounds[-1] for bot in table}
    assert 5 in after.byes[-1]
    assert after.byes[:-1] == schedule.byes


@given(st.permutations(range(16)), st.integers(0, 9))
@settings(max_examples=min(40, settings().max_examples), deadline=None)
def test_owners_never_share_a_swiss_table_however_the_ranking_comes_out(ranking, seed):
    names = [f"owner {bot // 4}" for bot in range(16)]
    schedule = swiss_start(names, 4, rounds=2, seed=seed)
    table_owners = [
        {names[bot] for bot in table}
        for table in swiss_next(schedule, ranking, owners=names, seed=seed).tables
    ]
    assert all(len(table) == 4 for table in table_owners)


def test_a_swiss_round_of_a_large_field_is_quick_and_sound():
    schedule = swiss_next(swiss_start(owners(150), 4, rounds=2, seed=1), range(150))
    assert is_sound(schedule)


def test_a_ranking_with_strangers_or_repeats_is_refused():
    schedule = swiss_start(owners(8), 4, rounds=2, seed=1)
    for ranking in ([0, 1, 2, 8], [0, 1, 2, 2]):
        with pytest.raises(BadInput, match="ranking"):
            swiss_next(schedule, ranking)
    with pytest.raises(BadInput, match="at least the 4 bots"):
        swiss_next(schedule, [0, 1, 2])
    with pytest.raises(BadInput, match="rounds"):
        swiss_start(owners(8), 4, rounds=1, seed=1)


# Ladders


def rungs(count, *, blocks=20, **changed):
    """Bots 100 Elo apart, the last the best; changed: rungs to put in place of some."""
    made = [Rung(bot, f"o{bot}", 1000.0 + 100 * bot, blocks) for bot in range(count)]
    for name, rung in changed.items():
        made[int(name[1:])] = rung
    return made


def test_a_newcomer_meets_bots_from_all_over_the_ladder():
    field = rungs(12, _5=Rung(5, "new"))
    met = Counter()
    for number in range(PLACEMENT_BLOCKS):
        (table,) = ladder_round(field, 4, number=number, seed=1, met=met)
        others = sorted(bot for bot in table if bot != 5)
        assert 5 in table
        assert others[0] < 4 <= others[1] < 9 <= others[2] + 1
        met += pairs_of([table])
    assert len([pair for pair in met if 5 in pair]) >= 10


def test_a_placed_bot_meets_those_near_it():
    field = rungs(20, _10=Rung(10, "o10", 2000.0, PLACEMENT_BLOCKS))
    for number in range(8):
        (table,) = ladder_round(field, 4, number=number, seed=1, met={})
        assert 10 in table
        assert all(abs(bot - 10) <= 4 for bot in table)


def test_those_met_least_come_first():
    field = rungs(8, _3=Rung(3, "o3", 1300.0, 6))
    met = {(2, 3): 5, (3, 4): 5, (1, 3): 5}
    (table,) = ladder_round(field, 4, number=1, seed=1, met=met)
    assert not {1, 2, 4} & set(table)


def test_several_tables_of_a_block_share_nobody_and_no_owner():
    field = [Rung(bot, f"o{bot // 3}", 1500.0 + bot, 9) for bot in range(24)]
    tables = ladder_round(field, 4, number=3, seed=7, met={}, tables=6)
    seated = [bot for table in tables for bot in table]
    assert 4 <= len(tables) <= 6
    assert len(set(seated)) == len(seated)
    assert all(len({bot // 3 for bot in table}) == 4 for table in tables)
    assert tables == ladder_round(field[::-1], 4, number=3, seed=7, met={}, tables=6)


def test_a_ladder_of_newcomers_starts():
    tables = ladder_round([Rung(b, f"o{b}") for b in range(9)], 4, number=1, seed=1, met={})
    assert len(tables) == 1
    assert len(set(tables[0])) == 4


@pytest.mark.parametrize(
    ("field", "reason"),
    [
        ([Rung(0, "a"), Rung(1, "a"), Rung(2, "b")], "owners is 2; expected at least 3"),
        ([Rung(0, "a"), Rung(0, "b"), Rung(2, "c")], "every bot once"),
    ],
)
def test_a_ladder_that_cannot_fill_a_table_is_refused(field, reason):
    with pytest.raises(BadInput, match=reason):
        ladder_round(field, 3, number=1, seed=1, met={})


# Finals


RANGES = {"a": (1, 2), "b": (1, 5), "c": (2, 6), "d": (3, 7), "e": (4, 8), "f": (5, 8)}


def test_the_final_is_for_those_that_can_still_win_a_prize():
    assert finalists(RANGES, prizes=3, seats=3) == ("a", "b", "c", "d")
    assert finalists(RANGES, prizes=1, seats=2) == ("a", "b")


def test_a_final_has_at_least_a_table():
    assert finalists(RANGES, prizes=1, seats=4) == ("a", "b", "c", "d")
    with pytest.raises(BadInput, match="at least the 7 of one table"):
        finalists(RANGES, prizes=1, seats=7)
    with pytest.raises(BadInput, match="prizes"):
        finalists(RANGES, prizes=0, seats=2)


def test_a_final_is_as_even_as_a_schedule_can_be():
    schedule = final(owners(5), 4, rounds=5, seed=1)
    assert (schedule.kind, schedule.house) == ("final", 0)
    assert statistics(schedule)[:2] == (3, 3)


# Tables of two sizes


@pytest.mark.parametrize(
    ("n", "k", "sizes"), [(14, 4, {4: 2, 3: 2}), (15, 4, {4: 3, 3: 1}), (23, 5, {5: 3, 4: 2})]
)
def test_with_two_sizes_everybody_plays_every_round(n, k, sizes):
    schedule = mixed_rounds(owners(n), k, seed=1, rounds=12)
    small = Counter(bot for table in schedule.tables for bot in table if len(table) < k)
    assert schedule.kind == "mixed"
    assert all(Counter(map(len, tables)) == sizes for tables in schedule.rounds)
    assert set(schedule.byes) == {()}
    assert set(statistics(schedule).games) == {12}
    assert max(small.values()) - min(small[bot] for bot in range(n)) <= 3


def test_fields_that_fit_have_one_size():
    assert mixed_rounds(owners(12), 4, seed=1, rounds=3).kind == "near_balanced"


@pytest.mark.parametrize(
    ("n", "k", "reason"),
    [(5, 4, "tables of 4 and 3 can seat"), (7, 3, "4 or more"), (3, 5, "tables of 5 and 4")],
)
def test_sizes_that_do_not_come_out_are_refused(n, k, reason):
    with pytest.raises(BadInput, match=reason):
        mixed_rounds(owners(n), k, seed=1, rounds=2)


def test_owners_stay_apart_at_tables_of_two_sizes():
    names = [name for name in "abcdefg" for _ in range(2)]
    schedule = mixed_rounds(names, 4, seed=1, rounds=6)
    assert all(len({names[bot] for bot in table}) == len(table) for table in schedule.tables)


def test_the_same_seed_gives_the_same_tables():
    for first, again in pairwise([swiss(20, 4, 4), swiss(20, 4, 4)]):
        assert first == again
    assert gauntlet(owners(9), 4, regulars=(0,), seed=5) == gauntlet(
        owners(9), 4, regulars=(0,), seed=5
    )
    assert mixed_rounds(owners(14), 4, seed=5) == mixed_rounds(owners(14), 4, seed=5)
