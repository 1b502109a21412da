"""Heads of messages: that of a request, read strictly, and that of a response, written out.

gevent reads heads with the standard library's parser for e-mail, which takes a quarter of the time
of a short request and mends what it cannot read. Here nothing is mended: what RFC 9112 forbids (a
field that goes on in the next line, a space before the colon, a name that is none, a control
character) is refused. This module knows only the fields that say where a message ends.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from io import BufferedIOBase
from typing import Final

LONGEST_LINE: Final = 65_536
MOST_FIELDS: Final = 100
FIELD: Final = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)\r?\n")
VERSION: Final = re.compile(r"HTTP/1\.[0-9]", re.ASCII)
END: Final = re.compile(rb"\n\r?\n")
FRAMING: Final = frozenset({"connection", "content-length", "date", "transfer-encoding"})
LENGTH: Final = re.compile(r"[0-9]+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Head:
    """What a request says of itself before its body.

    fields: by the names that they have in a WSGI environment; what comes twice is joined. length:
    of the body in bytes, None if it is not told. chunked: does the body come in chunks?
    connection: what is to become of the connection afterwards, in lower case.
    """

    fields: Mapping[str, str]
    length: int | None
    chunked: bool
    connection: str


@dataclass(frozen=True, slots=True)
class Line:
    """A field of a response as it is sent. framing: does it say where the response ends?"""

    framing: bool
    data: bytes


def size_of_head(data: bytes) -> int:
    """How many of these bytes are the head that they begin with; 0 if it is not whole."""
    found = END.search(data)
    return found.end() if found else 0


def read_first_line(line: str) -> tuple[str, str, str]:
    """Method, target and version of a request. Raises ValueError for what is no such line."""
    words = line.split()
    if len(words) != 3:
        raise ValueError(f"not the first line of a request: {line!r}")
    if not VERSION.fullmatch(words[2]):
        raise ValueError(f"Invalid http version: {line!r}")
    return words[0], words[1], words[2]


def read_head(file: BufferedIOBase) -> Head:
    """Read fields up to the empty line. Raises ValueError for what is no head of a request."""
    fields = _read_fields(file)
    coding = fields.get("HTTP_TRANSFER_ENCODING", "chunked")
    length = fields.get("CONTENT_LENGTH", "0")
    if coding != "chunked":
        raise ValueError("Transfer-Encoding is not chunked")
    if not LENGTH.fullmatch(length):
        raise ValueError("Content-Length is not one number")
    chunked = "HTTP_TRANSFER_ENCODING" in fields
    if chunked:
        fields.pop("CONTENT_LENGTH", None)
    told = int(length) if "CONTENT_LENGTH" in fields else None
    return Head(fields, told, chunked, fields.get("HTTP_CONNECTION", "").lower())


def _read_fields(file: BufferedIOBase) -> dict[str, str]:
    fields: dict[str, str] = {}
    for _ in range(MOST_FIELDS + 1):
        line = file.readline(LONGEST_LINE)
        if line in (b"\r\n", b"\n"):
            return fields
        field = FIELD.fullmatch(line)
        if field is None:
            raise ValueError("a line of the head is no header field")
        name, value = field.groups()
        if b"_" not in name:  # it could pass for another
            _add(fields, _environ_name(name), value.decode("latin-1").rstrip(" \t"))
    raise ValueError(f"the head has more than {MOST_FIELDS} fields")


def _add(fields: dict[str, str], name: str, value: str) -> None:
    joint = "; " if name == "HTTP_COOKIE" else ","
    fields[name] = f"{fields[name]}{joint}{value}" if name in fields else value


def _environ_name(name: bytes) -> str:
    """The name of a field in a WSGI environment, which has two that are not like the others."""
    own = name.decode("latin-1").replace("-", "_").upper()
    return own if own in ("CONTENT_TYPE", "CONTENT_LENGTH") else f"HTTP_{own}"


@lru_cache(maxsize=512)
def written(field: tuple[str, str]) -> Line:
    """A field of a response; most are the same in every response.

    Raises ValueError if it would end its own line.
    """
    line = f"{field[0]}: {field[1]}"
    if "\r" in line or "\n" in line:
        raise ValueError(f"a header field with an end of line in it: {line!r}")
    return Line(field[0].lower() in FRAMING, f"{line}\r\n".encode("latin-1"))
