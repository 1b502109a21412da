"""Bytes passed on between two sockets: from an address to another, connection by connection.

Standard library only and no imports of ours: `start.py` loads it by its path, in a sandbox.
"""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable

PIECE = 65_536
BACKLOG = 64


def serve(listener: socket.socket, connect: Callable[[], socket.socket]) -> None:
    """Pass on every connection that comes in, until the listener is closed."""
    while True:
        try:
            inside, _ = listener.accept()
        except OSError:
            return
        try:
            outside = connect()
        except OSError:
            inside.close()
            continue
        threading.Thread(target=_join, args=(inside, outside), daemon=True).start()


def _join(inside: socket.socket, outside: socket.socket) -> None:
    """Pass on both directions of a connection, and close it when both have ended."""
    with inside, outside:
        back = threading.Thread(target=_pass_on, args=(outside, inside), daemon=True)
        back.start()
        _pass_on(inside, outside)
        back.join()


def _pass_on(one: socket.socket, other: socket.socket) -> None:
    """Bytes of one direction until its end, of which the other side hears."""
    with contextlib.suppress(OSError):
        while piece := one.recv(PIECE):
            other.sendall(piece)
    with contextlib.suppress(OSError):
        other.shutdown(socket.SHUT_WR)
    with contextlib.suppress(OSError):
        one.shutdown(socket.SHUT_RD)


class Door:
    """A socket in a folder that leads to an address of this machine, while it is open.

    path: of at most about 100 bytes, as the system wants it.
    """

    def __init__(self, path: str, address: tuple[str, int]) -> None:
        self.path = path
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(path)
        self._listener.listen(BACKLOG)
        connect = lambda: socket.create_connection(address)  # noqa: E731
        self._thread = threading.Thread(target=serve, args=(self._listener, connect), daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Take no more connections; those that are there go on until their ends."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()
