"""Aside: where the one call that waits for the disk is made, so that nobody else has to stop.

sqlite3 lets other threads run while it waits, but on greenlets there are no other threads: a commit
would stop everybody. In a process that gevent has patched the call is therefore made in a thread of
gevent's own pool, and only the greenlet that asked for it sleeps. On real threads it is simply
made. This module knows no database.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TypeVar

Answer = TypeVar("Answer")


def aside(work: Callable[[], Answer]) -> Answer:
    """Do the work and answer what it answers, or raise what it raises; others go on meanwhile."""
    monkey = sys.modules.get("gevent.monkey")
    if monkey is None or not monkey.is_module_patched("threading"):
        return work()
    from gevent import get_hub

    answer: Answer = get_hub().threadpool.apply(work)
    return answer
