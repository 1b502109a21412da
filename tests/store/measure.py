"""Measures how many steps a second the stores make durable; asserts nothing.

    python -m tests.store.measure [--gevent] [--postgres] [FOLDER]

FOLDER should lie on the disk that matters. The baseline is one row and one commit at a time on a
bare connection with the same pragmas, in the same run: compare ratios, the rest is the machine.
With --gevent the threads are greenlets, as they are in the server. With --postgres a server is
started that reaches the disk for every commit; several processes may share it.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from gevent import monkey

from arena.store import Store, open_store
from arena.store.connections import connect
from arena.store.port import StepRow
from arena.store.statements import WRITES
from tests.postgres import start_server
from tests.store.rows import HAND, WORLD

EVENTS = '[{"played":{"seat":2,"cards":["S4","H4"],"as":["S4","H4"]}},{"to_move":{"seat":3}}]'


def a_step(seq: int) -> StepRow:
    return StepRow(HAND.id, seq, seq, f"{HAND.id}.{seq}.2", '{"play":{}}', EVENTS, 1, "{}")


def rate(count: int, work: Callable[[], None]) -> tuple[float, float]:
    """Rows a second, and microseconds of CPU a row."""
    start, cpu = time.perf_counter(), time.process_time()
    work()
    used = time.process_time() - cpu
    return count / (time.perf_counter() - start), used / count * 1e6


def bare_commits(file: Path, count: int) -> tuple[float, float]:
    connection = connect(file, writable=True)
    sql = WRITES[StepRow].sql

    def work() -> None:
        for seq in range(2, 2 + count):
            connection.execute("BEGIN IMMEDIATE")
            connection.execute(sql, a_step(seq))
            connection.execute("COMMIT")

    found = rate(count, work)
    connection.close()
    return found


def appends(store: Store, count: int, *, threads: int) -> tuple[float, float]:
    each = count // threads

    def run(number: int) -> None:
        for seq in range(2 + number * each, 2 + (number + 1) * each):
            store.write(a_step(seq))

    def work() -> None:
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(run, range(threads)))

    return rate(each * threads, work)


def opened(folder: Path, name: str) -> Store:
    store = open_store("memory:" if name == "memory" else f"sqlite:///{folder / name}.db")
    store.write(*WORLD)
    return store


def postgres() -> None:
    """PostgreSQL as it is in production: a commit at a time, then grouped."""
    server = start_server(settings=())
    try:
        with server:
            url = server.create()
            with open_store(url) as store:
                store.write(*WORLD)
                bare = appends(store, 1000, threads=1)
            show("postgresql, 1 thread", bare, bare[0])
            for threads, count in ((8, 8000), (32, 16000), (128, 32000)):
                url = server.create()
                with open_store(url) as store:
                    store.write(*WORLD)
                    show(
                        f"postgresql, {threads} threads",
                        appends(store, count, threads=threads),
                        bare[0],
                    )
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)


def show(what: str, found: tuple[float, float], baseline: float) -> None:
    rows, cpu = found
    print(f"{what:34} {rows:9,.0f} rows/s {rows / baseline:6.2f} x {cpu:7.1f} µs CPU/row")


def main(folder: Path) -> None:
    opened(folder, "bare").close()
    bare = bare_commits(folder / "bare.db", 4000)
    show("bare connection, a commit each", bare, bare[0])
    for threads, count in ((1, 4000), (8, 16000), (32, 32000), (128, 32000)):
        with opened(folder, f"sqlite{threads}") as store:
            found = appends(store, count, threads=threads)
        show(f"sqlite, {threads} threads", found, bare[0])
    with opened(folder, "memory") as store:
        show("memory, 1 thread", appends(store, 32000, threads=1), bare[0])


if __name__ == "__main__":
    if "--gevent" in sys.argv:
        monkey.patch_all()
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    if "--postgres" in sys.argv:
        postgres()
        sys.exit()
    with tempfile.TemporaryDirectory(dir=folders[0] if folders else None) as temporary:
        main(Path(temporary))
