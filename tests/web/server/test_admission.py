"""How many connections there may be, and what becomes of one too many and of lost descriptors."""

from __future__ import annotations

import contextlib
import errno
import json
import logging
import socket
import sys
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from flask import Flask
from gevent.server import StreamServer
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.settings import Settings, read_settings
from arena.web.server import http_server as server_module
from arena.web.server.admission import Admission
from arena.web.server.file_limits import DEFAULT_CONNECTIONS, RESERVED, connection_ceiling
from tests.web.server.test_http_server import CLOSING, Running

ASKING = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"


@given(st.lists(st.tuples(st.booleans(), st.sampled_from("abc")), max_size=60))
def test_neither_ceiling_is_ever_passed_and_nobody_is_forgotten(
    steps: list[tuple[bool, str]],
) -> None:
    admission, inside = Admission(5, 2), Counter[str]()
    for coming, address in steps:
        if coming:
            free = inside.total() < 5 and inside[address] < 2
            assert (admission.enter(address) is None) == free
            inside[address] += free
        elif inside[address]:
            admission.leave(address)
            inside[address] -= 1
        assert admission.inside == inside.total()
    for address in inside.elements():
        admission.leave(address)
    assert (admission.inside, admission._addresses) == (0, Counter())


def test_without_a_limit_for_each_address_none_is_remembered() -> None:
    admission = Admission(3)
    assert [admission.enter("a") for _ in range(3)] == [None] * 3
    assert not admission._addresses
    result = admission.enter("a")
    assert result is not None
    assert "as many connections open as it can take" in result


@pytest.mark.parametrize(
    ("files", "wanted", "ceiling"),
    [
        (1_024, 0, 1_024 - RESERVED),
        (65_536, 0, DEFAULT_CONNECTIONS),
        (65_536, 50_000, 50_000),
        (None, 0, DEFAULT_CONNECTIONS),
        (None, 50_000, 50_000),
        (100, 0, 1),
        (1_024, 10, 10),
    ],
)
def test_the_ceiling_leaves_descriptors_for_the_rest(
    monkeypatch: pytest.MonkeyPatch, files: int | None, wanted: int, ceiling: int
) -> None:
    endless = 2**63 - 1
    limit = endless if files is None else files
    fake = SimpleNamespace(
        RLIMIT_NOFILE=7, RLIM_INFINITY=endless, getrlimit=lambda _: (limit, endless)
    )
    monkeypatch.setitem(sys.modules, "resource", fake)
    assert connection_ceiling(wanted) == ceiling


def test_more_than_can_be_had_is_an_error_with_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = SimpleNamespace(RLIMIT_NOFILE=7, RLIM_INFINITY=-1, getrlimit=lambda _: (1_024, 1_024))
    monkeypatch.setitem(sys.modules, "resource", fake)
    with pytest.raises(BadInput, match=r"max_connections is 1000; expected at most 896: .* 1024"):
        connection_ceiling(1_000)


@pytest.mark.parametrize("name", ["max_connections", "max_connections_per_address"])
def test_a_negative_ceiling_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=name):
        Settings(**{name: -1})  # type: ignore[arg-type]


def test_the_environment_says_how_many_and_whether_requests_are_logged() -> None:
    words = {"ARENA_MAX_CONNECTIONS": "500", "ARENA_MAX_CONNECTIONS_PER_ADDRESS": "9"}
    found = read_settings(environ={**words, "ARENA_ACCESS_LOG": "on"})
    assert (found.max_connections, found.max_connections_per_address) == (500, 9)
    assert found.access_log
    assert not Settings().access_log


@pytest.fixture
def running(app: Flask) -> Iterator[Running]:
    created = Running(app, Admission(3))
    yield created
    created.stop()


def opened(running: Running) -> socket.socket:
    """A connection that has had an answer, so that it was let in."""
    sock = socket.create_connection(("127.0.0.1", running.port), timeout=120)
    sock.sendall(ASKING)
    assert sock.recv(65_536).startswith(b"HTTP/1.1 200 ")
    return sock


def everything(sock: socket.socket) -> bytes:
    return b"".join(iter(lambda: sock.recv(65_536), b""))


def test_one_connection_too_many_is_refused_and_the_others_go_on(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    inside = [opened(running) for _ in range(3)]
    for _ in range(5):
        with socket.create_connection(("127.0.0.1", running.port), timeout=120) as late:
            head, _, body = everything(late).partition(b"\r\n\r\n")
        assert head.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
        assert b"\r\nConnection: close" in head
        assert b"\r\nRetry-After: 5\r\n" in head
        problem = json.loads(body)
        assert (problem["code"], problem["retry_after_s"]) == ("unavailable", 5)
    inside[0].sendall(CLOSING)
    assert b" 200 OK" in everything(inside[0])  # now there is room again
    opened(running).close()
    [line] = [r for r in caplog.records if "a connection is refused" in r.getMessage()]
    assert "(3 are open)" in line.getMessage()
    for sock in inside:
        sock.close()


def test_when_even_refusing_costs_too_much_connections_are_just_closed(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server_module, "REFUSED_AT_ONCE", 0)
    inside = [opened(running) for _ in range(3)]
    with socket.create_connection(("127.0.0.1", running.port), timeout=120) as late:
        assert everything(late) == b""
    for sock in inside:
        sock.close()


def test_an_address_has_a_ceiling_of_its_own(app: Flask) -> None:
    running = Running(app, Admission(100, 2))
    inside = [opened(running) for _ in range(2)]
    with socket.create_connection(("127.0.0.1", running.port), timeout=120) as late:
        assert b"Your address has 2 connections open" in everything(late)
    for sock in inside:
        sock.close()
    running.stop()


def test_without_descriptors_one_line_is_logged_and_the_listener_recovers(
    app: Flask,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
) -> None:
    accept, left = StreamServer.do_read, [7]

    def do_read(server: Any) -> Any:
        if left[0]:
            left[0] -= 1
            raise OSError(errno.EMFILE, "Too many open files")
        return accept(server)

    monkeypatch.setattr(server_module, "ACCEPT_PAUSE_S", 0.01)
    monkeypatch.setattr(StreamServer, "do_read", do_read)
    running = Running(app)
    opened(running).close()
    running.stop()
    lines = [r for r in caplog.records if r.levelno >= logging.WARNING]
    assert [r.getMessage() for r in lines] == [
        "no connection can be accepted: Too many open files (0 are open)"
    ]
    assert lines[0].exc_info is None
    assert left == [0]
    assert capfd.readouterr().err == ""


@pytest.mark.skipif(sys.platform == "win32", reason="there is no such limit")
def test_real_descriptors_can_run_out_and_come_back(
    app: Flask, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    """The process has as many as it may; then one connection is given up by its client."""
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    running = Running(app)
    clients = [opened(running) for _ in range(3)]
    late = socket.socket()
    late.settimeout(120)
    free = socket.socket()
    lowest = free.fileno()
    free.close()
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (lowest, hard))
        late.connect(("127.0.0.1", running.port))
        late.sendall(ASKING)
        while not any("no connection can be accepted" in r.getMessage() for r in caplog.records):
            with contextlib.suppress(TimeoutError):
                late.settimeout(0.05)
                late.recv(1)
        for client in clients:
            client.close()
        late.settimeout(120)
        assert late.recv(65_536).startswith(b"HTTP/1.1 200 ")
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    late.close()
    running.stop()
    assert "Traceback" not in capfd.readouterr().err
    result = [r for r in caplog.records if "no connection can be accepted" in r.getMessage()]
    assert len(result) == 1
