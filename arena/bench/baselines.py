"""What the machine can do at best, measured in the same run as the referee.

A bare Flask route in the same HTTP server, asked by the same players; one row and one commit; one
byte there and back over the loopback. Run as a program this module is the bare server.
"""

from __future__ import annotations

import socket
import sys
import threading
import time
from typing import NamedTuple

TRIPS = 3_000


class Baselines(NamedTuple):
    """route_*: a bare route in the same server; commit_us: one by one, FULL; trip_us: loopback."""

    route_per_s: float
    route_cpu_us: float | None
    commit_us: float
    trip_us: float


def loopback_us() -> float:
    """Microseconds for one small message to another thread and back over TCP."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=_echo, args=(listener,), daemon=True)
        thread.start()
        with socket.create_connection(listener.getsockname()) as sock:
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            began = time.perf_counter()
            for _ in range(TRIPS):
                sock.sendall(b"x" * 64)
                sock.recv(64)
            spent = time.perf_counter() - began
        thread.join()
    return spent / TRIPS * 1e6


def _echo(listener: socket.socket) -> None:
    sock, _ = listener.accept()
    sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    with sock:
        while data := sock.recv(64):
            sock.sendall(data)


def main() -> None:
    """Serve one route that does nothing; the URL is the one line of output."""
    from arena.web.server.patching import patch

    patch()
    from flask import Flask

    from arena.web.server.http_server import serve

    app = Flask("bare")
    app.add_url_rule("/", endpoint="bare", view_func=lambda: "{}", methods=["POST"])
    serve(
        app,
        "127.0.0.1",
        0,
        on_start=sys.stdout.flush,
        on_ready=lambda url: print(url, flush=True),
        on_stop=sys.stdout.flush,
        drain_s=0,
    )


if __name__ == "__main__":
    main()
