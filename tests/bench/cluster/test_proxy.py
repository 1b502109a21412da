"""A proxy that can be cut: what is under way waits, and goes on when it is whole again."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.bench.cluster.proxy import Proxy


@pytest.fixture
def echo() -> Iterator[int]:
    """A server that says everything again; its port."""
    listener = socket.create_server(("127.0.0.1", 0))

    def say(connection: socket.socket) -> None:
        with connection:
            while piece := connection.recv(100):
                connection.sendall(piece)

    def serve() -> None:
        while True:
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            threading.Thread(target=say, args=[connection], daemon=True).start()

    threading.Thread(target=serve, daemon=True).start()
    yield listener.getsockname()[1]
    listener.shutdown(socket.SHUT_RDWR)
    listener.close()


def test_what_is_sent_gets_there_and_back(echo: int) -> None:
    with Proxy(("127.0.0.1", echo)) as proxy, connected(proxy) as client:
        client.sendall(b"there")
        assert client.recv(100) == b"there"


def test_a_cut_proxy_is_silent_and_goes_on_where_it_was_cut(echo: int) -> None:
    with Proxy(("127.0.0.1", echo)) as proxy, connected(proxy) as client:
        client.sendall(b"one")
        assert client.recv(100) == b"one"
        proxy.cut()
        client.sendall(b"two")
        client.settimeout(0.02)
        with pytest.raises(TimeoutError):
            client.recv(100)
        proxy.heal()
        client.settimeout(10)
        assert client.recv(100) == b"two"


def test_who_comes_while_it_is_cut_gets_through_afterwards(echo: int) -> None:
    with Proxy(("127.0.0.1", echo)) as proxy:
        proxy.cut()
        with connected(proxy) as client:
            client.sendall(b"late")
            proxy.heal()
            assert client.recv(100) == b"late"


def test_where_nobody_listens_it_hangs_up(tmp_path: Path) -> None:
    with Proxy(tmp_path / "nobody") as proxy, connected(proxy) as client:
        assert client.recv(100) == b""


def connected(proxy: Proxy) -> socket.socket:
    return socket.create_connection(("127.0.0.1", proxy.port), timeout=10)
