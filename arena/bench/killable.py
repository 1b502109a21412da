"""A referee that is killed and started again, and the pace at which its bots answer meanwhile."""

from __future__ import annotations

import math
import os
import socket
import subprocess
import sys
import threading
import time
from pathlib import Path
from random import Random
from typing import NamedTuple

from arena.bench.audit import ServicePeriod
from arena.bench.recording_bots import wall_ms
from arena.errors import Unavailable

A_KILL = 40
"""Decisions between two kills, about."""
PAUSE_S = 0.02
PROGRESS_S = 20.0
"""How long a referee may live without a single answer; kills alone make no session."""


class KillableReferee:
    """A referee as a process that can be killed and started again on its port."""

    def __init__(self, folder: Path, database: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self._port = probe.getsockname()[1]
        self._log = (folder / "referee.log").open("ab")
        self._database = database
        self._process: subprocess.Popen[bytes] | None = None
        unwanted = ("PYTHONDONTWRITEBYTECODE",)
        plain = {k: v for k, v in os.environ.items() if k not in unwanted}
        compiled = {"PYTHONPYCACHEPREFIX": str(folder.parent / "compiled")}  # for all runs: quick
        self._environ = plain | compiled | {"ARENA_LOG_LEVEL": "warning"}
        self.starts: list[float] = []
        self.lives: list[ServicePeriod] = []
        self._ready_ms: int | None = None

    @property
    def url(self) -> str:
        """Where it is, when it is."""
        return f"http://127.0.0.1:{self._port}"

    def begin(self) -> None:
        """Start it; it does not listen yet."""
        command = [sys.executable, "-P", "-m", "arena.web", "--port", str(self._port)]
        self._process = subprocess.Popen(
            [*command, "--database", self._database],
            env=self._environ,
            stdout=subprocess.PIPE,
            stderr=self._log,
        )

    def start(self) -> None:
        """Start it and wait until it listens. Raises Unavailable if it ends instead."""
        began = time.perf_counter()
        self.begin()
        assert self._process is not None
        assert self._process.stdout is not None
        if not self._process.stdout.readline():
            raise Unavailable("the referee did not start; see its log")
        self._ready_ms = wall_ms()
        self.starts.append(time.perf_counter() - began)

    def kill(self) -> None:
        """End it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self.lives.append(ServicePeriod(self._ready_ms, wall_ms()))
            self._ready_ms = None
            assert self._process.stdout is not None
            self._process.stdout.close()
            self._process = None

    def close(self) -> None:
        """End it for good."""
        self.kill()
        self._log.close()


class Delays(NamedTuple):
    """How bots are held up. hold_s: at most this long to make them last. late: one in this many
    calls comes too late, by `late_s`; 0: none."""

    hold_s: float
    late: int = 0
    late_s: float = 0.0


class KillPace:
    """Makes the bots last: if it can be, no more decisions than are due after the kills so far.

    a_kill: how many are due after each.
    """

    def __init__(self, kills: int, sloth: Delays, *, a_kill: int = A_KILL) -> None:
        self._left = kills
        self._sloth = sloth
        self._a_kill = a_kill
        self._allowed = a_kill if kills else math.inf
        self._made = 0
        self._more = threading.Condition()
        self._random = Random(kills)

    def __call__(self, decisions: int) -> None:
        if not self._left:
            return
        late = self._sloth.late and decisions and not self._random.randrange(self._sloth.late)
        time.sleep(self._sloth.late_s if late else self._random.uniform(0, 2 * PAUSE_S))
        with self._more:
            self._more.wait_for(lambda: self._made < self._allowed, self._sloth.hold_s)
            self._made += decisions
            self._more.notify_all()

    def killed(self) -> None:
        """One more: on to the next."""
        with self._more:
            self._left -= 1
            self._allowed = self._made + self._a_kill if self._left else math.inf
            self._more.notify_all()

    def wait(self) -> None:
        """Until another answer is on its way, or it takes too long."""
        with self._more:
            decisions = self._made
            self._more.wait_for(lambda: self._made > decisions, PROGRESS_S)
