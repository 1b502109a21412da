"""Options of the test run: examples of the laws, which tests are fast, files of vectors."""

from __future__ import annotations

import gc
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from arena import CORE
from tests.fast import held_to_fast, mark
from tests.postgres import Server, start_server

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.referee.table import Arena

PROFILES = {"quick": 10, "ci": 100, "long": 1000}  # examples for each law
for name, examples in PROFILES.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        phases=[phase for phase in Phase if phase is not Phase.explain],
        suppress_health_check=list(HealthCheck),
    )

VECTORS = Path(__file__).parent / "rules" / "vectors.jsonl"


@pytest.fixture(scope="session")
def postgres() -> Iterator[Server]:
    """A PostgreSQL server for all tests that share one; the test skips where there is none."""
    server = start_server()
    try:
        with server:
            yield server
    finally:
        shutil.rmtree(server.folder, ignore_errors=True)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A browser for all tests that look at pages; the test skips where there is none."""
    from tests.browser import start_browser

    with start_browser() as started:
        yield started


@pytest.fixture
def arena() -> Arena:
    """A referee on a memory store with a clock that stands still."""
    from tests.referee.table import Arena

    return Arena()


def pytest_xdist_auto_num_workers() -> int:
    """How many workers `-n auto` starts: half as many again as there are cores, for a third of the
    time tests wait for processes and browsers."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return max(1, (cores or 1) * 3 // 2)


def pytest_report_header() -> str:
    """Which core is tested."""
    return f"core: {CORE}"


def pytest_configure(config: pytest.Config) -> None:
    """Few examples for `-m fast`, else `ci`, unless HYPOTHESIS_PROFILE names a profile."""
    if CORE.expected:
        raise pytest.UsageError(f"ARENA_CORE is {CORE.wanted!r}; expected {CORE.expected}")
    usual = "quick" if config.getoption("markexpr") == "fast" else "ci"
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", usual))
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # Started in the background by a shell: tests press Ctrl-C in processes that inherit this.
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Files with slow tests come first, so that no worker is left alone with one in the end."""
    for item in items:
        mark(item)
    slow = {item.path for item in items if not item.get_closest_marker("fast")}
    items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[object]:
    """The modules and tests stay to the end: garbage is never looked for among them, and seldom
    among what tests leave behind."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.set_threshold(20_000, 20, 20)
        gc.enable()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_setup(item: pytest.Item) -> Iterator[None]:
    with held_to_fast(item):
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    with held_to_fast(item):
        return (yield)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--vectors FILE`: another file of rule vectors than the one in the tests."""
    parser.addoption("--vectors", default=str(VECTORS), help="file of rule vectors (JSON Lines)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each vector of the file."""
    if "vector" in metafunc.fixturenames:
        from tests.rules.vectors import load

        vectors = load(Path(metafunc.config.getoption("--vectors")))
        metafunc.parametrize("vector", vectors, ids=[v["id"] for v in vectors])
