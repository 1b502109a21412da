"""The HTTP server itself: sockets, one write for each answer, garbage, fairness, stopping."""

from __future__ import annotations

import contextlib
import json
import logging
import re
import socket
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection, HTTPResponse
from typing import Any

import gevent
import pytest
from flask import Flask
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from arena.application import Referee
from arena.settings import Settings
from arena.web import command
from arena.web.routing.router import PeerHandler
from arena.web.server import http_server as server_module
from arena.web.server.admission import Admission
from arena.web.server.fairness import RateLimiter
from arena.web.server.http_server import ArenaHandler, ArenaServer, is_loopback, serve, stop_server
from arena.web.server.patching import patch
from tests.ports import free_port
from tests.web.fakes import ALICE, FakeReferee

ANSWER = b'{"pass":true}'
HEADERS = {"Authorization": f"Bearer {ALICE}", "Content-Type": "application/json"}
CLOSING = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
SMALL = b"POST /api/v1/turns/t1 HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


class Counting:
    """A socket that notes what it is asked to send."""

    def __init__(self, sock: socket.socket, writes: list[bytes]) -> None:
        self._inner = sock
        self._writes = writes

    def send(self, data: bytes) -> int:
        self._writes.append(bytes(data))
        return self._inner.send(data)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)


class Running:
    """A server in a thread of its own, with what it saw."""

    def __init__(self, app: Callable[..., Any], admission: Admission | None = None) -> None:
        self._admission = admission
        self.writes: list[bytes] = []
        self.no_delay: list[int] = []
        self._app = app
        self._ready = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        assert self._ready.wait(120)

    def _run(self) -> None:
        running = self

        class Handler(ArenaHandler):
            def __init__(self, sock: socket.socket, address: Any, server: ArenaServer) -> None:
                running.no_delay.append(sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
                super().__init__(Counting(sock, running.writes), address, server)  # type: ignore[arg-type]

        self.server = ArenaServer(self._app, "127.0.0.1", 0, admission=self._admission)
        self.server.handler_class = Handler
        self.server.start()
        self.port = self.server.socket.getsockname()[1]
        self.url = self.server.url
        self._stop = gevent.get_hub().loop.async_()
        stopping = gevent.event.Event()
        self._stop.start(stopping.set)
        self._ready.set()
        stopping.wait()
        stop_server(self.server, lambda: None, drain_s=1)
        gevent.get_hub().destroy()

    def stop(self) -> None:
        self._stop.send()
        self._thread.join(120)

    def connect(self) -> HTTPConnection:
        return HTTPConnection("127.0.0.1", self.port, timeout=120)

    def raw(self, data: bytes) -> bytes:
        """Send bytes, take what comes until the server closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=120) as sock:
            sock.sendall(data)
            sock.shutdown(socket.SHUT_WR)
            parts = iter(lambda: sock.recv(65_536), b"")
            return b"".join(parts)


@pytest.fixture
def running(app: Flask) -> Iterator[Running]:
    created = Running(app)
    yield created
    created.stop()


def _post(connection: HTTPConnection) -> HTTPResponse:
    connection.request("POST", "/api/v1/turns/t1", body=ANSWER, headers=HEADERS)
    response = connection.getresponse()
    response.read()
    return response


def test_fifty_answers_on_one_connection_leave_in_one_write_each(running: Running) -> None:
    connection = running.connect()
    assert [_post(connection).status for _ in range(50)] == [200] * 50
    connection.close()
    assert len(running.writes) == 50
    assert all(w.startswith(b"HTTP/1.1 200 OK") and w.endswith(b"}") for w in running.writes)
    assert len(running.no_delay) == 1


def test_nagle_is_off_for_every_connection(running: Running) -> None:
    for _ in range(3):
        connection = running.connect()
        _post(connection)
        connection.close()
    assert len(running.no_delay) == 3
    assert all(running.no_delay)


def test_refusals_that_cost_their_sender_nothing_leave_at_a_pace_of_their_own(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    waited: list[int] = []
    monkeypatch.setattr(running.server.refusals, "wait", lambda: waited.append(len(waited)))
    connection = running.connect()
    junk = b'{"answers":[' + b",".join([b"{}"] * 21_001) + b"]}"
    answered = []
    for token in (ALICE, "dfa_nobody_s_token", ""):
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {token}"} if token else {}
        connection.request("POST", "/api/v1/turns", body=junk, headers=headers)
        response = connection.getresponse()
        response.read()
        answered.append((response.status, len(waited)))
    assert _post(connection).status == 200
    connection.close()
    assert answered == [(400, 0), (401, 1), (401, 2)]  # the first is charged for its size
    assert len(waited) == 2


@pytest.mark.parametrize(
    "data",
    [
        b"garbage\r\n\r\n",
        b"GET\r\n\r\n",
        b"POST / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/x\r\n\r\n",
        b"GET / HTTP/7\r\n\r\n",
        b"GET /" + b"a" * 9_000 + b" HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: " + b"a" * 70_000 + b"\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 200 + b"\r\n",
        SMALL + b"Content-Length: -1\r\n\r\n",
        SMALL + b"Content-Length: 1_3\r\n\r\n" + ANSWER,
        SMALL + b"Content-Length: +13\r\n\r\n" + ANSWER,
        SMALL + b"Content-Length: 13\r\nContent-Length: 5\r\n\r\n" + ANSWER,
        SMALL + b"Content-Length: x\r\n\r\n",
        SMALL + b"Content-Length: 13\r\nContent-Length: 13\r\n\r\n" + ANSWER,
        b"HEAD /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nno colon\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n: no name\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost : x\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: y\r\n a fold\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: y\0z\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\nX: y\rZ: z\r\n\r\n",
        b"GET /healthz HTTP/1.1\r\nHost: x\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ],
)
def test_what_is_no_http_is_a_problem_too(data: bytes, running: Running) -> None:
    head, _, body = running.raw(data).partition(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 400 Bad Request\r\n")
    assert b"Connection: close" in head
    problem = json.loads(body)
    assert problem["code"] == "bad_request"
    assert f"X-Request-Id: {problem['instance']}".encode() in head


@pytest.mark.parametrize(
    "data",
    [
        b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n5\r\n{\r\n0\r\n\r\n",
        b"Transfer-Encoding: chunked\r\n\r\n" + b"f" * 40 + b"\r\n",
        b"Content-Length: 50\r\n\r\n{",
    ],
)
def test_a_body_that_breaks_off_is_refused_and_the_connection_closed(
    data: bytes, running: Running
) -> None:
    token = f"Authorization: Bearer {ALICE}\r\n".encode()
    answer = running.raw(SMALL + token + data)
    assert answer.startswith(b"HTTP/1.1 400 "), answer
    assert answer.count(b"HTTP/1.1") == 1


def test_a_head_that_comes_again_is_read_as_the_first_time(running: Running) -> None:
    """Small differences count, however many heads there were before."""
    connection = running.connect()
    for number in [*range(9), *range(9)]:
        headers = {**HEADERS, "X-Request-Id": f"r-{number}"}
        body = ANSWER + b" " * number
        connection.request("POST", "/api/v1/turns/t1", body=body, headers=headers)
        response = connection.getresponse()
        response.read()
        assert (response.status, response.headers["X-Request-Id"]) == (200, f"r-{number}")
    connection.close()


@pytest.mark.parametrize("kind", [ArenaHandler, PeerHandler])
def test_long_heads_are_not_kept(kind: type[ArenaHandler]) -> None:
    """A connection of another referee knows many heads, and anybody may cause those."""
    handler = kind.__new__(kind)
    handler._parsed_heads = {}
    handler._bytes_behind_head = 0
    for number in range(200):
        for size in (40, 60_000):
            line = f"X-Sent: {number} ".encode() + b"a" * size
            handler._head_bytes = b"Host: x\r\n" + line + b"\r\n\r\n"
            assert handler._read_head() == handler._read_head()
    assert 0 < sum(map(len, handler._parsed_heads)) < 10_000


def test_bare_line_ends_and_the_next_request_behind_them_are_understood(running: Running) -> None:
    lenient = b"GET /healthz HTTP/1.1\nHost: x\n\n"
    answer = running.raw(lenient + b"\r\n" + lenient + CLOSING)
    assert answer.count(b"HTTP/1.1 200 OK") == 3


def test_an_answer_without_a_length_ends_with_the_connection_for_an_old_client() -> None:
    def app(environ: Any, start_response: Any) -> Iterator[bytes]:
        start_response("200 OK", [])
        return iter([b"a", b"b"])

    running = Running(app)
    old = running.raw(b"GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + CLOSING)
    new = running.raw(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n" + CLOSING)
    running.stop()
    assert old.count(b"HTTP/1.1 200 OK") == 1
    assert old.endswith(b"\r\n\r\nab")
    assert new.count(b"HTTP/1.1 200 OK") == 2


def test_an_answer_to_head_has_no_body_also_where_its_length_is_not_known() -> None:
    def app(environ: Any, start: Any) -> Iterator[bytes]:
        start("200 OK", [("Content-Type", "text/plain")])
        return iter(() if environ["REQUEST_METHOD"] == "HEAD" else (b"some", b"pieces"))

    running = Running(app)
    try:
        answer = running.raw(b"HEAD / HTTP/1.1\r\nHost: x\r\n\r\n" + CLOSING)
    finally:
        running.stop()
    first, second, body = answer.split(b"\r\n\r\n", 2)
    assert b"\r\nTransfer-Encoding: chunked" in first
    assert second.startswith(b"HTTP/1.1 200 OK\r\n"), "nothing stands between the two"
    assert body == b"4\r\nsome\r\n6\r\npieces\r\n0\r\n\r\n"


def test_a_chunked_body_is_read_and_limited_as_any_other(running: Running) -> None:
    connection = running.connect()
    connection.request("POST", "/api/v1/turns/t1", body=iter([ANSWER]), headers=HEADERS)
    response = connection.getresponse()
    assert (response.status, response.read()[:16]) == (200, b'{"accepted":true')
    for spaces in (65_536 - len(ANSWER), 65_537 - len(ANSWER), 90_000):
        body = [b" " * 40_000, b" " * (spaces - 40_000), ANSWER]
        connection.request("POST", "/api/v1/turns/t1", body=iter(body), headers=HEADERS)
        response = connection.getresponse()
        result = json.loads(response.read())
        expected = (200, None) if spaces + len(ANSWER) <= 65_536 else (413, "too_large")
        assert (response.status, result.get("code")) == expected
    connection.close()


def test_a_body_over_the_limit_is_refused_by_its_length_alone(running: Running) -> None:
    connection = running.connect()
    connection.putrequest("POST", "/api/v1/turns/t1")
    for name, value in {**HEADERS, "Content-Length": str(10**12)}.items():
        connection.putheader(name, value)
    connection.endheaders()
    response = connection.getresponse()
    assert response.status == 413
    assert response.headers["Connection"] == "close"
    connection.close()


def test_the_rest_of_a_refused_body_is_not_read_for_ever(running: Running) -> None:
    sent = 0
    with socket.create_connection(("127.0.0.1", running.port), timeout=120) as sock:
        sock.sendall(SMALL + b"Content-Length: 1000000000000\r\n\r\n")
        with contextlib.suppress(ConnectionError):
            while sent < 200 * 2**20:
                sent += sock.send(b" " * 65_536)
    assert sent < 100 * 2**20


def test_a_fault_below_the_app_is_a_problem_too() -> None:
    def broken(environ: Any, start_response: Any) -> Any:
        raise ZeroDivisionError

    running = Running(broken)
    connection = running.connect()
    connection.request("GET", "/")
    response = connection.getresponse()
    assert response.status == 500
    assert response.headers["Content-Type"] == "application/problem+json"
    assert json.loads(response.read())["code"] == "server_error"
    connection.close()
    running.stop()


def test_tokens_in_a_broken_request_do_not_reach_the_log(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    running.raw(f"GET /{ALICE} HTTP/7.0\r\n\r\n".encode())
    assert "Invalid http version" in caplog.text
    assert ALICE not in caplog.text


def test_the_url_tells_the_port_that_was_free(running: Running) -> None:
    assert running.url == f"http://127.0.0.1:{running.port}"
    assert running.port > 0


def test_a_connection_that_asks_without_end_does_not_keep_the_others_waiting() -> None:
    both_have_asked = threading.Event()

    def app(environ: Any, start_response: Any) -> list[bytes]:
        assert both_have_asked.wait(120)  # holds the whole server until then
        start_response("200 OK", [("Content-Length", "2")])
        return [environ["PATH_INFO"].encode()]

    running = Running(app)
    greedy = socket.create_connection(("127.0.0.1", running.port), timeout=120)
    modest = socket.create_connection(("127.0.0.1", running.port), timeout=120)
    greedy.sendall(b"GET /g HTTP/1.1\r\nHost: x\r\n\r\n" * 200)
    modest.sendall(b"GET /m HTTP/1.1\r\nHost: x\r\n\r\n")
    both_have_asked.set()
    assert modest.recv(4_096).endswith(b"/m")
    greedy.close()
    modest.close()
    running.stop()
    position = [write[-1:] for write in running.writes].index(b"m")
    assert position < 20


def test_only_who_asks_ahead_waits_in_the_lane(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not a client that sends its body after its head, as most do."""
    wait, waits = running.server.lane.wait, []
    monkeypatch.setattr(running.server.lane, "wait", lambda: (waits.append(1), wait()))
    head = SMALL + f"Authorization: Bearer {ALICE}\r\n".encode() + b"Content-Length: 13\r\n"
    with socket.create_connection(("127.0.0.1", running.port), timeout=120) as sock:
        for _ in range(3):
            sock.sendall(head + b"Expect: 100-continue\r\n\r\n")
            assert sock.recv(65_536) == b"HTTP/1.1 100 Continue\r\n\r\n"
            sock.sendall(ANSWER)
            assert sock.recv(65_536).startswith(b"HTTP/1.1 200 OK")
        assert waits == []
        sock.sendall((head + b"\r\n" + ANSWER) * 3 + CLOSING)
        answers = b"".join(iter(lambda: sock.recv(65_536), b""))
    assert answers.count(b"HTTP/1.1 200 OK") == 4
    assert len(waits) == 3


@pytest.mark.parametrize(
    "head",
    [
        b"Connection: upgrade\r\nUpgrade: odd",
        b"Upgrade: websocket",
        b"Connection: upgrade\r\nUpgrade: websocket",
        b"Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c",
        b"Expect: 100-continue",
        b"X: \t padded \t",
        b"No-Value:",
    ],
)
def test_heads_with_odd_fields_are_answered_all_the_same(head: bytes, running: Running) -> None:
    answer = running.raw(b"GET /healthz HTTP/1.1\r\nHost: x\r\n" + head + b"\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 200 OK"), answer


@given(st.binary(max_size=60), st.sampled_from([b"", b"GET / HTTP/1.1\r\n", SMALL]))
@settings(
    max_examples=min(40, settings().max_examples),
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
def test_any_bytes_may_be_sent_to_the_socket(running: Running, data: bytes, before: bytes) -> None:
    answer = running.raw(before + data + b"\r\n\r\n")
    assert not answer or re.match(rb"HTTP/1\.1 [24]\d\d ", answer)


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True),
        ("127.8.9.1", True),
        ("::1", True),
        ("localhost", True),
        ("0.0.0.0", False),
        ("::", False),
        ("192.168.1.7", False),
        ("arena.example", False),
        ("", False),
    ],
)
def test_only_loopback_counts_as_this_machine(host: str, *, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.slow
def test_serving_beyond_loopback_is_warned_of(
    app: Flask, referee: FakeReferee, caplog: pytest.LogCaptureFixture, monkeypatch: Any
) -> None:
    result: list[str] = []
    monkeypatch.setattr(server_module, "STOP_SIGNALS", ())

    class Stopped(Exception):
        pass

    def ready(url: str) -> None:
        result.append(url)
        raise Stopped

    with pytest.raises(Stopped):
        serve(
            app,
            "0.0.0.0",
            0,
            on_start=lambda: None,
            on_ready=ready,
            on_stop=lambda: None,
            drain_s=0,
        )
    assert "beyond this machine" in caplog.text
    assert result[0].startswith("http://0.0.0.0:")


def test_nobody_gets_in_before_the_start_which_comes_last_of_all(
    app: Flask, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A bot's clock goes from the start on, so nothing that takes time may come behind it."""
    monkeypatch.setattr(server_module, "STOP_SIGNALS", ())
    monkeypatch.setattr(server_module, "tune_garbage_collection", lambda: order.append("collected"))
    order: list[str] = []
    port = free_port()

    class Stopped(Exception):
        pass

    def start() -> None:
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port))
        order.append("started")

    def ready(url: str) -> None:
        socket.create_connection(("127.0.0.1", port)).close()
        order.append("ready")
        raise Stopped

    with pytest.raises(Stopped):
        serve(
            app,
            "127.0.0.1",
            port,
            on_start=start,
            on_ready=ready,
            on_stop=lambda: None,
            drain_s=0,
        )
    assert order == ["collected", "started", "ready"]


def test_the_referee_is_started_when_the_app_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    halted: list[int | None] = []

    def served(*_: object, on_start: Callable[[], None], on_ready: Any, **__: object) -> None:
        halted.append(referee()._context.clock.halted_ms)
        on_start()
        halted.append(referee()._context.clock.halted_ms)

    def made(given: Referee, _: Settings) -> None:
        referees.append(given)

    def referee() -> Referee:
        return referees[0]

    referees: list[Referee] = []
    monkeypatch.setattr(command, "create_app", made)
    monkeypatch.setattr(command, "serve", served)
    command.run(Settings(database="memory:"), on_ready=lambda url, _: None)
    assert halted == [0, None]


def test_patching_comes_first_or_not_at_all() -> None:
    with pytest.raises(RuntimeError, match=r"must come before the import of .*flask"):
        patch()


def test_who_waits_for_a_refusal_is_let_go_when_the_server_stops() -> None:
    class Stopping:
        stopping, busy = False, False
        refusals = RateLimiter(0.01, burst=1, longest_s=60)

        def close(self) -> None:
            told.append("closed")

    told: list[str] = []
    server = Stopping()
    assert server.refusals.next_wait_s() == 0
    stop_server(server, lambda: told.append("stopped"), drain_s=0)  # type: ignore[arg-type]
    assert told == ["closed", "stopped"]
    assert server.stopping
    with gevent.Timeout(5):
        server.refusals.wait()
