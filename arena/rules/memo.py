"""Tables that fill themselves: a value is worked out the first time it is asked for, then kept.

For pure functions of a bounded set of values; where the set is unbounded, look without keeping.
Looking into a subclass of `dict` costs more than into a plain one, so for a ruleset's `pile_rules`,
where every decision looks twice, the table is plain and the caller meets the `KeyError`. A memo
that a decision looks into is annotated as the `dict` that it is: compiled, that is three times as
quick.
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
