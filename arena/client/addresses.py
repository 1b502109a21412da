"""An arena's address, read in one way everywhere: where to connect, and whose a token is.

A token belongs to one origin (scheme, host, port) and path. Whoever compares two addresses does it
here, so that `localhost:8000` is not taken for a scheme, and no two readers see different hosts:
the address is what `requests` makes of it. May not open files or connections.
"""

from __future__ import annotations

import ipaddress
import re
from typing import NoReturn
from urllib.parse import SplitResult, urlsplit

import requests

from arena.client.problems import KitError

BASE_PATH = "/api/v1"
SCHEMES = ("http", "https")
DEFAULT_PORTS = {"http": 80, "https": 443}
THIS_MACHINE = ("localhost", "127.0.0.1", "::1")
EXPECTED = "http://HOST:PORT or https://HOST, perhaps with a path behind it"
UNUSABLE = re.compile(r"[\s\x00-\x1f\x7f\\<>\"{}|^`%]")
STEP = r"[A-Za-z0-9._~!$&'()*+,;=:@-]+"
PATH = re.compile(rf"({STEP}(/{STEP})*)?/*")
LABEL = r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?"
HOST_NAME = re.compile(rf"{LABEL}(\.{LABEL})*")


def base_url(text: str) -> str:
    """The one form of an arena's address: "HTTP://Host:80/api/v1/" -> "http://host".

    Without a scheme it is `http` on this machine (localhost, 127.x.x.x, [::1]) and `https`
    anywhere else: whoever wants a token to travel unencrypted has to write `http://`.
    Raises KitError, naming the address and what was expected, for whatever is no such address.
    """
    written = text.strip()
    if UNUSABLE.search(written):
        _refuse(written)
    scheme, separator, rest = written.partition("://")
    if not separator and written.partition("/")[0].endswith(":"):  # such as http:/host
        _refuse(written)
    if not separator:
        scheme, rest = "http" if _is_loopback(_host_of(written)) else "https", written
    parts = _prepared(written, scheme.lower(), rest)
    host, port = _host(written, parts), _port(written, parts)
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != DEFAULT_PORTS[parts.scheme]:
        place = f"{place}:{port}"
    return f"{parts.scheme}://{place}{parts.path.rstrip('/').removesuffix(BASE_PATH).rstrip('/')}"


def same_arena(one: str, other: str) -> bool:
    """Are both addresses, as they are read here, those of one arena?

    `localhost`, `127.0.0.1` and `[::1]` are one host. What is no address is no arena.
    """
    try:
        return identity(one) == identity(other)
    except KitError:
        return False


def identity(url: str) -> str:
    """The form by which an arena is known: its `base_url`, with one name for this machine."""
    parts = urlsplit(base_url(url))
    if parts.hostname not in THIS_MACHINE:
        return parts.geturl()
    port = "" if parts.port is None else f":{parts.port}"
    return parts._replace(netloc=f"127.0.0.1{port}").geturl()


def _prepared(written: str, scheme: str, rest: str) -> SplitResult:
    """The parts of an address as `requests` would connect to it (with IDNA)."""
    place, _, path = rest.partition("/")
    if "@" in place:
        _refuse(f"{scheme}://…@{place.rpartition('@')[2]}", "an address without name and password")
    if scheme not in SCHEMES or not place or "?" in rest or "#" in rest:
        _refuse(written)
    if re.search(r":0+$", place):
        _refuse(written, "a port from 1 to 65535")
    if not PATH.fullmatch(path) or not {".", ".."}.isdisjoint(path.split("/")):
        _refuse(written, "a path of plain words")
    try:
        prepared = requests.Request("GET", f"{scheme}://{rest}").prepare().url
        return urlsplit(prepared or "")
    except (requests.RequestException, ValueError):
        _refuse(written)


def _host(written: str, parts: SplitResult) -> str:
    host = (parts.hostname or "").removesuffix(".")
    if ":" in host:
        try:
            return ipaddress.IPv6Address(host).compressed
        except ValueError:
            _refuse(written)
    if len(host) > 253 or not HOST_NAME.fullmatch(host):
        _refuse(written)
    return host


def _port(written: str, parts: SplitResult) -> int | None:
    try:
        return parts.port
    except ValueError:
        _refuse(written, "a port from 1 to 65535")


def _host_of(written: str) -> str:
    """The host at the beginning of an address without a scheme."""
    place = written.partition("/")[0]
    host = place[1:].partition("]")[0] if place.startswith("[") else place.partition(":")[0]
    return host.lower().removesuffix(".")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse(written: str, expected: str = EXPECTED) -> NoReturn:
    quoted = written if len(written) <= 100 else f"{written[:100]}…"
    raise KitError(f"the arena's address is {quoted!r}; expected {expected}") from None
