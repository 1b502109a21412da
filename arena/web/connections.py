"""One connection of the HTTP server: gevent's handler, with what measuring showed to be missing.

Small answers leave in one write; nobody may take for ever to send or to take anything; after each
response the other greenlets have their turn; what never reaches the app is answered as a problem
document too. Heads are read and written by `arena.web.heads`: a client sends the same one again and
again, and a connection knows those that it has read. This module may not know what the app does.
"""

from __future__ import annotations

import logging
import socket
import sys
import time
from collections.abc import Sequence
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from io import BufferedReader, BytesIO
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import gevent
import orjson
from gevent.pywsgi import Input, WSGIHandler

from arena.web.auth import without_secrets
from arena.web.heads import Head, read_first_line, read_head, size_of_head, written
from arena.web.manners import GUARDS, POLICY, request_id
from arena.web.problems import MEDIA, TABLE, Code, Problem

if TYPE_CHECKING:
    from arena.web.server import ArenaServer

LOG: Final = logging.getLogger("arena.web.server")
HEAD_S: Final = 20.0
"""How long the head of a request may take to come in."""
BODY_S: Final = 30.0
"""And its body, from when somebody wants to read it."""
IDLE_S: Final = 120.0
"""How long a connection may stand still, be it idle, sending a body or taking an answer."""
MOMENT_S: Final = 1e-3 if sys.platform == "win32" else 1e-6
"""What a connection rests that may have sent its next request already: long enough for a look at
all others. (A rest of 0 is only a look at those who are ready, for up to 5 ms at a stretch.)"""
PIECE: Final = 16_384
DISCARD: Final = 64 * PIECE
"""How much of a refused body is still taken, so that its sender gets to read the answer."""
FEW: Final = 4
"""How many heads a connection knows: those of short answers differ in their length only."""


class BoundedInput(Input):
    """A request body of which no more than DISCARD bytes are read once it was refused.

    here: all of it has come, so that nobody has to look at the time while it is read.
    """

    __slots__ = ("abandoned", "here")

    def __init__(
        self, file: BufferedReader, head: Head, *, here: bool, asking: socket.socket | None
    ) -> None:
        super().__init__(file, head.length, asking, head.chunked)
        self.abandoned = False
        self.here = here

    def read(self, length: int | None = None) -> bytes:
        """Some or all of the body; what comes too slowly is as good as broken off."""
        piece: bytes
        if self.here:
            piece = super().read(length)
            return piece
        with gevent.Timeout(BODY_S, TimeoutError("the body of the request took too long")):
            piece = super().read(length)
        return piece

    def _discard(self) -> None:
        whole = not self.chunked_input and self.position == (self.content_length or 0)
        if whole or self._chunked_input_error:  # type: ignore[attr-defined]
            return
        self.send_100_continue_enabled = False
        for _ in range(DISCARD // PIECE):
            if not self.read(PIECE):
                return
        self.abandoned = True


class ArenaHandler(WSGIHandler):
    """A connection.

    Most requests come in one piece: then there is nothing to wait for, and no timer is set. _begun:
    the fields of a head that has come whole, as bytes. _ahead: how many bytes had come behind it,
    -1 if it was not whole. _known: heads by their bytes. _lines: those fields of the response that
    gevent need not see. _held: what is collected for one write.
    """

    server: ArenaServer
    path: str
    content_length: int | None  # type: ignore[assignment]
    _head: Head
    _body: BoundedInput
    _begun = b""
    _ahead = -1
    _lines = b""
    _held: bytearray | None = None

    def __init__(self, sock: socket.socket, address: Any, server: ArenaServer) -> None:
        super().__init__(sock, address, server)
        self._known: dict[bytes, Head] = {}
        self._idle = gevent.get_hub().loop.timer(IDLE_S)
        host, port = address[:2]
        self._peer = {"REMOTE_ADDR": str(host), "REMOTE_PORT": str(port)}

    def handle(self) -> None:
        """Answer one request after another until one side hangs up."""
        try:
            super().handle()
        finally:
            self._idle.close()

    def read_requestline(self) -> Any:
        """The first line. A connection may be idle before it, but then it has to come."""
        here = self._await_bytes()
        size = size_of_head(here)
        self._ahead = len(here) - size if size else -1
        if not size:
            with gevent.Timeout(HEAD_S, TimeoutError("the first line took too long")):
                return super().read_requestline()
        line = self.rfile.readline()
        self._begun = self.rfile.read(size - len(line))
        return line.decode("latin-1")

    def _await_bytes(self) -> bytes:
        """What has come of the next request, at least a byte if the connection goes on.

        One timer for each connection costs much less than what a socket makes for each wait.
        """
        self.socket.settimeout(None)
        self._idle.start(gevent.getcurrent().throw, TimeoutError, update=False)
        try:
            here: bytes = self.rfile.peek(1)
        finally:
            self._idle.stop()
            self.socket.settimeout(IDLE_S)
        return here

    def read_request(self, raw_requestline: str) -> Any:
        """Parse the head. Raises ValueError for what is none, or takes more than HEAD_S."""
        self.command, self.path, self.request_version = read_first_line(raw_requestline)
        self._head = head = self._read_head()
        if head.length and self.command == "HEAD":
            raise ValueError("a HEAD request with a body")
        self.content_length = head.length
        if self.request_version == "HTTP/1.0":
            self.close_connection = head.connection != "keep-alive"
        else:
            self.close_connection = head.connection == "close"
        return True

    def _read_head(self) -> Head:
        if self._ahead < 0:
            with gevent.Timeout(HEAD_S, ValueError("the head of the request took too long")):
                return read_head(self.rfile)
        head = self._known.get(self._begun)
        if head is None:
            if len(self._known) == FEW:
                self._known.clear()
            head = self._known[self._begun] = read_head(BytesIO(self._begun))
        return head

    def handle_one_request(self) -> Any:
        """Handle a request; what cannot be parsed is answered as a problem document."""
        result = super().handle_one_request()
        return (result[0], _raw_problem()) if isinstance(result, tuple) else result

    def get_environ(self) -> Any:
        """The WSGI environment, with a body that cannot go on for ever."""
        environ = self.server.get_environ()
        environ.update(self._head.fields)
        environ.update(self._peer)
        path, _, environ["QUERY_STRING"] = self.path.partition("?")
        environ["PATH_INFO"] = unquote(path, "latin-1")
        environ["REQUEST_METHOD"] = self.command
        environ["SERVER_PROTOCOL"] = self.request_version
        here = not self._head.chunked and (self.content_length or 0) <= self._ahead
        asking = self.socket if environ.get("HTTP_EXPECT") == "100-continue" else None
        self._body = BoundedInput(self.rfile, self._head, here=here, asking=asking)
        self.wsgi_input = environ["wsgi.input"] = self._body
        return environ

    def log_request(self) -> None:
        """The app has an access log of its own."""

    def handle_one_response(self) -> None:
        """Answer, then let the others have their turn: gevent itself gives no fairness."""
        server = self.server
        server.busy += 1
        try:
            super().handle_one_response()
        finally:
            server.busy -= 1
        if server.stopping or self._body.abandoned:
            self.close_connection = True
        gevent.sleep(0 if self._ahead == (self.content_length or 0) else MOMENT_S)

    def start_response(
        self, status: str, headers: Sequence[tuple[str, str]], exc_info: Any = None
    ) -> Any:
        """Take the head of a response. gevent gets to see the fields that it does something with.

        Raises ValueError if a field would end its own line.
        """
        framing, lines = [], []
        for field in headers:
            line = written(field)
            if line.framing:
                framing.append(field)
            else:
                lines.append(line.data)
        self._lines = b"".join(lines)
        return super().start_response(status, framing, exc_info)

    def finalize_headers(self) -> None:
        """Add what the app left to the server; the date is written out once a second."""
        if self.provided_date is None:
            self.provided_date = date = _date(int(time.time()))
            self.response_headers.append((b"Date", date.encode()))  # type: ignore
        super().finalize_headers()

    def _write_with_headers(self, data: bytes) -> None:
        """Head and body in one write: one packet, one system call."""
        self.headers_sent = True
        self.finalize_headers()
        framing = [b"%b: %b\r\n" % field for field in self.response_headers]  # type: ignore
        self._held = bytearray(b"HTTP/1.1 %b\r\n" % self.status)  # type: ignore[str-format]
        self._held += b"".join([self._lines, *framing, b"\r\n"])
        self._write(data)  # type: ignore[attr-defined]
        held, self._held = self._held, None
        self._sendall(held)

    def _sendall(self, data: bytes | bytearray) -> None:
        if self._held is not None:
            self._held += data
            return
        self.response_length += (sent := self.socket.send(data))
        if sent < len(data):
            super()._sendall(memoryview(data)[sent:])  # type: ignore[misc]

    def _send_error_response_if_possible(self, error_code: int) -> None:
        self.close_connection = True
        if self.response_length:
            return
        problem, name = _problem_of(error_code), request_id(None)
        body = orjson.dumps(problem.document(name))
        headers = [*_headers(name), ("Connection", "close")]
        try:
            self.start_response(_status_line(problem.status), headers)
            self.result = [body]
            self.write(body)
        except OSError:
            LOG.debug("a client had gone before its error could be told")

    def _handle_client_error(self, ex: Exception) -> tuple[str, bytes]:
        """Note that a client sent what is no HTTP, without secrets; no fault of ours."""
        LOG.info("not HTTP: %s", without_secrets(str(ex) or type(ex).__name__)[:500])
        return ("400", b"")


@lru_cache(maxsize=2)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)


def _problem_of(status: int) -> Problem:
    code = Code.BAD_REQUEST if status < 500 else Code.SERVER_ERROR
    return Problem(code, TABLE[code].meaning)


def _status_line(status: int) -> str:
    return f"{status} {HTTPStatus(status).phrase}"


def _raw_problem() -> bytes:
    """A whole response for bytes that are no HTTP request."""
    problem = _problem_of(400)
    name = request_id(None)
    body = orjson.dumps(problem.document(name))
    own = [("Content-Length", str(len(body))), ("Connection", "close")]
    head = b"".join(written(field).data for field in [*_headers(name), *own])
    return f"HTTP/1.1 {_status_line(problem.status)}\r\n".encode() + head + b"\r\n" + body


def _headers(name: str) -> list[tuple[str, str]]:
    """The headers of a problem that never reached the app. name: the request id."""
    return [("Content-Type", MEDIA), ("X-Request-Id", name), *GUARDS, POLICY]
