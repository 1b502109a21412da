"""The relay passes bytes on as they are, in both directions, and ends with either side."""

from __future__ import annotations

import socket
import sys
import tempfile
import threading

import pytest

from arena.confinement.relay import Door
from tests.ports import free_port

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sockets in a folder")


def test_bytes_pass_in_both_directions_until_the_end() -> None:
    sent = bytes(range(256)) * 4_000
    listener = socket.create_server(("127.0.0.1", 0))
    received: list[bytes] = []

    def serve() -> None:
        there, _ = listener.accept()
        with there, there.makefile("rb") as stream:
            received.append(stream.read())
            there.sendall(received[0][::-1])

    thread = threading.Thread(target=serve)
    thread.start()
    with tempfile.TemporaryDirectory() as place:
        door = Door(f"{place}/door", listener.getsockname())
        with socket.socket(socket.AF_UNIX) as here:
            here.connect(door.path)
            here.sendall(sent)
            here.shutdown(socket.SHUT_WR)
            with here.makefile("rb") as stream:
                assert stream.read() == sent[::-1]
        door.close()
    thread.join()
    listener.close()
    assert received == [sent]


def test_a_connection_to_nobody_is_closed() -> None:
    with tempfile.TemporaryDirectory() as place:
        door = Door(f"{place}/door", ("127.0.0.1", free_port()))
        with socket.socket(socket.AF_UNIX) as here:
            here.connect(door.path)
            assert here.recv(1) == b""
        door.close()
