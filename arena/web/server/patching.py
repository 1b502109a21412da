"""Make the process gevent's: the first thing that a server process does.

Only entry points may call this, before anything that uses sockets, threads or queues is imported:
`python -m arena.web` does, and so must whatever runs `arena serve`. It imports nothing itself that
would be too early.
"""

from __future__ import annotations

import sys

TOO_EARLY = ("arena.application", "arena.store", "flask", "requests", "concurrent.futures")
"""Modules that keep locks, queues or sockets from the time when they are imported."""


def patch() -> None:
    """Patch the standard library for gevent; harmless when done before.

    Raises RuntimeError if a module is loaded already that would keep the unpatched parts.
    """
    from gevent import monkey

    if monkey.is_module_patched("socket"):
        return
    loaded = [name for name in TOO_EARLY if name in sys.modules]
    if loaded:
        raise RuntimeError(f"patch() must come before the import of {', '.join(loaded)}")
    monkey.patch_all()
