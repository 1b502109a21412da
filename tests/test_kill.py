"""kill -9 of the referee in the middle of a session: it goes on, nothing is missing or doubled.

The bots are threads with the kit's `Client`; each keeps a diary of the answers that were accepted.
"""

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from arena.cli.event import new_admin
from arena.client import ArenaProblem, Client
from arena.referee.verify import verify
from tests.cli.shell import environment

KILLS = 4
BOTS = 5


def start(database: str, port: int) -> "subprocess.Popen[str]":
    """A referee as a process, ready for requests."""
    process = subprocess.Popen(
        [sys.executable, "-m", "arena.web", "--port", str(port), "--database", database],
        env=environment(ARENA_LOG_LEVEL="error"),
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline()
    return process


def kill(process: "subprocess.Popen[str]") -> None:
    """End a process as a power cut would."""
    process.send_signal(signal.SIGKILL if os.name == "posix" else signal.SIGTERM)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def free_port() -> int:
    """A port that was free a moment ago."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


class Diarist(threading.Thread):
    """A bot that answers at random and notes what was accepted."""

    def __init__(self, url: str, session: str, number: int) -> None:
        super().__init__(daemon=True)
        self.client = Client(url, patience_s=60)
        made = self.client.register(f"bot-{number}", owner=f"owner-{number}")
        self.client.enter(session)
        self.bot = made["bot"]["id"]
        self.session = session
        self.random = Random(number)
        self.diary: list[str] = []

    def run(self) -> None:
        """Play until the session is over."""
        while self.client.session(self.session)["status"] != "finished":
            for turn in self.client.turns(wait=1)["turns"]:
                choice = self.random.randrange(len(turn["legal"]))
                try:
                    self.client.answer(turn["turn"], {"choice": choice})
                except ArenaProblem as problem:
                    if problem.status not in (409, 410):
                        raise
                else:
                    self.diary.append(turn["turn"])
        self.client.close()


@pytest.mark.skipif(os.name != "posix", reason="kill -9 needs a POSIX system")
def test_a_killed_referee_goes_on_and_no_accepted_move_is_missing_or_doubled(
    tmp_path: Path,
) -> None:
    database = f"sqlite:///{(tmp_path / 'arena.db').as_posix()}"
    token = new_admin(database)
    port = free_port()
    random = Random(9)
    referee = start(database, port)
    url = f"http://127.0.0.1:{port}"
    try:
        with Client(url, token, patience_s=60) as organiser:
            document = {
                "name": "Kill",
                "slug": "kill",
                "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri"]},
                "hands_per_table": 3,
                "schedule": {"rounds": 5, "rounds_at_once": 5},
                "clock": {"move_ms": 20_000},
            }
            organiser.request("POST", "/sessions", body=document)
            organiser.request("POST", "/sessions/kill/open")
            bots = [Diarist(url, "kill", number) for number in range(BOTS)]
            organiser.request("POST", "/sessions/kill/start")
            for bot in bots:
                bot.start()
            for _ in range(KILLS):
                time.sleep(random.uniform(0.2, 1.0))
                kill(referee)
                referee = start(database, port)
            for bot in bots:
                bot.join(timeout=120)
                assert not bot.is_alive()
            records = organiser.records("kill")
    finally:
        kill(referee)
    report = verify(records.splitlines())
    assert report.ok, report.findings[:3]
    hands = [json.loads(line) for line in records.splitlines()[1:]]
    assert len(hands) == 15
    turns = Counter(step["turn"] for hand in hands for step in hand["steps"])
    assert [t for t, times in turns.items() if times > 1 and t] == []
    told = [turn for bot in bots for turn in bot.diary]
    assert len(told) == len(set(told))
    assert [turn for turn in told if turns[turn] != 1] == []
    faults = [hand["result"]["faults"] for hand in hands if hand["result"]["faults"]]
    assert faults == []
