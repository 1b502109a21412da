"""Who goes away leaves nobody waiting at another referee; and two servers, as they are served."""

from __future__ import annotations

import json
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import pytest
import requests

from tests.cli.shell import ROOT, environment

pytestmark = pytest.mark.server
HOPS = r'arena_hops_total\{to="elm"\}'
SOON_S = 20.0
"""Less than a poll waits at least that asks for 30 s."""


class Served(NamedTuple):
    """Two servers. urls: of the outer ones, by name; playing: the bot whose turn it is at elm."""

    urls: dict[str, str]
    tokens: list[str]
    playing: int
    turn: str

    def count(self, name: str, what: str) -> float:
        """A figure of a referee."""
        text = requests.get(f"{self.urls[name]}/metrics", timeout=SOON_S).text
        match = re.search(rf"^{what} ([0-9.]+)$", text, re.M)
        assert match is not None
        return float(match[1])

    def ask(self, head: str, *, name: str = "ash") -> socket.socket:
        """A connection over which this was sent."""
        host, port = self.urls[name].removeprefix("http://").split(":")
        sock = socket.create_connection((host, int(port)), timeout=SOON_S)
        sock.sendall(f"{head}\r\nHost: arena.example\r\n\r\n".encode())
        return sock


@pytest.fixture(scope="module")
def served() -> Iterator[Served]:
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.web.routing.served_pair"],
        cwd=ROOT,
        env=environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    told: dict[str, Any] = json.loads(process.stdout.readline())
    yield Served(**told)
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()


def until(what: Callable[[], bool]) -> None:
    """Wait until something is so."""
    limit_s = time.monotonic() + SOON_S
    while not what():
        assert time.monotonic() < limit_s
        time.sleep(0.01)


def test_a_poll_whose_client_has_gone_waits_nowhere(served: Served) -> None:
    token = served.tokens[(served.playing + 1) % 4]
    poll = f"GET /api/v1/turns?wait=30 HTTP/1.1\r\nAuthorization: Bearer {token}"
    with served.ask(poll):
        until(lambda: served.count("elm", "arena_waiters") == 1)
        assert served.count("ash", "arena_waiters") == 1
    until(lambda: served.count("elm", "arena_waiters") == 0)
    assert served.count("ash", "arena_waiters") == 0


def test_a_stream_whose_client_has_gone_takes_no_place(served: Served) -> None:
    with served.ask("GET /api/v1/stream?table=cup-r01-t01 HTTP/1.1") as sock:
        assert sock.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        until(lambda: served.count("elm", "arena_streams") == 1)
    until(lambda: served.count("elm", "arena_streams") == 0)
    assert served.count("ash", "arena_waiters") == 0


def test_the_head_of_a_stream_is_that_of_its_home_and_ends_with_itself(served: Served) -> None:
    head = "HEAD /api/v1/stream?table=cup-r01-t01 HTTP/1.1"
    both = f"{head}\r\nHost: arena.example\r\n\r\n{head}\r\nConnection: close"
    answers = []
    for name in ("ash", "elm"):
        with served.ask(both, name=name) as sock, sock.makefile("rb") as file:
            answers.append(file.read())
    for answer in answers:
        first, second, behind = answer.split(b"\r\n\r\n")
        assert first.startswith(b"HTTP/1.1 200 OK\r\n")
        assert second.startswith(b"HTTP/1.1 200 OK\r\n")
        assert behind == b""
        assert b"\r\nTransfer-Encoding: chunked" in first
        assert b"Content-Length" not in first


def test_many_requests_share_few_connections(served: Served) -> None:
    before = served.count("ash", HOPS)
    headers = {"Authorization": f"Bearer {served.tokens[0]}"}
    with requests.Session() as http:
        for _ in range(20):
            reply = http.get(f"{served.urls['ash']}/api/v1/turns", headers=headers, timeout=SOON_S)
            assert reply.status_code == 200
        assert http.cookies["arena_route"] == "elm"
    after = served.count("ash", HOPS)
    assert after - before == 20


def test_a_body_that_waits_for_leave_to_be_sent_is_passed_on(served: Served) -> None:
    token = served.tokens[served.playing]
    body = b'{"answers":[]}'
    head = (
        f"POST /api/v1/turns HTTP/1.1\r\nAuthorization: Bearer {token}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\nExpect: 100-continue"
    )
    with served.ask(head) as sock:
        assert sock.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        sock.sendall(body)
        answer = sock.recv(65_536)
    assert answer.startswith(b"HTTP/1.1 200 OK\r\n")
    assert answer.count(b"\r\nDate: ") == 1
    assert served.turn.encode() in answer


def test_the_internal_server_tells_nothing_to_who_has_no_secret(served: Served) -> None:
    """The outer server does not know its paths."""
    reply = requests.get(f"{served.urls['ash']}/cluster/hello", timeout=SOON_S)
    assert reply.status_code == 404
