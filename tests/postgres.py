"""The PostgreSQL server that tests share: `arena.bench`'s own one, which is quick and may be lost.

Where there is no server, tests skip; with TESTS_NEED_SERVERS set they fail instead, so that a test
run in CI cannot leave them out.
"""

from __future__ import annotations

import os

import pytest

from arena.bench.cluster.postgres import PostgresServer as Server
from arena.bench.cluster.postgres import missing, new_server

__all__ = ["FAST", "NEEDED", "Server", "need_programs", "start_server"]

NEEDED = "TESTS_NEED_SERVERS"
FAST = ("fsync=off", "full_page_writes=off", "synchronous_commit=on")
"""No test cuts the power, so nothing need reach the disk; what is durable is the same otherwise."""


def start_server(*, settings: tuple[str, ...] = FAST) -> Server:
    """A new server in a new folder, not started; remove the folder in the end.

    Skips the test where there is none, or fails it where there must be one.
    """
    need_programs()
    return new_server(settings=settings)


def need_programs() -> None:
    """Skip the test where there can be no server, or fail it where there must be one."""
    needed = missing()
    if needed is not None:
        if os.environ.get(NEEDED):
            pytest.fail(f"needs {needed}")
        pytest.skip(f"needs {needed}")
