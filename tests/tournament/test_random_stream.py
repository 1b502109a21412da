"""Lots are the same everywhere, and fair."""

from __future__ import annotations

import hashlib
from collections import Counter
from itertools import permutations

import pytest

from arena.errors import BadInput
from arena.tournament.random_stream import RandomStream, key_of


def test_the_stream_is_what_its_documentation_says():
    key = key_of(7, "rounds")
    parts = b"daifugo-arena lots 1" + b"i" + (1).to_bytes(8, "big") + b"7"
    parts += b"s" + (6).to_bytes(8, "big") + b"rounds"
    assert key == hashlib.sha256(parts).digest()
    first = hashlib.sha256(key + bytes(8)).digest()
    assert RandomStream(7, "rounds").below(2**32) == int.from_bytes(first[:4], "big")


def test_a_seed_gives_these_lots_for_ever():
    lots = RandomStream(2025, "golden")
    assert [lots.below(52) for _ in range(8)] == [0, 42, 31, 5, 41, 42, 11, 18]
    assert RandomStream(b"secret", 1).shuffled("ABCDEFGH") == (
        "E",
        "A",
        "C",
        "B",
        "H",
        "G",
        "D",
        "F",
    )


@pytest.mark.parametrize(
    "other",
    [
        RandomStream(8, "a"),
        RandomStream(7, "b"),
        RandomStream(7),
        RandomStream(b"7", "a"),
        RandomStream(7, "a", ""),
    ],
)
def test_another_seed_or_label_gives_other_lots(other):
    lots = RandomStream(7, "a")
    assert [lots.below(2**32) for _ in range(4)] != [other.below(2**32) for _ in range(4)]


def test_every_order_comes_up_equally_often():
    lots = RandomStream(1, "fair")
    seen = Counter(lots.shuffled("abc") for _ in range(6_000))
    assert set(seen) == set(permutations("abc"))
    assert all(850 < count < 1150 for count in seen.values())


@pytest.mark.parametrize("bound", [0, -1, 2**32 + 1])
def test_a_bound_without_lots_is_refused(bound):
    with pytest.raises(BadInput, match="bound"):
        RandomStream(1).below(bound)
