"""The tree that is kept is the tree of RFC 6962, however it grew and shrank."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.proofs.kept_tree import KeptTree
from arena.proofs.merkle import leaf_hash, proof_of, root_of


def tree_of(leaves: list[bytes]) -> KeptTree:
    tree = KeptTree()
    for leaf in leaves:
        tree.add(leaf)
    return tree


LEAVES = st.lists(st.binary(max_size=3), max_size=40)


@given(LEAVES)
def test_roots_and_proofs_are_those_of_the_rfc(leaves: list[bytes]) -> None:
    tree = tree_of(leaves)
    assert (tree.size, tree.root) == (len(leaves), root_of(leaves))
    for index, leaf in enumerate(leaves):
        assert tree.proof(index) == proof_of(leaves, index)
        assert tree.leaf(index) == leaf_hash(leaf)


@given(LEAVES, LEAVES, st.integers(0, 40))
def test_what_was_taken_away_leaves_nothing_behind(
    first: list[bytes], then: list[bytes], kept: int
) -> None:
    kept = min(kept, len(first))
    tree = tree_of(first)
    tree.truncate(kept)
    for leaf in then:
        tree.add(leaf)
    left = first[:kept] + then
    assert tree.root == root_of(left)
    assert [tree.proof(i) for i in range(len(left))] == [
        proof_of(left, i) for i in range(len(left))
    ]


def test_a_leaf_that_is_not_there_is_refused() -> None:
    tree = tree_of([b"a", b"b"])
    with pytest.raises(BadInput, match="0 to 1"):
        tree.proof(2)
    with pytest.raises(BadInput, match="0 to 2"):
        tree.truncate(3)
