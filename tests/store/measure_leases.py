"""Measures what `CheckLease` adds to a group commit on PostgreSQL; asserts nothing.

    python -m tests.store.measure_leases [ROUNDS]

Groups of several callers, each with one step of a hand of its own, are committed by turns with and
without the check of each one's session; a session has as many leases beside it as a large arena.
CPU of the writing thread and of its server process (Linux: `/proc/PID/schedstat`), in microseconds
of one commit: medians over the rounds.
"""

from __future__ import annotations

import shutil
import sys
import time
from itertools import count
from pathlib import Path
from statistics import median
from typing import Any

from arena.store import Store, open_store
from arena.store.cluster_rows import CheckLease, LeaseRow
from arena.store.group import Job
from arena.store.port import Change
from tests.postgres import Server, start_server
from tests.store.measure import a_step
from tests.store.rows import TABLE, WORLD, hand

LEASES = 10_000
COMMITS = 40
GROUPS = ((1, 1), (8, 1), (8, 8), (64, 1), (64, 16), (64, 64), (256, 64))
"""Callers of a group, and the sessions that they belong to."""


class Bench:
    """A store with enough hands and leases, whose groups are committed in this thread."""

    def __init__(self, store: Store) -> None:
        self._engine: Any = store._engine  # type: ignore[attr-defined]
        self._seqs = count(2)
        self._hands = [hand(TABLE, number, status="playing").id for number in range(2, 258)]
        store.write(*WORLD, *(hand(TABLE, number, status="playing") for number in range(2, 258)))
        store.write(*(LeaseRow(_session(number), "east", 1) for number in range(LEASES)))

    def cost(self, callers: int, sessions: int, *, checked: bool) -> tuple[float, float]:
        """Microseconds of the writer and of the server for a commit."""
        groups = [self._group(callers, sessions, checked=checked) for _ in range(COMMITS)]
        server, writer = self._server_ns(), time.thread_time_ns()
        for group in groups:
            self._engine._commit(group)
        writer = time.thread_time_ns() - writer
        server = self._server_ns() - server
        assert all(job.error is None for group in groups for job in group)
        return writer / COMMITS / 1000, server / COMMITS / 1000

    def _group(
        self, callers: int, sessions: int, *, checked: bool
    ) -> list[Job[tuple[Change, ...]]]:
        seq = next(self._seqs)
        works: list[tuple[Change, ...]] = []
        for number in range(callers):
            step = a_step(seq)._replace(hand=self._hands[number])
            check = CheckLease(_session(number % sessions * (LEASES // sessions)), "east", 1)
            works.append((check, step) if checked else (step,))
        return [Job(work) for work in works]

    def _server_ns(self) -> int:
        process = Path(f"/proc/{self._engine._link.pid}/schedstat")
        return int(process.read_text().split()[0])


def _session(number: int) -> str:
    return f"spring-cup-{number:05}"


def main(server: Server, rounds: int) -> None:
    url = server.create()
    with open_store(url) as store:
        bench = Bench(store)
        server.execute("VACUUM ANALYZE leases", url)
        for callers, sessions in GROUPS:
            found: dict[bool, list[tuple[float, float]]] = {False: [], True: []}
            for number in range(rounds):
                for checked in (False, True) if number % 2 else (True, False):
                    found[checked].append(bench.cost(callers, sessions, checked=checked))
            show(callers, sessions, found)


def show(callers: int, sessions: int, found: dict[bool, list[tuple[float, float]]]) -> None:
    without, with_ = (
        [median(column) for column in zip(*found[checked], strict=True)]
        for checked in (False, True)
    )
    added = [many - few for many, few in zip(with_, without, strict=True)]
    print(
        f"{callers:4} callers, {sessions:3} sessions:"
        f" writer {without[0]:7.0f} + {added[0]:5.0f} µs,"
        f" server {without[1]:7.0f} + {added[1]:5.0f} µs a commit;"
        f" {sum(added) / callers:6.1f} µs a caller"
    )


if __name__ == "__main__":
    started = start_server(settings=())
    try:
        with started:
            main(started, int(sys.argv[1]) if len(sys.argv) > 1 else 20)
    finally:
        shutil.rmtree(started.folder, ignore_errors=True)
