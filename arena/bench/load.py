"""A referee under load: a server process of its own, and bots that cost as little as possible.

The bots are threads of this process with bare HTTP connections; they answer with `choice` and wait
for the next turns in the same request, so the server is what is measured.
"""

from __future__ import annotations

import http.client
import json
import os
import socket
import sys
import tempfile
import threading
import time
from pathlib import Path
from random import Random
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from arena.cli.event import new_admin
from arena.cli.organiser import session_path
from arena.cli.processes import Processes, start_referee
from arena.client import Client

OVER = ("finished", "cancelled")


class Load(NamedTuple):
    """What a load run came to. cpu_s: of the server, None where the system does not tell."""

    decisions: int
    seconds: float
    cpu_s: float | None
    hands: int
    database_bytes: int
    bare_per_s: float

    @property
    def decisions_per_s(self) -> float:
        """Accepted and durable decisions in a second."""
        return self.decisions / self.seconds


class _Player(threading.Thread):
    """A bot with one connection that answers all its turns at random until told to stop."""

    def __init__(self, url: str, token: str, *, seed: int, stop: threading.Event) -> None:
        super().__init__(daemon=True)
        parts = urlsplit(url)
        self._connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80)
        self._headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        self._random = Random(seed)
        self._stopped = stop
        self.answered = 0
        self.error: BaseException | None = None

    def run(self) -> None:
        """Poll, answer, wait, until stopped."""
        try:
            self._connection.connect()
            self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            turns = self._call("GET", "/api/v1/turns?wait=2&max=64", None)["turns"]
            while not self._stopped.is_set():
                if not turns:
                    turns = self._call("GET", "/api/v1/turns?wait=2&max=64", None)["turns"]
                    continue
                answers = [
                    {"turn": t["turn"], "choice": self._random.randrange(len(t["legal"]))}
                    for t in turns
                ]
                body = json.dumps({"answers": answers})
                answer = self._call("POST", "/api/v1/turns?wait=2&max=64", body)
                self.answered += sum(r["status"] == 200 for r in answer["results"])
                turns = answer["next"]
        except (OSError, http.client.HTTPException, KeyError, ValueError) as error:
            if not self._stopped.is_set():
                self.error = error

    def _call(self, method: str, path: str, body: str | None) -> dict[str, Any]:
        self._connection.request(method, path, body, self._headers)
        response = self._connection.getresponse()
        document: dict[str, Any] = json.loads(response.read())
        if response.status != 200:
            raise ValueError(f"{method} {path}: {response.status} {document.get('detail')}")
        return document


def run(*, bots: int, rounds: int, hands: int, ruleset: dict[str, Any]) -> Load:
    """Play a session of `bots` bots, all rounds at once, and count."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        path = folder / "load.db"
        database = f"sqlite:///{path.as_posix()}"
        token = new_admin(database)
        with Processes(folder) as processes:
            url = start_referee(processes, database)
            with Client(url, token, patience_s=10) as client:
                return _play(client, processes, path, bots, rounds, hands, ruleset)


def _play(
    client: Client,
    processes: Processes,
    path: Path,
    bots: int,
    rounds: int,
    hands: int,
    ruleset: dict[str, Any],
) -> Load:
    """Register, start, count until the session is over."""
    document = {
        "name": "load",
        "ruleset": ruleset,
        "hands_per_table": hands,
        "schedule": {"kind": "round_robin", "rounds": rounds, "rounds_at_once": min(rounds, 64)},
        "roster": {"max_bots": bots},
        "seed": "00",
    }
    session = client.request("POST", "/sessions", body=document)["session"]
    stop = threading.Event()
    players = []
    for number in range(bots):
        with Client(client.url, patience_s=30) as own:
            made = own.register(f"load-{number}", owner=f"load-{number}")
        client.request("PUT", session_path(session, "entries", made["bot"]["id"]))
        players.append(_Player(client.url, made["token"], seed=number, stop=stop))
    bare = _bare_rate(client.url)
    pid = processes.pid("referee")
    cpu = cpu_seconds(pid)
    began = time.perf_counter()
    client.request("POST", session_path(session, "start"))
    for player in players:
        player.start()
    view = client.session(session)
    while view["status"] not in OVER:
        time.sleep(0.1)
        view = client.session(session)
        failed = [p.error for p in players if p.error is not None]
        if failed:
            raise RuntimeError(f"a bot of the load failed: {failed[0]}")
    seconds = time.perf_counter() - began
    after = cpu_seconds(pid)
    stop.set()
    spent = None if cpu is None or after is None else after - cpu
    size = sum(f.stat().st_size for f in path.parent.glob(path.name + "*"))
    done = view["progress"]["hands_finished"]
    return Load(sum(p.answered for p in players), seconds, spent, done, size, bare)


def _bare_rate(url: str, calls: int = 500) -> float:
    """Requests in a second of the cheapest route (/healthz) over one connection."""
    parts = urlsplit(url)
    connection = http.client.HTTPConnection(parts.hostname or "", parts.port or 80)
    began = time.perf_counter()
    for _ in range(calls):
        connection.request("GET", "/healthz")
        connection.getresponse().read()
    connection.close()
    return calls / (time.perf_counter() - began)


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds that a process has used, where the system tells (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
