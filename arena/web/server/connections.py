"""One connection of the HTTP server: gevent's handler, with what measuring showed to be missing.

Small answers leave in one write; nobody may take for ever to send or to take anything; after each
response the other greenlets have their turn; what never reaches the app is answered as a problem
document too. Heads are read and written by `arena.web.server.heads`: a client sends the same one
again and again, and a connection knows those that it has read. This module may not know what the
app does.
"""

from __future__ import annotations

import errno
import logging
import socket
import time
from collections.abc import Callable, Sequence
from email.utils import formatdate
from functools import lru_cache
from io import BytesIO
from types import TracebackType
from typing import TYPE_CHECKING, Any, NoReturn, Protocol
from urllib.parse import unquote

import gevent
from gevent.pywsgi import WSGIHandler

from arena.web.api.logs import without_secrets
from arena.web.api.problems import Problem
from arena.web.server.fairness import Lane, RateLimiter
from arena.web.server.heads import (
    OF_CLIENTS,
    Head,
    read_first_line,
    read_head,
    read_target,
    size_of_head,
)
from arena.web.server.refusals import fault, raw_response, refusal_of, response_parts
from arena.web.server.request_bodies import Body
from arena.web.throttled_log import ThrottledLog

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication, WSGIEnvironment

LOG = logging.getLogger("arena.web.server")
HEAD_S = 20.0
"""How long the head of a request may take to come in."""
FIRST_S = 20.0
"""How long a new connection may wait before its first request."""
IDLE_S = 120.0
"""How long one that has been of use may stand still between two requests."""
SEND_S = 20.0
"""How long a client may keep us waiting altogether until it has taken an answer, and besides"""
LEAST_BYTES_PER_S = 8_192
"""a second more for each of this many bytes of it."""
READ = 1
"""What libev calls it that there is something to be read."""
MOST_PARSED_HEADS = 4
"""How many heads a connection knows: those of short answers differ in their length only."""
LONGEST_KNOWN_HEAD = 4_096
"""Bytes of a head that is known again: nobody has long ones kept by sending many."""
LONGEST_FIRST_LINE = 8_192
EMPTY_LINES = (b"\r\n", b"\n")
HANG_UP = "arena.on_hang_up"
"""Where the environment of a request holds what notices that its client goes."""
UNCHARGED = (401, 429)
"""Answers that draw from no bucket: who does not wait as they say would get them without bounds."""


class Server(Protocol):
    """The server, as a connection of it needs it; `http_server.ArenaServer` is one."""

    busy: int
    stopping: bool
    lane: Lane
    refusals: RateLimiter
    throttled_log: ThrottledLog
    application: WSGIApplication

    def get_environ(self) -> WSGIEnvironment:
        """A WSGI environment with what is the same in all requests."""
        ...


class ArenaHandler(WSGIHandler):
    """A connection.

    Most requests come in one piece: then there is nothing to wait for, and no timer is set. What is
    overridden for speed has its share of a single answer's CPU time beside it, as in `fast_flask`;
    all else is overridden for what gevent does not do: limits of time and size, strict heads,
    fairness, problem documents.
    _head_bytes: the fields of a head that has come whole, as bytes. _bytes_behind_head: how many
    bytes had come behind it, -1 if it was not whole. _parsed_heads: heads by their bytes.
    _write_buffer: what is collected for one write. _new: nothing has come of it yet. _pipelining:
    more had come before this request was answered. _blocked_s: how long its client has kept us
    waiting with the answer that is being sent. _watcher: notices that the client goes.
    """

    server: Server  # type: ignore[assignment]
    path: str
    content_length: int | None  # type: ignore[assignment]
    _head: Head
    _body: Body
    _authority: str | None = None
    _head_bytes = b""
    _bytes_behind_head = -1
    _write_buffer: bytearray | None = None
    _new = True
    _pipelining = False
    _blocked_s = 0.0
    _watcher: Any = None
    most_parsed_heads = MOST_PARSED_HEADS
    head_limits = OF_CLIENTS

    def __init__(self, sock: socket.socket, address: Any, server: Server) -> None:
        super().__init__(sock, address, server)  # type: ignore[arg-type]
        self._parsed_heads: dict[bytes, Head] = {}
        host, port = address[:2]
        self._peer = {"REMOTE_ADDR": str(host), "REMOTE_PORT": str(port)}

    def read_requestline(self) -> Any:
        """The first line. A connection may be idle before it, but then it has to come.

        An empty line before it is none (RFC 9112, section 2.2).
        """
        here = self._await_bytes()
        size = size_of_head(here)
        self._bytes_behind_head = len(here) - size if size else -1
        if not size:
            with gevent.Timeout(HEAD_S, TimeoutError("the first line took too long")):
                first: bytes = self.rfile.readline(LONGEST_FIRST_LINE)
                if first in EMPTY_LINES:
                    first = self.rfile.readline(LONGEST_FIRST_LINE)
                return first.decode("latin-1")
        line: bytes = self.rfile.readline()
        if line in EMPTY_LINES:
            size -= len(line)
            line = self.rfile.readline()
        self._head_bytes = self.rfile.read(size - len(line))
        return line.decode("latin-1")

    def _await_bytes(self) -> bytes:
        """What has come of the next request, at least a byte if the connection goes on."""
        self.socket.settimeout(None)  # or each wait had a timer of its own
        try:
            with gevent.Timeout(FIRST_S if self._new else IDLE_S, TimeoutError()):
                here: bytes = self.rfile.peek(1)
                return here
        finally:
            self.socket.settimeout(SEND_S)

    def read_request(self, raw_requestline: str) -> Any:
        """Parse the head. Raises ValueError for what is none, TimeoutError after HEAD_S."""
        method, target, self.request_version = read_first_line(raw_requestline)
        self.command = method
        self.path, self._authority = read_target(method, target)
        self._head = head = self._read_head()
        if self.request_version == "HTTP/1.0":
            if head.chunked:
                raise ValueError("Transfer-Encoding in a request of HTTP/1.0")
            self.close_connection = head.connection != "keep-alive"
        else:
            if "HTTP_HOST" not in head.fields:
                raise ValueError("a request without Host")
            self.close_connection = head.connection == "close"
        if head.length and self.command == "HEAD":
            raise ValueError("a HEAD request with a body")
        self.content_length = head.length
        return True

    def _read_head(self) -> Head:
        """The fields of a head. To know it by its bytes saves 21 us (5.3 %)."""
        if self._bytes_behind_head < 0:
            with gevent.Timeout(HEAD_S, TimeoutError("the head of the request took too long")):
                return read_head(self.rfile, self.head_limits)
        head = self._parsed_heads.get(self._head_bytes)
        if head is None:
            head = read_head(BytesIO(self._head_bytes), self.head_limits)
            if len(self._head_bytes) > LONGEST_KNOWN_HEAD:
                return head
            if len(self._parsed_heads) >= self.most_parsed_heads:
                self._parsed_heads.clear()
            self._parsed_heads[self._head_bytes] = head
        return head

    def handle_one_request(self) -> Any:
        """Handle a request: True if there may be another one, None if the connection ends.

        What cannot be parsed is answered as a problem document; who is too slow is not answered.
        """
        try:
            line = self.read_requestline()
            if not line:
                return None
            self.read_request(line)
        except OSError as error:  # it has gone, was idle for too long, or too slow
            if isinstance(error, TimeoutError) and error.args:
                self.server.throttled_log.log(
                    logging.INFO, "late", "a client is too slow: %s", error
                )
            self.server.lane.wait()
            return None
        except ValueError as error:
            self._refuse(error)
            return None
        self._new = False
        self.environ = self.get_environ()
        self.application = self.server.application
        self.handle_one_response()
        return None if self.close_connection else True

    def _refuse(self, error: ValueError) -> None:
        """Answer what is no HTTP, when it is its turn: many of that kind may come at once."""
        reason = without_secrets(str(error) or type(error).__name__)[:500]
        self.server.throttled_log.log(logging.INFO, "no HTTP", "not HTTP: %s", reason)
        self.server.lane.wait()
        try:
            self.socket.sendall(raw_response(refusal_of(error)))
        except OSError:
            LOG.debug("a client had gone before its error could be sent")

    def get_environ(self) -> Any:
        """The WSGI environment, with a body that cannot go on for ever."""
        environ = self.server.get_environ()
        environ.update(self._head.fields)
        environ.update(self._peer)
        if self._authority is not None:  # it counts, whatever the field says (RFC 9112, 3.2.2)
            environ["HTTP_HOST"] = self._authority
        path, _, environ["QUERY_STRING"] = self.path.partition("?")
        environ["PATH_INFO"] = unquote(path, "latin-1")
        environ["REQUEST_METHOD"] = self.command
        environ["SERVER_PROTOCOL"] = self.request_version
        here = not self._head.chunked and (self.content_length or 0) <= self._bytes_behind_head
        asking = self.socket if environ.get("HTTP_EXPECT") == "100-continue" else None
        wait = self.server.lane.wait
        environ[HANG_UP] = self._on_hang_up
        self._body = Body(self.rfile, self._head, here=here, asking=asking, before_failure=wait)
        self.wsgi_input = environ["wsgi.input"] = self._body  # type: ignore[assignment]
        return environ

    def _on_hang_up(self, then: Callable[[], None]) -> Callable[[], None]:
        """Have something done, in a greenlet of its own, if the client goes while it waits for its
        answer; what ends that.

        Who has sent its next request already, or closed its side only, counts as gone when that
        side ends, as with other servers (nginx answers such a one with 499).
        """
        if self._watcher is None:
            self._watcher = gevent.get_hub().loop.io(self.socket.fileno(), READ)
        watcher = self._watcher

        def came() -> None:
            watcher.stop()
            if not self._is_open():
                gevent.spawn(then)

        watcher.start(came)
        stop: Callable[[], None] = watcher.stop
        return stop

    def handle(self) -> None:
        """Handle the connection to its end."""
        try:
            super().handle()
        finally:
            if self._watcher is not None:
                self._watcher.close()

    def _is_open(self) -> bool:
        """Is the client still there, as far as can be known without waiting?"""
        patience_s = self.socket.gettimeout()
        self.socket.settimeout(0.0)
        try:
            return bool(self.socket.recv(1, socket.MSG_PEEK))
        except BlockingIOError:
            return True
        except OSError:
            return False
        finally:
            self.socket.settimeout(patience_s)

    def log_request(self) -> None:
        """The app has an access log of its own."""

    def handle_one_response(self) -> None:
        """Answer, then let the others have their turn: gevent itself gives no fairness.

        Who has sent its next request without waiting for the answer waits for a place in the lane.
        """
        server = self.server
        server.busy += 1
        self._blocked_s = 0.0
        self._pipelining = False
        try:
            super().handle_one_response()
        finally:
            server.busy -= 1
        if server.stopping or self._body.unfinished:
            self.close_connection = True
        if self._pipelining:
            server.lane.wait()
        else:
            gevent.sleep(0)

    def _has_pipelined_bytes(self) -> bool:
        """Has anything come of the next request before this one is answered?"""
        self.socket.settimeout(0.0)
        try:
            return bool(self.rfile.peek(1))
        except OSError:
            return False
        finally:
            self.socket.settimeout(SEND_S)

    def start_response(
        self, status: str, headers: Sequence[tuple[str, str]], exc_info: Any = None
    ) -> Any:
        """Take the head of a response. Raises ValueError if a field would end its own line."""
        if self.request_version == "HTTP/1.0":
            names = {name.lower() for name, _ in headers}
            if "content-length" not in names:
                self.close_connection = True  # nothing else says where the answer ends
        date = ("Date", _date(int(time.time())))  # written anew each time it takes 3 us
        return super().start_response(status, [*headers, date], exc_info)

    def _write_with_headers(self, data: bytes) -> None:
        """Head and body in one write: one packet, one system call (12 us, 3.2 %).

        Refusals that are not charged are kept back before they leave, not the connection
        afterwards: a proxy may use that for somebody else as soon as it has the answer.
        """
        if self.code in UNCHARGED:
            self.server.refusals.wait()
        if self._bytes_behind_head != (self.content_length or 0):  # not just this request has come
            self._pipelining = self._has_pipelined_bytes()
        self._write_buffer = bytearray()
        super()._write_with_headers(data)  # type: ignore[misc]
        buffer, self._write_buffer = self._write_buffer, None
        self._sendall(buffer)

    def finalize_headers(self) -> None:
        """Complete the head. Of an answer to HEAD it is all there is: no last chunk comes after."""
        super().finalize_headers()
        if self.command == "HEAD":
            self.response_use_chunked = False

    def _sendall(self, data: bytes | bytearray) -> None:
        """Send, as slowly as the client takes it, but not slower than LEAST_BYTES_PER_S.

        Raises BrokenPipeError if it has gone or is too slow: that is nobody's fault but its own.
        """
        if self._write_buffer is not None:
            self._write_buffer += data
            return
        left = memoryview(data)
        while True:
            began_s = time.monotonic()
            try:
                sent = self.socket.send(left)
            except OSError as error:
                self._abort(error)
            self.response_length += sent
            if sent == len(left):
                self._blocked_s += time.monotonic() - began_s
                return
            left = left[sent:]
            self._blocked_s += time.monotonic() - began_s
            rest_s = remaining_patience_s(self.response_length, self._blocked_s)
            if not rest_s:
                self._abort(TimeoutError("timed out"))
            self.socket.settimeout(rest_s)

    def _abort(self, error: OSError) -> NoReturn:
        if isinstance(error, TimeoutError):
            self.server.throttled_log.log(
                logging.INFO, "slow", "a client took its answer too slowly"
            )
            self.server.lane.wait()
        raise BrokenPipeError(errno.EPIPE, f"the answer was not taken: {error}") from error

    def handle_error(self, t: Any, v: Any, tb: TracebackType | None) -> None:
        """A fault of ours, below the app or while an answer is being sent: log it, and answer."""
        LOG.error("a fault below the app", exc_info=(t, v, tb))
        self._send_problem(fault())

    def _send_problem(self, problem: Problem) -> None:
        """Answer with a problem if nothing was answered yet, and end the connection."""
        self.close_connection = True
        if self.response_length:
            return
        status, fields, body = response_parts(problem)
        try:
            self.start_response(status, fields)
            self.result = [body]
            self.write(body)
        except OSError:
            LOG.debug("a client had gone before its error could be sent")


def remaining_patience_s(taken: int, blocked_s: float) -> float:
    """How much longer to wait for a client that has taken this many bytes of an answer and has
    blocked us for this long; 0 if no longer."""
    allowed_s = SEND_S + taken / LEAST_BYTES_PER_S - blocked_s
    return max(0.0, min(allowed_s, SEND_S))


@lru_cache(maxsize=2)
def _date(second: int) -> str:
    return formatdate(second, usegmt=True)
