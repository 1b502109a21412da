"""A small HTTP server, on a free port of this machine: a thread for each connection.

It reads requests as strictly as the arena's own server, by the same functions, but needs no process
that gevent has patched, so that a command can have several beside its own work. It is no server for
the open net: unless it is given bounds it has no limits of time and takes any number of
connections.
"""

from __future__ import annotations

import contextlib
import itertools
import logging
import socket
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import formatdate
from io import BufferedReader

from arena.loopback.messages import Request, Responder, Response
from arena.web.api.problems import Code, Problem
from arena.web.server.heads import Head, read_first_line, read_head, read_target
from arena.web.server.refusals import fault, no_room, raw_response, refusal_of
from arena.web.server.request_bodies import CONTINUE, Body

LOG = logging.getLogger("arena.loopback")
HOST = "127.0.0.1"
WILDCARDS = {"0.0.0.0": HOST, "::": "::1"}
"""All addresses of this machine, each with one under which it reaches itself."""
BACKLOG = 128
LONGEST_FIRST_LINE = 8_192
JOIN_S = 5.0
DISCARD_S = 1.0
DISCARD_BYTES = 65_536
DISCARD_READS = 64


@dataclass(frozen=True, kw_only=True)
class ServerBounds:
    """What a server takes that others than its own machine may reach.

    largest_body: in bytes; bodies must say their length. connections: open at once. idle_s: how
    long a connection may say nothing. admit: is given a request whose body has not been read, and
    raises Problem if it should not be.
    """

    largest_body: int
    connections: int
    idle_s: float
    admit: Callable[[Request], None]


class LoopbackServer:
    """Listens from its making until `close`, which ends all connections.

    respond: answers a request; is called in the thread of its connection. port: 0 for a free one.
    Raises OSError where it cannot listen.
    """

    def __init__(
        self,
        respond: Responder,
        *,
        host: str = HOST,
        port: int = 0,
        bounds: ServerBounds | None = None,
    ) -> None:
        self._respond = respond
        self._bounds = bounds
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        self._listener = socket.create_server((host, port), family=family, backlog=BACKLOG)
        at, number = self._listener.getsockname()[:2]
        self._address: tuple[str, int] = WILDCARDS.get(at, at), number
        self._lock = threading.Lock()
        self._open: set[socket.socket] = set()
        self._threads: set[threading.Thread] = set()
        self._numbers = itertools.count(1)
        self._closed = False
        self._acceptor = threading.Thread(target=self._accept, name="loopback", daemon=True)
        self._acceptor.start()

    @property
    def url(self) -> str:
        """Where this machine reaches it."""
        host, port = self._address
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    @property
    def port(self) -> int:
        """The port on which it listens."""
        return self._address[1]

    def close(self) -> None:
        """Stop listening and end all connections; harmless if done twice."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            connections, threads = list(self._open), list(self._threads)
        with contextlib.suppress(OSError):  # wakes the acceptor, where closing does not
            socket.create_connection(self._address).close()
        self._acceptor.join(JOIN_S)
        self._listener.close()
        for connection in connections:
            _end(connection)
        for thread in threads:
            thread.join(JOIN_S)

    def _accept(self) -> None:
        """At a thread's top: take connections until the server is closed."""
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with self._lock:
                if self._closed:
                    connection.close()
                    return
                if self._bounds is not None and len(self._open) >= self._bounds.connections:
                    _refuse(connection)
                    continue
                number = next(self._numbers)
                thread = threading.Thread(
                    target=self._serve, args=(connection, number), name="loopback", daemon=True
                )
                self._open.add(connection)
                self._threads.add(thread)
            thread.start()

    def _serve(self, connection: socket.socket, number: int) -> None:
        """At a thread's top: answer the requests of one connection."""
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if self._bounds is not None:
            connection.settimeout(self._bounds.idle_s)
        try:
            with connection, connection.makefile("rb") as file:
                while self._serve_one(connection, file, number):
                    pass
        except OSError as error:
            LOG.debug("connection %d: %s", number, error)
        finally:
            with self._lock:
                self._open.discard(connection)
                self._threads.discard(threading.current_thread())

    def _serve_one(self, connection: socket.socket, file: BufferedReader, number: int) -> bool:
        """Answer one request. False if the connection ends with it."""
        try:
            read = _read_request(connection, file, number, bounds=self._bounds)
        except ValueError as error:
            connection.sendall(raw_response(refusal_of(error)))
            return False
        except Problem as problem:
            connection.sendall(raw_response(problem))
            _discard(connection)
            return False
        if read is None:
            return False
        request, goes_on = read
        try:
            response = self._respond(request)
        except Exception:
            LOG.exception("%s %s", request.method, request.target)
            connection.sendall(raw_response(fault()))
            return False
        try:
            _send(connection, response, bare=request.method == "HEAD")
        finally:
            if response.sent is not None:
                response.sent()
        return goes_on and not (response.delivery.close or response.delivery.lost)


def _refuse(connection: socket.socket) -> None:
    """Say to one connection too many that there is no room, if it listens."""
    with connection, contextlib.suppress(OSError):
        connection.setblocking(False)
        connection.send(raw_response(no_room("too many connections")))


def _discard(connection: socket.socket) -> None:
    """Read a little of what was refused, so that its sender gets to read the answer."""
    connection.shutdown(socket.SHUT_WR)
    connection.settimeout(DISCARD_S)
    for _ in range(DISCARD_READS):
        if not connection.recv(DISCARD_BYTES):
            return


def _read_request(
    connection: socket.socket, file: BufferedReader, number: int, *, bounds: ServerBounds | None
) -> tuple[Request, bool] | None:
    """A request, and whether its connection goes on; None if none comes. Raises ValueError, and
    Problem for one that the bounds do not let through."""
    line = file.readline(LONGEST_FIRST_LINE)
    if line in (b"\r\n", b"\n"):
        line = file.readline(LONGEST_FIRST_LINE)
    if not line:
        return None
    method, target, version = read_first_line(line.decode("latin-1"))
    target, host = read_target(method, target)
    head = read_head(file)
    if version == "HTTP/1.0":
        goes_on = head.connection == "keep-alive"
    elif host is None and "HTTP_HOST" not in head.fields:
        raise ValueError("a request without Host")
    else:
        goes_on = head.connection != "close"
    if bounds is not None:
        bounds.admit(Request(method, target, head.fields, b"", number, time.monotonic()))
        _check_size(head, bounds.largest_body)
    body = _read_body(connection, file, head)
    return Request(method, target, head.fields, body, number, time.monotonic()), goes_on


def _check_size(head: Head, largest: int) -> None:
    """Raises Problem for a body that is too long, or does not say how long it is."""
    if head.chunked:
        raise Problem(Code.BAD_REQUEST, "The body must come with a Content-Length.")
    if (head.length or 0) > largest:
        raise Problem(Code.TOO_LARGE, f"The body is longer than {largest} bytes; it was not read.")


def _read_body(connection: socket.socket, file: BufferedReader, head: Head) -> bytes:
    """All of the body. Raises OSError if it breaks off."""
    if head.fields.get("HTTP_EXPECT") == "100-continue":
        connection.sendall(CONTINUE)
    body = Body(file, head, here=True, asking=None, before_failure=lambda: None)
    return body.read()


def _send(connection: socket.socket, response: Response, *, bare: bool) -> None:
    """Let an answer travel as it says. bare: without its body."""
    way = response.delivery
    if way.delay_s:
        time.sleep(way.delay_s)
    if way.lost:
        _end(connection)
        return
    dated = response.head()[:-2] + f"Date: {formatdate(usegmt=True)}\r\n\r\n".encode()
    if bare:
        connection.sendall(dated)
        return
    if response.stream is not None:
        connection.sendall(dated)
        for part in itertools.chain((response.body,), response.stream):
            if part:
                connection.sendall(_chunk(part))
        connection.sendall(_chunk(b""))
    else:
        for piece in _pieces(dated, response):
            connection.sendall(piece)
            time.sleep(way.pause_s)
    if way.close:
        _end(connection)


def _pieces(head: bytes, response: Response) -> list[bytes]:
    """The writes in which an answer leaves; the first cut is in the middle of its head."""
    way, body = response.delivery, response.body
    if way.pieces == 1 and not way.chunked:
        return [head + body]
    size = max(1, -(-len(body) // way.pieces))
    parts = [body[at : at + size] for at in range(0, len(body), size)]
    if way.chunked:
        parts = [*map(_chunk, parts), _chunk(b"")]
    return [head[: len(head) // 2], head[len(head) // 2 :], *parts]


def _chunk(part: bytes) -> bytes:
    return f"{len(part):x}\r\n".encode() + part + b"\r\n"


def _end(connection: socket.socket) -> None:
    """End a connection, also for a thread that reads from it."""
    with contextlib.suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)
