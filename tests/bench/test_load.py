"""`arena bench load` runs and tells what it promises; small runs, their figures mean nothing."""

from __future__ import annotations

import json
from random import Random

import pytest

from arena.bench.figures import medians
from arena.bench.load import LoadPlan, growing
from arena.bench.players import AnswerPace
from arena.bench.watching import Wakes, woken_ms
from arena.tournament.pairing.schedules import round_robin
from tests.cli.shell import arena
from tests.postgres import Server


@pytest.mark.server
def test_a_load_run_tells_its_figures_beside_baselines() -> None:
    words = ("bench", "load", "--bots", "4", "--tables", "1", "--json")
    done = arena(*words, "--mode", "wait", "--waiters", "20")
    assert done.returncode == 0, done.stderr
    found = {row["what"]: row["figure"] for row in json.loads(done.stdout)}
    assert found["hands"] == 1
    assert found["decisions accepted and durable"] > 20
    assert found["bare route in the same server, requests/s"] > 0
    assert found["bare commit, us"] > 0
    assert found["answers in a request"] > 0.5


@pytest.mark.server
def test_at_a_pace_the_server_is_not_kept_busy() -> None:
    words = ("bench", "load", "--bots", "8", "--tables", "2", "--json")
    done = arena(*words, "--mode", "wait", "--pace", "100")
    assert done.returncode == 0, done.stderr
    found = {row["what"]: row["figure"] for row in json.loads(done.stdout)}
    assert found["decisions accepted and durable"] > 100
    assert 0 < found["decisions/s"] < 200
    assert found["answers in a request"] > 0.7


@pytest.mark.server
def test_several_referees_share_a_database_twice(postgres: Server) -> None:
    """The second run finds the first one's bots and sessions there."""
    words = ("bench", "load", "--bots", "8", "--tables", "4", "--json", "--workers", "2")
    database = postgres.create()
    for _ in range(2):
        done = arena(*words, "--players", "2", "--database", database)
        assert done.returncode == 0, done.stderr
        found = {row["what"]: row["figure"] for row in json.loads(done.stdout)}
        assert found["hands"] == 4
        assert found["decisions accepted and durable"] > 200


@pytest.mark.server
def test_several_referees_need_a_database_that_they_can_share() -> None:
    done = arena("bench", "load", "--bots", "4", "--tables", "1", "--workers", "2")
    assert done.returncode == 2
    assert done.stderr == "arena: workers is 2; expected 1, or --database postgresql://...\n"


def test_a_pace_is_kept_on_average_and_lost_time_is_not_made_up_for() -> None:
    pace, now_s, sent = AnswerPace(200.0, Random(1)), 0.0, 0
    while now_s < 50.0:
        pace.spend(1, now_s)
        sent += 1
        now_s += pace.left_s(now_s)
    assert 9_700 < sent < 10_300
    now_s += 30.0  # nothing to answer for so long
    burst = 0
    while not pace.left_s(now_s):
        pace.spend(1, now_s)
        burst += 1
    assert burst < 50


@pytest.mark.slow
@pytest.mark.parametrize("tables", [1, 2, 10, 74, 98, 100, 122, 1000])
def test_growth_has_as_many_tables_as_were_asked_for(tables: int) -> None:
    [plan] = growing(LoadPlan(16, 512, 1, {}), [tables])
    assert drawn(plan) == tables
    assert plan.bots <= 16
    assert tables * plan.hands >= 30


@pytest.mark.slow
@pytest.mark.parametrize(
    ("bots", "tables", "rounds"),
    [
        (16, 80, [20]),
        (16, 81, [21]),
        (16, 256, [64]),
        (16, 512, [64, 64]),
        (16, 516, [43, 43, 43]),
        (4, 65, [33, 32]),
        (5, 7, [4, 3]),
        (7, 64, [32, 32]),
        (8, 3, [2]),
        (8, 100, [25, 25]),
    ],
)
def test_sessions_have_whole_rounds_of_as_many_tables_as_it_takes(
    bots: int, tables: int, rounds: list[int]
) -> None:
    """A session plays 64 rounds at once, and never each four bots equally often."""
    plan = LoadPlan(bots, tables, 1, {})
    assert plan.rounds == rounds
    assert 0 <= drawn(plan) - tables < plan.in_round


def drawn(plan: LoadPlan) -> int:
    """The tables that the schedules of a plan's sessions have."""
    owners = [f"owner {number}" for number in range(plan.bots)]
    made = (round_robin(owners, 4, rounds=rounds, seed=bytes(32)) for rounds in plan.rounds)
    return sum(len(tables) for schedule in made for tables in schedule.rounds)


def test_of_several_runs_the_medians_are_told_with_the_least_and_the_most() -> None:
    runs = [
        [("decisions/s", pace, "1.2 x a bare route"), ("bytes for each waiter", None, "")]
        for pace in (6_200.0, 5_000.0, 7_100.5)
    ]
    assert medians(runs) == [
        ("decisions/s", 6_200.0, "5,000.00 to 7,100.50"),
        ("bytes for each waiter", None, ""),
    ]
    assert medians(runs[:1]) == runs[0]


def test_wakeups_are_those_between_two_looks() -> None:
    """The burst at the start is not counted: 90 slow ones before, 100 quick and one slow after."""
    ends = (0.001, 0.1, float("inf"))
    counts = ((0, 0, 0), (10, 100, 100), (110, 201, 201), (900, 901, 999))
    looks = [
        Wakes(float(second), tuple(zip(ends, map(float, each), strict=True)))
        for second, each in enumerate(counts)
    ]
    assert woken_ms(looks, 1.5, 2.0) == (1.0, 1.0)
    assert woken_ms(looks, 0.5, 1.5) == (1.0, 100.0)
    assert woken_ms(looks[:1], 0.5, 1.5) == (None, None)
