"""To which hosts messages go: to those that the operator names, and to no address behind them."""

from __future__ import annotations

import socket
from ipaddress import ip_address
from typing import Any

import pytest

from arena.errors import BadInput, Forbidden
from arena.notices.addresses import check_allowed, is_open, reachable, read_allowed
from arena.session.notify_config import (
    PostAddress,
    new_secret,
    read_notify,
    read_target,
    secret_key,
)

HOOKS = "https://hooks.example.org/arena?class=3"


def resolves_to(*addresses: str) -> Any:
    def resolve(host: str, port: int, **_: Any) -> list[tuple[Any, ...]]:
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (each, port)) for each in addresses]

    return resolve


def test_an_address_has_a_scheme_a_host_a_port_and_a_path() -> None:
    assert read_target(HOOKS) == PostAddress("https", "hooks.example.org", 443, "/arena?class=3")
    assert read_target("http://127.0.0.1:9000") == PostAddress("http", "127.0.0.1", 9000, "/")
    assert read_target("https://[2001:db8::1]:8443/x").host == "2001:db8::1"
    assert read_target("https://Hooks.Example.ORG./").host == "hooks.example.org"


@pytest.mark.parametrize(
    "url",
    [
        "",
        None,
        7,
        "hooks.example.org",
        "ftp://hooks.example.org/",
        "https:///path",
        "https://user:word@hooks.example.org/",
        "https://hooks.example.org/#part",
        "https://hooks.example.org:99999/",
        "https://hooks.example.org:0/",
        "https://hooks.example.org/a b",
        "https://hooks.example.org/\r\nHost: other",
        "https://フック.example.org/",
        "https://[::1/",
        "https://hooks.example.org/" + "x" * 500,
    ],
)
def test_what_is_no_address_is_refused(url: object) -> None:
    with pytest.raises(BadInput, match=r"notify\.url"):
        read_target(url)


def test_nothing_is_allowed_unless_the_operator_names_it() -> None:
    with pytest.raises(Forbidden, match=r"ARENA_NOTIFY_ALLOW=hooks\.example\.org"):
        check_allowed(read_allowed(""), read_target(HOOKS))
    with pytest.raises(Forbidden, match=r"--notify-allow http://127\.0\.0\.1:9000"):
        check_allowed(read_allowed("127.0.0.1:9000"), read_target("http://127.0.0.1:9000/x"))


@pytest.mark.parametrize(
    ("allowed", "url", "fits"),
    [
        ("hooks.example.org", HOOKS, True),
        ("a.example, hooks.example.org", HOOKS, True),
        ("HOOKS.example.org", HOOKS, True),
        ("https://hooks.example.org", HOOKS, True),
        ("*.example.org", HOOKS, True),
        ("*", HOOKS, True),
        ("*.example.org", "https://example.org/", False),
        ("*.example.org", "https://badexample.org/", False),
        ("example.org", HOOKS, False),
        ("hooks.example.org:8443", HOOKS, False),
        ("hooks.example.org:8443", "https://hooks.example.org:8443/", True),
        ("hooks.example.org", "http://hooks.example.org/", False),
        ("hooks.example.org", "https://hooks.example.org:80/", False),
        ("http://hooks.example.org", "http://hooks.example.org/", True),
        ("http://hooks.example.org", HOOKS, False),
        ("[::1]:9000", "https://[::1]:9000/", True),
    ],
)
def test_an_entry_names_host_scheme_and_port(allowed: str, url: str, fits: bool) -> None:
    rules, target = read_allowed(allowed), read_target(url)
    if fits:
        check_allowed(rules, target)
    else:
        with pytest.raises(Forbidden):
            check_allowed(rules, target)


@pytest.mark.parametrize(
    "allowed", ["hooks.example.org/path", "ho*ks.org", "*.*.org", "ftp://x", "a b"]
)
def test_an_entry_that_names_no_host_is_refused(allowed: str) -> None:
    with pytest.raises(BadInput, match="notify_allow"):
        read_allowed(allowed)


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "10.0.0.5",
        "172.16.3.4",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "255.255.255.255",
        "224.0.0.1",
        "240.0.0.1",
        "192.0.2.1",
        "::",
        "::1",
        "fe80::1",
        "fc00::1",
        "fec0::1",
        "ff02::1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "64:ff9b::7f00:1",
        "2002:7f00:1::",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:db8::1",
    ],
)
def test_addresses_that_are_not_of_the_open_net_are_told(address: str) -> None:
    assert not is_open(ip_address(address))


@pytest.mark.parametrize("address", ["93.184.215.14", "2606:2800:21f:cb07:6820:80da:af6b:8b2c"])
def test_addresses_of_the_open_net_are_told(address: str) -> None:
    assert is_open(ip_address(address))


def test_the_connection_goes_to_the_first_address_that_is_open() -> None:
    rules, target = read_allowed("hooks.example.org"), read_target(HOOKS)
    found = reachable(rules, target, resolve=resolves_to("10.0.0.5", "93.184.215.14"))
    assert found == "93.184.215.14"


@pytest.mark.parametrize("behind", [("127.0.0.1",), ("10.0.0.5", "fe80::1%eth0"), ()])
def test_a_name_that_leads_inside_is_not_followed(behind: tuple[str, ...]) -> None:
    rules, target = read_allowed("hooks.example.org"), read_target(HOOKS)
    with pytest.raises(Forbidden, match="no address of the open net"):
        reachable(rules, target, resolve=resolves_to(*behind))


def test_an_address_inside_is_reached_if_the_operator_names_it() -> None:
    target = read_target("https://hooks.example.org/")
    both = read_allowed("hooks.example.org, 10.0.0.5")
    assert reachable(both, target, resolve=resolves_to("10.0.0.5")) == "10.0.0.5"
    with pytest.raises(Forbidden):
        reachable(both, target, resolve=resolves_to("10.0.0.6"))
    itself = read_target("http://127.0.0.1:9000/")
    rules = read_allowed("http://127.0.0.1:9000")
    assert reachable(rules, itself, resolve=resolves_to("127.0.0.1")) == "127.0.0.1"


def test_a_secret_is_made_or_checked_and_never_repeated() -> None:
    made = read_notify({"url": HOOKS})
    assert made is not None
    assert len(secret_key(made.secret)) == 32
    assert made.secret != new_secret()
    given = read_notify({"url": HOOKS, "secret": made.secret})
    assert given == made
    assert read_notify(None) is None
    for secret in ("short", "whsec_AAAA", "whsec_" + "A" * 200, "whsec_!!!", 7):
        with pytest.raises(BadInput, match=r"notify\.secret") as caught:
            read_notify({"url": HOOKS, "secret": secret})
        assert str(secret) not in str(caught.value) or secret == 7
    with pytest.raises(BadInput, match="member of notify"):
        read_notify({"url": HOOKS, "token": "x"})
    with pytest.raises(BadInput, match="an object with"):
        read_notify("https://hooks.example.org")
