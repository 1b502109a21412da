"""Heads of requests: what is read, and that nothing is mended."""

from __future__ import annotations

from io import BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.server.heads import (
    LARGEST_HEAD,
    MOST_FIELDS,
    UnknownCoding,
    read_first_line,
    read_head,
    read_target,
    size_of_head,
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
        (b"transfer-encoding: \tChunKED \r\n\r\n", None, True),
    ],
)
def test_a_head_says_where_its_message_ends(
    data: bytes, length: int | None, *, chunked: bool
) -> None:
    found = read_head(BytesIO(data))
    assert (found.length, found.chunked) == (length, chunked)


@pytest.mark.parametrize(
    "line",
    [
        b"Content-Length: ",
        b"Content-Length: -1",
        b"Content-Length: +1",
        b"Content-Length: 1_3",
        b"Content-Length: 13\r\nContent-Length: 13",
        b"Content-Length: \xb2",
        b"Content-Length: 0x10",
        b"Content-Length: 1 3",
        b"Content-Length: 13, 13",
        b"Content-Length: " + b"9" * 19,
        b"Transfer-Encoding: ",
        b"Transfer-Encoding: chunked,",
        b"Transfer-Encoding: chunked, chunked",
        b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked",
        b"Content-Length: 13\r\nTransfer-Encoding: chunked",
        b"Transfer-Encoding: gzip\r\nContent-Length: 13",
    ],
)
def test_a_head_that_leaves_the_end_of_its_message_in_doubt_is_refused(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"Content-Length is not|Transfer-Encoding is not"):
        read_head(BytesIO(line + b"\r\n\r\n"))


@pytest.mark.parametrize("coding", [b"gzip", b"gzip, chunked", b"identity", b"xchunked", b"\x0b"])
def test_a_coding_that_is_not_known_has_its_own_error(coding: bytes) -> None:
    with pytest.raises(UnknownCoding if coding.isalpha() or b"," in coding else ValueError):
        read_head(BytesIO(b"Transfer-Encoding: " + coding + b"\r\n\r\n"))


@pytest.mark.parametrize(
    "host", [b"", b"x", b"arena.example:8000", b"[::1]:80", b"127.0.0.1", b"a_b", b"x:"]
)
def test_a_host_is_a_name_or_an_address_perhaps_with_a_port(host: bytes) -> None:
    assert fields(b"Host: " + host + b"\r\n\r\n") == {"HTTP_HOST": host.decode()}


@pytest.mark.parametrize(
    "host",
    [b"a b", b"a/b", b"a?b", b"user@x", b"x:80:80", b"x:http", b"[::1", b"\xe9", b"x\r\nHost: x"],
)
def test_what_is_not_one_host_is_refused(host: bytes) -> None:
    with pytest.raises(ValueError, match="Host"):
        read_head(BytesIO(b"Host: " + host + b"\r\n\r\n"))


@pytest.mark.parametrize(
    ("value", "fate"),
    [
        (b"close", "close"),
        (b"Close", "close"),
        (b"TE, close", "close"),
        (b"keep-alive, Upgrade", "keep-alive"),
        (b"upgrade", ""),
        (b"closed", ""),
    ],
)
def test_the_connection_field_is_a_list_of_words(value: bytes, fate: str) -> None:
    assert read_head(BytesIO(b"Connection: " + value + b"\r\n\r\n")).connection == fate


@given(st.binary(max_size=60) | st.text("a\r\n", max_size=12).map(str.encode))
def test_a_head_ends_with_its_first_empty_line(data: bytes) -> None:
    file = BytesIO(b"A" + data)
    while (line := file.readline()) and line not in (b"\r\n", b"\n"):
        continue
    assert size_of_head(b"A" + data) == (file.tell() if line else 0)


def test_the_first_line_has_a_method_a_target_and_a_version() -> None:
    assert read_first_line("GET /a?b HTTP/1.1\r\n") == ("GET", "/a?b", "HTTP/1.1")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "\r\n",
        "GET",
        "GET /",
        "GET / HTTP/2.0",
        "GET / HTTP/1.10",
        "GET / a HTTP/1.1",
        "GET  / HTTP/1.1",
        " GET / HTTP/1.1",
        "GET\t/ HTTP/1.1",
        "GET / HTTP/1.1 ",
        "GET / HTTP/1.1\r\r\n",
        "GET / http/1.1",
        "G(T / HTTP/1.1",
        "\u00c4 / HTTP/1.1",
    ],
)
def test_another_first_line_is_refused(line: str) -> None:
    with pytest.raises(ValueError, match=r"first line|version"):
        read_first_line(line)


@pytest.mark.parametrize(
    ("method", "target", "path", "host"),
    [
        ("GET", "/", "/", None),
        ("GET", "/a?b=c&d=%20", "/a?b=c&d=%20", None),
        ("GET", "//x", "//x", None),
        ("GET", "http://x/a?b", "/a?b", "x"),
        ("GET", "HTTPS://arena.example:8000", "/", "arena.example:8000"),
        ("GET", "http://[::1]:80?q", "/?q", "[::1]:80"),
        ("OPTIONS", "*", "*", None),
        ("OPTIONS", "http://x", "*", "x"),
    ],
)
def test_a_target_is_a_path_or_says_where_it_is(
    method: str, target: str, path: str, host: str | None
) -> None:
    assert read_target(method, target) == (path, host)


@pytest.mark.parametrize(
    "target",
    [
        "",
        "?x",
        "healthz",
        "*",
        "/a#b",
        "/a\x00",
        "/\xff",
        "/a\tb",
        "x:80",
        "ftp://x/",
        "http:/x",
        "http://",
        "http:///a",
        "http://me@x/",
        "http://a b/",
        "http://x:y/",
    ],
)
def test_another_target_is_refused(target: str) -> None:
    with pytest.raises(ValueError, match="target"):
        read_target("GET", target)


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
        b"A: " + b"1" * LARGEST_HEAD + b"\r\n\r\n",
        b"A: 1\r\n" * (MOST_FIELDS + 1) + b"\r\n",
        (b"A: " + b"1" * (LARGEST_HEAD // 4) + b"\r\n") * 4 + b"\r\n",
    ],
)
def test_nothing_is_mended(data: bytes) -> None:
    with pytest.raises(ValueError, match="head"):
        read_head(BytesIO(data))
