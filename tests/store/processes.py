"""Small programs that the tests of the store run as processes of their own, and waiting for what
others do."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

PROGRAMS = Path(__file__).parent / "programs"
ROOT = Path(__file__).parents[2]


def command(program: str, *arguments: object) -> list[str]:
    """How to start a program."""
    return [sys.executable, str(PROGRAMS / program), *map(str, arguments)]


def environment() -> dict[str, str]:
    """This process's environment, with the package under test in reach."""
    return {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONUNBUFFERED": "1"}


def python(
    program: str, *arguments: object, fails: bool = False
) -> subprocess.CompletedProcess[str]:
    """Run a program to its end, which must come soon."""
    done = subprocess.run(
        command(program, *arguments),
        env=environment(),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (done.returncode != 0) == fails, done.stderr
    return done


def soon(happens: Callable[[], bool], within_s: float = 120.0) -> bool:
    """Wait for something that another thread or process does."""
    until_s = time.monotonic() + within_s
    while time.monotonic() < until_s:
        if happens():
            return True
        time.sleep(0.005)
    return False
