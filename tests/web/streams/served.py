"""An arena in a process of its own, its bots played by the test, and somebody who follows.

The process can be killed and started again on the same port and the same database.
"""

from __future__ import annotations

import http.client
import json
import threading
import time
from pathlib import Path
from types import TracebackType
from typing import Any

from arena.application import Referee
from arena.processes import Processes, start_referee
from arena.store import open_store
from tests.ports import free_port
from tests.web.streams.reading import STREAM, Event, events_of

SOON_S = 120.0
AWAY = (502, 503, 504)
ENVIRON = {"ARENA_REQUESTS_PER_S": "0", "ARENA_LOG_LEVEL": "warning"}


class Served:
    """A running arena with a session of four bots; ends with its context. more: settings."""

    def __init__(self, folder: Path, more: dict[str, str] | None = None) -> None:
        self._processes = Processes(folder)
        self._database = f"sqlite:///{folder / 'arena.db'}"
        self._environ = ENVIRON | (more or {})
        self._starts = 0
        with open_store(self._database) as store:
            referee = Referee(store)
            self._admin = referee.registry.create_admin("organiser")
            self._bots = [referee.register(f"bot-{n}", f"owner-{n}")[1] for n in range(4)]
        self.port = free_port()
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SOON_S)
        self.url = f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Served:
        self.start()
        document = {
            "name": "Cup",
            "slug": "cup",
            "seats": 4,
            "hands_per_table": 2,
            "schedule": {"rounds": 1},
            "clock": {"move_ms": 60_000},
        }
        self.ask("POST", "/sessions", document)
        self.ask("POST", "/sessions/cup/open")
        for token in self._bots:
            self.ask("PUT", "/sessions/cup/entry", token=token)
        self.ask("POST", "/sessions/cup/start")
        self.wait_for_hands(over=0, playing=1)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._connection.close()
        self._processes.stop()

    def start(self) -> None:
        """Start the process, for the first time or again."""
        self._starts += 1
        name = f"arena-{self._starts}"
        url = start_referee(
            self._processes, self._database, port=self.port, name=name, environ=self._environ
        )
        assert url == self.url
        self.pid = self._processes.pid(name)
        self._connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=SOON_S)

    def wait(self) -> None:
        """Wait until the process has ended."""
        self._connection.close()
        self._processes.wait([f"arena-{self._starts}"], within_s=SOON_S)
        assert f"arena-{self._starts}" in self._processes.ended()

    def ask(
        self, method: str, path: str, body: Any = None, *, token: str | None = None
    ) -> dict[str, Any]:
        """A request to the API; its answer."""
        headers = {"Authorization": f"Bearer {token or self._admin}"}
        if body is not None:
            headers["Content-Type"] = "application/json"
        data = json.dumps(body) if body else None
        self._connection.request(method, f"/api/v1{path}", data, headers)
        response = self._connection.getresponse()
        text = response.read()
        assert response.status < 300, (path, response.status, text)
        answer: dict[str, Any] = json.loads(text)
        return answer

    def play(self, hand: str, most: int = 100_000, *, pause_s: float = 0.0) -> int:
        """Answer what waits in a hand, with plays rather than passes, until it is over; how many
        answers that were."""
        played = 0
        until_s = time.monotonic() + SOON_S
        while played < most and not self.ask("GET", f"/hands/{hand}")["ended"]:
            assert time.monotonic() < until_s
            for token in self._bots:
                for turn in self.ask("GET", "/turns", token=token)["turns"]:
                    if turn["hand"] == hand and played < most:
                        legal = turn["legal"]
                        answer = next((each for each in legal if "pass" not in each), legal[0])
                        self.ask("POST", f"/turns/{turn['turn']}", answer, token=token)
                        played += 1
                        time.sleep(pause_s)
        return played

    def wait_for_hands(self, *, over: int, playing: int) -> None:
        """Wait until this many hands are over, and this many played: the next one is dealt a moment
        after the last answer."""
        until_s = time.monotonic() + SOON_S
        found = (-1, -1)
        while found != (over, playing):
            assert time.monotonic() < until_s, found
            progress = self.ask("GET", "/sessions/cup")["progress"]
            found = progress["hands_finished"], progress["hands_playing"]
            time.sleep(0.02)

    def events(self, hand: str) -> list[dict[str, Any]]:
        """The log of a hand as it may be seen by now."""
        log: list[dict[str, Any]] = self.ask("GET", f"/hands/{hand}/events")["events"]
        return log


class Spectator(threading.Thread):
    """One who follows over HTTP, and comes back whenever the stream breaks off, as a browser does.

    breaks: how often it did.
    """

    def __init__(self, port: int, query: str) -> None:
        super().__init__(daemon=True)
        self.events: list[Event] = []
        self.breaks = 0
        self._port = port
        self._query = query
        self._last = ""
        self.connected = threading.Event()

    def run(self) -> None:
        """Follow until nothing comes any more."""
        while not (self.events and self.events[-1].event == "next"):
            try:
                self._follow()
            except (OSError, http.client.HTTPException):
                self.breaks += 1
                time.sleep(0.05)

    def _follow(self) -> None:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=SOON_S)
        try:
            self._read(connection)
        finally:
            connection.close()

    def _read(self, connection: http.client.HTTPConnection) -> None:
        headers = {"Last-Event-ID": self._last} if self._last else {}
        connection.request("GET", f"{STREAM}?{self._query}", headers=headers)
        response = connection.getresponse()
        if response.status in AWAY:
            raise ConnectionError("nobody answers behind the proxy")
        assert response.status == 200, response.status
        self.connected.set()
        block = ""
        while line := response.readline().decode():
            block += line
            if line == "\n":
                for event in events_of(block):
                    self.events.append(event)
                    self._last = event.id
                block = ""
        if not self.events or self.events[-1].event != "next":
            raise ConnectionError("it ended before the hand did")
