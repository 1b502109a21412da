"""An arena's address: read in one way everywhere, so that a token stays with the arena it is of."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.client import Client, KitError
from arena.client.addresses import base_url, same_arena


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("http://127.0.0.1:8000", "http://127.0.0.1:8000"),
        (" http://host.example:8000/ ", "http://host.example:8000"),
        ("http://host.example:8000/api/v1", "http://host.example:8000"),
        ("http://host.example:8000/api/v1/", "http://host.example:8000"),
        ("HTTP://Host.Example:8000", "http://host.example:8000"),
        ("http://host.example:80/", "http://host.example"),
        ("https://host.example:443", "https://host.example"),
        ("https://host.example:", "https://host.example"),
        ("http://host.example:443", "http://host.example:443"),
        ("https://host.example./", "https://host.example"),
        ("https://host.example/cup//", "https://host.example/cup"),
        ("https://host.example/cup/api/v1", "https://host.example/cup"),
        ("https://大富豪.example", "https://xn--pss84d253e.example"),
        ("https://BÜCHER.example", "https://xn--bcher-kva.example"),
        ("http://[::1]:8000", "http://[::1]:8000"),
        ("http://[0:0:0:0:0:0:0:1]:8000", "http://[::1]:8000"),
        ("http://[2001:DB8::A]", "http://[2001:db8::a]"),
    ],
)
def test_every_way_to_write_an_address_is_read_as_one(written: str, read: str) -> None:
    assert base_url(written) == read


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST", "127.0.0.1", "127.8.9.10", "[::1]"])
def test_without_a_scheme_this_machine_is_asked_in_plain_http(host: str) -> None:
    assert base_url(f"{host}:8765") == f"http://{host.lower()}:8765"


@pytest.mark.parametrize("host", ["host", "other.example", "192.168.1.7", "localhost.example"])
def test_without_a_scheme_any_other_machine_is_asked_over_tls(host: str) -> None:
    assert base_url(f"{host}:8765") == f"https://{host}:8765"
    assert base_url(host) == f"https://{host}"


@pytest.mark.parametrize(
    "wrong",
    [
        "",
        "  ",
        "/",
        "//host",
        "http://",
        "http:///path",
        "http:host:8000",
        "http:/host",
        "https:/host:8000",
        "host:",
        "ftp://host",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "http://user@host",
        "http://user:password@host:8000",
        "http://127.0.0.1:8000@other.example",
        "host:8000@other.example",
        "http://host:8000?x=1",
        "http://host:8000#x",
        "http://host:8000/?",
        "http://host:8000/a?b",
        "http://host:0",
        "http://host:65536",
        "http://host:port",
        "http://host:８０",
        "http://ho st",
        "http://host\\@other.example",
        "http://host\t.example",
        "http://host\n.example",
        "http://ho%73t",
        "http://[::1",
        "http://[fe80::1%25eth0]:8000",
        "http://-",
        "http://a..b",
        "http://*.example",
        "http://host/../other",
        "http://host/a//b",
        "http://host//a",
        "http://host/大富豪",
        "http://host/a%2fb",
        f"http://{'a' * 64}.example",
    ],
)
def test_what_is_no_address_of_an_arena_is_refused_by_name(wrong: str) -> None:
    with pytest.raises(KitError, match=r"^the arena's address is .*; expected ") as refused:
        base_url(wrong)
    assert "\n" not in str(refused.value)


def test_a_password_in_an_address_is_not_repeated() -> None:
    with pytest.raises(KitError) as refused:
        base_url("https://alice:correct-horse@host.example")
    assert "correct-horse" not in str(refused.value)


@pytest.mark.parametrize("other", ["http://localhost:8765", "http://[::1]:8765", "127.0.0.1:8765"])
def test_the_names_of_this_machine_are_one_arena(other: str) -> None:
    assert same_arena("localhost:8765", other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("localhost:8765", "other.example:8765"),
        ("localhost:8765", "localhost:8766"),
        ("http://host.example", "https://host.example"),
        ("https://host.example", "https://host.example:8443"),
        ("https://host.example/a", "https://host.example/b"),
        ("https://host.example", "https://sub.host.example"),
        ("127.0.0.1:8765", "127.0.0.2:8765"),
        ("https://host.example", "no address at all"),
        ("not one", "not one"),
    ],
)
def test_other_origins_are_other_arenas(one: str, other: str) -> None:
    assert not same_arena(one, other)


def test_a_client_knows_its_arena_by_the_one_form() -> None:
    assert Client("LocalHost:8000/").url == "http://localhost:8000"
    with pytest.raises(KitError, match="expected http"):
        Client("ftp://host")


@given(
    st.text(max_size=40) | st.from_regex(r"(https?://)?[\w.:@/\\?#\[\]%-]{1,30}", fullmatch=True)
)
def test_whatever_is_read_is_read_again_as_itself(text: str) -> None:
    try:
        read = base_url(text)
    except KitError:
        return
    assert base_url(read) == read
    parts = urlsplit(read)
    assert parts.scheme in ("http", "https")
    assert parts.hostname
    assert (parts.username, parts.password, parts.query, parts.fragment) == (None, None, "", "")
    assert read.isascii()
