"""Rounds that follow from results, and who plays in a final."""

from __future__ import annotations

from random import Random

import pytest

from arena.errors import BadInput
from arena.tournament.pairing.draws import meetings, next_round, only, rungs_of
from arena.tournament.pairing.finals import finalists, ranges_of
from arena.tournament.pairing.ladder import Rung
from arena.tournament.pairing.lineups import schedule_of
from arena.tournament.pairing.swiss import swiss_start
from arena.tournament.results import HandResult

BOTS = [f"b{number}" for number in range(8)]
OWNERS = [f"o{number}" for number in range(8)]


def hands(tables, *, times=1):
    """Hands in which the smaller number always wins."""
    return [
        HandResult(f"t{at}", "pool", tuple(BOTS[bot] for bot in sorted(table)), (1, 2, 3, 4))
        for at, table in enumerate(tables)
        for _ in range(times)
    ]


def test_rungs_are_ordered_by_strength_and_whoever_has_not_played_is_in_the_middle():
    rungs = rungs_of(hands([(0, 1, 2, 3)], times=5), BOTS[:6], OWNERS[:6])
    assert [rung.bot for rung in rungs] == [0, 1, 4, 5, 2, 3]
    assert [rung.blocks for rung in rungs] == [1, 1, 0, 0, 1, 1]
    assert rungs[2] == Rung(4, "o4", None, 0)


def test_the_order_of_the_results_changes_nothing():
    start = swiss_start(OWNERS, 4, rounds=6, seed=1)
    results = hands(start.tables, times=3)
    expected = rungs_of(results, BOTS, OWNERS)
    for seed in range(5):
        Random(seed).shuffle(results)
        assert rungs_of(results, BOTS, OWNERS) == expected


def test_a_swiss_round_seats_neighbours_of_the_ranking():
    start = swiss_start(OWNERS, 4, rounds=6, seed=1)
    rungs = rungs_of(hands(start.tables, times=3), BOTS, OWNERS)
    longer = next_round(start, rungs, seed=b"x")
    assert longer.rounds[:-1] == start.rounds
    ranking = [rung.bot for rung in rungs]
    places = [sorted(ranking.index(bot) for bot in table) for table in longer.rounds[-1]]
    assert min(map(sum, places)) < 14
    assert next_round(start, rungs, seed=b"x") == longer


def test_a_ladder_plays_as_many_tables_as_fit_or_as_are_wanted():
    ladder = schedule_of("ladder", [], n=8, k=4)
    rungs = rungs_of([], BOTS, OWNERS)
    assert len(next_round(ladder, rungs, seed=1).rounds[-1]) == 2
    one = next_round(ladder, rungs, seed=1, tables=1)
    assert len(one.rounds[-1]) == 1
    assert len(one.byes[-1]) == 4
    playing = only(rungs, {0, 1, 2, 3, 4})
    short = next_round(ladder, playing, seed=1)
    assert len(short.byes[-1]) == 1
    assert sum(meetings(short).values()) == 6


def test_other_kinds_are_drawn_as_a_whole():
    with pytest.raises(BadInput, match="drawn as a whole"):
        next_round(schedule_of("complete", [], n=8, k=4), rungs_of([], BOTS, OWNERS), seed=1)


def test_who_is_surely_below_the_prizes_is_not_in_the_final():
    tables = [(i, j, k, m) for i in (0, 1) for j in (2, 3) for k in (4, 5) for m in (6, 7)]
    results = [
        HandResult(f"t{at}-{lap}", "pool", tuple(BOTS[bot] for bot in table), (1, 2, 3, 4))
        for at, table in enumerate(tables)
        for lap in range(6)
    ]
    ranges = ranges_of(results, set(BOTS))
    assert set(ranges) == set(BOTS)
    assert set(finalists(ranges, prizes=1, seats=2)) == {"b0", "b1"}
    assert len(finalists(ranges, prizes=1, seats=4)) == 4
    among_the_weak = ranges_of(results, {"b4", "b5", "b6", "b7"})
    assert {among_the_weak[bot][0] for bot in ("b4", "b5")} == {1}


def test_bots_that_have_hardly_played_have_no_rank():
    assert ranges_of(hands([(0, 1, 2, 3)]), set(BOTS)) == {}
    assert ranges_of([], set(BOTS)) == {}
    with pytest.raises(BadInput, match="5 blocks give a rank"):
        finalists({}, prizes=1, seats=4)


def test_fields_that_never_met_have_no_common_final():
    with pytest.raises(BadInput, match="one, so that all have a rank in it"):
        ranges_of(hands([(0, 1, 2, 3), (4, 5, 6, 7)]), set(BOTS))
