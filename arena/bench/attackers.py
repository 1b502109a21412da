"""Hostile clients for benchmarks: many connections that send slowly, never read, or talk rubbish.

An attack keeps a fixed number of connections busy for a fixed time from one thread and counts what
became of them. It is bounded in both and goes to this machine only, never anywhere else. Run as a
program it reads its orders (one JSON object, see `AttackOrders`) from standard input, writes a line
`attacking` once it has begun and in the end what it met (`Met`, JSON). This module may not know
what the server under attack does against it.
"""

from __future__ import annotations

import errno
import json
import selectors
import socket
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple
from urllib.parse import urlsplit

from arena.errors import BadInput
from arena.web.server.file_limits import raise_file_limit
from arena.web.server.http_server import is_loopback

MOST_CONNECTIONS = 10_000
MOST_S = 120.0
AT_ONCE = 64
"""Connections that are opened before the open ones are polled again."""
PIECE = 65_536
REST_S = 0.05
"""How long a place rests whose connection was refused or closed."""
SMALL_WINDOW = 4_096
UNFINISHED = frozenset({errno.EINPROGRESS, errno.EWOULDBLOCK, errno.EALREADY})


class AttackKind(NamedTuple):
    """What each connection of an attack does.

    first: bytes to begin with. drip: bytes that follow again and again, every pause_s; b"" for
    none. reads: does it take what the server answers?
    """

    first: bytes
    drip: bytes = b""
    pause_s: float = 1.0
    reads: bool = True


HOST = b" HTTP/1.1\r\nHost: localhost\r\n"
POST_HEAD = b"POST /api/v1/turns" + HOST + b"Content-Type: application/json\r\n%s"
PAGE = b"GET /openapi.json" + HOST + b"\r\n"
KINDS: Mapping[str, AttackKind] = MappingProxyType(
    {
        "silent": AttackKind(b""),
        "slow-heads": AttackKind(b"GET /healthz" + HOST + b"X-Slow: ", b"a"),
        "slow-bodies": AttackKind(POST_HEAD + b"Content-Length: 60000\r\n\r\n{", b" "),
        "slow-chunks": AttackKind(POST_HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\n \r\n"),
        "never-read": AttackKind(PAGE * 64, PAGE * 16, reads=False),
        "garbage": AttackKind(b"\x16\x03\x01 garbage\r\n\r\n"),
        "hasty": AttackKind(b"GET /nowhere" + HOST + b"Connection: close\r\n\r\n"),
    }
)
"""Attacks by name. With `%s` in its first bytes a kind takes a token, so that it gets past 401."""


class AttackOrders(NamedTuple):
    """What to do: kind (a key of `KINDS`), the server's URL, connections at a time, seconds.

    token: of a bot, for the kinds that can make use of one; "" for none.
    """

    kind: str
    url: str
    connections: int
    seconds: float
    token: str = ""


class Met(NamedTuple):
    """What the attack met. opened: connections that came about; refused: that did not; closed: by
    the server; sent, read: bytes; most_open: connections that were open at the same time."""

    opened: int
    refused: int
    closed: int
    sent: int
    read: int
    most_open: int


def attack(orders: AttackOrders) -> Met:
    """Do it, from this thread. Raises BadInput for orders that are none, or go too far."""
    address = _checked(orders)
    raise_file_limit()
    with _Attack(KINDS[orders.kind], address, orders) as running:
        return running.run()


class Attackers:
    """An attack in a process of its own; it is over after its seconds or when it is stopped."""

    def __init__(self, orders: AttackOrders) -> None:
        _checked(orders)
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "arena.bench.attackers"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(orders._asdict()).encode() + b"\n")
        self._process.stdin.flush()
        if self._process.stdout.readline() != b"attacking\n":
            raise RuntimeError("the attackers did not start")

    def met(self) -> Met:
        """Wait for its end, and what it met."""
        output, _ = self._process.communicate(timeout=MOST_S + 60)
        return Met(**json.loads(output))

    def kill(self) -> None:
        """End it; harmless if it has ended."""
        self._process.kill()
        self._process.communicate()


class _Connection:
    """One connection. waiting: what it has yet to send; opened: has it come about?; watched: what
    it is polled for."""

    __slots__ = ("opened", "sock", "waiting", "watched")

    def __init__(self, sock: socket.socket, first: bytes) -> None:
        self.sock = sock
        self.waiting = bytearray(first)
        self.opened = False
        self.watched = 0


class _Attack:
    """The connections of an attack, and when each has to do something next."""

    def __init__(self, kind: AttackKind, address: tuple[str, int], orders: AttackOrders) -> None:
        self._kind = kind._replace(first=_with_token(kind.first, orders.token))
        self._address = address
        self._seconds = orders.seconds
        self._selector = selectors.DefaultSelector()
        self._open: set[_Connection] = set()
        self._due: deque[tuple[float, _Connection]] = deque()
        self._resting = deque([0.0] * orders.connections)
        self._opened = self._refused = self._closed = 0
        self._sent = self._read = self._most_open = 0

    def __enter__(self) -> _Attack:
        return self

    def __exit__(self, *_: object) -> None:
        for connection in self._open:
            connection.sock.close()
        self._selector.close()

    def run(self) -> Met:
        """Go on until the time is over."""
        until = time.monotonic() + self._seconds
        while (now := time.monotonic()) < until:
            self._open_some(now)
            self._drip(now)
            for key, events in self._selector.select(self._patience_s(now, until)):
                self._serve(key.data, events)
        counted = (self._opened, self._refused, self._closed, self._sent, self._read)
        return Met(*counted, self._most_open)

    def _patience_s(self, now: float, until: float) -> float:
        instants = [until, *list(self._resting)[:1], *(due for due, _ in list(self._due)[:1])]
        return max(0.0, min(instants) - now)

    def _open_some(self, now: float) -> None:
        for _ in range(AT_ONCE):
            if not self._resting or self._resting[0] > now:
                return
            self._resting.popleft()
            self._connect(now)

    def _connect(self, now: float) -> None:
        family = socket.AF_INET6 if ":" in self._address[0] else socket.AF_INET
        connection = _Connection(socket.socket(family, socket.SOCK_STREAM), self._kind.first)
        sock = connection.sock
        sock.setblocking(False)
        if not self._kind.reads:
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_WINDOW)
        failed = sock.connect_ex(self._address)
        self._open.add(connection)
        if failed and failed not in UNFINISHED:
            self._lost(connection)
            return
        self._most_open = max(self._most_open, len(self._open))
        self._watch(connection)
        if self._kind.drip:
            self._due.append((now + self._kind.pause_s, connection))

    def _drip(self, now: float) -> None:
        while self._due and self._due[0][0] <= now:
            _, connection = self._due.popleft()
            if connection in self._open:
                if not connection.waiting:
                    connection.waiting += self._kind.drip
                    self._watch(connection)
                self._due.append((now + self._kind.pause_s, connection))

    def _watch(self, connection: _Connection) -> None:
        """Look at a connection for what it has to do; one that never reads may have nothing."""
        sending = connection.waiting or not connection.opened
        wanted = selectors.EVENT_WRITE if sending else 0
        wanted |= selectors.EVENT_READ if self._kind.reads else 0
        if connection.watched and wanted:
            self._selector.modify(connection.sock, wanted, connection)
        elif wanted:
            self._selector.register(connection.sock, wanted, connection)
        elif connection.watched:
            self._selector.unregister(connection.sock)
        connection.watched = wanted

    def _serve(self, connection: _Connection, events: int) -> None:
        try:
            if events & selectors.EVENT_WRITE:
                self._send(connection)
            if events & selectors.EVENT_READ:
                self._receive(connection)
        except BlockingIOError:
            return
        except OSError:
            self._lost(connection)

    def _send(self, connection: _Connection) -> None:
        if not connection.opened:
            if failed := connection.sock.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR):
                raise OSError(failed, "no connection")
            connection.opened = True
            self._opened += 1
        if connection.waiting:
            sent = connection.sock.send(connection.waiting)
            self._sent += sent
            del connection.waiting[:sent]
        if not connection.waiting:
            self._watch(connection)

    def _receive(self, connection: _Connection) -> None:
        piece = connection.sock.recv(PIECE)
        self._read += len(piece)
        if not piece:
            raise ConnectionError("the server hung up")

    def _lost(self, connection: _Connection) -> None:
        """Close a connection that failed; another one takes its place after a moment."""
        self._closed += connection.opened
        self._refused += not connection.opened
        if connection.watched:
            self._selector.unregister(connection.sock)
        self._open.discard(connection)
        connection.sock.close()
        self._resting.append(time.monotonic() + REST_S)


def _with_token(first: bytes, token: str) -> bytes:
    field = f"Authorization: Bearer {token}\r\n".encode() if token else b""
    return first.replace(b"%s", field)


def _checked(orders: AttackOrders) -> tuple[str, int]:
    """The address under attack. Raises BadInput."""
    if orders.kind not in KINDS:
        raise BadInput("attack", orders.kind, f"one of {', '.join(KINDS)}")
    if not 1 <= orders.connections <= MOST_CONNECTIONS:
        raise BadInput("connections", orders.connections, f"1 to {MOST_CONNECTIONS}")
    if not 0 < orders.seconds <= MOST_S:
        raise BadInput("seconds", orders.seconds, f"more than 0, at most {MOST_S:g}")
    parts = urlsplit(orders.url)
    host = parts.hostname or ""
    if not is_loopback(host):
        raise BadInput("url", orders.url, "an address of this machine: nothing else is attacked")
    return host, parts.port or 80


def main() -> None:
    """Take orders, report that it has begun, then what it met."""
    orders = AttackOrders(**json.loads(sys.stdin.readline()))
    print("attacking", flush=True)
    print(json.dumps(attack(orders)._asdict()))


if __name__ == "__main__":
    main()
