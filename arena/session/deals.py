"""Chance: the deck and the lots of a hand as a documented function of (secret, id, number).

The id is that of the table; where a session's tables share their shuffles, that of the block
(`rotate`) or of the round (`common`). It is in every hand's record as `shuffles`.

Everything here can be rewritten in any language from these lines:

1. ``key = SHA-256("daifugo-arena/1" || secret (32 bytes) || length of the id's UTF-8 bytes
   (4 bytes, big-endian) || those bytes || hand number (4 bytes, big-endian) || label (UTF-8))``.
2. The stream is ``SHA-256(key || i)`` for i = 0, 1, 2 ... (i as 8 bytes, big-endian), end to end.
3. ``below(m)``: take the next 4 bytes of the stream as a big-endian number w; if
   ``w >= 2**32 - 2**32 % m`` take the next 4; the answer is ``w % m``.
4. To shuffle a list, for i from its last index down to 1: j = below(i + 1); swap i and j.
5. Label `deck`: the shuffled deck, top first. The deck before: for each rank 3 4 5 6 7 8 9 T J Q K
   A 2 the suits S H D C; then the jokers; then, if there is one, the second pack as the first.
   Only the names of the cards count: two jokers, or two copies of a card, are the same.
6. Labels `dealer`, `leader`, `start`, `idle`: the seats 0..k-1 shuffled. Label `throws`: 64 rounds
   of k shapes, each below(3): 0 rock, 1 paper, 2 scissors.
7. Label `salt`: the first 16 bytes of the stream. The commitment is ``SHA-256(salt || text)`` in
   hex, the text being this JSON (no spaces, UTF-8, members in this order)::

       {"deck":["S3",..],"lots":{"dealer":[0,..],"leader":[..],"start":[..],"idle":[..],
       "throws":[[0,..],..]}}

8. The cards are dealt one by one from the top of that deck, by the ruleset. Where shuffles are
   shared, packets belong to seats instead, so that whoever deals, a seat has the same cards at all
   of the tables: with k seats, card i of the deck (from 0, without the blind cards, which are the
   last natural ones) lies in packet i mod k, which is that of seat i mod k, or of seat -i mod k
   where play goes the other way round. Seats take their packets card by card; one whose packet is
   empty takes the next card of the packet that has most left, of equal ones the first.

The order of requests, the clock and the bots cannot change a deal. This module may read nothing but
its arguments; the secret itself comes from the operating system (`new_secret`).
"""

from __future__ import annotations

import hashlib
import json
import secrets
from collections.abc import Sequence
from typing import NamedTuple

from arena.errors import BadInput
from arena.rules.cards import CODES
from arena.rules.commands import Lots
from arena.tournament.random_stream import RandomStream, random_block

DOMAIN = b"daifugo-arena/1"
SECRET_BYTES = 32
SALT_BYTES = 16
THROWS = 64


class Shuffle(NamedTuple):
    """One hand's share of chance: deck (card ids, top first), lots, salt of the commitment."""

    deck: tuple[int, ...]
    lots: Lots
    salt: bytes


def stream_key(secret: bytes, table: str, *, number: int, label: str) -> bytes:
    """The key of one stream. Raises BadInput for a secret of the wrong length."""
    if len(secret) != SECRET_BYTES:
        raise BadInput("secret", f"{len(secret)} bytes", f"{SECRET_BYTES} bytes")
    name = table.encode()
    head = DOMAIN + secret + len(name).to_bytes(4, "big") + name
    return hashlib.sha256(head + number.to_bytes(4, "big") + label.encode()).digest()


def new_secret() -> bytes:
    """A session's secret, from the operating system."""
    return secrets.token_bytes(SECRET_BYTES)


def secret_commitment(secret: bytes) -> str:
    """What a session publishes from its creation: the hex SHA-256 of its secret."""
    return hashlib.sha256(secret).hexdigest()


def deal(secret: bytes, table: str, number: int, *, deck: Sequence[int], players: int) -> Shuffle:
    """The deal of hand `number` (from 1) at a table. deck: card ids in the order of point 5."""

    def key(label: str) -> bytes:
        return stream_key(secret, table, number=number, label=label)

    def stream(label: str) -> RandomStream:
        return RandomStream.of_key(key(label))

    seats = range(players)
    throws = stream("throws")
    lots = Lots(
        dealer=stream("dealer").shuffled(seats),
        leader=stream("leader").shuffled(seats),
        start=stream("start").shuffled(seats),
        idle=stream("idle").shuffled(seats),
        throws=tuple(tuple(throws.below(3) for _ in seats) for _ in range(THROWS)),
    )
    salt = salt_of(secret, table, number=number)
    return Shuffle(renumbered(stream("deck").shuffled(deck)), lots, salt)


def salt_of(secret: bytes, table: str, *, number: int) -> bytes:
    """The salt of a deal alone."""
    return random_block(stream_key(secret, table, number=number, label="salt"), 0)[:SALT_BYTES]


def renumbered(deck: Sequence[int]) -> tuple[int, ...]:
    """A deck with equal cards numbered as they come: what reading their names back gives."""
    copies: dict[str, list[int]] = {}
    for card in sorted(deck, reverse=True):
        copies.setdefault(CODES[card], []).append(card)
    return tuple(copies[CODES[card]].pop() for card in deck)


def commitment(shuffle: Shuffle) -> str:
    """The hex SHA-256 that is published before the hand's first turn."""
    return hashlib.sha256(shuffle.salt + committed_text(shuffle)).hexdigest()


def committed_text(shuffle: Shuffle) -> bytes:
    """What is committed to, besides the salt: canonical JSON."""
    body = {"deck": [CODES[card] for card in shuffle.deck], "lots": lots_document(shuffle.lots)}
    return json.dumps(body, separators=(",", ":")).encode()


def lots_document(lots: Lots) -> dict[str, object]:
    """Lots as plain data."""
    seats = {name: list(getattr(lots, name)) for name in ("dealer", "leader", "start", "idle")}
    return {**seats, "throws": [list(round_) for round_ in lots.throws]}
