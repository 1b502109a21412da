"""`arena watch` and `--watch` against real servers: a restart in the middle, addresses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest

from arena.cli.terminal import keys
from arena.client import Client
from arena.narration.language import Speaker
from arena.narration.sentences import LANGUAGES, PUBLIC, narrate
from arena.session.recorded_hand import read_recorded_hand
from tests.cli.shell import ARENA, PATIENCE_S, arena, environment, served

pytestmark = pytest.mark.server

SESSION = {
    "name": "Cup",
    "slug": "cup",
    "seats": 2,
    "hands_per_table": 1,
    "schedule": {"rounds": 1},
    "ruleset": {"preset": "pagat", "options": {"players": 2}},
}


def answer(bots: list[Client], random: Random, *, turns: int) -> int:
    """Let the bots answer some turns, whosever they are; how many they were."""
    answered = 0
    while answered < turns:
        waiting = [(bot, turn) for bot in bots for turn in bot.turns()["turns"]]
        if not waiting:
            break
        bot, turn = waiting[0]
        bot.answer(turn["turn"], random.choice(turn["legal"]))
        answered += 1
    return answered


def wait_for(condition: Callable[[], bool]) -> None:
    """Wait until something is so, for as long as a process may take to start."""
    until_s = time.monotonic() + PATIENCE_S
    while not condition():
        assert time.monotonic() < until_s, "it did not come about"
        time.sleep(0.05)


def test_a_restart_of_the_arena_leaves_no_gap_and_no_double(tmp_path: Path) -> None:
    database, random = f"sqlite:///{tmp_path / 'arena.db'}", Random(5)
    lines: list[dict[str, Any]] = []
    with served(database) as first:
        organiser = Client(first.url, first.token)
        organiser.request("POST", "/sessions", body=SESSION)
        organiser.request("POST", "/sessions/cup/open")
        bots = []
        for name in ("otter", "カワウソ"):
            made = organiser.request("POST", "/bots", body={"name": name}, idempotent=False)
            bots.append(Client(first.url, made["token"]))
            bots[-1].enter("cup")
        organiser.request("POST", "/sessions/cup/start")
        command = [*ARENA, "watch", "cup", "--url", first.url, "--json"]
        watcher = subprocess.Popen(
            command, env=environment(), text=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
        )
        reader = Thread(target=lambda: lines.extend(map(json.loads, watcher.stdout or ())))
        reader.start()
        wait_for(lambda: bool(lines))
        assert answer(bots, random, turns=8) == 8
    with served(database, first=False, more=("--port", first.url.rpartition(":")[2])):
        assert answer(bots, random, turns=999) > 8
        assert watcher.wait(PATIENCE_S) == 0
        reader.join()
        assert watcher.stdout is not None
        watcher.stdout.close()
        record = organiser.request("GET", "/hands/cup-r01-t01-h001/record")
    hand = read_recorded_hand(record)
    speaker = Speaker(hand.names, hand.rules.table.titles)
    expected = list(narrate(LANGUAGES["en"], speaker, hand.events, reader=PUBLIC))
    assert [(line["number"], line["text"]) for line in lines] == [
        (each.number, each.text) for each in expected
    ]
    assert {line["hand"] for line in lines} == {"cup-r01-t01-h001"}


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)], ids=["Ctrl-C", "SIGTERM"]
)
def test_the_terminal_is_as_before_however_watching_is_ended(
    number: signal.Signals, code: int
) -> None:
    import pty
    import termios

    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    process = subprocess.Popen(
        [*ARENA, "watch", "--url", "http://127.0.0.1:1"],
        env=environment(TERM="xterm"),
        stdin=theirs,
        stdout=theirs,
        stderr=subprocess.DEVNULL,
    )
    drawn = b""
    while b"Waiting for a hand." not in drawn:
        drawn += os.read(ours, 4096)
    process.send_signal(number)
    assert process.wait(timeout=PATIENCE_S) == code
    assert termios.tcgetattr(theirs) == before
    assert os.read(ours, 4096).endswith(keys.FIRST_SCREEN.encode())
    for end in (ours, theirs):
        os.close(end)


def test_an_arena_that_is_not_there_and_one_where_nothing_is_played(tmp_path: Path) -> None:
    with served(f"sqlite:///{tmp_path / 'arena.db'}") as on:
        nothing = arena("watch", "--url", on.url)
        assert (nothing.returncode, nothing.stdout) == (1, "")
        assert nothing.stderr == f"nothing is being played at {on.url}\n"
        missing = arena("watch", "cup-r01-t01", "--url", on.url)
        assert missing.returncode == 2
        assert "404" in missing.stderr
        assert len(missing.stderr.splitlines()) == 1


def test_a_demo_with_watch_says_where_and_stays_until_ctrl_c(tmp_path: Path) -> None:
    command = [*ARENA, "demo", "--hands", "1", "--rounds", "1", "--folder", str(tmp_path / "d")]
    process = subprocess.Popen(
        [*command, "--watch", "--no-open"],
        env=environment(),
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.stdout is not None
    assert process.stderr is not None
    address = process.stderr.readline().split()
    assert address[0] == "Watch"
    stays = process.stderr.readline()
    assert stays == f"The pages stay at {address[1]} until Ctrl-C.\n"
    assert b"heuristic-1" in os.read(process.stdout.fileno(), 65536), "the standings do not wait"
    url, _, session = address[1].rpartition("/sessions/")
    with Client(url) as client:
        assert client.session(session)["status"] == "finished"
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0


def test_a_match_with_watch_says_where_and_ends_by_itself(tmp_path: Path) -> None:
    lowest = "python -m sample_bots.lowest"
    options = ("--seats", "3", "--hands-per-table", "1", "--hands", "2", "--watch", "--no-open")
    done = arena("match", lowest, lowest, "--others", lowest, *options)
    assert done.returncode == 1, "not shown"
    assert "Watch     http://127.0.0.1:" in done.stderr
    refused = arena("match", "--local", "a:B", "a:B", "--watch")
    assert refused.returncode == 2
    assert "--watch is True; expected nothing beside --local" in refused.stderr
