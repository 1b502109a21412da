"""The short form of the crash harness; the long one is `arena bench crash --kills 500`."""

import os
from pathlib import Path

import pytest

from arena.bench.crash import run
from tests.cli.shell import ROOT

KILLS = 50


@pytest.mark.skipif(os.name != "posix", reason="kill -9 needs a POSIX system")
def test_fifty_kills_lose_nothing_double_nothing_and_change_no_result(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    verdict = run(KILLS, tmp_path / "crash", tell=lambda line: None)
    assert verdict.findings == ()
    assert verdict.kills == KILLS
    assert verdict.decisions > 1_000
    assert verdict.broken > KILLS  # the bots were at work when it was killed
