"""Factories of executors, good and bad, as `--executor` names them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context

from arena.match.workers import Inline, Workers

NO_FACTORY = 7


def inline() -> Executor:
    return Inline()


def threads() -> Executor:
    return ThreadPoolExecutor(4)


def spawned() -> Executor:
    return ProcessPoolExecutor(2, mp_context=get_context("spawn"))


def workers() -> Executor:
    return Workers(2)


@contextmanager
def dask() -> Iterator[Executor]:
    """A cluster of threads in this process; the real thing but for its processes."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=2, threads_per_worker=2, processes=False, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client.get_executor()


def raising() -> Executor:
    raise ConnectionRefusedError("no cluster is there")


def no_executor() -> object:
    return {}


class Finished:
    """Takes nothing."""

    def submit(self, *args: object, **kwargs: object) -> object:
        raise RuntimeError("cannot schedule new futures after shutdown")
