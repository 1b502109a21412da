"""A Merkle tree that is kept: it grows and shrinks at its end, and proves any leaf at once.

The same trees as in `arena.proofs.merkle`, with all hashes of full subtrees in memory: 64 bytes for
each leaf. Pure: it knows nothing of what the leaves are.
"""

from __future__ import annotations

import hashlib

from arena.errors import BadInput
from arena.proofs.merkle import leaf_hash, node_hash

WIDTH = 32
"""Bytes of a hash."""


class KeptTree:
    """A tree over a list of leaves. size: how many there are."""

    __slots__ = ("_levels",)

    def __init__(self) -> None:
        self._levels = [bytearray()]
        """By height from 0: the hashes of the full subtrees of that height, one after the other."""

    @property
    def size(self) -> int:
        return len(self._levels[0]) // WIDTH

    def add(self, data: bytes) -> None:
        """One more leaf at the end."""
        top, height, count = leaf_hash(data), 0, self.size + 1
        self._levels[0] += top
        while count % 2 == 0:
            level = self._levels[height]
            top = node_hash(bytes(level[-2 * WIDTH : -WIDTH]), top)
            height, count = height + 1, count // 2
            if height == len(self._levels):
                self._levels.append(bytearray())
            self._levels[height] += top

    def truncate(self, size: int) -> None:
        """Take away all leaves but the first `size`."""
        if not 0 <= size <= self.size:
            raise BadInput("size", size, f"0 to {self.size}")
        for height, level in enumerate(self._levels):
            del level[(size >> height) * WIDTH :]

    def leaf(self, index: int) -> bytes:
        """The hash of a leaf, from 0."""
        self._check(index)
        return self._node(0, index)

    @property
    def root(self) -> bytes:
        """The root over all leaves."""
        return self._hash(0, self.size) if self.size else hashlib.sha256(b"").digest()

    def proof(self, index: int) -> tuple[bytes, ...]:
        """The proof of a leaf, as `merkle.proof_of` gives it."""
        self._check(index)
        proof, start, end = [], 0, self.size
        while end - start > 1:
            split = start + _left(end - start)
            if index < split:
                proof.append(self._hash(split, end))
                end = split
            else:
                proof.append(self._hash(start, split))
                start = split
        return tuple(reversed(proof))

    def _check(self, index: int) -> None:
        if not 0 <= index < self.size:
            raise BadInput("index", index, f"a leaf, 0 to {self.size - 1}")

    def _hash(self, start: int, end: int) -> bytes:
        """The hash over leaves from `start` up to `end`, which are a subtree of the whole tree."""
        size = end - start
        height = size.bit_length() - 1
        if size == 1 << height:
            return self._node(height, start >> height)
        split = start + _left(size)
        return node_hash(self._hash(start, split), self._hash(split, end))

    def _node(self, height: int, index: int) -> bytes:
        return bytes(self._levels[height][index * WIDTH : (index + 1) * WIDTH])


def _left(size: int) -> int:
    """How many of `size` > 1 leaves the left part has: the largest power of two below it."""
    return 1 << (size - 1).bit_length() - 1
