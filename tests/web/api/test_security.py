"""No way in: slow and half-open connections, injected headers and names, guards on every answer."""

from __future__ import annotations

import json
import logging
import socket
import time
from collections.abc import Callable, Iterator

import pytest
from flask import Flask
from flask.testing import FlaskClient

from arena.settings import Settings
from arena.store.port import BotRow
from arena.web.app import route_tables
from arena.web.server import connections, request_bodies
from tests.real import Real
from tests.web.server.test_http_server import CLOSING, SMALL, Running

API = "/api/v1"
ENDING = b" HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
GUARDS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
}
SHORT_S = 0.3
OTHERS = 40


@pytest.fixture
def running(app: Flask, monkeypatch: pytest.MonkeyPatch) -> Iterator[Running]:
    """A server that loses patience soon."""
    monkeypatch.setattr(connections, "HEAD_S", SHORT_S)
    monkeypatch.setattr(request_bodies, "BODY_S", SHORT_S)
    monkeypatch.setattr(request_bodies, "DISCARD_S", SHORT_S)
    created = Running(app)
    yield created
    created.stop()


def connected(running: Running, data: bytes = b"", *, room: int = 0) -> socket.socket:
    """room: what the system takes for a client that does not read, 0 for as much as it likes."""
    sock = socket.socket()
    sock.settimeout(120)
    if room:
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, room)
    sock.connect(("127.0.0.1", running.port))
    sock.sendall(data)
    return sock


def everything(sock: socket.socket) -> bytes:
    return b"".join(iter(lambda: sock.recv(65_536), b""))


@pytest.mark.parametrize(
    "begun",
    [
        b"G",
        b"GET /healthz HT",
        b"GET /healthz HTTP/1.1\r\nHos",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n",
        SMALL + b"Authorization: Bearer dfa_" + b"a" * 43 + b"\r\nContent-Length: 50\r\n\r\n{",
        SMALL
        + b"Authorization: Bearer dfa_"
        + b"a" * 43
        + b"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{",
    ],
)
def test_who_sends_too_slowly_is_sent_away_and_keeps_nobody_waiting(
    begun: bytes, running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    slow = [connected(running, begun) for _ in range(OTHERS)]
    assert b" 200 OK" in running.raw(CLOSING)
    for sock in slow:
        result = everything(sock)
        assert not result or result.startswith(b"HTTP/1.1 400 "), result[:80]
        sock.close()
    lines = [r for r in caplog.records if "is too slow" in r.getMessage()]
    assert len(lines) == (0 if begun.startswith(SMALL) else 1)


def test_drops_of_a_head_do_not_prolong_it(running: Running) -> None:
    sock = connected(running, b"GET /healthz HTTP/1.1\r\nHost: x\r\n")
    assert broken_off(sock, b"X: y\r\n")
    sock.close()


def broken_off(sock: socket.socket, drop: bytes) -> bool:
    """Send drop after drop; does the other side hang up?"""
    until = time.monotonic() + 120
    while time.monotonic() < until:
        try:
            sock.sendall(drop)
        except ConnectionError:
            return True
        time.sleep(SHORT_S / 4)
    return False


def test_half_open_connections_cost_nobody_anything(running: Running) -> None:
    open_ = [connected(running) for _ in range(300)]
    for sock in open_[::2]:
        sock.shutdown(socket.SHUT_WR)
    assert b" 200 OK" in running.raw(CLOSING)
    idle = open_[1]
    idle.sendall(CLOSING)
    assert b" 200 OK" in everything(idle)
    for sock in open_:
        sock.close()


@pytest.mark.slow
def test_an_idle_connection_is_closed_after_a_while(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connections, "IDLE_S", SHORT_S)
    running = Running(app)
    asking = connected(running, b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n")
    assert b" 200 OK" in everything(asking)
    monkeypatch.setattr(connections, "FIRST_S", SHORT_S)
    quiet = connected(running)
    assert everything(quiet) == b""
    quiet.close()
    asking.close()
    running.stop()


@pytest.mark.slow
def test_a_client_that_takes_nothing_is_given_up_and_the_others_do_not_wait(
    app: Flask, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    monkeypatch.setattr(connections, "SEND_S", SHORT_S)
    running = Running(app)
    asking = b"GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n" * 400
    greedy = [connected(running, asking, room=4_096) for _ in range(20)]
    assert b" 200 OK" in running.raw(CLOSING)
    while running.server.admission.inside:  # until all of them are given up
        assert b" 200 OK" in running.raw(CLOSING)
    assert running.server.busy == 0
    begun = sum(b" 200 OK" in write[:20] and len(write) > 50_000 for write in running.writes)
    assert begun <= len(greedy) * 3
    result = [r.getMessage() for r in caplog.records if "too slowly" in r.getMessage()]
    assert result == ["a client took its answer too slowly"]
    for sock in greedy:
        sock.close()
    running.stop()


@pytest.mark.parametrize(
    ("taken", "blocked_s", "rest_s"),
    [
        (0, 0.0, 20.0),
        (0, 15.0, 5.0),
        (0, 20.0, 0.0),
        (8_192 * 100, 20.0, 20.0),
        (8_192 * 100, 115.0, 5.0),
        (8_192 * 100, 121.0, 0.0),
    ],
)
def test_a_long_answer_may_take_longer_but_not_stand_still(
    taken: int, blocked_s: float, rest_s: float
) -> None:
    assert connections.remaining_patience_s(taken, blocked_s) == rest_s


def test_an_answer_that_is_taken_in_small_pieces_comes_whole() -> None:
    whole = b"0123456789" * 150_000

    def long_app(environ: object, start_response: Callable[..., object]) -> list[bytes]:
        start_response("200 OK", [("Content-Length", str(len(whole)))])
        return [whole]

    running = Running(long_app)
    sock = connected(running, CLOSING, room=4_096)
    assert everything(sock).endswith(b"\r\n\r\n" + whole)
    sock.close()
    running.stop()


@pytest.mark.slow
def test_who_asks_ahead_takes_turns_with_all_others(running: Running) -> None:
    ahead = [connected(running, b"GET /x HTTP/1.1\r\nHost: x\r\n\r\n" * 10) for _ in range(100)]
    assert b" 200 OK" in running.raw(CLOSING)
    for sock in ahead:
        sock.shutdown(socket.SHUT_WR)
        assert everything(sock).count(b"HTTP/1.1 404 ") == 10
        sock.close()


def guarded(headers: dict[str, str]) -> bool:
    policy = headers.get("Content-Security-Policy", "")
    wanted = GUARDS | ({"Cache-Control": "no-cache"} if "ETag" in headers else {})
    if "form-action 'self'" in policy:  # a form needs to say where it comes from
        wanted |= {"Referrer-Policy": "same-origin"}
    return policy.startswith("default-src 'none'; frame-ancestors 'none'") and all(
        headers.get(name) == value for name, value in wanted.items()
    )


@pytest.mark.slow
def test_every_answer_of_every_route_is_guarded() -> None:
    real = Real()
    real.session()
    paths = [
        (endpoint.method, prefix + endpoint.path)
        for prefix, endpoints in route_tables(Settings()).values()
        for endpoint in endpoints
    ]
    for client in (real.anybody, real.bots[0], real.organiser):
        for method, path in [*paths, ("GET", "/nowhere"), ("PATCH", "/healthz")]:
            for name, value in (("session", "cup"), ("hand", "cup-r01-t01-h001")):
                path = path.replace(f"{{{name}}}", value)
            if any(part in path for part in ("entry", "token", "{action}", "cancel")):
                continue
            response = client.open(path, method=method, json={} if method == "POST" else None)
            assert guarded(dict(response.headers)), (method, path, response.status_code)
            forms = "form-action 'self'" in response.headers["Content-Security-Policy"]
            assert not forms or path.startswith("/seat"), path
    page = real.anybody.get(f"{API}/sessions/cup/standings?format=html")
    assert page.mimetype == "text/html"
    assert "unsafe" not in page.headers["Content-Security-Policy"]
    assert guarded(dict(page.headers))


@pytest.mark.parametrize("data", [b"garbage\r\n\r\n", SMALL + b"Content-Length: x\r\n\r\n"])
def test_what_never_reaches_the_app_is_guarded_too(data: bytes, running: Running) -> None:
    head = running.raw(data).partition(b"\r\n\r\n")[0].decode("latin-1")
    headers = dict(line.split(": ", 1) for line in head.split("\r\n")[1:])
    assert guarded(headers), headers


@pytest.mark.parametrize("end", [b"%0d%0aSet-Cookie:%20x=1", b"%0aX-Y:%20z", b"\rX-Y: z"])
def test_nothing_in_a_path_becomes_a_header(end: bytes, running: Running) -> None:
    for path in (b"/api/v1/sessions/x", b"/schemas/x", b"/api/v1/sessions/x/records?after="):
        head = running.raw(b"GET " + path + end + ENDING)
        head = head.partition(b"\r\n\r\n")[0].lower()
        assert b"\nset-cookie" not in head
        assert b"\nx-y" not in head


@pytest.mark.parametrize(
    "name",
    [
        "a\r\nX: y",
        "a\x00b",
        "a\x1b[31m",
        "a\u202eb",
        "a\u200bb",
        "a\u2066b",
        " a",
        "a ",
        "\ufeffa",
        "аdmin",  # Cyrillic a
        "аре",  # all Cyrillic, reads as Latin
        "ａｄｍｉｎ",
        "𝐚𝐝𝐦𝐢𝐧",
        "e\u0301",
        "z̈̈̈̈a",
        "",
        "x" * 41,
        "house-1",
    ],
)
def test_names_that_deceive_are_refused_with_the_reason(name: str) -> None:
    response = Real().anybody.post(f"{API}/bots", json={"name": name})
    assert response.status_code == 400, name
    assert response.json is not None
    assert response.json["code"] in ("bad_value", "invalid")


@pytest.mark.parametrize(
    "name", ["<script>alert(1)</script>", 'a"b', "a|b", "=1+1", "花子", "ボブ-2"]
)
def test_names_are_shown_safely_also_those_of_older_databases(name: str) -> None:
    real = Real()
    bot = "b-old"
    real.store.write(BotRow(bot, name, name, "h" * 64, 1, False, "bot"))
    real.session()
    real.organiser.post(f"{API}/sessions", json={"name": "Two", "slug": "two"})
    assert real.organiser.put(f"{API}/sessions/two/entries/{bot}").status_code == 200
    page = real.anybody.get(f"{API}/sessions/two/standings?format=html").text
    assert "<script>" not in page
    table = real.anybody.get(f"{API}/sessions/two/standings?format=csv")
    assert table.mimetype == "text/csv"
    for form in ("csv", "tsv"):
        text = real.anybody.get(f"{API}/sessions/two/standings?format={form}").text
        assert name in text or '""' in text
        assert ("'=1+1" in text) == (name == "=1+1")


def bodies(client: FlaskClient, times: int) -> list[int]:
    return [client.get(f"{API}/whoami").status_code for _ in range(times)]


def test_each_token_has_a_limit_of_its_own_and_answers_when_to_come_back() -> None:
    real = Real(settings=Settings(requests_per_s=2, request_burst=10))
    real.session()
    greedy, modest = real.bots[:2]
    assert bodies(greedy, 60)[-1] == 429
    assert bodies(modest, 3) == [200] * 3
    refused = greedy.get(f"{API}/whoami")
    assert refused.json is not None
    wait_s = int(refused.headers["Retry-After"])
    assert refused.json["retry_after_s"] == wait_s
    real.clock.pass_ms(1_000 * wait_s)
    assert bodies(greedy, 1) == [200]


def test_a_bot_at_its_limit_still_answers_its_turn() -> None:
    real = Real(settings=Settings(requests_per_s=1, request_burst=10))
    real.session()
    [(number, turn)] = real.waiting()
    bot = real.bots[number]
    assert bodies(bot, 50)[-1] == 429
    answer = {"cards": [turn["held"][0]]}
    assert bot.post(f"{API}/turns/{turn['turn']}", json=answer).status_code == 200


@pytest.mark.parametrize("form", ["dfa_{0}", "dfaadm_{0}", "dfa_{0}x", "DFA_{0}", "{0}"])
def test_a_token_that_is_nearly_one_is_none(form: str) -> None:
    real = Real()
    token = str(real.organiser.environ_base["HTTP_AUTHORIZATION"]).partition("_")[2]
    guess = form.format(token[:-1] if form == "dfaadm_{0}" else token)
    assert real.client(guess).get(f"{API}/whoami").status_code == 401


def test_a_bots_token_opens_no_organisers_door() -> None:
    real = Real()
    real.session()
    for prefix, endpoints in route_tables(Settings()).values():
        for endpoint in endpoints:
            if endpoint.scope.value == "admin":
                path = (prefix + endpoint.path).replace("{action}", "pause")
                response = real.bots[0].open(path, method=endpoint.method, json={"name": "x"})
                assert json.loads(response.data)["code"] == "forbidden", path
