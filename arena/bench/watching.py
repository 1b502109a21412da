"""What server processes do while they run: CPU, memory, how quickly they wake bots.

CPU and memory are read from the system, where it has them (Linux), which costs the servers nothing;
the wake-ups by their metrics, which they have to answer for.
"""

from __future__ import annotations

import os
import re
import sys
import time
import urllib.request
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

SHARES = (0.5, 0.99)
Shares = tuple[float | None, float | None]
"""Milliseconds that half of them, and 99 %, took at the most."""
BUCKET = re.compile(r'^arena_wake_seconds_bucket\{le="([^"]+)"\} (\S+)$', re.MULTILINE)


class Usage(NamedTuple):
    """What servers had used at an instant of the monotonic clock, all of them together."""

    at_s: float
    cpu_s: float | None
    memory_bytes: int | None


class Wakes(NamedTuple):
    """What servers had reported of their wake-ups by then: ends of the buckets in seconds, and how
    many took no longer."""

    at_s: float
    buckets: tuple[tuple[float, float], ...]


def look(pids: Sequence[int]) -> Usage:
    """Look at servers now."""
    if not sys.platform.startswith("linux"):
        return Usage(time.monotonic(), None, None)
    return Usage(time.monotonic(), sum(map(_cpu_seconds, pids)), sum(map(_memory_bytes, pids)))


def wakes(urls: Sequence[str]) -> Wakes:
    """Ask servers for their wake-ups so far."""
    counts: Counter[float] = Counter()
    for url in urls:
        for end, count in BUCKET.findall(get(url, "/metrics").decode()):
            counts[float(end)] += float(count)  # type: ignore[assignment]
    return Wakes(time.monotonic(), tuple(sorted(counts.items())))


def woken_ms(snapshots: Sequence[Wakes], first_s: float, last_s: float) -> Shares:
    """Median and 99 % of the wake-ups between two instants, as ends of the servers' buckets; None
    where there were none.

    They are counted from the last time that the servers were asked before the first instant until
    the first time after the last.
    """
    before = next(
        (each.buckets for each in reversed(snapshots) if each.at_s <= first_s), snapshots[0].buckets
    )
    after = next((each.buckets for each in snapshots if each.at_s >= last_s), snapshots[-1].buckets)
    known = dict(before)
    counts = [(end, count - known.get(end, 0.0)) for end, count in after]
    total = counts[-1][1] if counts else 0.0
    if not total:
        return None, None
    median, most = (
        next(end * 1e3 for end, count in counts if count >= share * total) for share in SHARES
    )
    return median, most


def get(url: str, path: str, *, token: str | None = None) -> bytes:
    """The body of a page. token: of a bot, so that its own bucket counts and not everybody's."""
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    request = urllib.request.Request(url + path, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as response:
        body: bytes = response.read()
    return body


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _memory_bytes(pid: int) -> int:
    """Resident memory of a process."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE")
