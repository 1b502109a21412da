"""A referee for tests of proxies: it answers a few paths, and notes what has reached it."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

PROBLEM = "application/problem+json"
OWN_REFUSAL = {"code": "too_many_requests", "detail": "by the referee itself", "retry_after_s": 7}


class Upstream:
    """What has come in, and when the poll that waits may end. pieces: of a stream, sent one by one
    as they are put in, until None; left: its reader has gone; ready: else all is answered 503, as
    `/full` always is; cutting: a request of `/cut` gets no answer."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, str, dict[str, str]]] = []
        self.polling = threading.Event()
        self.released = threading.Event()
        self.pieces: Queue[bytes | None] = Queue()
        self.left = threading.Event()
        self.ready = True
        self.cutting = False
        self.connections: set[socket.socket] = set()

    def paths(self) -> list[str]:
        return [path for _, path, _ in self.requests]

    def asked(self) -> list[tuple[str, str]]:
        """Methods and paths, without what a balancer asks to see whether it is there."""
        return [(method, path) for method, path, _ in self.requests if path != "/readyz"]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = 65_536  # a head and its body in one piece, or each answer waits 40 ms for its second
    upstream: Upstream

    def handle(self) -> None:
        self.upstream.connections.add(self.connection)
        with contextlib.suppress(ConnectionError):
            super().handle()
        self.upstream.connections.discard(self.connection)

    def do_GET(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.upstream.requests.append((self.command, self.path, dict(self.headers)))
        if self.path.startswith("/api/v1/stream"):
            self.stream()
            return
        if self.path.startswith("/api/v1/turns"):
            self.upstream.polling.set()
            self.upstream.released.wait(60)
        if self.path == "/cut" and self.upstream.cutting:
            self.close_connection = True
            return
        ready = self.upstream.ready and self.path != "/full"
        status = 429 if self.path == "/refused" else 200 if ready else 503
        self.answer(status, {"path": self.path} if status == 200 else OWN_REFUSAL)

    do_POST = do_PUT = do_GET  # noqa: N815

    def stream(self) -> None:
        """Send pieces as they come."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        try:
            while piece := self.upstream.pieces.get():
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
            self.wfile.write(b"0\r\n\r\n")
            self.wfile.flush()
        except OSError:
            self.upstream.left.set()
            self.close_connection = True

    def answer(self, status: int, document: dict[str, Any]) -> None:
        content = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", PROBLEM if status >= 400 else "application/json")
        self.send_header("Content-Length", str(len(content)))
        if status >= 400:
            self.send_header("Retry-After", "7")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        pass


@contextmanager
def serving(upstream: Upstream) -> Iterator[str]:
    """Its address while it is served on loopback."""
    handler = type("UpstreamHandler", (Handler,), {"upstream": upstream})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        upstream.released.set()
        upstream.pieces.put(None)
        server.shutdown()
        thread.join()
        for connection in list(upstream.connections):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
        server.server_close()
