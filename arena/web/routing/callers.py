"""Which bot sent a request, as far as its homes depend on that. Whether it may do what it asks for
is decided where it is answered. This module may not know who is home of anything."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from arena.web.api.browser_forms import seat_cookie
from arena.web.api.limits import EVERYBODY, Buckets
from arena.web.routing.paths import Matter

if TYPE_CHECKING:
    from arena.identity.registry import Registry

UNKNOWN_TOKENS_PER_S = 50
UNKNOWN_TOKENS_BURST = 500
"""How often the router looks into the database for a token that is not known from memory."""


class Callers:
    """Who has which token."""

    def __init__(
        self, registry: Registry, *, monotonic: Callable[[], float] = time.monotonic
    ) -> None:
        self._registry = registry
        self._unknown = Buckets(UNKNOWN_TOKENS_PER_S, UNKNOWN_TOKENS_BURST, monotonic=monotonic)

    def bot(self, environ: Mapping[str, Any], matter: Matter) -> str | None:
        """The id of the bot, or the organiser, whose token a request brings; None for nobody."""
        token = seat_cookie(environ) if matter is Matter.SEAT else _bearer(environ)
        if not token:
            return None
        who = self._registry.known(token)
        if who is None and not self._unknown.take(EVERYBODY):
            who = self._registry.identify(token)
        return None if who is None else who.id


def _bearer(environ: Mapping[str, Any]) -> str:
    scheme, _, token = str(environ.get("HTTP_AUTHORIZATION", "")).partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""
