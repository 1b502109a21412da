"""Tables that fill themselves: a value is worked out the first time it is asked for, then kept.

For pure functions: of values of which there are only so many, or of those met of late.
"""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Memo(dict[K, V]):
    """``memo[key]`` is ``make(key)``, worked out once. Two threads may both work it out: the values
    are equal, and one of them stays.

    most: values kept at a time, where there is no end of keys; a full table is begun anew.
    """

    def __init__(self, make: Callable[[K], V], *, most: float = inf) -> None:
        super().__init__()
        self._make = make
        self._most = most

    def __missing__(self, key: K) -> V:
        if len(self) >= self._most:
            self.clear()
        value = self[key] = self._make(key)
        return value
