"""Merkle trees: RFC 6962's own examples, and that proofs lead to the root and to no other."""

from __future__ import annotations

import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.proofs.merkle import GrowingTree, leaf_hash, node_hash, proof_of, proven_root, root_of

LEAVES = [
    bytes.fromhex(leaf)
    for leaf in (
        "",
        "00",
        "10",
        "2021",
        "3031",
        "40414243",
        "5051525354555657",
        "606162636465666768696a6b6c6d6e6f",
    )
]
"""The leaves that implementations of Certificate Transparency are tested with."""
ROOTS = {
    1: "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    2: "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    3: "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    8: "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
}


@pytest.mark.parametrize(("size", "root"), ROOTS.items())
def test_roots_are_those_of_certificate_transparency(size: int, root: str) -> None:
    assert root_of(LEAVES[:size]).hex() == root


def test_the_root_of_nothing_is_the_hash_of_nothing() -> None:
    assert root_of([]) == hashlib.sha256(b"").digest()


def by_definition(leaves: list[bytes]) -> bytes:
    """The root as RFC 6962 defines it."""
    if len(leaves) < 2:
        return leaf_hash(leaves[0]) if leaves else hashlib.sha256(b"").digest()
    left = 1
    while left * 2 < len(leaves):
        left *= 2
    return node_hash(by_definition(leaves[:left]), by_definition(leaves[left:]))


@given(st.lists(st.binary(max_size=40), max_size=70))
def test_a_growing_tree_has_the_root_of_the_definition(leaves: list[bytes]) -> None:
    tree = GrowingTree()
    for leaf in leaves:
        tree.add(leaf)
    assert (tree.root, tree.size) == (by_definition(leaves), len(leaves))


@given(st.lists(st.binary(max_size=8), min_size=1, max_size=40), st.data())
def test_the_proof_of_each_leaf_leads_to_the_root(leaves: list[bytes], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    proof = proof_of(leaves, index)
    assert proven_root(leaves[index], index, len(leaves), proof) == root_of(leaves)
    assert proven_root(leaves[index] + b"x", index, len(leaves), proof) != root_of(leaves)


def test_a_proof_of_another_length_is_refused() -> None:
    proof = proof_of(LEAVES, 5)
    with pytest.raises(BadInput, match="2; expected more hashes"):
        proven_root(LEAVES[5], 5, 8, proof[:2])
    with pytest.raises(BadInput, match="4; expected 3 hashes"):
        proven_root(LEAVES[5], 5, 8, (*proof, proof[0]))
    with pytest.raises(BadInput, match="a leaf, 0 to 7"):
        proven_root(LEAVES[5], 8, 8, proof)
    with pytest.raises(BadInput, match="a leaf, 0 to 7"):
        proof_of(LEAVES, 8)
