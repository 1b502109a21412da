"""The fast selection (`pytest -m fast`): which tests are in it.

A test is in it unless it is marked; in it, it may not start a process.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from typing import Any
from unittest import mock

import pytest

SLOW_KINDS = ("slow", "simulation", "server", "postgres")
OF_FIXTURES = {"postgres": "postgres", "school": "server", "browser": "server"}


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
    """Fail a test marked `fast` that starts a process."""
    if item.get_closest_marker("fast") is None:
        yield
        return
    with (
        mock.patch.object(subprocess.Popen, "__init__", _refuse),
        mock.patch.object(BaseProcess, "start", _refuse),
    ):
        yield


def _refuse(*_: Any, **__: Any) -> None:
    pytest.fail("a fast test starts no process: mark it `server`")
