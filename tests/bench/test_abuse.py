"""`arena bench abuse`: every hostile request is hostile, and refused the way it should be."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from arena.bench.abuse import measure
from arena.bench.abuse_kinds import LIMIT, hostile
from arena.cli.benchmarks.command import command

TAKEN = {
    "64 answers to turns that are not there": 200,
    "64 refused answers to an open turn": 200,
    "a token that nobody has": 401,
    "a token of 60,000 characters": 401,
    "headers of 60,000 characters": 200,
    "a path of 60,000 characters": 404,
    "6,000 unknown members, no token": 413,
    "500 unknown members, no token": 413,
    "a code of 60,000 characters": 413,
}
"""What is not refused for its form."""


@pytest.mark.slow
def test_every_kind_is_put_to_an_arena_and_costs_something() -> None:
    costs = measure(repeat=1)
    assert [cost.status for cost in costs if cost.group == "honest"] == [200, 200, 400]
    statuses = {cost.name: cost.status for cost in costs if cost.group == "hostile"}
    assert len(statuses) == len(hostile())
    for name, status in statuses.items():
        assert status == (200 if name.startswith("/") else TAKEN.get(name, 400)), name
    assert {cost.status for cost in costs if cost.group == "accepted"} == {200, 201}
    assert all(0 <= cost.piece_ms <= cost.worst_ms for cost in costs)
    assert all(0 <= cost.median_ms <= cost.worst_ms for cost in costs)
    assert all(0 < cost.sent_bytes <= LIMIT + 100 for cost in costs)


@pytest.mark.slow
@pytest.mark.parametrize("form", [[], ["--json"]])
def test_the_command_prints_honest_requests_beside_hostile_ones(form: list[str]) -> None:
    told = CliRunner().invoke(command, ["abuse", "--repeat", "1", *form])
    assert told.exit_code == 0, told.output
    if form:
        rows = json.loads(told.stdout)
        assert rows[0]["request"] == "poll"
        assert rows[0]["of a poll"] == 1.0
        assert {row["kind"] for row in rows} == {"honest", "accepted", "hostile"}
    else:
        assert "21,001 empty answers" in told.output
        assert "the budget of a request is 5 ms" in told.output


@pytest.mark.parametrize("given", ["0", "many"])
def test_a_bad_number_of_repeats_is_refused(given: str) -> None:
    told = CliRunner().invoke(command, ["abuse", "--repeat", given])
    assert told.exit_code == 2
    assert given in told.output
