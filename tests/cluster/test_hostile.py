"""Two referees as processes, and who does not mean them well: at the port that is for referees, at
the outer one with fields that are none of a client's business, and with heads at their limits."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from random import Random
from urllib.parse import urlsplit

import pytest

from arena.bench.cluster.proxy import Proxy
from arena.bench.cluster.referees import free_port
from arena.documents import Document
from arena.web.server.heads import LARGEST_HEAD, MOST_FIELDS
from tests.cli.shell import environment
from tests.cluster.arena import PATIENCE_S, SESSION, Caller, Process, new_admin, referees
from tests.postgres import Server

pytestmark = pytest.mark.server
SESSION_PATH = "/api/v1/sessions/cup"


class Two:
    """Two referees, a session that one of them plays, and an organiser."""

    def __init__(self, database: str, processes: list[Process]) -> None:
        self.database = database
        self.token = new_admin(database)
        self.by_name = {process.name: process for process in processes}
        self.caller = Caller([process.url for process in processes], self.token, Random(3))
        self.caller.ask("POST", "/sessions", {**SESSION, "slug": "cup"})
        self.caller.ask("POST", "/sessions/cup/open")
        tokens = []
        for number in range(3):
            bot = {"name": f"bot-{number}", "owner": f"owner-{number}"}
            tokens.append(self.caller.ask("POST", "/bots", bot)["token"])
            caller = Caller([processes[0].url], tokens[-1], Random(4))
            caller.ask("PUT", "/sessions/cup/entry")
            caller.close()
        self.bot = tokens[0]
        self.caller.ask("POST", "/sessions/cup/start")

    def referees(self) -> dict[str, Document]:
        """All of them, by name."""
        return {each["name"]: each for each in self.caller.ask("GET", "/cluster")["referees"]}

    def await_status(self, name: str, status: str) -> Document:
        """What the others say of a referee once that is its status."""
        until_s = time.monotonic() + PATIENCE_S
        while (row := self.referees().get(name, {})).get("status") != status:
            assert time.monotonic() < until_s, row
            time.sleep(0.05)
        return row

    def elsewhere(self) -> Process:
        """The referee that is not the home of the session."""
        (lease,) = self.caller.ask("GET", "/cluster")["sessions"]
        return next(each for name, each in self.by_name.items() if name != lease["home"])


@pytest.fixture(scope="module")
def two(postgres: Server) -> Iterator[Two]:
    database = postgres.create()
    with referees(database, 2, names="attacked-") as processes:
        both = Two(database, processes)
        yield both
        both.caller.close()


def status_of(url: str, head: bytes) -> int:
    """The status of the answer to a request, as it is sent."""
    parts = urlsplit(url)
    with socket.create_connection((parts.hostname or "", parts.port or 0), timeout=60) as sock:
        sock.sendall(head)
        return int(sock.makefile("rb").readline().split()[1])


def get(path: str, *fields: str) -> bytes:
    return "\r\n".join((f"GET {path} HTTP/1.1", "Host: arena.example", *fields, "", "")).encode(
        "latin-1"
    )


@pytest.mark.parametrize("path", ["/cluster/hello", "/cluster/cursor?bot=b&cursor=1", "/metrics"])
def test_the_port_of_referees_tells_nobody_anything(two: Two, path: str) -> None:
    secrets = (
        *([], [""], ["wrong"], ["\xff\x80"], ["a" * 4_000], ["wrong", "twice"]),
        ["wrong\r\nArena-Hop: attacked-1"],
    )
    for address in [each["address"] for each in two.referees().values()]:
        for shown in secrets:
            fields = [f"Arena-Cluster-Secret: {secret}" for secret in shown]
            assert status_of(address, get(path, *fields)) == 403
    for url in (each.url for each in two.by_name.values()):
        if path != "/metrics":
            assert status_of(url, get(path, "Arena-Cluster-Secret: wrong")) == 404


def test_fields_of_referees_are_nothing_from_a_client(two: Two) -> None:
    """Else a request with a hop or a part would be answered where it arrives, or refused there."""
    url, token = two.elsewhere().url, f"Authorization: Bearer {two.bot}"
    for forged in (
        *("Arena-Hop: attacked-1", "Arena-Hop: \xff", "Arena-Part: 1", "Arena-Cluster-Secret: x"),
        *("X-Forwarded-For: 1.2.3.4", "X-Forwarded-For: \xe9, 1.2.3.4", "Arena-Route: nowhere"),
        *("Cookie: arena_route=nowhere", f"Cookie: arena_route={'x' * 20_000}"),
        *("Cookie: arena_route=\xff\x80", "Cookie: arena_route=a; arena_route=b"),
    ):
        for path in (SESSION_PATH, "/api/v1/turns?max=1"):
            assert status_of(url, get(path, token, forged)) == 200


def test_the_longest_heads_that_clients_may_send_are_passed_on(two: Two) -> None:
    url, token = two.elsewhere().url, f"Authorization: Bearer {two.bot}"
    for path in (SESSION_PATH, "/api/v1/turns"):
        many = [f"X-{number}: a" for number in range(MOST_FIELDS - 2)]
        long = f"X-Long: {'a' * (LARGEST_HEAD - 400)}"
        assert status_of(url, get(path, token, *many)) == 200
        assert status_of(url, get(path, token, long)) == 200
        assert status_of(url, get(path, token, *many, "X-More: a")) == 400


def test_a_referee_that_the_others_cannot_reach_takes_no_session_until_they_can(two: Two) -> None:
    port, before = free_port(), Proxy(("127.0.0.1", free_port()))
    flags = ["--port", "0", "--database", two.database]
    child = subprocess.Popen(
        [sys.executable, "-m", "arena.web", *flags],
        env=environment(
            ARENA_LOG_LEVEL="error",
            ARENA_CLUSTER_NAME="attacked-alone",
            ARENA_CLUSTER_PORT=str(port),
            ARENA_CLUSTER_ADDRESS=f"http://127.0.0.1:{before.port}",
        ),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    try:
        assert child.stdout is not None
        alone = Caller([child.stdout.readline().strip()], two.token, Random(5))
        assert alone.ask("GET", "/sessions/cup")["status"] == "running", "it is passed on"
        row = two.await_status("attacked-alone", "isolated")
        assert row["sessions"] == 0
        assert f"http://127.0.0.1:{before.port}" in row["detail"]
        before.lead_to(("127.0.0.1", port))
        two.await_status("attacked-alone", "serving")
        alone.close()
    finally:
        child.kill()
        _, said = child.communicate()
        before.close()
    assert said.count("this referee takes no sessions") == 1
