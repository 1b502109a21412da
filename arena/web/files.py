"""How many files, and so connections, a process may have open. This module may not open any."""

from __future__ import annotations

import contextlib

ENOUGH = (1 << 20, 65_536, 10_240)
"""What to ask for where there is no limit: some systems (macOS) say so and mean 10,240."""


def raise_file_limit() -> None:
    """Let this process have as many connections as the system allows it; each takes a file."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    endless = resource.RLIM_INFINITY
    for wanted in ENOUGH if most == endless else (most, *ENOUGH):
        if now == endless or wanted <= now:
            return
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
            return
