"""Heads of requests: what is read, and that nothing is mended."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.heads import (
    LONGEST_LINE,
    MOST_FIELDS,
    Line,
    read_first_line,
    read_head,
    size_of_head,
    written,
)

NAMES = st.text("!#$%&'*+.^`|~09azAZ-", min_size=1, max_size=20)
VALUES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters="\x7f"))


def fields(data: bytes) -> dict[str, str]:
    return dict(read_head(BytesIO(data)).fields)


def test_fields_have_the_names_of_a_wsgi_environment() -> None:
    assert fields(b"Host: x\r\nX-One:  a b \t\r\ncontent-type: y\r\n\r\n") == {
        "HTTP_HOST": "x",
        "HTTP_X_ONE": "a b",
        "CONTENT_TYPE": "y",
    }


def test_what_comes_twice_is_joined() -> None:
    assert fields(b"A: 1\r\na: 2\r\nCookie: x\r\nCookie: y\r\n\r\n") == {
        "HTTP_A": "1,2",
        "HTTP_COOKIE": "x; y",
    }


def test_a_name_with_an_underscore_cannot_pass_for_another() -> None:
    assert fields(b"X_Request_Id: 1\r\nX-Request-Id: 2\r\n\r\n") == {"HTTP_X_REQUEST_ID": "2"}


@pytest.mark.parametrize(
    ("data", "length", "chunked"),
    [
        (b"\r\n", None, False),
        (b"Content-Length: 0\r\n\r\n", 0, False),
        (b"Content-Length: 13\r\n\r\n", 13, False),
        (b"Transfer-Encoding: chunked\r\n\r\n", None, True),
        (b"Content-Length: 13\r\nTransfer-Encoding: chunked\r\n\r\n", None, True),
    ],
)
def test_a_head_says_where_its_message_ends(
    data: bytes, length: int | None, *, chunked: bool
) -> None:
    found = read_head(BytesIO(data))
    assert (found.length, found.chunked) == (length, chunked)
    assert "CONTENT_LENGTH" not in found.fields or not chunked


@pytest.mark.parametrize(
    "line",
    [
        b"Content-Length: ",
        b"Content-Length: -1",
        b"Content-Length: +1",
        b"Content-Length: 1_3",
        b"Content-Length: 13\r\nContent-Length: 13",
        b"Content-Length: \xb2",
        b"Transfer-Encoding: gzip, chunked",
        b"Transfer-Encoding: Chunked",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
    ],
)
def test_a_head_that_leaves_the_end_of_its_message_in_doubt_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"Content-Length is not|Transfer-Encoding is not"):
        read_head(BytesIO(line + b"\r\n\r\n"))


@given(st.binary(max_size=60) | st.text("a\r\n", max_size=12).map(str.encode))
def test_a_head_ends_with_its_first_empty_line(data: bytes) -> None:
    file = BytesIO(b"A" + data)
    while (line := file.readline()) and line not in (b"\r\n", b"\n"):
        continue
    assert size_of_head(b"A" + data) == (file.tell() if line else 0)


def test_the_first_line_has_a_method_a_target_and_a_version() -> None:
    assert read_first_line("GET /a?b HTTP/1.1\r\n") == ("GET", "/a?b", "HTTP/1.1")


@pytest.mark.parametrize(
    "line", ["", "\r\n", "GET", "GET /", "GET / HTTP/2.0", "GET / HTTP/1.10", "GET / a HTTP/1.1"]
)
def test_another_first_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"first line|version"):
        read_first_line(line)


def test_a_field_of_a_response_is_written_on_a_line_of_its_own() -> None:
    assert written(("X-Name", "J\xf6rg")) == Line(False, b"X-Name: J\xf6rg\r\n")
    assert written(("Content-length", "3")) == Line(True, b"Content-length: 3\r\n")


@pytest.mark.parametrize("field", [("A", "1\r\nB: 2"), ("A\n", "1"), ("A", "1\r"), ("A", "\u5927")])
def test_a_field_that_would_end_its_line_is_not_written(field: tuple[str, str]) -> None:
    with pytest.raises(ValueError, match=r"end of line|latin-1"):
        written(field)


def test_only_the_head_is_read() -> None:
    file = BytesIO(b"A: 1\r\n\r\n{}")
    read_head(file)
    assert file.read() == b"{}"


@given(st.lists(st.tuples(NAMES, VALUES), max_size=20, unique_by=lambda f: f[0].lower()))
def test_every_proper_head_is_read_as_it_was_written(sent: list[tuple[str, str]]) -> None:
    lines = [f"X-{name}: {value}\r\n".encode("latin-1") for name, value in sent]
    expected = {f"HTTP_X_{name}".replace("-", "_").upper(): value for name, value in sent}
    assert fields(b"".join(lines) + b"\r\n") == expected


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"A: 1\r\n",
        b"A: 1",
        b"A\r\n\r\n",
        b": 1\r\n\r\n",
        b"A : 1\r\n\r\n",
        b" A: 1\r\n\r\n",
        b"A: 1\r\n 2\r\n\r\n",
        b"A: 1\r2\r\n\r\n",
        b"A: \0\r\n\r\n",
        b"A: \x7f\r\n\r\n",
        b"\xc3\x84: 1\r\n\r\n",
        b"A: " + b"1" * LONGEST_LINE + b"\r\n\r\n",
        b"A: 1\r\n" * (MOST_FIELDS + 1) + b"\r\n",
    ],
)
def test_nothing_is_mended(data: bytes) -> None:
    with pytest.raises(ValueError, match="head"):
        read_head(BytesIO(data))
