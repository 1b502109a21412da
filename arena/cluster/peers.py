"""HTTP to the other referees, over connections that are kept open.

`http.client` with a small pool of our own: measured on a request of a bot it takes 80 us of CPU
where urllib3 takes 190, and what urllib3 adds (redirects, codings, proxies, retries of its own) is
not wanted between two referees. Head and body of a request leave in one write. This module may not
know what is asked, nor who should be asked.
"""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.client import HTTPConnection, HTTPException, HTTPResponse
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import orjson

from arena.errors import BadInput

CONNECT_S = 1.0
"""How long a connection to a referee may take to come about."""
ANSWER_S = 5.0
"""How long an answer may take beyond what it was asked to wait."""
PIECE_S = 30.0
"""How long the next piece of an answer may take: streams send something every 15 s."""
AWAY_S = 0.5
"""How long a referee that could not be reached is not tried again."""
KEPT = 64
"""Connections to one referee that are kept open without use;"""
KEPT_S = 60.0
"""and how long: half of what the other side allows."""
PIECE = 65_536
SECRET_FIELD = "Arena-Cluster-Secret"
HOP_FIELD = "Arena-Hop"
HELLO = "/cluster/hello"
CURSOR = "/cluster/cursor"
NO_BODY = frozenset({"GET", "HEAD", "DELETE", "OPTIONS"})

Fields = Sequence[tuple[str, str]]


class PeerUnreachable(Exception):
    """A referee could not be asked, or did not answer to the end. sent: it may have got the
    request."""

    def __init__(self, name: str, reason: str, *, sent: bool) -> None:
        super().__init__(f"referee {name!r} cannot be reached: {reason}")
        self.name = name
        self.reason = reason
        self.sent = sent


class Cancellation:
    """By which another thread ends a request that waits for its answer. cancelled: it was ended."""

    def __init__(self) -> None:
        self.cancelled = False
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def watch(self, sock: socket.socket | None) -> bool:
        """This connection is the one that waits; None: none does. False if it is too late."""
        with self._lock:
            self._socket = sock
            return not self.cancelled

    def cancel(self) -> None:
        """Hang up, so that whoever waits at the other side does so no longer; twice is harmless."""
        with self._lock:
            self.cancelled = True
            waiting, self._socket = self._socket, None
        if waiting is not None:
            with contextlib.suppress(OSError):
                waiting.shutdown(socket.SHUT_RDWR)


class PeerRequest(NamedTuple):
    """What a referee is asked. target: path and query, visible ASCII. fields: of the head, without
    those that concern the connection. answer_s: how long until the head of the answer. repeatable:
    it does no harm if it comes twice."""

    method: str
    target: str
    fields: Fields = ()
    body: bytes = b""
    answer_s: float = ANSWER_S
    repeatable: bool = True
    cancellation: Cancellation | None = None


class OneWrite(HTTPConnection):
    """A connection that sends a request in one piece, without Nagle's delay."""

    def __init__(self, host: str, port: int) -> None:
        super().__init__(host, port, timeout=CONNECT_S)
        self._unsent = bytearray()

    def connect(self) -> None:
        """Connect. Raises OSError."""
        super().connect()
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def send(self, data: Any) -> None:
        """Keep what is to be sent until all of it is there."""
        self._unsent += data

    def ask(self, request: PeerRequest, more: Fields) -> HTTPResponse:
        """Send a request; the answer, of which the head has come. Raises OSError, HTTPException,
        and ValueError for a head that would not be one."""
        self.putrequest(request.method, request.target, skip_host=True, skip_accept_encoding=True)
        for name, value in (*request.fields, *more):
            self.putheader(name, value)
        if request.body or request.method not in NO_BODY:
            self.putheader("Content-Length", str(len(request.body)))
        self.endheaders(request.body or None)
        whole, self._unsent = self._unsent, bytearray()
        self.sock.settimeout(request.answer_s)
        self.sock.sendall(whole)
        response = self.getresponse()
        if response.length is None and not response.chunked:
            response.close()
            raise HTTPException("the head of the answer breaks off")
        return response

    def is_usable(self) -> bool:
        """Is the other side still there, and has nothing come that nobody asked for?"""
        try:
            self.sock.settimeout(0.0)
            self.sock.recv(1, socket.MSG_PEEK)
        except (BlockingIOError, TimeoutError):
            return True
        except OSError:
            return False
        return False


class PeerResponse:
    """An answer of a referee, to be read to its end or closed. fields: as they came, without those
    that concern the connection."""

    def __init__(self, response: HTTPResponse, *, name: str, done: Callable[[bool], None]) -> None:
        self._response = response
        self._name = name
        self._done: Callable[[bool], None] | None = done
        self._left = response.length
        self.status = response.status
        self.reason = response.reason
        self.fields = response.getheaders()

    def field(self, name: str) -> str | None:
        """What a field of the head says."""
        return self._response.getheader(name)

    @property
    def length(self) -> int | None:
        """The bytes of the body, None if they are not known before they have come."""
        return self._left

    def read(self) -> bytes:
        """The whole body. Raises PeerUnreachable if it breaks off."""
        return b"".join(self.pieces())

    def pieces(self) -> Iterator[bytes]:
        """The body as it comes. Raises PeerUnreachable if it breaks off."""
        whole = False
        try:
            while piece := self._response.read1(PIECE):
                if self._left is not None:
                    self._left -= len(piece)
                yield piece
            if self._left:
                raise HTTPException("the answer breaks off")
            whole = True
        except (OSError, HTTPException, ValueError) as error:
            raise PeerUnreachable(self._name, _reason(error), sent=True) from error
        finally:
            self._end(whole=whole)

    def close(self) -> None:
        """Hang up if it was not read to its end; twice is harmless."""
        self._end(whole=False)

    def _end(self, *, whole: bool) -> None:
        done, self._done = self._done, None
        if done is not None:
            keep = whole and not self._response.will_close
            self._response.close()
            done(keep)


class Peers:
    """The way to the other referees.

    address: where a referee listens for the others, None if it is not there. secret: what referees
    show each other. own: the name of this one. monotonic: seconds.
    """

    def __init__(
        self,
        address: Callable[[str], str | None],
        secret: Callable[[], str],
        own: str,
        *,
        monotonic: Callable[[], float] = time.monotonic,
    ) -> None:
        self._address = address
        self._secret = secret
        self._own = own
        self._monotonic = monotonic
        self._kept: dict[str, list[tuple[OneWrite, float]]] = {}
        self._away: dict[str, float] = {}

    def send(self, name: str, request: PeerRequest) -> PeerResponse:
        """Ask a referee. Raises PeerUnreachable; ValueError for what is no head of a request."""
        address = self._address(name)
        if address is None:
            raise PeerUnreachable(name, "it is not there", sent=False)
        if self._monotonic() < self._away.get(address, 0.0):
            raise PeerUnreachable(name, "it was away a moment ago", sent=False)
        return self._send(name, address, request)

    def hello(self, address: str) -> str:
        """The name of the referee that listens at an address. Raises PeerUnreachable if none does,
        BadInput for a secret that is not its own."""
        response = self._send(address, address, PeerRequest("GET", HELLO, (("Host", "peer"),)))
        body = response.read()
        if response.status == 403:
            raise BadInput("cluster_secret", "(not repeated)", f"that of the referee at {address}")
        try:
            return str(orjson.loads(body)["name"])
        except (ValueError, KeyError, TypeError) as error:
            raise PeerUnreachable(address, "it is no referee of a cluster", sent=True) from error

    def close(self) -> None:
        """Close the connections that are kept."""
        while self._kept:
            _, kept = self._kept.popitem()
            for connection, _ in kept:
                connection.close()

    def _send(self, name: str, address: str, request: PeerRequest) -> PeerResponse:
        """Over a connection that was kept, if there is one. One that its other side has just given
        up says nothing of whether the referee is there: then a new one is opened."""
        kept = self._take(address)
        if kept is not None:
            try:
                return self._ask(name, address, kept, request=request)
            except PeerUnreachable as error:
                cancelled = request.cancellation is not None and request.cancellation.cancelled
                late = isinstance(error.__cause__, TimeoutError)
                if cancelled or late or not request.repeatable:
                    raise
        return self._ask(name, address, self._connect(name, address), request=request)

    def _connect(self, name: str, address: str) -> OneWrite:
        parts = urlsplit(address)
        connection = OneWrite(parts.hostname or "", parts.port or 80)
        try:
            connection.connect()
        except OSError as error:
            self._away[address] = self._monotonic() + AWAY_S
            raise PeerUnreachable(name, _reason(error), sent=False) from error
        self._away.pop(address, None)
        return connection

    def _ask(
        self, name: str, address: str, connection: OneWrite, *, request: PeerRequest
    ) -> PeerResponse:
        cancellation = request.cancellation
        shown = ((SECRET_FIELD, self._secret()), (HOP_FIELD, self._own))
        try:
            if cancellation is not None and not cancellation.watch(connection.sock):
                raise ConnectionAbortedError("it was called back")
            response = connection.ask(request, shown)
        except (OSError, HTTPException) as error:
            connection.close()
            raise PeerUnreachable(name, _reason(error), sent=True) from error
        except ValueError:
            connection.close()
            raise

        def done(keep: bool) -> None:
            if cancellation is not None:
                keep = cancellation.watch(None) and keep
            self._keep(address, connection, keep=keep)

        if connection.sock is not None:
            connection.sock.settimeout(PIECE_S)
        return PeerResponse(response, name=name, done=done)

    def _take(self, address: str) -> OneWrite | None:
        """A connection that was kept and can be used."""
        kept = self._kept.get(address)
        while kept:
            connection, until_s = kept.pop()
            if self._monotonic() < until_s and connection.is_usable():
                return connection
            connection.close()
        return None

    def _keep(self, address: str, connection: OneWrite, *, keep: bool) -> None:
        kept = self._kept.setdefault(address, [])
        if keep and connection.sock is not None and len(kept) < KEPT:
            kept.append((connection, self._monotonic() + KEPT_S))
        else:
            connection.close()


def _reason(error: Exception) -> str:
    """Why something went wrong, in a few words."""
    strerror = error.strerror if isinstance(error, OSError) else None
    return (strerror or str(error) or type(error).__name__)[:200]
