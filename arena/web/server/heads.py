"""Heads of requests, read strictly.

gevent reads heads with the standard library's parser for e-mail, which takes a quarter of the time
of a short request and mends what it cannot read. Here nothing is mended: what RFC 9112 forbids (a
field that goes on in the next line, a space before the colon, a name that is none, a control
character) is refused. This module knows only the fields that say where a message ends, and Host.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from io import BufferedIOBase
from typing import NamedTuple

LARGEST_HEAD = 65_536
"""Bytes of all fields of a request together."""
MOST_FIELDS = 100
FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)\r?\n")
METHOD = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", re.ASCII)
VERSION = re.compile(r"HTTP/1\.[0-9]", re.ASCII)
ORIGIN = re.compile(r"/[!\"$-~]*", re.ASCII)
"""A path with its query: visible characters, but not the one that begins a fragment."""
ABSOLUTE = re.compile(r"https?://([^/?#@]+)((?:[/?][!\"$-~]*)?)", re.ASCII | re.IGNORECASE)
HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~!$&'()*+,;=%-]*)(?::[0-9]{0,5})?", re.ASCII)
END = re.compile(rb"\n\r?\n")
LENGTH = re.compile(r"[0-9]{1,18}", re.ASCII)


class HeadLimits(NamedTuple):
    """How long a head may be. size: bytes of all fields together."""

    size: int = LARGEST_HEAD
    fields: int = MOST_FIELDS


OF_CLIENTS = HeadLimits()


class UnknownCoding(ValueError):
    """A body comes in a transfer coding that is not understood here: only `chunked` is."""


@dataclass(frozen=True, slots=True)
class Head:
    """What a request says of itself before its body.

    fields: by the names that they have in a WSGI environment; what comes twice is joined. length:
    of the body in bytes, None if it is not given. chunked: does the body come in chunks?
    connection: what is to become of the connection afterwards: `close`, `keep-alive`, or "" if
    the head does not say.
    """

    fields: Mapping[str, str]
    length: int | None
    chunked: bool
    connection: str


def size_of_head(data: bytes) -> int:
    """How many of these bytes are the head that they begin with; 0 if it is not whole."""
    match = END.search(data)
    return match.end() if match else 0


def read_first_line(line: str) -> tuple[str, str, str]:
    """Method, target and version of a request. Raises ValueError for what is no such line.

    The words are divided by single spaces; the target is read by `read_target`.
    """
    words = line.rstrip("\n").removesuffix("\r").split(" ")
    if len(words) != 3 or not METHOD.fullmatch(words[0]):
        raise ValueError(f"not the first line of a request: {line!r}")
    if not VERSION.fullmatch(words[2]):
        raise ValueError(f"Invalid http version: {line!r}")
    return words[0], words[1], words[2]


def read_target(method: str, target: str) -> tuple[str, str | None]:
    """The path with its query, and the host if the target names it (RFC 9112, section 3.2).

    Raises ValueError for what is neither a path, nor an absolute URL of a path, nor the `*` of
    OPTIONS.
    """
    if ORIGIN.fullmatch(target) or (target == "*" and method == "OPTIONS"):
        return target, None
    match = ABSOLUTE.fullmatch(target)
    if match is None or not HOST.fullmatch(match[1]):
        raise ValueError(f"the target of the request is no path: {target!r}")
    path = match[2]
    if not path.startswith("/"):
        path = "*" if method == "OPTIONS" and not path else f"/{path}"
    return path, match[1]


def read_head(file: BufferedIOBase, limits: HeadLimits = OF_CLIENTS) -> Head:
    """Read fields up to the empty line. Raises ValueError for what is no head of a request,
    UnknownCoding for a body that cannot be read."""
    fields = _read_fields(file, limits)
    length = fields.get("CONTENT_LENGTH")
    coding = fields.get("HTTP_TRANSFER_ENCODING")
    if length is not None and not LENGTH.fullmatch(length):
        raise ValueError("Content-Length is not one number")
    if coding is not None:
        _check_coding(coding, length)
    if not HOST.fullmatch(fields.get("HTTP_HOST", "")):
        raise ValueError("Host is not one host")
    size = None if length is None else int(length)
    return Head(
        fields, size, coding is not None, _connection_option(fields.get("HTTP_CONNECTION", ""))
    )


def _check_coding(coding: str, length: str | None) -> None:
    """Raises ValueError if it is not clear where the body ends, UnknownCoding if it is not known
    what it says. With a length as well somebody is being deceived (RFC 9112, section 6.1)."""
    if length is not None:
        raise ValueError("Transfer-Encoding is not alone: there is a Content-Length as well")
    codings = [word.strip(" \t").lower() for word in coding.split(",")]
    if codings == ["chunked"]:
        return
    if "" in codings or codings.count("chunked") > 1:
        raise ValueError("Transfer-Encoding is not one coding")
    raise UnknownCoding("Transfer-Encoding is not chunked")


def _connection_option(connection: str) -> str:
    """What a field Connection, a list of words, says of the connection's end."""
    words = [word.strip(" \t") for word in connection.lower().split(",")]
    return next((option for option in ("close", "keep-alive") if option in words), "")


def _read_fields(file: BufferedIOBase, limits: HeadLimits) -> dict[str, str]:
    fields: dict[str, str] = {}
    left = limits.size
    for _ in range(limits.fields + 1):
        line = file.readline(left)
        left -= len(line)
        if line in (b"\r\n", b"\n"):
            return fields
        field = FIELD.fullmatch(line)
        if field is None:
            raise ValueError("a line of the head is no header field")
        name, value = field.groups()
        if b"_" not in name:  # it could pass for another
            _add(fields, _environ_name(name), value.decode("latin-1").rstrip(" \t"))
    raise ValueError(f"the head has more than {limits.fields} fields")


def _add(fields: dict[str, str], name: str, value: str) -> None:
    if name == "HTTP_HOST" and name in fields:
        raise ValueError("the head has more than one field Host")
    joint = "; " if name == "HTTP_COOKIE" else ","
    fields[name] = f"{fields[name]}{joint}{value}" if name in fields else value


def _environ_name(name: bytes) -> str:
    """The name of a field in a WSGI environment, which has two that are not like the others."""
    own = name.decode("latin-1").replace("-", "_").upper()
    return own if own in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{own}"
