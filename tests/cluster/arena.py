"""Several referees on one PostgreSQL, and bots whose every request goes to any of them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from random import Random
from typing import Any
from zlib import crc32

import requests

from arena.application import Referee
from arena.documents import Document
from arena.store import open_store
from tests.cli.shell import environment

PATIENCE_S = 180.0
BOTS = 6
SEED = "00" * 31 + "2a"
SESSION = {
    "name": "Cluster",
    "slug": "cluster",
    "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri"]},
    "seats": 3,
    "hands_per_table": 2,
    "schedule": {"rounds": 5, "rounds_at_once": 3},
    "clock": {"move_ms": 60_000},
    "seed": SEED,
}


class Process:
    """One referee: `python -m arena.web` on a port of its own, which it keeps over restarts.
    name: what it is called in the cluster; empty for a name of its own."""

    def __init__(self, database: str, name: str = "") -> None:
        self.database = database
        self.name = name
        self._port = 0
        self._child: subprocess.Popen[str] | None = None
        self.start()

    def start(self) -> None:
        """Start it, and wait until it takes requests."""
        self._child = subprocess.Popen(
            [sys.executable, "-m", "arena.web", *self._flags()],
            env=environment(ARENA_LOG_LEVEL="error", ARENA_CLUSTER_NAME=self.name),
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._child.stdout is not None
        self.url = self._child.stdout.readline().strip()
        assert self.url, "the referee did not start"
        self._port = int(self.url.rpartition(":")[2])

    def kill(self) -> None:
        """End it as a power cut would."""
        self.end(signal.SIGKILL)

    def end(self, how: int = signal.SIGTERM) -> None:
        """End it."""
        assert self._child is not None
        self._child.send_signal(how)
        self._child.wait(120)
        assert self._child.stdout is not None
        self._child.stdout.close()

    @property
    def running(self) -> bool:
        """Has it not been ended?"""
        return self._child is not None and self._child.poll() is None

    def _flags(self) -> Sequence[str]:
        return ("--port", str(self._port), "--database", self.database)


class Caller:
    """A client without stickiness: every request goes to a referee drawn by lot."""

    def __init__(self, urls: Sequence[str], token: str | None, random: Random) -> None:
        self._urls = urls
        self._random = random
        self._http = requests.Session()
        self._http.trust_env = False
        self._http.headers["Authorization"] = f"Bearer {token}" if token else ""
        if not token:
            del self._http.headers["Authorization"]

    def __call__(self, method: str, path: str, body: Document | None = None) -> requests.Response:
        """One request, sent again elsewhere if nobody could answer it."""
        until_s = time.monotonic() + PATIENCE_S
        while True:
            url = self._random.choice(self._urls)
            try:
                got = self._http.request(method, f"{url}/api/v1{path}", json=body, timeout=40)
                if got.status_code not in (502, 503, 504):
                    return got
            except requests.RequestException:
                pass
            assert time.monotonic() < until_s, f"nobody answers {method} {path}"
            time.sleep(0.05)

    def ask(self, method: str, path: str, body: Document | None = None) -> Document:
        """The document of a request that must succeed."""
        got = self(method, path, body)
        assert got.ok, (method, path, got.status_code, got.text[:500])
        document: Document = got.json()
        return document

    def close(self) -> None:
        """Let the connections go."""
        self._http.close()


def choice(turn: Mapping[str, Any]) -> int:
    """What a deterministic bot answers: a function of the turn alone."""
    return crc32(turn["turn"].encode()) % len(turn["legal"])


class Diarist(threading.Thread):
    """A bot that notes every answer that was accepted, and everything that went wrong."""

    def __init__(self, urls: Sequence[str], session: str, number: int) -> None:
        super().__init__(daemon=True)
        anybody = Caller(urls, None, Random(number))
        made = anybody.ask("POST", "/bots", {"name": f"bot-{number}", "owner": f"owner-{number}"})
        anybody.close()
        self.bot: str = made["bot"]["id"]
        self.call = Caller(urls, made["token"], Random(1000 + number))
        self.call.ask("PUT", f"/sessions/{session}/entry")
        self.session = session
        self.diary: list[str] = []
        self.troubles: list[str] = []

    def run(self) -> None:
        """Play until the session is over."""
        status = "running"
        while status != "finished":
            turns = self.call.ask("GET", "/turns?wait=1")["turns"]
            for turn in turns:
                self._answer(turn)
            if not turns:
                status = self.call.ask("GET", f"/sessions/{self.session}")["status"]
        self.call.close()

    def _answer(self, turn: Document) -> None:
        got = self.call("POST", f"/turns/{turn['turn']}", {"choice": choice(turn)})
        if got.ok:
            if turn["turn"] not in self.diary:
                self.diary.append(turn["turn"])
        else:
            self.troubles.append(f"{got.status_code} {got.text[:300]}")


@contextmanager
def referees(database: str, count: int, *, names: str = "") -> Iterator[list[Process]]:
    """So many referees, started one after the other; all ended afterwards. names: how those begin
    that end with their numbers; a server takes a name only once, in all its schemas."""
    started: list[Process] = []
    try:
        for number in range(1, count + 1):
            started.append(Process(database, f"{names}{number}" if names else ""))
        yield started
    finally:
        for process in started:
            if process.running:
                process.kill()


def new_admin(database: str) -> str:
    """An organiser's token."""
    with open_store(database) as store:
        return Referee(store).registry.create_admin("organiser")


def undisturbed(document: Document, bots: int) -> Referee:
    """The same session played in one process without a server; the referee afterwards."""
    referee = Referee(open_store("memory:"))
    referee.start(threads=False)
    session = referee.create_session(document, "admin")["session"]
    referee.set_session(session, "open", "admin")
    ids = [referee.register(f"bot-{n}", f"owner-{n}")[0]["id"] for n in range(bots)]
    for bot in ids:
        referee.enter(session, bot)
    referee.set_session(session, "start", "admin")
    while turns := [(bot, turn) for bot in ids for turn in referee.turns(bot)["turns"]]:
        for bot, turn in turns:
            referee.answer(bot, turn["turn"], {"choice": choice(turn)})
    assert referee.queries.session(session)["status"] == "finished"
    return referee


def without_chance(standings: Document) -> Document:
    """Standings without what differs between two runs with the same deals: ids, times, and the
    digest, which covers these."""
    groups = [
        {**group, "rows": [_without(row, "bot", "move_ms") for row in group["rows"]]}
        for group in standings["groups"]
    ]
    return {**_without(standings, "digest"), "groups": groups}


def _without(document: Document, *names: str) -> Document:
    return {name: value for name, value in document.items() if name not in names}


assert os.name == "posix"
