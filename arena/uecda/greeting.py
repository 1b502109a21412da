"""The first words of a connection: the profile of a client, and the name that the client gets.

Pure. What is no profile of version 20070 is refused as soon as its first four bytes are there, so
that a web browser, a port scan or a client of another version never takes a seat.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from arena.errors import BadInput
from arena.uecda.codec import INTEGER, VERSION, MessageBuffer, read_profile

NO_NAME: Final = "uecda"
ODD: Final = "_"
PRINTABLE: Final = range(0x21, 0x7F)


class Greeting:
    """Takes bytes until the profile is there; then `name` is what it says."""

    def __init__(self) -> None:
        self._buffer = MessageBuffer()
        self._head = b""
        self.name: str | None = None

    def receive(self, data: bytes) -> None:
        """Bytes have come. Raises BadInput for another version, or what is no client at all."""
        self._head = (self._head + data)[: INTEGER.size]
        if len(self._head) == INTEGER.size:
            _check_version(int(INTEGER.unpack(self._head)[0]))
        self._buffer.feed(data)
        if self.name is None and (table := self._buffer.table()) is not None:
            self.name = client_name(read_profile(table).name)


def _check_version(version: int) -> None:
    if version != VERSION:
        raise BadInput("version", version, f"{VERSION}, in the first four bytes of a profile")


def client_name(codes: Iterable[int]) -> str:
    """The name that a profile's codes spell: printable ASCII, everything else as `_`."""
    name = "".join(chr(code) if code in PRINTABLE else ODD for code in codes)
    return name or NO_NAME


def distinct(name: str, taken: Collection[str]) -> str:
    """The name, with a number behind it if somebody has it already: `murata-2`."""
    number, free = 1, name
    while free in taken:
        number += 1
        free = f"{name}-{number}"
    return free
