"""Who calls: from the Authorization header to an identity, and whether that may do this.

Tokens are read from `Authorization: Bearer` and from nowhere else, are never written to a log or
an answer, and are looked up by the referee. This module may not know what a bot may do in a game.
"""

from __future__ import annotations

import re
from types import MappingProxyType
from typing import TYPE_CHECKING

from arena.web.api.endpoints import Scope
from arena.web.api.problems import Code, Problem

if TYPE_CHECKING:
    from arena.identity.registry import Identity

REALM = 'Bearer realm="daifugo-arena"'
NEEDED = MappingProxyType(
    {
        Scope.BOT: "play",
        Scope.VIEWER: "view",
        Scope.ASSISTANT: "assist",
        Scope.ADMIN: "admin",
    }
)
"""What a token must be good for, by the scope of the endpoint."""
SECRETS = re.compile(r"dfa[a-z]*_[A-Za-z0-9_-]{4,}")


def token_of(header: str | None) -> str:
    """The token in the header; "" if there is none."""
    if header is None:
        return ""
    scheme, _, token = header.partition(" ")
    return token.strip() if scheme.lower() == "bearer" else ""


def check_caller(identity: Identity | None, header: str | None, scope: Scope) -> None:
    """May this caller call an endpoint of this scope?

    Raises Problem: `no_token` (also on public endpoints where the header holds none), or
    `forbidden` if it is the wrong kind of token.
    """
    if identity is not None:
        needed = NEEDED.get(scope)
        if needed and needed not in identity.scopes:
            detail = f"This needs a token with the scope {needed!r}; this one has not got it."
            raise Problem(Code.FORBIDDEN, detail)
    elif header is not None:
        raise _unknown(Code.NO_TOKEN, "The header must read Authorization: Bearer <token>.")
    elif scope is not Scope.PUBLIC:
        raise _unknown(Code.NO_TOKEN, "This needs the header Authorization: Bearer <token>.")


def unknown_token() -> Problem:
    """The problem of a token that nobody has, also on public endpoints: a wrong token is a mistake
    that should be reported."""
    return _unknown(Code.BAD_TOKEN, "This token is not known here, or no longer.")


def without_secrets(text: str) -> str:
    """A text for a log, with everything that resembles a token replaced."""
    return SECRETS.sub("dfa_…", text)


def _unknown(code: Code, detail: str) -> Problem:
    challenge = REALM if code is Code.NO_TOKEN else f'{REALM}, error="invalid_token"'
    return Problem(code, detail, headers={"WWW-Authenticate": challenge})
