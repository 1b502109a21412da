"""Interruptions: Ctrl-C and SIGTERM wait while something is half done that they must not part.

May not decide what an interruption means: that is for whoever has set the handlers.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def deferred() -> Iterator[None]:
    """Ctrl-C and SIGTERM arrive when the block has ended; nothing to do but in the main thread.

    For the moment between the start of a process and its entry in the list of those that will be
    ended: in between it would be left behind.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, lambda n, frame: came.append(n)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
    for late in came:
        signal.raise_signal(late)
