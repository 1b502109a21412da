"""How many files, and so connections, a process may have open. This module may not open any."""

from __future__ import annotations

import contextlib

from arena.errors import BadInput

LIMITS_TO_TRY = (1 << 20, 65_536, 10_240)
"""What to ask for where there is no limit: some systems (macOS) say so and mean 10,240."""

RESERVED = 128
"""Descriptors that are not for connections: database, log, files, connections being refused."""
DEFAULT_CONNECTIONS = 20_000
"""The most connections unless more are asked for; as many would take half a gigabyte."""


def connection_ceiling(wanted: int) -> int:
    """How many connections this process may have at a time; wanted: 0 for what is sensible here.

    Raises BadInput if that many cannot be had.
    """
    limit = _file_limit()
    possible = DEFAULT_CONNECTIONS if limit is None else max(1, limit - RESERVED)
    if not wanted:
        return min(possible, DEFAULT_CONNECTIONS)
    if limit is not None and wanted > possible:
        expected = (
            f"at most {possible}: the limit of open files is {limit}, {RESERVED} are kept back"
        )
        raise BadInput("max_connections", wanted, expected)
    return wanted


def _file_limit() -> int | None:
    """How many files this process may have open; None for no limit."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return None
    now, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    return None if now == resource.RLIM_INFINITY else now


def raise_file_limit() -> None:
    """Let this process have as many connections as the system allows it; each takes a file."""
    try:
        import resource
    except ImportError:  # Windows has no such limit
        return
    now, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    endless = resource.RLIM_INFINITY
    for wanted in LIMITS_TO_TRY if most == endless else (most, *LIMITS_TO_TRY):
        if now == endless or wanted <= now:
            return
        with contextlib.suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))
            return
