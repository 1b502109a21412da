"""The store in processes of its own: killed at any instant, and run on greenlets."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from arena.store.sqlite import open_sqlite
from tests.store.processes import command, environment, python
from tests.store.rows import DEAL, HAND

pytestmark = pytest.mark.server


def acknowledged_before_kill(file: Path, seq: int, seconds: float) -> list[int]:
    """Run the appending program, kill it so long after its first word; all that it has said."""
    arguments = command("append_until_killed.py", file, HAND.id, seq)
    with subprocess.Popen(
        arguments, env=environment(), stdout=subprocess.PIPE, text=True
    ) as program:
        assert program.stdout is not None
        first = program.stdout.readline()
        time.sleep(seconds)
        program.kill()
        said = first + program.stdout.read()
    # A last line without its end was cut off by the kill and may be half a number.
    return [int(line) for line in said[: said.rfind("\n") + 1].splitlines()]


def test_what_was_acknowledged_before_a_kill_is_there_exactly_once(file: Path) -> None:
    acknowledged: list[int] = []
    seq = DEAL.event_count
    for seconds in (0.0, 0.05, 0.1, 0.21):
        acknowledged += acknowledged_before_kill(file, seq, seconds)
        with open_sqlite(file) as store:
            stored = [step.seq for step in store.steps(HAND.id)]
        assert set(acknowledged) <= set(stored)
        assert len(stored) == len(set(stored))
        seq = max(stored) + 1
    assert len(acknowledged) == len(set(acknowledged)) >= 4


def test_it_works_on_greenlets_with_one_connection_to_read(file: Path) -> None:
    done = python("on_greenlets.py", file, HAND.id)
    assert done.stdout.split() == ["100", "100", "True", "1"]
    with open_sqlite(file) as store:
        assert [step.seq for step in store.steps(HAND.id)] == [0, *range(2, 102)]
