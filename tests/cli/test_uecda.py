"""`arena uecda serve` as an organiser starts it: sessions, records, bad input, Ctrl-C."""

from __future__ import annotations

import json
import re
import signal
import subprocess
from contextlib import contextmanager

import pytest

from tests.cli.shell import ARENA, PATIENCE_S, arena, environment
from tests.uecda.clients import Client, lucky
from tests.uecda.test_sockets import Thread

pytestmark = pytest.mark.server
LOWEST = "sample_bots.lowest:Lowest:0"


@contextmanager
def serving(*flags):
    """The command on a free port: the process and its address."""
    process = subprocess.Popen(
        [*ARENA, "uecda", "serve", "--port", "0", *flags],
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        first = process.stderr if "--json" in flags else process.stdout
        found = re.search(r"at (127\.0\.0\.1):(\d+)", first.readline())
        assert found, process.communicate(timeout=PATIENCE_S)
        yield process, (found[1], int(found[2]))
    finally:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def client_at(address):
    """A client that plays there."""
    thread = Thread(address, Client("probe", lucky(1)))
    thread.start()
    return thread


def test_a_session_with_house_bots_ends_with_the_table_of_points_and_a_good_record(tmp_path):
    record = tmp_path / "session.jsonl"
    flags = ("--hands", "3", "--seed", "1", "--fill", LOWEST, "--record", str(record), "--json")
    with serving(*flags) as (process, address):
        thread = client_at(address)
        out, said = process.communicate(timeout=PATIENCE_S)
        thread.join(PATIENCE_S)
    assert process.returncode == 0, said
    printed = json.loads(out)
    assert (printed["hands"], printed["of"], printed["seed"]) == (3, 3, 1)
    assert sum(player["points"] for player in printed["players"]) == 45
    (own,) = [player for player in printed["players"] if player["name"] == "probe"]
    assert (own["bot"], own["absent"], own["player"]) == (None, False, 0)
    assert thread.client.ended == 2
    assert "probe is player 0" in said
    assert "all good" in arena("verify", str(record)).stdout


def test_when_the_only_client_has_gone_it_ends_with_code_1():
    with serving("--hands", "500", "--fill", LOWEST) as (process, address):
        thread = Thread(address, Client("probe", lucky(1)), most=2000)
        thread.start()
        out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 1
    assert "player 0 has gone: " in said
    assert "gone before the end" in out


def test_ctrl_c_ends_after_the_hand_and_before_the_first_one_at_once():
    with serving("--hands", "1000", "--fill", LOWEST) as (process, address):
        thread = client_at(address)
        while "The first hand begins" not in process.stderr.readline():
            pass
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE_S)
        thread.join(PATIENCE_S)
    assert (process.returncode, thread.client.ended) == (130, 2)
    assert "ends after this hand" in said
    assert "of 1000 hands" in out
    with serving("--fill", "none") as (process, _):
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "No hand was played." in out


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--fill", "nonsense"), "--fill is 'nonsense'; expected BOT:AFTER_S"),
        (("--fill", "no.such:Bot:3"), "bot is 'no.such:Bot'"),
        (("--fill", "none", "--fill", LOWEST), "--fill is 'none'; expected nothing beside it"),
        (("--hands", "0"), "'--hands'"),
        (("--listen", "no.such.host.invalid"), "address is 'no.such.host.invalid:0'"),
    ],
)
def test_bad_input_is_one_line(flags, says):
    done = arena("uecda", "serve", "--port", "0", *flags)
    assert done.returncode == 2
    assert says in done.stderr
    assert len(done.stderr.splitlines()) == 1
