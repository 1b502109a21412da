"""Repeating: pieces of work through any executor, in their order, and again what was lost.

Work is lost if its future brings no result: its process has died, the cluster has dropped it. Work
that fails by itself must return its error as a value, for that would happen again. This module may
not know what the work is.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import CancelledError, Future
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
Begin = Callable[[int, int], Future[T]]
"""Begins the work of a number; the second argument: which try of it this is, from 1."""
MOST_TRIES = 3
"""The last is made when nothing else is under way: what ends then has ended by itself."""


class Lost(Exception):
    """A piece of work that was lost in all its tries. loss: the last."""

    def __init__(self, number: int, loss: BaseException) -> None:
        super().__init__(f"{number} was lost {MOST_TRIES} times")
        self.number = number
        self.loss = loss


def in_order(
    begin: Begin[T],
    numbers: Iterable[int],
    *,
    window: int,
    lost: Callable[[int, BaseException], None] = lambda number, loss: None,
) -> Generator[T, None, None]:
    """The results in the order of the numbers; `window` of them are under way at a time.

    lost: is called for every loss. Raises Lost, and KeyboardInterrupt if that ended the work.
    """
    left = iter(numbers)
    waiting: deque[tuple[int, Future[T]]] = deque()
    try:
        while True:
            for number in islice(left, window - len(waiting)):
                waiting.append((number, begin(number, 1)))
            if not waiting:
                return
            number, future = waiting.popleft()
            tried = 1
            while (loss := _loss(future)) is not None:
                lost(number, loss)
                if tried == MOST_TRIES:
                    raise Lost(number, loss)
                tried += 1
                if tried == MOST_TRIES:
                    for _, other in waiting:
                        _loss(other)
                future = begin(number, tried)
            yield future.result()
    finally:
        for _, future in waiting:
            future.cancel()


def _loss(future: Future[T]) -> BaseException | None:
    """Why a future brings no result, as soon as that is clear; None if it does."""
    try:
        loss = future.exception()
    except CancelledError as error:
        return error
    if isinstance(loss, KeyboardInterrupt):
        raise loss
    return loss
