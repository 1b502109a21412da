"""The fast selection (`pytest -m fast`): which tests are in it, and that they are fast.

A test is in it unless it is marked; in it, it may neither start a process nor compute for long.
"""

from __future__ import annotations

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any
from unittest import mock

import pytest
from hypothesis import settings

SLOW_KINDS = ("slow", "simulation", "server", "postgres")
LIMIT_S = 3.0  # of computing; nearly all take less than a tenth of it
OF_FIXTURES = {"postgres": "postgres", "school": "server"}


def mark(item: pytest.Item) -> None:
    """Mark a test for the servers that its fixtures start, and as `fast` if it bears no mark."""
    for name in OF_FIXTURES.keys() & set(getattr(item, "fixturenames", ())):
        item.add_marker(OF_FIXTURES[name])
    if hasattr(item, "callspec") and "postgresql" in item.callspec.id.split("-"):
        item.add_marker("postgres")
    if not any(item.get_closest_marker(kind) for kind in SLOW_KINDS):
        item.add_marker("fast")


@contextmanager
def held_to_fast(item: pytest.Item) -> Iterator[None]:
    """Fail a test marked `fast` that starts a process or, with few examples, computes long."""
    if item.get_closest_marker("fast") is None:
        yield
        return
    start = time.process_time()
    with (
        mock.patch.object(subprocess.Popen, "__init__", _refuse),
        mock.patch.object(BaseProcess, "start", _refuse),
    ):
        yield
    took_s = time.process_time() - start
    if settings().max_examples <= 10 and took_s > LIMIT_S:
        pytest.fail(f"took {took_s:.1f} s of computing: mark it `slow` or `simulation`")


def _refuse(*_: Any, **__: Any) -> None:
    pytest.fail("a fast test starts no process: mark it `server`")
