"""Addresses: to which hosts this arena may send messages, which only its operator decides.

Nothing is allowed unless the setting `notify_allow` names it. A host that is named is reached by
https, unless the operator writes http:// before it, and only at addresses of the open net: what a
name resolves to is looked at, and the connection goes to the very address that was looked at. An
address of a private net is allowed only if the setting names the address itself.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Sequence
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any, NamedTuple

from arena.errors import BadInput, Forbidden
from arena.session.notify_config import PORTS, PostAddress, read_target

Address = IPv4Address | IPv6Address
Resolve = Callable[..., Sequence[tuple[Any, ...]]]
SETTING = "notify_allow"
NAT64 = ip_network("64:ff9b::/96")
ANY = "*"


class AllowedHost(NamedTuple):
    """One entry of the setting. host: a name, `*.` and a name, `*`, or an address."""

    scheme: str
    host: str
    port: int

    def allows(self, target: PostAddress) -> bool:
        """Does it name the host of an address, with its scheme and port?"""
        if (self.scheme, self.port) != (target.scheme, target.port):
            return False
        if self.host == ANY:
            return True
        if self.host.startswith("*."):
            return target.host.endswith(self.host[1:])
        return self.host == target.host


def read_allowed(text: str) -> tuple[AllowedHost, ...]:
    """The entries of the setting, with commas between. Raises BadInput."""
    return tuple(_rule(part.strip(), text) for part in text.split(",") if part.strip())


def _rule(part: str, text: str) -> AllowedHost:
    expected = "hosts with commas between, such as hooks.example.org, *.example.org:8443"
    url = part if "://" in part else f"https://{part}"
    try:
        target = read_target(url)
    except BadInput as error:
        raise BadInput(SETTING, text, f"{expected} ({part!r} is none)") from error
    named = "" if target.host == ANY else target.host.removeprefix("*.")
    if target.path != "/" or "*" in named:
        raise BadInput(SETTING, text, f"{expected} ({part!r} is none)")
    return AllowedHost(target.scheme, target.host, target.port)


def check_allowed(rules: Sequence[AllowedHost], target: PostAddress) -> None:
    """Raises Forbidden, with what the operator has to do."""
    if any(rule.allows(target) for rule in rules):
        return
    usual = target.port == PORTS[target.scheme]
    host = f"[{target.host}]" if ":" in target.host else target.host
    entry = host if usual else f"{host}:{target.port}"
    entry = entry if target.scheme == "https" else f"http://{entry}"
    raise Forbidden(
        "notify.url",
        f"this arena sends no messages to {entry}: its operator has to allow it, with"
        f" ARENA_NOTIFY_ALLOW={entry} or `arena serve --notify-allow {entry}`",
    )


def reachable(
    rules: Sequence[AllowedHost], target: PostAddress, *, resolve: Resolve = socket.getaddrinfo
) -> str:
    """The address to which a connection goes: the first of the host that is allowed.

    Raises Forbidden if there is none, OSError if the name cannot be resolved.
    """
    check_allowed(rules, target)
    named = {
        rule.host for rule in rules if (rule.scheme, rule.port) == (target.scheme, target.port)
    }
    answers = resolve(target.host, target.port, type=socket.SOCK_STREAM)
    found = list(dict.fromkeys(str(answer[4][0]).partition("%")[0] for answer in answers))
    for address in found:
        if address in named or is_open(ip_address(address)):
            return address
    listed = ", ".join(found) or "nothing"
    raise Forbidden(
        "notify.url", f"{target.host} is {listed}: no address of the open net, nor one allowed"
    )


def is_open(address: Address) -> bool:
    """Is an address of the open net, and none that stands for another one that is not?"""
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if address in NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is not None:
            return is_open(inner)
        if address.teredo is not None or address.is_site_local:
            return False
    return address.is_global and not address.is_multicast and not address.is_reserved
