"""Both cores of one tree say the same, to the byte: the same games, the same refusals."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from arena.compiled.choice import COMPILED, PYTHON, VARIABLE, choose
from tests.cli.shell import environment
from tests.compiled.test_choice import PACKAGE


def said(core: str) -> bytes:
    """What a process that runs this core says of the games."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.compiled.playing"],
        env=environment(**{VARIABLE: core}),
        cwd=PACKAGE.parent,
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


@pytest.fixture
def needs_compiled() -> None:
    """Skips where no compiled core fits these sources; `ARENA_CORE=compiled` allows no skip."""
    core = choose(PACKAGE, COMPILED)
    if core.name == PYTHON:
        assert os.environ.get(VARIABLE) != COMPILED
        pytest.skip(core.expected)


@pytest.mark.server
@pytest.mark.usefixtures("needs_compiled")
def test_the_same_games_are_the_same_on_both() -> None:
    in_python, compiled = said(PYTHON), said(COMPILED)
    assert in_python.count(b"\n") > 100_000
    if in_python == compiled:
        return
    pairs = zip(in_python.splitlines(), compiled.splitlines(), strict=False)
    place, first = next((at, pair) for at, pair in enumerate(pairs) if pair[0] != pair[1])
    pytest.fail(f"line {place}: {first[0].decode()[:2000]} | compiled: {first[1].decode()[:2000]}")
