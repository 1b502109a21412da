"""Heads of requests: what is read, and that nothing is mended."""

from __future__ import annotations

from io import BufferedReader, BytesIO

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.web.heads import LONGEST_LINE, MOST_FIELDS, environ_name, read_head

NAMES = st.text("!#$%&'*+.^`|~09azAZ-", min_size=1, max_size=20)
VALUES = st.text(st.characters(min_codepoint=0x21, max_codepoint=0xFF, exclude_characters="\x7f"))


def head(data: bytes) -> dict[str, str]:
    return dict(read_head(BufferedReader(BytesIO(data))))  # type: ignore[arg-type]


def test_fields_are_found_by_their_names_in_any_case() -> None:
    found = read_head(BufferedReader(BytesIO(b"Host: x\r\nX-One:  a b \t\r\n\r\n")))  # type: ignore[arg-type]
    assert found.get("HOST") == "x"
    assert found.get("x-one") == "a b"
    assert found.get("X-Two", "none") == "none"
    assert found.typeheader is None


def test_what_comes_twice_is_joined() -> None:
    assert head(b"A: 1\r\na: 2\r\nCookie: x\r\nCookie: y\r\n\r\n") == {
        "a": "1,2",
        "cookie": "x; y",
    }


def test_a_name_with_an_underscore_cannot_pass_for_another() -> None:
    assert head(b"X_Request_Id: 1\r\nX-Request-Id: 2\r\n\r\n") == {"x-request-id": "2"}
    assert environ_name("x-request-id") == "HTTP_X_REQUEST_ID"


def test_only_the_head_is_read() -> None:
    file = BufferedReader(BytesIO(b"A: 1\r\n\r\n{}"))  # type: ignore[arg-type]
    read_head(file)
    assert file.read() == b"{}"


@given(st.lists(st.tuples(NAMES, VALUES), max_size=20, unique_by=lambda f: f[0].lower()))
def test_every_proper_head_is_read_as_it_was_written(fields: list[tuple[str, str]]) -> None:
    lines = [f"{name}: {value}\r\n".encode("latin-1") for name, value in fields]
    assert head(b"".join(lines) + b"\r\n") == {name.lower(): value for name, value in fields}


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
        head(data)
