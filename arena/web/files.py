"""How many files, and so connections, a process may have open. This module may not open any."""

from __future__ import annotations

import contextlib


def raise_file_limit() -> None:
    """Let this process have as many connections as the system allows it; each takes a file."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
