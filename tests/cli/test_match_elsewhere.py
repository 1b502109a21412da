"""`arena match` with an executor of somebody else's, and what it says when blocks are lost."""

from __future__ import annotations

import json
import os
import re
import subprocess
import time

import pytest

from tests.cli.shell import ARENA, arena, environment

pytestmark = pytest.mark.server

LOWEST = "tests.match.players:Lowest"
SHY = f"{LOWEST} --shy"
QUICK = ("--local", "--others", LOWEST, "--hands-per-table", "1", "--hands", "40")


def test_an_executor_that_is_named_gives_the_same_verdict_and_the_same_record(tmp_path):
    def played(name, *more):
        record = tmp_path / f"{name}.jsonl"
        done = arena("match", SHY, LOWEST, *QUICK, *more, "--record", str(record), "--json")
        assert done.stderr == ""
        told = json.loads(done.stdout)
        del told["slowest_ms"]
        return done.returncode, told, record.read_bytes()

    here = played("here", "--workers", "0")
    assert played("threads", "--executor", "tests.match.factories:threads") == here
    assert here[1]["blocks"] == 10


def test_a_block_that_was_played_again_is_noted(tmp_path):
    mortal = f"tests.match.players:Mortal --once {tmp_path / 'died'}"
    done = arena("match", mortal, LOWEST, *QUICK, "--workers", "1")
    assert done.stderr == (
        "Note: blocks played again, since lost: 1; the first: block 1, BrokenExecutor: a process"
        " has ended in the middle, with exit code 9\n"
    )
    assert "of 40 hands, 10 blocks" in done.stdout


DREAMER = "tests.match.players:Dreamer"
LONG = ("--local", "--others", LOWEST, "--hands-per-table", "1", "--deals", "fresh")
LONG += ("--hands", "8", "--workers", "2")


def settled(said):
    """What a match has printed, without how long somebody thought."""
    return re.sub(r"Slowest turn: .*", "", said)


@pytest.mark.skipif(os.name != "posix", reason="needs SIGKILL")
def test_a_match_that_was_killed_goes_on_and_is_the_same_to_the_byte(tmp_path):
    journal, record = tmp_path / "match.journal", tmp_path / "resumed.jsonl"
    whole = arena("match", DREAMER, SHY, *LONG, "--record", str(tmp_path / "whole.jsonl"))
    keeping = ("--record", str(record), "--resume", str(journal))
    killed = subprocess.Popen([*ARENA, "match", DREAMER, SHY, *LONG, *keeping], env=environment())
    until = time.monotonic() + 120
    while not journal.exists() or journal.read_bytes().count(b"\n") < 2:
        assert time.monotonic() < until
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    there = journal.read_bytes()
    resumed = arena("match", DREAMER, SHY, *LONG, *keeping)
    assert resumed.stderr.startswith("Note: ")
    assert "blocks are in" in resumed.stderr
    assert (resumed.returncode, settled(resumed.stdout)) == (
        whole.returncode,
        settled(whole.stdout),
    )
    assert record.read_bytes() == (tmp_path / "whole.jsonl").read_bytes()
    assert journal.read_bytes().startswith(there[: there.rindex(b"\n")])

    other = arena("match", DREAMER, SHY, *LONG, *keeping, "--seed", "2")
    assert (other.returncode, other.stderr.count("\n")) == (2, 1)
    assert "expected the journal of this match; seed is 1 there, 2 here" in other.stderr
