"""A receiver of messages on this machine, and what it got."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager


class Receiver:
    """Takes one connection after the other and answers each with the same bytes.

    reply: what to answer; None keeps the connection open and says nothing.
    """

    def __init__(self, reply: bytes | None) -> None:
        self.reply = reply
        self.requests: list[bytes] = []
        self.end = threading.Event()
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            with connection:
                self.requests.append(_request(connection))
                if self.reply is None:
                    self.end.wait(120)
                else:
                    connection.sendall(self.reply)

    def close(self) -> None:
        self.end.set()
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


def _request(connection: socket.socket) -> bytes:
    read = b""
    while b"\r\n\r\n" not in read:
        read += connection.recv(65_536)
    head, _, body = read.partition(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.split(b"\r\n") if b"Content-Length" in line
    )
    while len(body) < length:
        body += connection.recv(65_536)
    return head + b"\r\n\r\n" + body


@contextmanager
def receiver(reply: bytes | None = b"HTTP/1.1 204 No Content\r\n\r\n") -> Iterator[Receiver]:
    """A receiver for as long as the block lasts."""
    made = Receiver(reply)
    try:
        yield made
    finally:
        made.close()
