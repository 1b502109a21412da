"""Addresses: where a request comes from, also behind proxies, and the limits of one address.

Off unless the settings say otherwise: a class sits behind one address. What `X-Forwarded-For` says
is believed only of proxies that the operator has named. IPv6 counts by /64, since whoever has one
address there has all of them. Buckets are bounded in number. This module may not know what is
requested.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import Any

from arena.settings import Settings, read_networks
from arena.web.api.limits import Buckets

HOUR_S = 3_600
BURST_S = 5
"""This many seconds' worth of requests may come from an address at once."""
MOST_HOPS = 16
SUBNET = 64
UNKNOWN = "unknown"

Address = IPv4Address | IPv6Address


class Addresses:
    """The addresses of callers and their buckets."""

    def __init__(self, settings: Settings, *, monotonic: Callable[[], float]) -> None:
        per_s = settings.requests_per_s_per_address
        per_hour = settings.registrations_per_hour_per_address
        self._trusted = read_networks(settings.trusted_proxies)
        self._requests = _buckets(per_s, BURST_S * per_s, monotonic)
        self._registrations = _buckets(per_hour / HOUR_S, per_hour, monotonic)

    def of(self, environ: Mapping[str, Any]) -> str:
        """Where a request comes from: an address, or its /64; `unknown` if it is not known."""
        nearest = self._nearest(environ)
        return UNKNOWN if nearest is None else _counted(nearest)

    def whole(self, environ: Mapping[str, Any]) -> str:
        """The address from which a request comes; `unknown` if it is not known."""
        if not self._trusted:
            return str(environ.get("REMOTE_ADDR", UNKNOWN))
        return str(self._nearest(environ) or UNKNOWN)

    def _nearest(self, environ: Mapping[str, Any]) -> Address | None:
        """The nearest hop that is not one of our proxies: what stands before it anybody could have
        written."""
        forwarded = environ.get("HTTP_X_FORWARDED_FOR", "") if self._trusted else ""
        hops = [*forwarded.split(",")[-MOST_HOPS:], environ.get("REMOTE_ADDR", "")]
        nearest: Address | None = None
        for hop in reversed(hops):
            address = _read(hop.strip())
            if address is None:
                break
            nearest = address
            if not any(address in network for network in self._trusted):
                break
        return nearest

    def check_request(self, environ: Mapping[str, Any]) -> None:
        """Count a request without a token. Raises Problem: `too_many_requests`."""
        if self._requests is not None:
            detail = "Callers without a token at this address ask too often."
            self._requests.take_or_refuse(self.of(environ), detail)

    def check_registration(self, address: str) -> None:
        """Count a registration without a token or a good code. Raises Problem."""
        if self._registrations is not None:
            detail = "From this address too many bots have been registered within an hour."
            self._registrations.take_or_refuse(address, detail)


def _buckets(rate: float, burst: int, monotonic: Callable[[], float]) -> Buckets | None:
    return Buckets(rate, burst, monotonic=monotonic) if rate else None


def _read(text: str) -> Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


def _counted(address: Address) -> str:
    if isinstance(address, IPv4Address):
        return str(address)
    return str(ip_network((address.packed, SUBNET), strict=False))
