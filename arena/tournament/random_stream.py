"""Lots: every random choice of a schedule, a seating or a deal, drawn from a key alone.

SHA-256 in counter mode with rejection sampling, so that a seed gives the same lots on any machine,
in any Python and, being documented, in any language. Knows nothing of bots or tables; it may not
read a clock, the environment or any generator of the system.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterable
from typing import TypeVar

from arena.errors import BadInput

T = TypeVar("T")
Seed = int | bytes
"""What a draw starts from: a session's integer seed or its secret bytes."""

WORDS = 2**32
EIGHT_WORDS = struct.Struct(">8I")
DOMAIN = b"daifugo-arena lots 1"


def key_of(seed: Seed, *labels: str | int) -> bytes:
    """The 32-byte key of one stream of lots.

    SHA-256 of the domain, the seed and the labels, each preceded by its kind (one byte: `i` for a
    decimal integer, `b` for bytes, `s` for UTF-8 text) and its length (8 bytes, big-endian).
    """
    parts = [DOMAIN]
    for part in (seed, *labels):
        kind, body = _encoded(part)
        parts.append(kind + len(body).to_bytes(8, "big") + body)
    return hashlib.sha256(b"".join(parts)).digest()


def random_block(key: bytes, number: int) -> bytes:
    """Block `number` (from 0) of the stream of a key: 32 bytes."""
    return hashlib.sha256(key + number.to_bytes(8, "big")).digest()


def _encoded(part: Seed | str) -> tuple[bytes, bytes]:
    if isinstance(part, bytes):
        return b"b", part
    if isinstance(part, str):
        return b"s", part.encode()
    return b"i", str(int(part)).encode()


class RandomStream:
    """A stream of lots: block i is SHA-256(key, i as 8 bytes big-endian), read as 32-bit words.

    Two streams with the same seed and labels give the same lots; other labels give others.
    """

    __slots__ = ("_counter", "_key", "_words")

    def __init__(self, seed: Seed, *labels: str | int) -> None:
        self._start(key_of(seed, *labels))

    @classmethod
    def of_key(cls, key: bytes) -> RandomStream:
        """The stream of a key that was derived elsewhere, as those of deals are."""
        stream = cls.__new__(cls)
        stream._start(key)
        return stream

    def _start(self, key: bytes) -> None:
        self._key = key
        self._counter = 0
        self._words: list[int] = []

    def below(self, bound: int) -> int:
        """A whole number from 0 to bound - 1, all equally likely. Raises BadInput for bound < 1."""
        if not 1 <= bound <= WORDS:
            raise BadInput("bound", bound, f"1 to {WORDS}")
        limit = WORDS - WORDS % bound
        word = self._word()
        while word >= limit:
            word = self._word()
        return word % bound

    def shuffled(self, items: Iterable[T]) -> tuple[T, ...]:
        """The items in a random order, all orders equally likely (Fisher-Yates from the end)."""
        order = list(items)
        for last in range(len(order) - 1, 0, -1):
            other = self.below(last + 1)
            order[last], order[other] = order[other], order[last]
        return tuple(order)

    def _word(self) -> int:
        if not self._words:
            block = random_block(self._key, self._counter)
            self._words = list(EIGHT_WORDS.unpack(block))
            self._words.reverse()
            self._counter += 1
        return self._words.pop()
