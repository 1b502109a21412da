"""Streams through nginx and Caddy, and from another referee than the one that plays."""

from __future__ import annotations

import http.client
import os
import re
import signal
import socket
import ssl
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from random import Random

import pytest

from tests.cli.shell import ROOT
from tests.cluster.arena import BOTS, SESSION, Caller, Diarist, new_admin, referees
from tests.cluster.balancers import BALANCERS, Balancer
from tests.cluster.nginx import needed, wait_for
from tests.cluster.test_caddy import CADDYFILE, caddy, proxy
from tests.cluster.upstream import Upstream, serving
from tests.ports import free_port
from tests.postgres import Server
from tests.web.streams.served import SOON_S, Served, Spectator

pytestmark = pytest.mark.server

Front = Callable[[str], AbstractContextManager[str]]
ONE_ROUND = {"schedule": {"rounds": 1}, "clock": {"move_ms": 60_000}}
HAND = "cup-r01-t01-h001"
PIECES = (b"retry: 2000\n\n", b":\n\n", b"id: x.1\nevent: next\ndata: {}\n\n", b":\n\n")


@pytest.fixture(autouse=True)
def _our_own_code(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


@pytest.fixture(params=["nginx", "haproxy", "traefik", "caddy"])
def front(request: pytest.FixtureRequest, tmp_path: Path) -> Front:
    """What puts a proxy before a referee; it answers with the URL of the proxy."""
    if request.param in BALANCERS:
        return lambda url: without_tls(BALANCERS[request.param], url)
    return lambda url: proxy(tmp_path, url)


@contextmanager
def without_tls(before: Balancer, url: str) -> Iterator[str]:
    """A balancer before one referee; its URL without TLS."""
    with before([url]) as front:
        yield front.plain


def port_of(url: str) -> int:
    """The port in a URL."""
    return int(url.rpartition(":")[2])


def test_each_piece_and_each_heartbeat_passes_at_once(front: Front) -> None:
    """The next piece is sent only when the one before has arrived."""
    upstream = Upstream()
    with serving(upstream) as behind, front(behind) as url:
        connection = http.client.HTTPConnection("127.0.0.1", port_of(url), timeout=SOON_S)
        headers = {"Last-Event-ID": "x.7", "Accept": "text/event-stream"}
        upstream.pieces.put(PIECES[0])
        connection.request("GET", "/api/v1/stream?hand=x", headers=headers)
        response = connection.getresponse()
        assert response.getheader("Content-Type") == "text/event-stream; charset=utf-8"
        assert response.getheader("Content-Encoding") is None
        assert response.read1(100) == PIECES[0]
        for piece in PIECES[1:]:
            upstream.pieces.put(piece)
            assert response.read1(100) == piece
        sent = next(heads for _, path, heads in upstream.requests if path != "/readyz")
        heads = {name.lower(): value for name, value in sent.items()}
        assert heads["last-event-id"] == "x.7"
        upstream.pieces.put(None)
        assert response.read() == b""
        connection.close()


def test_a_reader_who_goes_is_gone_for_the_referee_too(front: Front) -> None:
    upstream = Upstream()
    with serving(upstream) as behind, front(behind) as url:
        connection = http.client.HTTPConnection("127.0.0.1", port_of(url), timeout=SOON_S)
        upstream.pieces.put(PIECES[0])
        connection.request("GET", "/api/v1/stream?hand=x")
        assert connection.getresponse().read1(100) == PIECES[0]
        connection.close()
        for _ in range(round(SOON_S / 0.05)):
            if upstream.left.wait(0.05):
                break
            upstream.pieces.put(b":\n\n")
        assert upstream.left.is_set()


@pytest.mark.parametrize("front", ["nginx", "caddy"], indirect=True)
def test_behind_a_proxy_a_stream_goes_on_after_a_kill_without_a_gap_or_a_double(
    front: Front, tmp_path: Path
) -> None:
    (tmp_path / "arena").mkdir()
    with Served(tmp_path / "arena") as served, front(served.url) as url:
        spectator = Spectator(port_of(url), f"hand={HAND}")
        spectator.start()
        assert spectator.connected.wait(SOON_S)
        served.play(HAND, 12, pause_s=0.03)
        os.kill(served.pid, signal.SIGKILL)
        served.wait()
        served.start()
        served.play(HAND)
        spectator.join(SOON_S)
        assert not spectator.is_alive()
        assert spectator.breaks >= 1
        log: list[object] = []
        for event in spectator.events:
            if event.event == "events":
                assert event.data["after"] == len(log)
                log += event.data["events"]
        assert len(log) == len(served.events(HAND)) > 50


def wait_for_certificate(port: int) -> None:
    """Wait until a server that listens can do a handshake: Caddy makes its certificate by then."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for _ in range(round(SOON_S / 0.1)):
        try:
            with (
                socket.create_connection(("localhost", port), SOON_S) as plain,
                context.wrap_socket(plain, server_hostname="localhost"),
            ):
                return
        except (ssl.SSLError, ConnectionError):
            time.sleep(0.1)
    pytest.fail(f"no handshake on port {port} within {SOON_S} s")


@pytest.fixture
def secure_caddy(tmp_path: Path) -> Callable[[str], Iterator[str]]:
    """Our Caddyfile with a certificate of its own for this machine, trusted by nobody."""
    text = CADDYFILE.read_text(encoding="utf-8")
    assert "\tadmin off\n" in text
    file = tmp_path / "Caddyfile"
    file.write_text(
        text.replace(
            "\tadmin off\n", "\tadmin off\n\tskip_install_trust\n\tauto_https disable_redirects\n"
        )
    )

    def start(behind: str) -> Iterator[str]:
        port = free_port()
        process = caddy(tmp_path, f"https://localhost:{port}", behind, "run", file=file)
        try:
            wait_for(port, process)
            wait_for_certificate(port)
            yield f"https://localhost:{port}"
        finally:
            process.terminate()
            process.communicate(timeout=30)

    return start


def test_with_http_2_many_streams_of_a_browser_share_a_connection(
    secure_caddy: Callable[[str], Iterator[str]],
) -> None:
    upstream = Upstream()
    with serving(upstream) as behind:
        for url in secure_caddy(behind):
            command = [needed("curl"), "--http2", "-skN", "-D", "-", f"{url}/api/v1/stream?hand=x"]
            with subprocess.Popen(command, stdout=subprocess.PIPE) as curl:
                assert curl.stdout is not None
                upstream.pieces.put(PIECES[0])
                assert curl.stdout.readline() == b"HTTP/2 200 \r\n"
                while curl.stdout.readline() not in (b"\r\n", b""):
                    continue
                assert curl.stdout.readline() + curl.stdout.readline() == PIECES[0]
                for piece in (b":\n\n", b"data: {}\n\n"):
                    upstream.pieces.put(piece)
                    assert curl.stdout.readline() + curl.stdout.readline() == piece
                upstream.pieces.put(None)
                assert curl.communicate(timeout=SOON_S)[0] == b""
            assert curl.returncode == 0


def test_a_follower_at_one_referee_sees_what_is_played_at_another(postgres: Server) -> None:
    database = postgres.create()
    admin = new_admin(database)
    with referees(database, 2) as (home, other):
        organiser = Caller([home.url], admin, Random(1))
        organiser.ask("POST", "/sessions", SESSION | ONE_ROUND)
        organiser.ask("POST", "/sessions/cluster/open")
        bots = [Diarist([home.url], "cluster", number) for number in range(BOTS)]
        organiser.ask("POST", "/sessions/cluster/start")
        hand = "cluster-r01-t01-h001"
        while organiser("GET", f"/hands/{hand}/events").status_code != 200:
            continue
        spectators = [Spectator(port_of(each.url), f"hand={hand}") for each in (home, other)]
        for spectator in spectators:
            spectator.start()
            assert spectator.connected.wait(SOON_S)
        for bot in bots:
            bot.start()
        for spectator in spectators:
            spectator.join(SOON_S)
            assert not spectator.is_alive()
        for bot in bots:
            bot.join(SOON_S)
            assert not bot.is_alive()
            assert bot.troubles == []
        organiser.close()
    at_home, elsewhere = (
        [(event.id, event.event, event.data) for event in spectator.events]
        for spectator in spectators
    )
    assert at_home == elsewhere
    assert [kind for _, kind, _ in elsewhere[-2:]] == ["over", "next"]
    assert all(re.fullmatch(rf"{hand}\.[0-9]+", name) for name, _, _ in elsewhere)
