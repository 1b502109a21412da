"""`arena bench load` runs and tells what it promises; small runs, their figures mean nothing."""

from __future__ import annotations

import json
from random import Random

import pytest

from arena.bench.figures import medians
from arena.bench.load import Plan, growing
from arena.bench.players import Pace
from arena.bench.watching import Wakes, woken_ms
from tests.cli.shell import arena
from tests.postgres import Server


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


def test_at_a_pace_the_server_is_not_kept_busy() -> None:
    words = ("bench", "load", "--bots", "8", "--tables", "2", "--json")
    done = arena(*words, "--mode", "wait", "--pace", "100")
    assert done.returncode == 0, done.stderr
    found = {row["what"]: row["figure"] for row in json.loads(done.stdout)}
    assert found["decisions accepted and durable"] > 100
    assert 0 < found["decisions/s"] < 200
    assert found["answers in a request"] > 0.7


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


def test_several_referees_need_a_database_that_they_can_share() -> None:
    done = arena("bench", "load", "--bots", "4", "--tables", "1", "--workers", "2")
    assert done.returncode == 2
    assert done.stderr == "arena: workers is 2; expected 1, or --database postgresql://...\n"


def test_a_pace_is_kept_on_average_and_lost_time_is_not_made_up_for() -> None:
    pace, now_s, sent = Pace(200.0, Random(1)), 0.0, 0
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


@pytest.mark.parametrize("tables", [1, 10, 100, 1000])
def test_growth_has_as_many_tables_as_were_asked_for(tables: int) -> None:
    [plan] = growing(Plan(16, 512, 1, {}), [tables])
    assert plan.at_once == tables
    assert plan.bots <= 16
    assert plan.at_once * plan.hands >= 30


def test_more_rounds_than_a_session_plays_at_once_are_played_in_several() -> None:
    assert Plan(16, 80, 1, {}).rounds == [20]
    assert Plan(16, 81, 1, {}).rounds == [21]
    assert Plan(16, 256, 1, {}).rounds == [64]
    assert Plan(16, 512, 1, {}).rounds == [64, 64]
    assert Plan(16, 516, 1, {}).rounds == [43, 43, 43]
    assert Plan(16, 516, 1, {}).at_once == 516
    assert Plan(8, 3, 1, {}).at_once == 4


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
