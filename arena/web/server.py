"""The HTTP server of `arena serve`: gevent.pywsgi with what measuring showed to be missing.

Small answers leave in one write and without Nagle's delay; after each response the other greenlets
have their turn; a stop releases those who wait and lets open requests end; what never reaches the
app is answered as a problem document too. This module may not know what the app does. The process
must have been patched (`arena.web.patching`) before anything else was imported.
"""

from __future__ import annotations

import gc
import ipaddress
import logging
import signal
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from email.utils import formatdate
from functools import lru_cache
from http import HTTPStatus
from io import BufferedIOBase
from typing import TYPE_CHECKING, Any, Final

import gevent
import orjson
from gevent.event import Event
from gevent.pywsgi import Input, WSGIHandler, WSGIServer

from arena.errors import BadInput
from arena.web.auth import without_secrets
from arena.web.files import raise_file_limit
from arena.web.heads import Head, environ_name, read_head
from arena.web.manners import GUARDS, POLICY, request_id
from arena.web.problems import MEDIA, TABLE, Code, Problem

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOG: Final = logging.getLogger("arena.web.server")
BACKLOG: Final = 1_024
HEAD_S: Final = 20.0
"""How long the head of a request may take to come in."""
BODY_S: Final = 30.0
"""And its body, from when somebody wants to read it."""
IDLE_S: Final = 120.0
"""How long a connection may stand still, be it idle, sending a body or taking an answer."""
COLLECT_AT: Final = (20_000, 20, 20)
"""Things made since the last collection; and how many small collections to a larger one."""
LOOK_S: Final = 0.01
MOMENT_S: Final = 1e-6
"""What a connection rests that may have sent its next request already: long enough for a look at
all others. (A rest of 0 is only a look at those who are ready, for up to 5 ms at a stretch.)"""
PIECE: Final = 16_384
HEAD_END: Final = b"\r\n\r\n"
NO_LIMIT: Final = nullcontext()
DISCARD: Final = 64 * PIECE
"""How much of a refused body is still taken, so that its sender gets to read the answer."""
STOP_SIGNALS: Final = ("SIGTERM", "SIGINT", "SIGBREAK")


class BoundedInput(Input):
    """A request body of which no more than DISCARD bytes are read once it was refused.

    here: all of it has come, so that nobody has to look at the time while it is read.
    """

    __slots__ = ("abandoned", "here")
    abandoned: bool
    here: bool

    def read(self, length: int | None = None) -> bytes:
        """Some or all of the body; what comes too slowly is as good as broken off."""
        too_long = TimeoutError("the body of the request took too long")
        with NO_LIMIT if self.here else gevent.Timeout(BODY_S, too_long):
            piece: bytes = super().read(length)
        return piece

    def _discard(self) -> None:
        if self._chunked_input_error:  # type: ignore[attr-defined]
            return
        self.send_100_continue_enabled = False
        for _ in range(DISCARD // PIECE):
            if not self.read(PIECE):
                return
        self.abandoned = True


class ArenaHandler(WSGIHandler):
    """One connection. _ahead: bytes behind the head that had come with it, -1 if it was not whole.

    Most requests come in one piece: then there is nothing to wait for, and no timer is set.
    """

    headers: Head  # type: ignore[assignment]
    _held: bytearray | None = None
    _body: BoundedInput
    _ahead = -1

    def __init__(self, sock: socket.socket, address: Any, server: ArenaServer) -> None:
        sock.settimeout(IDLE_S)
        super().__init__(sock, address, server)

    def MessageClass(self, fp: BufferedIOBase, *_: object) -> Head:  # type: ignore[override]  # noqa: N802
        """How gevent has the fields of a head read."""
        return read_head(fp)

    def read_requestline(self) -> Any:
        """The first line. A connection may be idle before it, but then it has to come."""
        here = self.rfile.peek(1)
        end = here.find(HEAD_END)
        self._ahead = -1 if end < 0 else len(here) - end - len(HEAD_END)
        with self._hurry(TimeoutError("the first line took too long")):
            return super().read_requestline()

    def _hurry(self, too_long: Exception) -> AbstractContextManager[object]:
        """Around reading a part of the head: a limit to how long it may take to come in."""
        return NO_LIMIT if self._ahead >= 0 else gevent.Timeout(HEAD_S, too_long)

    def read_request(self, raw_requestline: str) -> Any:
        """Parse the head; not for longer than HEAD_S, and with a length that is plain digits."""
        with self._hurry(ValueError("the head of the request took too long")):
            read = super().read_request(raw_requestline)
        length = self.headers.get("content-length", "0")
        if not (length and length.isascii() and length.isdigit()):
            raise ValueError("Content-Length is not one number")
        if self.headers.get("transfer-encoding", "chunked") != "chunked":
            raise ValueError("Transfer-Encoding is not chunked")
        return read

    def _headers(self) -> Iterator[tuple[str, str]]:
        """The fields for the WSGI environment, but for the two that have names of their own."""
        for name, value in self.headers.items():
            if name not in ("content-type", "content-length"):
                yield environ_name(name), value

    def _connection_upgrade_requested(self) -> bool:
        """Nothing here speaks anything but HTTP: a wish to change is not heard."""
        return False

    def handle_one_request(self) -> Any:
        """Handle a request; what cannot be parsed is answered as a problem document."""
        result = super().handle_one_request()
        return (result[0], _raw_problem()) if isinstance(result, tuple) else result

    def get_environ(self) -> Any:
        """The WSGI environment, with a body that cannot go on for ever."""
        environ = super().get_environ()
        body = environ["wsgi.input"]
        parts = (body.rfile, body.content_length, body.socket, body.chunked_input)
        self._body = self.wsgi_input = environ["wsgi.input"] = BoundedInput(*parts)
        self._body.abandoned = False
        self._body.here = not body.chunked_input and (self.content_length or 0) <= self._ahead
        return environ

    def log_request(self) -> None:
        """The app has an access log of its own."""

    def finalize_headers(self) -> None:
        """Add what the app left to the server; the date is written out once a second."""
        if self.provided_date is None:
            self.provided_date = date = _date(int(time.time()))
            self.response_headers.append((b"Date", date.encode()))  # type: ignore
        super().finalize_headers()

    def handle_one_response(self) -> None:
        """Answer, then let the others have their turn: gevent itself gives no fairness."""
        server = self.server
        assert isinstance(server, ArenaServer)
        server.busy += 1
        try:
            super().handle_one_response()
        finally:
            server.busy -= 1
        if server.stopping or self._body.abandoned:
            self.close_connection = True
        gevent.sleep(0 if self._ahead == (self.content_length or 0) else MOMENT_S)

    def _write_with_headers(self, data: bytes) -> None:
        """Head and body in one write: one packet, one system call."""
        self._held = bytearray()
        super()._write_with_headers(data)  # type: ignore[misc]
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


class ArenaServer(WSGIServer):
    """A listening server. busy: requests being answered. stopping: close after each answer."""

    handler_class = ArenaHandler

    def __init__(self, app: WSGIApplication, host: str, port: int) -> None:
        super().__init__(
            (host, port),
            app,
            backlog=BACKLOG,
            log=None,
            error_log=LOG,
            environ={"SERVER_NAME": host, "wsgi.multithread": True},
        )
        self.busy = 0
        self.stopping = False

    def init_socket(self) -> None:
        """Bind, and switch Nagle's algorithm off: accepted connections inherit it."""
        super().init_socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: WSGIApplication,
    host: str,
    port: int,
    *,
    on_ready: Callable[[str], None],
    on_stop: Callable[[], None],
    drain_s: float,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then stop in order. Blocks.

    port: 0 for any free one. on_ready: called with the URL when it listens. on_stop: must release
    everybody who waits; called after the listener is closed, before open requests are waited for,
    which takes at most drain_s. Raises BadInput if it cannot listen there.
    """
    server = ArenaServer(app, host, port)
    raise_file_limit()
    collect_rarely()
    try:
        server.start()
    except OSError as error:
        told = f"an address that is free here ({error.strerror or error})"
        raise BadInput("address", f"{host}:{port}", told) from error
    stop = Event()
    for name in STOP_SIGNALS:
        if hasattr(signal, name):
            gevent.signal_handler(getattr(signal, name), stop.set)
    if not is_loopback(host):
        LOG.warning(
            "listening on %s, beyond this machine: tokens travel in the clear, so put a proxy "
            "with TLS in front of it",
            host,
        )
    try:
        on_ready(server.url)
        stop.wait()
    finally:
        stop_server(server, on_stop, drain_s=drain_s)


def collect_rarely() -> None:
    """Look for garbage in cycles less often: a server keeps most of what it makes, and by default
    would look through all of it again and again. What is there at the start is never looked at."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AT)


def stop_server(server: ArenaServer, on_stop: Callable[[], None], *, drain_s: float) -> None:
    """Stop listening, release those who wait, let open requests end. Not in a signal callback."""
    server.stopping = True
    server.close()
    on_stop()
    for _ in range(round(drain_s / LOOK_S)):
        if not server.busy:
            return
        gevent.sleep(LOOK_S)


def is_loopback(host: str) -> bool:
    """Can only this machine reach an address?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


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
    lines = [f"{name}: {value}\r\n" for name, value in [*_headers(name), *own]]
    head = f"HTTP/1.1 {_status_line(problem.status)}\r\n{''.join(lines)}\r\n"
    return head.encode("latin-1") + body


def _headers(name: str) -> list[tuple[str, str]]:
    """The headers of a problem that never reached the app. name: the request id."""
    return [("Content-Type", MEDIA), ("X-Request-Id", name), *GUARDS, POLICY]
