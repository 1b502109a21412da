"""`arena bench load` runs and tells what it promises; small runs, their figures mean nothing."""

from __future__ import annotations

import json

import pytest

from arena.bench.load import Plan, growing
from tests.cli.shell import arena


def test_a_load_run_tells_its_figures_beside_baselines() -> None:
    words = ("bench", "load", "--bots", "4", "--rounds", "1", "--hands", "1", "--json")
    done = arena(*words, "--mode", "wait", "--waiters", "20")
    assert done.returncode == 0, done.stderr
    found = {row["what"]: row["figure"] for row in json.loads(done.stdout)}
    assert found["hands"] == 1
    assert found["decisions accepted and durable"] > 20
    assert found["bare route in the same server, requests/s"] > 0
    assert found["bare commit, us"] > 0
    assert found["requests for a decision"] < 2


@pytest.mark.parametrize("tables", [1, 10, 100, 1000])
def test_growth_has_about_as_many_tables_as_were_asked_for(tables: int) -> None:
    [plan] = growing(Plan(8, 1, 1, {}), [tables])
    assert 0.95 * tables <= plan.tables <= 1.05 * tables
    assert plan.tables * plan.hands >= 30
