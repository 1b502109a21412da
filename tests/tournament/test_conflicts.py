"""Apart: who is kept apart never meets, in no schedule; what cannot be seated is refused."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.tournament.pairing.conflicts import (
    Unseatable,
    check_comparable,
    conflicts_of,
    round_of,
    table_with,
)
from arena.tournament.pairing.draws import next_round
from arena.tournament.pairing.finals import final
from arena.tournament.pairing.gauntlet import gauntlet
from arena.tournament.pairing.ladder import Rung
from arena.tournament.pairing.lineups import Schedule, Table, schedule_of, statistics
from arena.tournament.pairing.mixed import mixed_rounds
from arena.tournament.pairing.schedules import round_robin
from arena.tournament.pairing.swiss import swiss_next, swiss_start

Pair = tuple[int, int]


def owners(n: int) -> list[str]:
    return [f"owner {i}" for i in range(n)]


def together(tables: Sequence[Table]) -> set[Pair]:
    return {pair for table in tables for pair in combinations(sorted(table), 2)}


def drawn(kind: str, names: list[str], k: int, apart: list[Pair], seed: int) -> Schedule:
    """Some rounds of a kind of schedule."""
    if kind == "gauntlet":
        return gauntlet(names, k, regulars=(0,), seed=seed, rounds=6, apart=apart)
    if kind == "final":
        return final(names, k, seed=seed, rounds=2, apart=apart)
    if kind == "mixed":
        return mixed_rounds(names, k, seed=seed, rounds=3, apart=apart)
    if kind == "swiss":
        schedule = swiss_start(names, k, rounds=4, seed=seed, apart=apart)
        for _ in range(2):
            ranking = range(len(names))
            schedule = swiss_next(schedule, ranking, owners=names, seed=seed, apart=apart)
        return schedule
    if kind == "ladder":
        schedule = schedule_of("ladder", [], n=len(names), k=k)
        rungs = [Rung(bot, owner) for bot, owner in enumerate(names)]
        for _ in range(4):
            schedule = next_round(schedule, rungs, seed=seed, apart=apart)
        return schedule
    fill = kind == "filled"
    return round_robin(names, k, seed=seed, rounds=3, fill=fill, apart=apart)


KINDS = ("round robin", "filled", "mixed", "gauntlet", "swiss", "ladder", "final")


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[str], int, list[Pair]]:
    k = draw(st.integers(3, 6))
    n = draw(st.integers(2 * k, 24))
    per_owner = draw(st.sampled_from([1, 1, 2]))
    pair = st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)).filter(lambda p: p[0] != p[1])
    return [f"owner {i // per_owner}" for i in range(n)], k, draw(st.lists(pair, max_size=12))


@pytest.mark.parametrize(
    "kind",
    [
        kind
        if kind in ("gauntlet", "ladder", "swiss")
        else pytest.param(kind, marks=pytest.mark.slow)
        for kind in KINDS
    ],
)
@given(fields(), st.integers(0, 9))
@settings(max_examples=min(25, settings().max_examples), deadline=None)
def test_who_is_kept_apart_never_meets(
    kind: str, field: tuple[list[str], int, list[Pair]], seed: int
) -> None:
    names, k, apart = field
    try:
        schedule = drawn(kind, names, k, apart, seed)
    except BadInput:
        return
    met = together(schedule.tables)
    assert not met & {(min(pair), max(pair)) for pair in apart}
    assert all(names[i] != names[j] for i, j in met if j < len(names))
    assert all(len(set(table)) == len(table) for table in schedule.tables)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("n", "k"), [(9, 3), (12, 4), (18, 4), (30, 5), (24, 8)])
def test_a_few_pairs_apart_are_no_hindrance(kind: str, n: int, k: int) -> None:
    apart = [(1, 2), (3, n - 1), (2, 4)]
    schedule = drawn(kind, owners(n), k, apart, seed=1)
    games = statistics(schedule).games[: n if kind != "gauntlet" else 0]
    assert schedule.rounds
    assert kind == "ladder" or max(games, default=0) - min(games, default=0) <= 1


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), max_size=9))
@settings(max_examples=min(200, settings().max_examples), deadline=None)
def test_a_round_is_found_exactly_where_there_is_one(pairs: list[Pair]) -> None:
    apart = [(i, j) for i, j in pairs if i != j]
    conflicts = conflicts_of(dict(enumerate(owners(6))), apart)
    tables = round_of(range(6), 3, conflicts)
    some = [set(order[:3]) for order in permutations(range(6))]
    possible = any(
        _peaceful(table, apart) and _peaceful(set(range(6)) - table, apart) for table in some
    )
    assert (tables is not None) == possible
    if tables is not None:
        assert sorted(bot for table in tables for bot in table) == list(range(6))
        assert all(_peaceful(set(table), apart) for table in tables)


@given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 6)), max_size=14))
@settings(max_examples=min(200, settings().max_examples), deadline=None)
def test_a_table_is_found_exactly_where_there_is_one(pairs: list[Pair]) -> None:
    apart = [(i, j) for i, j in pairs if i != j]
    table = table_with([0], range(7), 4, conflicts_of(dict(enumerate(owners(7))), apart))
    possible = any(_peaceful({0, *others}, apart) for others in combinations(range(1, 7), 3))
    assert (table is not None) == possible
    assert table is None or (table[0] == 0 and len(set(table)) == 4)


def _peaceful(table: set[int], apart: list[Pair]) -> bool:
    return not any(i in table and j in table for i, j in apart)


@pytest.mark.parametrize(
    ("n", "k", "apart", "bots"),
    [
        (4, 4, [(0, 3)], (0, 3)),
        (9, 4, [(1, 2), (2, 5), (1, 5)], (1, 2, 5)),
        (8, 4, [(0, bot) for bot in range(1, 6)], (0, 1, 2, 3, 4, 5)),
        (12, 4, [(i, j) for i in range(6) for j in range(6, 12)], (0, 6)),
    ],
)
def test_what_cannot_be_seated_is_refused_and_says_who_it_is_about(
    n: int, k: int, apart: list[Pair], bots: tuple[int, ...]
) -> None:
    with pytest.raises(Unseatable) as refused:
        round_robin(owners(n), k, seed=1, apart=apart)
    assert refused.value.bots == bots


def test_byes_make_room_as_long_as_games_stay_even() -> None:
    apart = [(1, 2), (2, 5), (1, 5)]
    schedule = round_robin(owners(9), 4, seed=1, rounds=3, apart=apart)
    assert sorted(bye for byes in schedule.byes for bye in byes) == [1, 2, 5]


def test_a_swiss_round_is_found_at_any_ranking_and_if_need_be_played_again() -> None:
    apart = [(1, 2), (2, 5), (1, 5)]
    schedule = swiss_start(owners(9), 4, rounds=6, seed=1, apart=apart)
    for ranking in (range(9), range(8, -1, -1), [1, 2, 5, 0, 3, 4, 6, 7, 8]):
        schedule = swiss_next(schedule, list(ranking), owners=owners(9), apart=apart)
        assert not together(schedule.tables) & set(apart)
    with pytest.raises(Unseatable):
        swiss_next(schedule, [0, 1, 2, 3, 4, 5, 6, 7], owners=owners(9), apart=apart)


def test_a_gauntlet_refuses_who_is_apart_from_a_regular() -> None:
    with pytest.raises(Unseatable, match="0 and 3"):
        gauntlet(owners(9), 4, regulars=(0,), seed=1, apart=[(3, 0)])


def test_a_ladder_refuses_a_block_without_a_table() -> None:
    schedule = schedule_of("ladder", [], n=4, k=3)
    rungs = [Rung(bot, owner) for bot, owner in enumerate(owners(4))]
    with pytest.raises(BadInput, match="apart"):
        next_round(schedule, rungs, seed=1, apart=[(0, 1), (2, 3)])


def test_on_a_ladder_who_finds_no_opponents_does_not_hold_up_the_others() -> None:
    schedule = schedule_of("ladder", [], n=6, k=3)
    rungs = [Rung(bot, owner, None, 1 if bot else 0) for bot, owner in enumerate(owners(6))]
    after = next_round(schedule, rungs, seed=1, apart=[(0, bot) for bot in (1, 2, 3, 4)])
    assert len(after.tables) == 1
    assert 0 not in after.tables[0]


def test_parts_that_never_meet_are_refused_and_parts_with_a_bridge_are_not() -> None:
    wall = [(i, j) for i in range(3) for j in range(3, 6)]
    with pytest.raises(Unseatable, match="compared"):
        check_comparable(conflicts_of(dict(enumerate(owners(6))), wall))
    check_comparable(conflicts_of(dict(enumerate(owners(6))), wall[1:]))


@pytest.mark.parametrize(
    ("n", "k", "rounds", "least", "most"),
    [
        (13, 4, 13, 2, 4),
        pytest.param(16, 4, 15, 2, 4, marks=pytest.mark.slow),
        pytest.param(30, 5, 29, 3, 6, marks=pytest.mark.slow),
    ],
)
def test_the_others_meet_about_equally_often(
    n: int, k: int, rounds: int, least: int, most: int
) -> None:
    apart = [(0, 1), (2, 3), (2, 4)]
    even = statistics(round_robin(owners(n), k, seed=1, rounds=rounds, apart=apart), apart=apart)
    assert least <= even.meetings_min <= even.meetings_max <= most
    assert max(even.games) - min(even.games) <= 1
