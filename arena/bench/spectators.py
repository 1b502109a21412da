"""Spectators: a process that holds streams of one table, and counts what comes.

It does as little as possible with what it is sent, so that the server is what is measured. Orders
come as a line of JSON; it says `following` when each has its first bytes, and after `stop` what it
counted.
"""

from __future__ import annotations

import json
import os
import selectors
import socket
import subprocess
import sys
import threading
from dataclasses import asdict, dataclass
from urllib.parse import urlsplit

from arena.errors import Unavailable

PIECE = 65_536
CHECK_S = 0.1
LONGEST_S = 60.0
NICE = 10
"""Spectators are on other machines: here they leave the processors to the server and its bots."""


@dataclass(slots=True)
class SpectatorFigures:
    """pieces: that arrived, over all spectators; size: their bytes; ended: streams that did."""

    pieces: int = 0
    size: int = 0
    ended: int = 0


class Spectators:
    """A number of spectators of something in a process of their own, from now on. query: of the
    stream. Raises Unavailable if they cannot follow it."""

    def __init__(self, url: str, query: str, number: int) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.bench.spectators"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps([url, query, number]) + "\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != "following\n":
            self.kill()
            raise Unavailable(f"{number} spectators cannot follow; what stands above says why")

    def stop(self) -> SpectatorFigures:
        """Stop them; what they counted since all of them followed."""
        output, _ = self._process.communicate("stop\n", timeout=LONGEST_S)
        return SpectatorFigures(**json.loads(output))

    def kill(self) -> None:
        """End them; harmless if they have ended."""
        with self._process:
            self._process.kill()


def _open(url: str, query: str) -> socket.socket:
    parts = urlsplit(url)
    sock = socket.create_connection((parts.hostname or "", parts.port or 80), LONGEST_S)
    head = f"GET /api/v1/stream?{query} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n"
    sock.sendall(head.encode())
    status = sock.recv(PIECE).split(b"\r\n", 1)[0]
    if b" 200 " not in status:
        raise RuntimeError(f"no stream: {status.decode('latin-1')}")
    sock.setblocking(False)
    return sock


def _follow(sockets: list[socket.socket], stopped: threading.Event) -> SpectatorFigures:
    figures = SpectatorFigures()
    with selectors.DefaultSelector() as selector:
        for sock in sockets:
            selector.register(sock, selectors.EVENT_READ)
        while not stopped.is_set():
            for key, _ in selector.select(CHECK_S):
                data = key.fileobj.recv(PIECE)  # type: ignore[union-attr]
                figures.pieces += bool(data)
                figures.size += len(data)
                if not data:
                    selector.unregister(key.fileobj)
                    figures.ended += 1
    return figures


def main() -> None:
    """Follow as ordered on standard input."""
    if hasattr(os, "nice"):
        os.nice(NICE)
    url, query, number = json.loads(sys.stdin.readline())
    sockets = [_open(url, query) for _ in range(number)]
    stopped = threading.Event()

    def wait() -> None:
        sys.stdin.readline()
        stopped.set()

    threading.Thread(target=wait, daemon=True).start()
    print("following", flush=True)
    figures = _follow(sockets, stopped)
    for sock in sockets:
        sock.close()
    print(json.dumps(asdict(figures)), flush=True)


if __name__ == "__main__":
    main()
