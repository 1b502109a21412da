"""The member `notify` of a session document: where messages of the session go, and their secret.

It is no part of the document that is kept: the address may hold a secret itself, so both lie beside
it and are for organisers only. Pure; whether the operator allows the address is decided elsewhere.
"""

from __future__ import annotations

import base64
import binascii
import secrets
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import SplitResult, urlsplit

from arena.errors import BadInput

SECRET_PREFIX = "whsec_"
SECRET_BYTES = (24, 64)
LONGEST_URL = 500
PORTS = {"http": 80, "https": 443}


class PostAddress(NamedTuple):
    """An address to post to. path: with the query, if there is one."""

    scheme: str
    host: str
    port: int
    path: str


class Notify(NamedTuple):
    """What an organiser wants. secret: as Standard Webhooks write it, `whsec_` and base64."""

    url: str
    secret: str


def read_notify(given: object) -> Notify | None:
    """The wish in a session document, with a new secret if it brings none. Raises BadInput."""
    if given is None:
        return None
    if not isinstance(given, Mapping):
        raise BadInput("notify", given, "an object with `url`")
    for name in given:
        if name not in ("url", "secret"):
            raise BadInput("member of notify", name, "one of url, secret")
    url, secret = given.get("url"), given.get("secret")
    read_target(url)
    if secret is None:
        secret = new_secret()
    secret_key(secret)
    return Notify(str(url), str(secret))


def read_target(url: object) -> PostAddress:
    """The parts of an address. Raises BadInput."""
    expected = f"https://HOST[:PORT]/PATH in at most {LONGEST_URL} printable ASCII characters"
    if not isinstance(url, str) or not 1 <= len(url) <= LONGEST_URL:
        raise BadInput("notify.url", url, expected)
    if not url.isascii() or not url.isprintable() or " " in url:
        raise BadInput("notify.url", url, expected)
    try:
        parts = urlsplit(url)
        host, port = (parts.hostname or "").rstrip("."), parts.port
    except ValueError as error:
        raise BadInput("notify.url", url, f"{expected} ({error})") from error
    if parts.scheme not in PORTS or not host or parts.fragment or "@" in parts.netloc or port == 0:
        raise BadInput("notify.url", url, f"{expected}, without a name, a password or a fragment")
    return PostAddress(parts.scheme, host, port or PORTS[parts.scheme], _path(parts))


def _path(parts: SplitResult) -> str:
    query = f"?{parts.query}" if parts.query else ""
    return (parts.path or "/") + query


def new_secret() -> str:
    """A secret from the operating system."""
    return SECRET_PREFIX + base64.b64encode(secrets.token_bytes(32)).decode()


def secret_key(secret: object) -> bytes:
    """The key in a secret. Raises BadInput, which does not repeat it."""
    least, most = SECRET_BYTES
    expected = f"{SECRET_PREFIX} and {least} to {most} bytes as base64"
    if not isinstance(secret, str) or not secret.startswith(SECRET_PREFIX):
        raise BadInput("notify.secret", "another text", expected)
    try:
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadInput("notify.secret", "another text", expected) from error
    if not least <= len(key) <= most:
        raise BadInput("notify.secret", f"{len(key)} bytes", expected)
    return key
