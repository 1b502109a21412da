"""Options of the test run."""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, settings

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


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--vectors FILE`: another file of rule vectors than the one in the tests."""
    parser.addoption("--vectors", default=str(VECTORS), help="file of rule vectors (JSON Lines)")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test for each vector of the file."""
    if "vector" in metafunc.fixturenames:
        from tests.rules.vectors import load

        vectors = load(Path(metafunc.config.getoption("--vectors")))
        metafunc.parametrize("vector", vectors, ids=[v["id"] for v in vectors])
