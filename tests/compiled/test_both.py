"""Both cores of one tree say the same, to the byte: the same games, the same refusals."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from arena.compiled import building
from arena.compiled.choice import COMPILED, PYTHON, VARIABLE
from tests.cli.shell import environment
from tests.test_resources import ROOT


def said(core: str, checkout: Path) -> bytes:
    """What a process that runs this core of a checkout says of the games."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.compiled.playing"],
        env=environment(PYTHONPATH=f"{checkout}{os.pathsep}{ROOT}") | {VARIABLE: core},
        cwd=checkout,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.mark.server
def test_the_same_games_are_the_same_on_both(with_build: Path) -> None:
    building.put_beside(with_build, building.build(with_build))
    in_python, compiled = said(PYTHON, with_build), said(COMPILED, with_build)
    assert in_python.count(b"\n") > 100_000
    if in_python == compiled:
        return
    pairs = zip(in_python.splitlines(), compiled.splitlines(), strict=False)
    place, first = next((at, pair) for at, pair in enumerate(pairs) if pair[0] != pair[1])
    pytest.fail(f"line {place}: {first[0].decode()[:2000]} | compiled: {first[1].decode()[:2000]}")
