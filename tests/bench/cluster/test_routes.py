"""To which referee bots of the benchmarks go: the one that is named, the next, one that is well."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from arena.bench.cluster.referees import OUT_S, Balancer
from arena.bench.players import PlayerBot

NAMES = ["referee-1", "referee-2", "referee-3"]


@pytest.fixture
def balancer() -> Balancer:
    made = Balancer()
    for number, name in enumerate(NAMES, start=1):
        made.put(name, f"http://127.0.0.1:{number}")
    return made


def test_a_balancer_sends_to_the_one_that_is_wanted(balancer: Balancer) -> None:
    assert balancer.pick("referee-2") == "referee-2"
    assert balancer.after("referee-3") == "referee-1"


def test_one_that_did_not_answer_is_left_out(balancer: Balancer) -> None:
    balancer.failed("referee-2")
    assert balancer.pick("referee-2") == "referee-3"
    assert balancer.after("referee-1") == "referee-3"


def test_one_that_listens_again_is_well(balancer: Balancer) -> None:
    balancer.failed("referee-2")
    balancer.put("referee-2", "http://127.0.0.1:9")
    assert balancer.pick("referee-2") == "referee-2"


def test_one_that_did_not_answer_is_tried_again_after_a_while(
    balancer: Balancer, monkeypatch: pytest.MonkeyPatch
) -> None:
    import time

    balancer.failed("referee-2")
    later_s = time.monotonic() + OUT_S
    monkeypatch.setattr(time, "monotonic", lambda: later_s + 0.001)
    assert balancer.pick("referee-2") == "referee-2"


def test_where_none_answers_the_one_that_is_wanted_is_asked(balancer: Balancer) -> None:
    for name in NAMES:
        balancer.failed(name)
    assert balancer.pick("referee-2") == "referee-2"


@pytest.fixture
def servers() -> Iterator[list[socket.socket]]:
    with ExitStack() as stack:
        yield [stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(2)]


def test_a_player_keeps_the_route_that_an_answer_names(servers: list[socket.socket]) -> None:
    bot = PlayerBot(servers[0].getsockname(), "token")
    asked, _ = servers[0].accept()
    with asked:
        asked.sendall(b"HTTP/1.1 200 OK\r\nArena-Route: referee-2\r\nContent-Length: 2\r\n\r\n{}")
        assert bot.receive() == (200, b"{}")
        assert bot.route == b"referee-2"
        bot.ask(b"/api/v1/turns")
        assert b"\r\nCookie: arena_route=referee-2\r\n" in asked.recv(1000)
    bot.sock.close()


def test_a_player_has_one_connection_to_each_referee(servers: list[socket.socket]) -> None:
    first, second = (server.getsockname() for server in servers)
    bot = PlayerBot(first, "token")
    kept = bot.sock
    assert bot.turn_to(second)
    assert bot.sock is not kept
    assert not bot.turn_to(first)
    assert bot.sock is kept
    bot.turn_to(second)
    bot.drop(kept)
    assert bot.turn_to(first)  # a new one
    for at in (first, second):
        bot.turn_to(at)
        bot.sock.close()
