"""Tables that fill themselves: a value is worked out the first time it is asked for, then kept.

For pure functions of a bounded set of values; where the set is unbounded, look without keeping.
Looking into a subclass of `dict` costs more than into a plain one, so where every decision looks
several times, in `shapes` and for a ruleset's `pile_rules`, the tables are plain and the caller
meets the `KeyError`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V]):
    """``memo[key]`` is ``make(key)``, worked out once. Two threads may both work it out: the values
    are equal, and one of them stays."""

    def __init__(self, make: Callable[[K], V]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, key: K) -> V:
        value = self[key] = self._make(key)
        return value
