"""The connection of a bot to somebody else's UECda server.

It knows no game. What ends a session before its time is one sentence for whoever started it: the
server has closed or reset the connection, has said nothing for too long, or speaks something else.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Callable
from typing import Final

from arena.errors import BadInput, Unavailable
from arena.uecda.client import BotClient

CONNECT_S: Final = 10.0
READ_BYTES: Final = 1 << 16
LOOK_S: Final = 0.5
"""A read returns so often at least, so that Ctrl-C is heard on every system."""


def connect(host: str, port: int) -> socket.socket:
    """A connection to a server. Raises BadInput where there is none."""
    try:
        connection = socket.create_connection((host, port), timeout=CONNECT_S)
    except (OSError, UnicodeError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise BadInput("server", f"{host}:{port}", f"one that answers ({reason})") from error
    connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return connection


def play_session(
    connection: socket.socket,
    client: BotClient,
    *,
    silence_s: float,
    seconds: Callable[[], float] = time.monotonic,
) -> None:
    """Play a session to its end. silence_s: how long the server may say nothing once the first hand
    has begun; before that others may still have to come, and it may take as long as it likes.

    Raises Unavailable where the session ends before the server has said so.
    """
    with connection:
        try:
            connection.sendall(client.output())
            while not client.is_over:
                _receive(client, _read(connection, client, silence_s, seconds))
                connection.sendall(client.output())
        except ConnectionError as error:
            reason = f"the connection to the server has broken ({error.strerror})"
            raise Unavailable(f"{reason}, {_where(client)}") from error


def _read(
    connection: socket.socket, client: BotClient, silence_s: float, seconds: Callable[[], float]
) -> bytes:
    """What the server says next."""
    began_s = seconds()
    while True:
        connection.settimeout(LOOK_S)
        try:
            data = connection.recv(READ_BYTES)
        except TimeoutError:
            if client.hand and seconds() - began_s >= silence_s:
                said = f"the server has said nothing for {silence_s:g} s"
                raise Unavailable(f"{said}, {_where(client)}") from None
            continue
        finally:
            connection.settimeout(CONNECT_S)
        if not data:
            raise Unavailable(f"the server has closed the connection, {_where(client)}")
        return data


def _receive(client: BotClient, data: bytes) -> None:
    try:
        client.receive(data)
    except BadInput as error:
        wrong = f"the server has sent what is no message of UECda's protocol, {_where(client)}"
        raise Unavailable(f"{wrong}: {error}") from error


def _where(client: BotClient) -> str:
    """How far the session was."""
    if client.player is None:
        return "before it has given a player number"
    return f"in hand {client.hand}" if client.hand else "before the first hand"
