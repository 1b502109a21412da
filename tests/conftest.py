"""Options of the test run."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, settings

from tests.postgres import Server, start_server

if TYPE_CHECKING:
    from tests.referee.table import Arena

PROFILES = {"ci": 100, "long": 1000}  # examples for each law
for name, examples in PROFILES.items():
    settings.register_profile(
        name,
        max_examples=examples,
        deadline=None,
        phases=[phase for phase in Phase if phase is not Phase.explain],
        suppress_health_check=list(HealthCheck),
    )
settings.register_profile(
    "quick", settings.get_profile("long"), phases=[Phase.explicit, Phase.generate]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

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


@pytest.fixture
def arena() -> Arena:
    """A referee on a memory store with a clock that stands still."""
    from tests.referee.table import Arena

    return Arena()


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--vectors FILE`: another file of rule vectors than the one in the tests."""
    parser.addoption("--vectors", default=str(VECTORS), help="file of rule vectors (JSON Lines)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each vector of the file."""
    if "vector" in metafunc.fixturenames:
        from tests.rules.vectors import load

        vectors = load(Path(metafunc.config.getoption("--vectors")))
        metafunc.parametrize("vector", vectors, ids=[v["id"] for v in vectors])
