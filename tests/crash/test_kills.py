"""The short form of the crash harness; the long one is `arena bench crash --kills 500`."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from arena.bench.crash import CrashPlan, run
from tests.cli.shell import ROOT

KILLS = 25
pytestmark = [
    pytest.mark.server,
    pytest.mark.skipif(os.name != "posix", reason="kill -9 needs a POSIX system"),
]


@pytest.fixture(autouse=True)
def _our_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def test_kills_lose_nothing_double_nothing_and_change_no_result(tmp_path: Path) -> None:
    verdict = run(CrashPlan(KILLS), tmp_path / "crash", tell=lambda line: None)
    assert verdict.findings == ()
    assert verdict.kills == KILLS
    assert verdict.decisions > 500
    assert verdict.broken > KILLS  # the bots were at work when it was killed


def test_bots_that_are_late_are_charged_what_they_were_served_and_no_more(tmp_path: Path) -> None:
    """Turns run out between the kills, so the referee answers; each time the evidence says why."""
    plan = CrashPlan(8, move_ms=500, late=3)
    verdict = run(plan, tmp_path / "crash", tell=lambda line: None)
    assert verdict.findings == ()
    assert sum(verdict.expired.values()) > 0
    assert verdict.standings.startswith("not compared")
