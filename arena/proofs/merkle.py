"""Merkle trees as in RFC 6962 (and 9162), section 2.1: one hash for a list, short proofs.

The hash of a leaf is ``SHA-256(0x00 || data)``, that of a node ``SHA-256(0x01 || left || right)``;
of n > 1 leaves the left part has the largest power of two that is below n. The root of no leaves is
the SHA-256 of nothing. The proof of a leaf lists the hashes beside its way to the root, lowest
first.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence

from arena.errors import BadInput


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return hashlib.sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of a node."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def root_of(leaves: Iterable[bytes]) -> bytes:
    """The root over leaves, given as their data. Needs memory for the depth of the tree only."""
    tree = GrowingTree()
    for leaf in leaves:
        tree.add(leaf)
    return tree.root


class GrowingTree:
    """A tree that grows at its end. size: how many leaves it has."""

    __slots__ = ("_peaks", "size")

    def __init__(self) -> None:
        self.size = 0
        self._peaks: list[bytes] = []

    def add(self, data: bytes) -> None:
        """One more leaf."""
        top = leaf_hash(data)
        self.size += 1
        whole = self.size
        while whole % 2 == 0:  # two full trees of one size become one
            top = node_hash(self._peaks.pop(), top)
            whole //= 2
        self._peaks.append(top)

    @property
    def root(self) -> bytes:
        """The root over all leaves so far."""
        if not self._peaks:
            return hashlib.sha256(b"").digest()
        top = self._peaks[-1]
        for peak in self._peaks[-2::-1]:
            top = node_hash(peak, top)
        return top


def proof_of(leaves: Sequence[bytes], index: int) -> tuple[bytes, ...]:
    """The proof that leaf `index` (from 0) is in the tree over these leaves (their data)."""
    if not 0 <= index < len(leaves):
        raise BadInput("index", index, f"a leaf, 0 to {len(leaves) - 1}")
    level, proof = [leaf_hash(leaf) for leaf in leaves], []
    while len(level) > 1:
        beside = index ^ 1
        if beside < len(level):
            proof.append(level[beside])
        pairs = zip(level[::2], level[1::2], strict=False)
        odd = level[-1:] if len(level) % 2 else []
        level = [*(node_hash(left, right) for left, right in pairs), *odd]
        index //= 2
    return tuple(proof)


def proven_root(data: bytes, index: int, size: int, proof: Sequence[bytes]) -> bytes:
    """The root that a proof leads to from a leaf (RFC 9162, 2.1.3.2).

    Raises BadInput for a proof that has not the length which index and size demand.
    """
    if not 0 <= index < size:
        raise BadInput("index", index, f"a leaf, 0 to {size - 1}")
    top, place, last, left = leaf_hash(data), index, size - 1, list(reversed(proof))
    while last:
        if place % 2 or place < last:
            if not left:
                raise BadInput("proof", len(proof), "more hashes")
            beside = left.pop()
            top = node_hash(beside, top) if place % 2 else node_hash(top, beside)
        place, last = place // 2, last // 2
    if left:
        raise BadInput("proof", len(proof), f"{len(proof) - len(left)} hashes")
    return top
