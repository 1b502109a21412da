"""`arena bench followers` runs and tells what it promises; small runs, no figures to go by."""

from __future__ import annotations

import json

import pytest

from arena.bench.spectators import Spectators
from arena.errors import Unavailable
from tests.cli.shell import arena


@pytest.mark.server
def test_a_run_tells_its_figures_with_and_without_spectators() -> None:
    words = ("bench", "followers", "--spectators", "5", "--bots", "8", "--tables", "2", "--json")
    done = arena(*words, "--pace", "40", "--phase", "2", "--turns", "1")
    assert done.returncode == 0, done.stderr
    rows = {row["what"]: row for row in json.loads(done.stdout)}
    decisions = rows["decisions/s"]
    assert decisions["without"] > 0
    assert decisions["with 5"] > 0
    assert decisions["times"] == pytest.approx(decisions["with 5"] / decisions["without"])
    pieces = rows["pieces sent to spectators/s"]
    assert (pieces["without"], pieces["times"]) == (0, None)
    assert pieces["with 5"] > 0


@pytest.mark.server
def test_spectators_are_at_least_one() -> None:
    done = arena("bench", "followers", "--spectators", "0")
    assert done.returncode == 2
    assert "--spectators" in done.stderr


@pytest.mark.server
def test_spectators_that_cannot_follow_end_it_with_a_sentence() -> None:
    with pytest.raises(Unavailable, match="2 spectators cannot follow"):
        Spectators("http://127.0.0.1:1", "table=cup-r01-t01&form=events", 2)
