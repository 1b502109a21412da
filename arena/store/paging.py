"""All rows of something that the store gives a page at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

K = TypeVar("K")
R = TypeVar("R")


def all_rows(read: Callable[[K], tuple[R, ...]], first: K, key: Callable[[R], K]) -> Iterator[R]:
    """All rows. read: the page after a key; first: a key before all of them; key: that of a row."""
    after = first
    while rows := read(after):
        yield from rows
        after = key(rows[-1])
