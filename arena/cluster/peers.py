"""HTTP to the other referees, over connections that are kept open.

A small pool of our own, and answers read by `http.client`, but for their heads. Measured on a
request of a bot, urllib3 takes 190 us of CPU for both sides of it, `http.client` 82, and this 35:
half of the 82 is a parser for e-mail, and what urllib3 adds (redirects, codings, proxies, retries)
is not wanted between two referees. A request leaves in one write, which spares the other side a
read. This module may not know what is asked, nor who should be asked.
"""

from __future__ import annotations

import contextlib
import re
import socket
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from http.client import BadStatusLine, HTTPException, HTTPResponse, RemoteDisconnected
from typing import NamedTuple
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
STATUS_LINE = re.compile(rb"HTTP/1\.1 ([2-5][0-9]{2}) ([^\x00-\x1f\x7f]*)\r\n")
LENGTH = re.compile(r"[0-9]{1,15}", re.ASCII)
LONGEST_LINE = 16_384
MOST_FIELDS = 100
WITHOUT_BODY = frozenset({204, 304})
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


class PeerAnswer(HTTPResponse):
    """An answer as `http.client` reads it, but for its head, which is read strictly. head: its
    fields."""

    head: list[tuple[str, str]]
    _method: str

    def begin(self) -> None:
        """Read the head. Raises HTTPException for what is none, or does not say where it ends."""
        line = self.fp.readline(LONGEST_LINE)
        if not line:
            raise RemoteDisconnected("the connection was closed without an answer")
        match = STATUS_LINE.fullmatch(line)
        if match is None:
            raise BadStatusLine(repr(line[:80]))
        self.status, self.reason = int(match[1]), match[2].decode("latin-1")
        self.version = 11
        self.head = self._read_fields()
        known = {name.lower(): value for name, value in self.head}
        self.chunked = known.get("transfer-encoding", "") == "chunked"
        self.chunk_left = None
        self.will_close = "close" in known.get("connection", "").lower()
        length = known.get("content-length", "")
        if self._method == "HEAD" or self.status in WITHOUT_BODY:
            self.length, self.chunked = 0, False
        elif self.chunked:
            self.length = None
        elif LENGTH.fullmatch(length):
            self.length = int(length)
        else:
            raise HTTPException("the answer does not say where it ends")

    def _read_fields(self) -> list[tuple[str, str]]:
        fields: list[tuple[str, str]] = []
        while (line := self.fp.readline(LONGEST_LINE)) != b"\r\n":
            name, colon, value = line.partition(b":")
            if not colon or not line.endswith(b"\r\n") or len(fields) == MOST_FIELDS:
                raise HTTPException("the head of the answer breaks off, or is none")
            fields.append((name.decode("latin-1"), value.strip().decode("latin-1")))
        return fields


class PeerConnection:
    """A connection to another referee, without Nagle's delay. Raises OSError, and ValueError for
    what is no address."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        where = parts.hostname or "", parts.port or 80
        self.hung_up = False
        self.sock = socket.create_connection(where, timeout=CONNECT_S)
        self.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def ask(self, request: PeerRequest, more: Fields) -> PeerAnswer:
        """Send a request; the answer, of which the head has come. Raises OSError, HTTPException,
        and ValueError for a head that would not be one."""
        self.sock.settimeout(request.answer_s)
        self.sock.sendall(written(request, more))
        answer = PeerAnswer(self.sock, method=request.method)
        try:
            answer.begin()
        except BaseException:
            answer.close()
            raise
        return answer

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

    def hang_up(self) -> None:
        """End it from another thread, whatever it waits for."""
        self.hung_up = True
        with contextlib.suppress(OSError):
            self.sock.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Be done with it."""
        self.sock.close()


def written(request: PeerRequest, more: Fields) -> bytes:
    """A request as it is sent. Raises ValueError if a part of its head would be a line or a word of
    its own."""
    first = f"{request.method} {request.target} HTTP/1.1"
    fields = [f"{name}: {value}" for name, value in (*request.fields, *more)]
    if request.body or request.method not in NO_BODY:
        fields.append(f"Content-Length: {len(request.body)}")
    head = "\r\n".join((first, *fields, "", ""))
    lines = len(fields) + 2
    if first.count(" ") != 2 or head.count("\r") != lines or head.count("\n") != lines:
        raise ValueError("a method, a target or a field of a request holds a space or a line break")
    return head.encode("latin-1") + request.body


class PeerResponse:
    """An answer of a referee, to be read to its end or closed. fields: as they came, without those
    that concern the connection."""

    def __init__(self, response: PeerAnswer, *, name: str, done: Callable[[bool], None]) -> None:
        self._response = response
        self._name = name
        self._done: Callable[[bool], None] | None = done
        self._left = response.length
        self.status = response.status
        self.reason = response.reason
        self.fields = response.head

    def field(self, name: str) -> str | None:
        """What a field of the head says; name: in lower case."""
        return next((value for own, value in self.fields if own.lower() == name), None)

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


class KeptConnection(NamedTuple):
    """A connection that is kept open without use, until then."""

    address: str
    connection: PeerConnection
    until_s: float


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
        self._kept: dict[str, list[KeptConnection]] = {}
        self._away: dict[str, float] = {}
        self._busy: dict[str, set[PeerConnection]] = {}

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

    def hang_up(self, name: str) -> None:
        """A referee is dead or stands still: nobody waits for its answers any more, and what was
        kept for it leads nowhere."""
        for connection in tuple(self._busy.pop(name, ())):
            connection.hang_up()
        for kept in self._kept.pop(name, ()):
            kept.connection.close()

    def close(self) -> None:
        """Close the connections that are kept."""
        while self._kept:
            _, kept = self._kept.popitem()
            for each in kept:
                each.connection.close()

    def _send(self, name: str, address: str, request: PeerRequest) -> PeerResponse:
        """Over a connection that was kept, if there is one. One that its other side has just given
        up says nothing of whether the referee is there: then a new one is opened."""
        kept = self._take(name, address)
        if kept is not None:
            try:
                return self._ask(name, address, kept, request=request)
            except PeerUnreachable as error:
                cancelled = kept.hung_up or (
                    request.cancellation is not None and request.cancellation.cancelled
                )
                late = isinstance(error.__cause__, TimeoutError)
                if cancelled or late or not request.repeatable:
                    raise
        return self._ask(name, address, self._connect(name, address), request=request)

    def _connect(self, name: str, address: str) -> PeerConnection:
        try:
            connection = PeerConnection(address)
        except (OSError, ValueError) as error:  # ValueError: no address of anything
            self._away[address] = self._monotonic() + AWAY_S
            raise PeerUnreachable(name, _reason(error), sent=False) from error
        self._away.pop(address, None)
        return connection

    def _ask(
        self, name: str, address: str, connection: PeerConnection, *, request: PeerRequest
    ) -> PeerResponse:
        cancellation = request.cancellation
        shown = ((SECRET_FIELD, self._secret()), (HOP_FIELD, self._own))
        busy = self._busy.setdefault(name, set())
        busy.add(connection)
        try:
            if cancellation is not None and not cancellation.watch(connection.sock):
                raise ConnectionAbortedError("it was called back")
            response = connection.ask(request, shown)
        except (OSError, HTTPException) as error:
            busy.discard(connection)
            connection.close()
            raise PeerUnreachable(name, _reason(error), sent=True) from error
        except ValueError:
            busy.discard(connection)
            connection.close()
            raise

        def done(keep: bool) -> None:
            busy.discard(connection)
            if cancellation is not None:
                keep = cancellation.watch(None) and keep
            self._keep(
                name, KeptConnection(address, connection, self._monotonic() + KEPT_S), keep=keep
            )

        connection.sock.settimeout(PIECE_S)
        return PeerResponse(response, name=name, done=done)

    def _take(self, name: str, address: str) -> PeerConnection | None:
        """A connection that was kept and can be used."""
        kept = self._kept.get(name)
        while kept:
            newest = kept.pop()
            if self._is_good(newest, address) and newest.connection.is_usable():
                return newest.connection
            newest.connection.close()
        return None

    def _keep(self, name: str, fresh: KeptConnection, *, keep: bool) -> None:
        """Keep a connection; the oldest go that are of no use any more: a referee that was started
        again listens elsewhere."""
        kept = self._kept.setdefault(name, [])
        while kept and not self._is_good(kept[0], fresh.address):
            kept.pop(0).connection.close()
        if keep and len(kept) < KEPT:
            kept.append(fresh)
        else:
            fresh.connection.close()

    def _is_good(self, kept: KeptConnection, address: str) -> bool:
        return kept.address == address and self._monotonic() < kept.until_s


def _reason(error: Exception) -> str:
    """Why something went wrong, in a few words."""
    strerror = error.strerror if isinstance(error, OSError) else None
    return (strerror or str(error) or type(error).__name__)[:200]
