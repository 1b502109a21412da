"""Bodies as they come over the wire: whole, in chunks, broken, and without an end."""

from __future__ import annotations

from io import BufferedReader, BytesIO, RawIOBase

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.server.heads import Head
from arena.web.server.request_bodies import (
    DISCARD,
    LONGEST_CHUNK_LINE,
    LONGEST_TRAILER,
    MOST_CHUNKS,
    MOST_TRAILERS,
    Body,
    BrokenBody,
)


class Endless(RawIOBase):
    """A client that sends the same again and again, and how often it was asked for more."""

    def __init__(self, begin: bytes, again: bytes) -> None:
        self._next = begin
        self._again = again
        self.taken = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        while len(self._next) < len(buffer):
            self._next += self._again
        size = len(buffer)
        buffer[:] = self._next[:size]
        self._next = self._next[size:]
        self.taken += size
        return size


def body(data: bytes | RawIOBase, length: int | None = None) -> Body:
    """length: None for chunks."""
    file = BufferedReader(BytesIO(data) if isinstance(data, bytes) else data)  # type: ignore
    head = Head({}, length, length is None, "")
    return Body(file, head, here=True, asking=None, before_failure=lambda: None)


@given(st.lists(st.binary(min_size=1, max_size=50), max_size=20), st.integers(1, 70))
def test_chunks_are_put_together_however_they_are_read(parts: list[bytes], size: int) -> None:
    sent = b"".join(b"%x\r\n%b\r\n" % (len(part), part) for part in parts) + b"0\r\n\r\nNEXT"
    reader = body(sent)
    assert b"".join(iter(lambda: reader.read(size), b"")) == b"".join(parts)
    reader._discard()
    assert not reader.unfinished
    assert reader._file.read() == b"NEXT"


@given(st.binary(max_size=100), st.integers(0, 120))
def test_a_body_with_a_length_ends_there(data: bytes, size: int) -> None:
    reader = body(data + b"NEXT", len(data))
    assert reader.read(size) + reader.read() == data
    assert reader._file.read() == b"NEXT"


def test_lines_can_be_read_too() -> None:
    assert list(body(b"a\nb\n\nc", 6)) == [b"a\n", b"b\n", b"\n", b"c"]
    assert body(b"abc", 3).readline(2) == b"ab"


@given(st.binary(max_size=40))
def test_any_bytes_are_a_chunked_body_or_broken(data: bytes) -> None:
    reader = body(data)
    try:
        reader.read()
    except BrokenBody:
        assert reader.unfinished
        with pytest.raises(BrokenBody):
            reader.read()


@pytest.mark.parametrize(
    ("begin", "again", "bound"),
    [
        (b"1;", b"x", LONGEST_CHUNK_LINE),
        (b"", b"f", LONGEST_CHUNK_LINE),
        (b"", b"1\r\nx\r\n", 6 * MOST_CHUNKS),
        (b"", b"1;" + b"x" * 200 + b"\r\nx\r\n", 250 * MOST_CHUNKS),
        (b"0\r\n", b"X: y\r\n", 6 * MOST_TRAILERS + 10),
        (b"0\r\n", b"X", LONGEST_TRAILER),
        (b"0\r\nX: ", b"y", LONGEST_TRAILER),
    ],
)
def test_no_frame_goes_on_without_end(begin: bytes, again: bytes, bound: int) -> None:
    """Its work is bounded by what is read."""
    client = Endless(begin, again)
    reader = body(client)
    with pytest.raises(BrokenBody):
        reader.read(65_537)
    assert client.taken <= bound + 2 * 8_192
    reader._discard()
    assert client.taken <= bound + 2 * 8_192


def test_of_a_body_that_nobody_wants_only_so_much_is_taken() -> None:
    client = Endless(b"ffffffffff\r\n", b"x" * 1_000)
    reader = body(client)
    reader._discard()
    assert reader.unfinished
    assert client.taken <= DISCARD + 2 * 8_192


class Asking:
    """The socket of a client that waits for `100 Continue`: what it was sent."""

    def __init__(self) -> None:
        self.sent = b""

    def sendall(self, data: bytes) -> None:
        self.sent += data


def test_a_client_that_waits_for_a_body_to_be_wanted_is_not_waited_for_in_turn() -> None:
    client, asking = Endless(b"", b"x" * 1_000), Asking()
    head = Head({}, 5_000, False, "")
    file = BufferedReader(client)  # type: ignore[arg-type]
    reader = Body(file, head, here=False, asking=asking, before_failure=lambda: None)  # type: ignore[arg-type]
    reader._discard()
    assert reader.unfinished
    assert (client.taken, asking.sent) == (0, b"")


def test_others_go_first_before_a_body_is_given_up() -> None:
    order: list[str] = []
    head = Head({}, 5, False, "")
    file = BufferedReader(BytesIO(b"abc"))  # type: ignore[arg-type]
    reader = Body(file, head, here=True, asking=None, before_failure=lambda: order.append("others"))
    with pytest.raises(BrokenBody, match="breaks off"):
        reader.read()
    assert order == ["others"]
