"""Chance from everybody: the key of all deals, from the arena's secret and what the bots gave.

The arena commits to a secret when a session is created. Every bot may give 32 bytes with its entry.
The key of a round is

    ``SHA-256("daifugo-arena/chance/1" || secret || index || bytes || index || bytes ...)``

with the index in the roster (from 0, as 4 bytes, big-endian) and the bytes of each participant that
gave some, in the order of the roster, as far as the roster reached when the round was drawn: the
schedule has that as `mixed`, a number for each round. Where the session's document announced a
public source of chance, whose value nobody can know before entries close, ``"public" || SHA-256(
value)`` follows, the value in UTF-8. A session without `mixed` was started by an
older program; the key of its rounds is the secret itself. Everything that is left to chance follows
from the key as `arena.session.deals` says.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple
from unicodedata import category

from arena.errors import BadInput

DOMAIN = b"daifugo-arena/chance/1"
PUBLIC = b"public"
CHANCE_BYTES = 32
MOST_PUBLIC = 1_000
"""Characters of a public value."""


def read_chance(value: object) -> bytes:
    """What a bot gives, from 64 hex digits. Raises BadInput."""
    try:
        given = bytes.fromhex(value) if isinstance(value, str) and len(value) == 64 else b""
    except ValueError:
        given = b""
    if len(given) != CHANCE_BYTES:
        shown = value[:80] if isinstance(value, str) else value
        raise BadInput(
            "chance", shown, f"{CHANCE_BYTES} random bytes as {2 * CHANCE_BYTES} hex digits"
        )
    return given


def read_public(value: object) -> str:
    """The value of a public source of chance. Raises BadInput."""
    fits = isinstance(value, str) and 1 <= len(value) <= MOST_PUBLIC
    if not fits or any(category(each) in ("Cc", "Cs") for each in str(value)):
        shown = value[:80] if isinstance(value, str) else value
        wanted = f"1 to {MOST_PUBLIC:,} characters without control characters"
        raise BadInput("public_chance", shown, wanted)
    return str(value)


def mixed_key(secret: bytes, given: Sequence[bytes | None], *, public: str | None = None) -> bytes:
    """The key from a secret, what the participants gave, by their index in the roster, and the
    value of the public source."""
    parts = [DOMAIN, secret]
    for index, chance in enumerate(given):
        if chance is not None:
            parts += (index.to_bytes(4, "big"), chance)
    if public is not None:
        parts += (PUBLIC, hashlib.sha256(public.encode()).digest())
    return hashlib.sha256(b"".join(parts)).digest()


class RoundKeys(NamedTuple):
    """The keys of a session's rounds.

    given: by index in the roster, None for who gave nothing; mixed: for each round, how many of the
    roster are mixed in; None where the secret itself is the key. public: the value that is mixed
    into all rounds.
    """

    secret: bytes
    given: tuple[bytes | None, ...] = ()
    mixed: tuple[int, ...] | None = None
    public: str | None = None

    def of_round(self, number: int) -> bytes:
        """The key of a round, from 1. A round that is not in the schedule has that of the last."""
        if self.mixed is None:
            return self.secret
        reach = self.mixed[min(number, len(self.mixed)) - 1] if self.mixed else 0
        return mixed_key(self.secret, self.given[:reach], public=self.public)
