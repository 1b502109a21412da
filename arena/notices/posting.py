"""Posting: one signed request to one address, within limits of time and size.

Signed as Standard Webhooks say (https://www.standardwebhooks.com): the id, the instant of the try
and the body, with HMAC-SHA256. The connection goes to an address that was looked at before; no
redirect is followed, and of the reply no more than its first line is read.
"""

from __future__ import annotations

import base64
import hmac
import socket
import ssl
import threading
from collections.abc import Mapping
from contextlib import suppress
from typing import NamedTuple

from arena.session.notify_config import PORTS, PostAddress, secret_key

LIMIT_S = 10.0
"""How long one try may take, all together."""
MOST_READ = 1_024
"""Bytes of the reply that are read; its first line is in them."""


class Letter(NamedTuple):
    """What is sent. id: the same in each try."""

    id: str
    body: bytes
    secret: str


def signature(letter: Letter, at_s: int) -> str:
    """The signature of a try: `v1,` and base64."""
    content = f"{letter.id}.{at_s}.".encode() + letter.body
    digest = hmac.digest(secret_key(letter.secret), content, "sha256")
    return "v1," + base64.b64encode(digest).decode()


def post(
    target: PostAddress,
    address: str,
    letter: Letter,
    *,
    at_s: int,
    limit_s: float = LIMIT_S,
    context: ssl.SSLContext | None = None,
) -> int:
    """Send a letter to an address -> the status of the reply. Raises OSError.

    at_s: the instant of the try, in s since 1970. context: how the other side is checked.
    """
    request = _request(target, letter, at_s)
    with socket.create_connection((address, target.port), timeout=limit_s) as plain:
        end = threading.Timer(limit_s, _shut, args=(plain,))
        end.daemon = True
        end.start()
        try:
            if target.scheme == "http":
                return _ask(plain, request)
            trust = context or ssl.create_default_context()
            with trust.wrap_socket(plain, server_hostname=target.host) as secured:
                return _ask(secured, request)
        finally:
            end.cancel()


def _shut(plain: socket.socket) -> None:
    """The time is over: whoever waits for the other side gets an end."""
    with suppress(OSError):
        plain.shutdown(socket.SHUT_RDWR)


def _request(target: PostAddress, letter: Letter, at_s: int) -> bytes:
    host = f"[{target.host}]" if ":" in target.host else target.host
    usual = target.port == PORTS[target.scheme]
    headers: Mapping[str, str] = {
        "Host": host if usual else f"{host}:{target.port}",
        "User-Agent": "daifugo-arena",
        "Content-Type": "application/json",
        "Content-Length": str(len(letter.body)),
        "Connection": "close",
        "webhook-id": letter.id,
        "webhook-timestamp": str(at_s),
        "webhook-signature": signature(letter, at_s),
    }
    lines = [
        f"POST {target.path} HTTP/1.1",
        *(f"{name}: {value}" for name, value in headers.items()),
    ]
    return "\r\n".join([*lines, "", ""]).encode() + letter.body


def _ask(connection: socket.socket, request: bytes) -> int:
    connection.sendall(request)
    reply = b""
    while b"\n" not in reply and len(reply) < MOST_READ:
        piece = connection.recv(MOST_READ - len(reply))
        if not piece:
            break
        reply += piece
    return _status(reply)


def _status(reply: bytes) -> int:
    words = reply.split(b"\n", 1)[0].split()
    if b"\n" not in reply or len(words) < 2 or not words[0].startswith(b"HTTP/1."):
        raise OSError("no answer in HTTP within the limits of time and size")
    if len(words[1]) != 3 or not words[1].isdigit():
        raise OSError("an answer without a status")
    return int(words[1])
