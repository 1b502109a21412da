"""The program of the house bots lives as long as the server, however that ends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.identity.casual import EACH, STRENGTHS, HouseBot, house_bots
from arena.web.house_bots import HouseProgram, next_pause_s
from tests.cli.shell import ARENA, environment
from tests.real import Real

PATIENCE_S = 120
BOT = HouseBot("house-lowest-1", "dfa_secret", "sample_bots.lowest:Lowest")
WRITES = """
import os, pathlib, sys
folder = pathlib.Path(sys.argv[1])
line = sys.stdin.readline()
(folder / f"{os.getpid()}").write_text(line)
sys.stdin.read()
(folder / f"{os.getpid()}.end").write_text("the other end was closed")
"""


def eventually(done: Callable[[], bool]) -> bool:
    """Does it come about while one is patient?"""
    until = time.monotonic() + PATIENCE_S
    while not done():
        if time.monotonic() > until:
            return False
        time.sleep(0.05)
    return True


def program(folder: Path) -> tuple[str, ...]:
    """A program that leaves a file with what it was told, under its number."""
    return (sys.executable, "-c", WRITES, str(folder))


def started(folder: Path) -> list[Path]:
    """What the programs were told that have begun."""
    files = [path for path in folder.iterdir() if not path.suffix]
    return [path for path in files if path.read_text().endswith("\n")]


@pytest.mark.server
def test_it_is_told_where_to_play_and_as_whom_and_ends_with_the_server(tmp_path: Path) -> None:
    house = HouseProgram(lambda: [BOT], program=program(tmp_path))
    house.start("http://127.0.0.1:1")
    try:
        assert eventually(lambda: len(started(tmp_path)) == 1)
    finally:
        house.stop()
    [told] = started(tmp_path)
    assert json.loads(told.read_text()) == {"url": "http://127.0.0.1:1", "bots": [BOT._asdict()]}
    with pytest.raises(ProcessLookupError):
        os.kill(int(told.name), 0)


@pytest.mark.server
def test_it_is_started_again_when_it_dies(tmp_path: Path) -> None:
    house = HouseProgram(lambda: [BOT], program=program(tmp_path))
    house.start("http://127.0.0.1:1")
    try:
        assert eventually(lambda: len(started(tmp_path)) == 1)
        os.kill(int(started(tmp_path)[0].name), 9)
        assert eventually(lambda: len(started(tmp_path)) == 2)
    finally:
        house.stop()


def test_a_program_that_ends_again_and_again_is_started_ever_more_slowly() -> None:
    pauses = [0.0]
    for _ in range(8):
        pauses.append(next_pause_s(pauses[-1], ran_s=1.0))
    assert pauses == [0, 1, 2, 4, 8, 16, 32, 60, 60]
    assert next_pause_s(60.0, ran_s=3_600.0) == 1, "it ran well for an hour: this is something new"


@pytest.mark.server
def test_no_token_is_on_its_command_line_and_what_it_reads_must_have_the_form() -> None:
    done = subprocess.run(
        [*ARENA, "house"],
        input="[]\n",
        env=environment(),
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 2
    assert "one line on standard input" in done.stderr
    assert "Traceback" not in done.stderr


def test_each_start_gives_each_house_bot_another_token() -> None:
    real = Real()
    first = house_bots(real.referee.registry, real.store)
    again = house_bots(real.referee.registry, real.store)
    assert [bot.name for bot in first] == [bot.name for bot in again]
    assert len(first) == EACH * len(STRENGTHS)
    assert {bot.token for bot in first}.isdisjoint(bot.token for bot in again)
    assert all(real.referee.registry.known(bot.token) for bot in again)
    assert not any(real.referee.registry.known(bot.token) for bot in first)
