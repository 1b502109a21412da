"""For tests of asynchronous code: a thread without an event loop."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def alone(play: Callable[[], Any]) -> Any:
    """What a function returns in a thread of its own: this one may have an event loop already, of
    a browser that other tests use."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(play).result()
