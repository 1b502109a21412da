"""The connections of clients: some listening ports, one loop, one thread.

Every message is handed to the system whole, in order and at once (TCP_NODELAY): nearly all clients
read a table with a single call, and one that is cut in two ends them. Nobody is waited for with
others unserved. It knows no game: seats say what goes out and take what comes in.
"""

from __future__ import annotations

import logging
import select
import selectors
import socket
import threading
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Final, NamedTuple

from arena.errors import BadInput
from arena.uecda.greeting import Greeting
from arena.uecda.seat import ClientSeat

LOG = logging.getLogger("arena.uecda")
BACKLOG: Final = 64
READ_BYTES: Final = 1 << 16
SEND_BUFFER_BYTES: Final = 1 << 18
SEGMENT_BYTES: Final = 1448
"""Messages are sent together up to this size: what an Ethernet segment carries, and less than is
always free in the system's buffer of a connection that can be written to."""
LINGER_S: Final = 3.0
"""So long may clients take to go when they have been sent everything."""
MOST_STRANGERS: Final = 64
"""The most connections without a profile that are kept; beyond that the oldest one goes."""


class ClientPatience(NamedTuple):
    """How long to wait for a client. hello_s: for its profile; behind_s, behind_bytes: until one
    that is behind, or does not read, has to have caught up, and what is kept for it meanwhile."""

    hello_s: float = 10.0
    behind_s: float = 30.0
    behind_bytes: int = 8_000_000


USUAL_PATIENCE: Final = ClientPatience()

Admit = Callable[[str], ClientSeat | None]
"""Gives a client of a name a seat, or None if there is none."""


class Connection:
    """One connection. since_s: when it came, or since when its client has been behind; is_finished:
    has everything been sent to it?"""

    def __init__(self, peer: socket.socket, address: str, since_s: float, admit: Admit) -> None:
        self.socket = peer
        self.address = address
        self.since_s = since_s
        self.admit = admit
        self.greeting = Greeting()
        self.seat: ClientSeat | None = None
        self.is_finished = False
        self._parts: list[bytes] = []
        peer.setblocking(False)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        peer.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER_BYTES)

    @property
    def is_waiting(self) -> bool:
        """Is there something that the system did not take?"""
        return bool(self._parts)

    @property
    def unsent_bytes(self) -> int:
        """How much waits for the client."""
        return sum(map(len, self._parts)) + (self.seat.held_bytes if self.seat else 0)

    def half_close(self) -> None:
        """Everything has been sent: the end of the stream follows."""
        if not self.is_finished:
            self.is_finished = True
            with suppress(OSError):
                self.socket.shutdown(socket.SHUT_WR)

    def send(self, messages: Iterable[bytes]) -> None:
        """Send messages, as far as the client takes them. Raises OSError when it has gone."""
        self._parts += _segments(messages)
        sent = 0
        for part in self._parts:
            if not _is_writable(self.socket):
                break
            count = self.socket.send(part)
            if count < len(part):  # no system is known to do so: it said that there was room
                self._parts[sent] = part[count:]
                break
            sent += 1
        del self._parts[:sent]


def _segments(messages: Iterable[bytes]) -> list[bytes]:
    """Messages put together, each of them whole."""
    segments: list[bytes] = []
    for message in messages:
        if segments and len(segments[-1]) + len(message) <= SEGMENT_BYTES:
            segments[-1] += message
        else:
            segments.append(message)
    return segments


def _is_writable(peer: socket.socket) -> bool:
    """Has the system room for a segment of this connection?"""
    if not hasattr(select, "poll"):  # Windows
        return bool(select.select((), (peer,), (), 0)[1])
    poll = select.poll()
    poll.register(peer, select.POLLOUT)
    return bool(poll.poll(0))


def listen(host: str, port: int) -> socket.socket:
    """A listening socket. Raises BadInput if there can be none."""
    try:
        family, _, _, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.create_server(address, family=family, backlog=BACKLOG)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput("address", f"{host}:{port}", f"a free one of this machine ({reason})") from (
            error
        )
    listener.setblocking(False)
    return listener


class ListeningPort(NamedTuple):
    """A listening socket, and who gives a seat to those who come through it."""

    listener: socket.socket
    admit: Admit


class ClientSockets:
    """The connections of some listening sockets, and their seats.

    said: takes lines for people about who comes and goes. One thread calls `pump`. Others may use
    the seats while they hold `changed`, which is notified when bytes have come, and call `wake`
    when there is something to send.
    """

    def __init__(
        self,
        ports: Iterable[ListeningPort],
        said: Callable[[str], None],
        *,
        patience: ClientPatience = USUAL_PATIENCE,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        self.changed = threading.Condition()
        self._ports = [*ports]
        self._said = said
        self._patience = patience
        self._seconds = seconds
        self._selector = selectors.DefaultSelector()
        self._connections: dict[socket.socket, Connection] = {}
        self._awake, self._waking = socket.socketpair()
        for quiet in (self._awake, self._waking):
            quiet.setblocking(False)
        self._selector.register(self._awake, selectors.EVENT_READ)
        for port in self._ports:
            self._selector.register(port.listener, selectors.EVENT_READ, port)

    def wake(self) -> None:
        """Let the thread that pumps send what the seats have to say."""
        with suppress(OSError):  # it has been woken often enough, or has ended
            self._waking.send(b"!")

    def pump(self, within_s: float) -> None:
        """Serve whoever has something, waiting at most so long for the first."""
        ready = self._selector.select(max(0.0, within_s))
        with self.changed:
            for key, events in ready:
                if isinstance(key.data, ListeningPort):
                    self._accept(key.data)
                elif key.data is None:
                    self._woken()
                else:
                    self._serve(key.data, events)
            self._expire()
            self.changed.notify_all()

    def _serve(self, connection: Connection, events: int) -> None:
        if events & selectors.EVENT_READ and self._is_open(connection):
            self._read(connection)
        if events & selectors.EVENT_WRITE and self._is_open(connection):
            self._write(connection)

    def _woken(self) -> None:
        with suppress(BlockingIOError):
            self._awake.recv(READ_BYTES)
        for connection in [*self._connections.values()]:
            self._write(connection)

    def flush(self, order: Iterable[ClientSeat]) -> None:
        """Send what the seats have to say, in this order of seats."""
        by_seat = {id(each.seat): each for each in self._connections.values() if each.seat}
        for seat in order:
            connection = by_seat.get(id(seat))
            if connection is not None:
                self._write(connection)

    def _is_open(self, connection: Connection) -> bool:
        return connection.socket in self._connections

    def _accept(self, port: ListeningPort) -> None:
        while True:
            try:
                peer, address = port.listener.accept()
                where = f"{address[0]}:{address[1]}"
                connection = Connection(peer, where, self._seconds(), port.admit)
            except BlockingIOError:
                return
            except OSError as error:  # it has gone again, or there are no descriptors left
                LOG.warning("a connection could not be taken: %s", error)
                return
            self._connections[peer] = connection
            self._selector.register(peer, selectors.EVENT_READ, connection)
            self._limit_strangers()

    def _limit_strangers(self) -> None:
        strangers = [each for each in self._connections.values() if each.seat is None]
        if len(strangers) > MOST_STRANGERS:
            self._drop(strangers[0], "too many connections have said nothing yet")

    def _read(self, connection: Connection) -> None:
        try:
            data = connection.socket.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError as error:
            self._drop(connection, f"the connection broke ({error.strerror})")
            return
        if not data:
            self._drop(connection, "it has closed the connection")
        elif connection.seat is None:
            self._greet(connection, data)
        else:
            connection.seat.receive(data)
            if connection.seat.is_broken:
                self._drop(connection, "it sends what nobody has asked for")
            else:
                self._write(connection)

    def _greet(self, connection: Connection, data: bytes) -> None:
        greeting = connection.greeting
        try:
            greeting.receive(data)
        except BadInput as error:
            self._drop(connection, str(error))
            return
        if greeting.name is None:
            return
        seat = connection.admit(greeting.name)
        if seat is None:
            self._drop(connection, f"{greeting.name} finds no free seat")
            return
        connection.seat = seat
        self._write(connection)

    def _write(self, connection: Connection) -> None:
        """Send what there is; after the end of the session, the end."""
        seat = connection.seat
        if seat is not None and seat.dismissed:
            self._drop(connection, seat.dismissed)
            return
        try:
            connection.send(seat.output() if seat else ())
        except OSError as error:
            self._drop(connection, f"the connection broke ({error.strerror})")
            return
        if seat is not None and seat.is_over and not (seat.is_behind or connection.is_waiting):
            connection.half_close()
        events = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.is_waiting else 0)
        if self._selector.get_key(connection.socket).events != events:
            self._selector.modify(connection.socket, events, connection)

    def _expire(self) -> None:
        """Close those for whom it has become too late."""
        now_s = self._seconds()
        for connection in [*self._connections.values()]:
            seat, waited_s = connection.seat, now_s - connection.since_s
            if seat is None:
                if waited_s > self._patience.hello_s:
                    self._drop(connection, f"no profile within {self._patience.hello_s:g} s")
            elif connection.is_finished:
                if waited_s > LINGER_S:
                    self._close(connection)
            elif not (seat.is_behind or connection.is_waiting):
                connection.since_s = now_s
            elif waited_s > self._patience.behind_s:
                self._drop(connection, f"it is {self._patience.behind_s:g} s behind")
            elif connection.unsent_bytes > self._patience.behind_bytes:
                self._drop(connection, f"it is {self._patience.behind_bytes:,} bytes behind")

    def _drop(self, connection: Connection, why: str) -> None:
        """A client has gone, or has to go."""
        self._close(connection)
        seat = connection.seat
        if seat is None:
            LOG.info("%s: %s", connection.address, why)
            return
        is_early = not connection.is_finished
        seat.leave()
        if is_early:
            self._said(f"{seat.title} has gone: {why}")

    def _close(self, connection: Connection) -> None:
        self._selector.unregister(connection.socket)
        del self._connections[connection.socket]
        connection.socket.close()

    def finish(self) -> None:
        """The session is over: wait until the clients have read all of it and have gone.

        Whoever is behind may catch up meanwhile. A connection that is closed with something unread
        would take away from its client what it has not read yet.
        """
        self._stop_listening()
        until_s = self._seconds() + self._patience.behind_s
        while self._connections and self._seconds() < until_s:
            if all(each.is_finished for each in self._connections.values()):
                until_s = min(until_s, self._seconds() + LINGER_S)
            self.pump(until_s - self._seconds())
        self.close()

    def _stop_listening(self) -> None:
        for port in self._ports:
            self._selector.unregister(port.listener)
            port.listener.close()
        self._ports.clear()
        for connection in [*self._connections.values()]:
            if connection.seat is None:
                self._close(connection)

    def close(self) -> None:
        """Close everything at once."""
        for connection in [*self._connections.values()]:
            self._close(connection)
        for port in self._ports:
            port.listener.close()
        self._awake.close()
        self._waking.close()
        self._selector.close()
