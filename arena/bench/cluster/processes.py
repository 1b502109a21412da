"""What a tree of processes has used: a PostgreSQL server's, which starts one for each connection.

Read from the system where it has it (Linux); None elsewhere.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from pathlib import Path


def cpu_of_tree_s(pid: int) -> float | None:
    """CPU seconds of a process, of its children, and of those of them that have ended."""
    if not sys.platform.startswith("linux"):
        return None
    spent = sum(_times(pid, ended=True))
    for child in _children(pid):
        with suppress(FileNotFoundError, ProcessLookupError):  # ended meanwhile: counted next time
            spent += sum(_times(child, ended=False))
    return spent


def _children(pid: int) -> list[int]:
    listed = Path(f"/proc/{pid}/task/{pid}/children")
    return [int(each) for each in listed.read_text().split()]


def _times(pid: int, *, ended: bool) -> list[float]:
    """User and system seconds; ended: also those of children that were waited for."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    ticks = fields[11:15] if ended else fields[11:13]
    return [int(each) / os.sysconf("SC_CLK_TCK") for each in ticks]
