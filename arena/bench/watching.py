"""What a server process is seen to do while it runs: CPU, memory, how quickly it wakes bots.

CPU and memory are told by the system, where it does (Linux); the wake-ups by the server's metrics.
"""

from __future__ import annotations

import os
import re
import sys
import time
import urllib.request
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SHARES = (0.5, 0.99)
BUCKET = re.compile(r'^arena_wake_seconds_bucket\{le="([^"]+)"\} (\S+)$', re.MULTILINE)
Wakes = tuple[tuple[float, float], ...]
"""Ends of the buckets in seconds, and how many wake-ups took no longer."""


class Look(NamedTuple):
    """What was seen at an instant of the monotonic clock."""

    at_s: float
    cpu_s: float | None
    memory_bytes: int | None
    wakes: Wakes


def look(url: str, pid: int) -> Look:
    """Look at a server now."""
    text = get(url, "/metrics").decode()
    wakes = tuple((float(end), float(count)) for end, count in BUCKET.findall(text))
    return Look(time.monotonic(), cpu_seconds(pid), memory_bytes(pid), wakes)


def woken_ms(looks: Sequence[Look], first_s: float, last_s: float) -> tuple[float, float]:
    """Median and 99 % of the wake-ups between two instants, as ends of the server's buckets."""
    before = next((each.wakes for each in reversed(looks) if each.at_s <= first_s), ())
    after = next((each.wakes for each in looks if each.at_s >= last_s), looks[-1].wakes)
    known = dict(before)
    counts = [(end, count - known.get(end, 0.0)) for end, count in after]
    total = counts[-1][1] if counts else 0.0
    median, most = (
        next((end for end, count in counts if count >= share * total), 0.0) for share in SHARES
    )
    return median * 1e3, most * 1e3


def get(url: str, path: str) -> bytes:
    """The body of a page."""
    with urllib.request.urlopen(url + path, timeout=30) as response:
        body: bytes = response.read()
    return body


def cpu_seconds(pid: int) -> float | None:
    """CPU seconds that a process has used, where the system tells (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def memory_bytes(pid: int) -> int | None:
    """Resident memory of a process, where the system tells (Linux)."""
    if not sys.platform.startswith("linux"):
        return None
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
