"""The real server: bots play to the end while others export, in a loop, what is large."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
import requests

from arena.application import Referee
from arena.bench.stored import WIDE, fill_one
from arena.processes import Processes, start_referee
from arena.store import open_store

pytestmark = pytest.mark.server


class Served:
    """A referee in a process of its own with a big session that is over, and a small open one."""

    def __init__(self, url: str, tokens: list[str]) -> None:
        self.url = f"{url}/api/v1"
        self.root = url
        self.tokens = tokens

    def http(self, token: str | None = None) -> requests.Session:
        created = requests.Session()
        created.trust_env = False
        if token:
            created.headers["Authorization"] = f"Bearer {token}"
        return created


@pytest.fixture
def served(tmp_path: Path) -> Iterator[Served]:
    file = tmp_path / "starve.db"
    fill_one(file, "big", WIDE)
    database = f"sqlite:///{file.as_posix()}"
    with open_store(database) as store:
        referee = Referee(store)
        referee.start(threads=False)
        referee.create_session(
            {"name": "Cup", "slug": "cup", "hands_per_table": 2, "clock": {"move_ms": 60_000}},
            "test",
        )
        created = [referee.register(f"bot-{n}", f"owner-{n}") for n in range(4)]
        for bot, _ in created:
            referee.add_bot("cup", bot["id"], "test")
        referee.set_session("cup", "start", "test")
        referee.stop()
    with Processes(tmp_path) as processes:
        url = start_referee(processes, database, environ={"ARENA_REQUESTS_PER_S": "0"})
        yield Served(url, [token for _, token in created])


def play(served: Served, token: str, over: threading.Event) -> None:
    """Answer whatever waits until the session is over."""
    http = served.http(token)
    while not over.is_set():
        result = http.get(f"{served.url}/turns?wait=0.5", timeout=40).json()
        for turn in result["turns"]:
            path = f"{served.url}/turns/{turn['turn']}"
            assert http.post(path, json={"choice": 0}, timeout=40).status_code == 200
        if not result["turns"]:
            status = http.get(f"{served.url}/sessions/cup", timeout=40).json()["status"]
            if status == "finished":
                over.set()


def export(served: Served, over: threading.Event, sizes: set[int]) -> None:
    """Export the big session until the small one is over, at least once."""
    http = served.http()
    while not over.is_set() or not sizes:
        answer = http.get(f"{served.url}/sessions/big/records", timeout=120)
        assert answer.status_code in (200, 429, 503)
        if answer.status_code == 200:
            sizes.add(len(answer.content))


def test_bots_play_on_while_others_export(served: Served) -> None:
    over, sizes = threading.Event(), set[int]()
    exporting = [
        threading.Thread(target=export, args=(served, over, sizes), daemon=True) for _ in range(4)
    ]
    playing = [
        threading.Thread(target=play, args=(served, token, over), daemon=True)
        for token in served.tokens
    ]
    for thread in (*exporting, *playing):
        thread.start()
    for thread in (*playing, *exporting):
        thread.join(240)
    assert over.is_set()
    assert len(sizes) == 1, "every export has the same bytes"
    answer = served.http().get(f"{served.url}/sessions/big/records", stream=True, timeout=60)
    tag, length = answer.headers["ETag"], int(answer.headers["Content-Length"])
    answer.close()
    assert {length} == sizes or answer.headers.get("Content-Encoding") == "gzip"
    again = served.http().get(
        f"{served.url}/sessions/big/records", headers={"If-None-Match": tag}, timeout=60
    )
    assert (again.status_code, again.content) == (304, b"")
    part = served.http().get(
        f"{served.url}/sessions/big/records",
        headers={"Range": "bytes=0-9", "Accept-Encoding": "identity"},
        timeout=60,
    )
    assert part.status_code in (200, 206)
    metrics = served.http().get(f"{served.root}/metrics", timeout=40).text
    assert "arena_loop_lag_seconds" in metrics
    assert "arena_standstills_total" in metrics
