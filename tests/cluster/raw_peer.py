"""Something that listens where a referee should, and answers what the test says, byte by byte."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable

SHORT = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
Answering = Callable[[bytes, int], bytes | None]
"""What is sent back to a request, by its number; None: nothing, until the other side hangs up."""


class Peer:
    """Something that listens. heads: of the requests; connections: how many were opened. hangs_up:
    after each answer. left: the other side has ended a connection between two requests."""

    def __init__(self, answering: Answering) -> None:
        self._answering = answering
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.heads: list[bytes] = []
        self.connections = 0
        self.hangs_up = False
        self.hung_up = threading.Event()
        self.left = threading.Event()
        self._threads = [threading.Thread(target=self._accept)]
        self._threads[0].start()

    def _accept(self) -> None:
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return
            self.connections += 1
            thread = threading.Thread(target=self._serve, args=(sock,))
            self._threads.append(thread)
            thread.start()

    def _serve(self, sock: socket.socket) -> None:
        with sock:
            while head := request_of(sock):
                self.heads.append(head)
                answer = self._answering(head, len(self.heads))
                if answer is None:
                    assert sock.recv(1) == b""
                    self.hung_up.set()
                    return
                sock.sendall(answer)
                if self.hangs_up or not _has_an_end(answer):
                    return
            self.left.set()

    def close(self) -> None:
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            thread.join(60)


def request_of(sock: socket.socket) -> bytes:
    """The next request, with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        part = sock.recv(65_536)
        if not part:
            return b""
        data += part
    head, _, body = data.partition(b"\r\n\r\n")
    length = next(
        (int(line[15:]) for line in head.split(b"\r\n") if line.startswith(b"Content-Length:")), 0
    )
    while len(body) < length:
        body += sock.recv(65_536)
    return head + b"\r\n\r\n" + body


def _has_an_end(answer: bytes) -> bool:
    """Is an answer whole? If not, its sender hangs up."""
    head, _, body = answer.partition(b"\r\n\r\n")
    length = next(
        (line[16:] for line in head.split(b"\r\n") if line[:15] == b"Content-Length:"), b""
    )
    return b"chunked" in head or (bool(length) and len(body) >= int(length))
