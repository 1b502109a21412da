"""Copies of the repository, with what was built of it or without."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from arena.compiled import building
from arena.compiled.modules import digest_of
from tests.compiled.test_choice import PACKAGE
from tests.postgres import NEEDED
from tests.test_resources import ROOT, SOURCES


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A copy of the repository as it is cloned, without anything that was built."""
    skip = shutil.ignore_patterns(
        "__pycache__", "*.egg-info", *(f"*{s}" for s in building.EXTENSIONS)
    )
    for name in SOURCES:
        source, target = ROOT / name, tmp_path / "checkout" / name
        target.parent.mkdir(exist_ok=True)
        if source.is_dir():
            shutil.copytree(source, target, ignore=skip)
        else:
            shutil.copy(source, target)
    return tmp_path / "checkout"


@pytest.fixture
def with_build(checkout: Path) -> Path:
    """A checkout with what was built of these sources; builds it where no test may be skipped."""
    kept = [path for path in (ROOT / "build").glob(f"core-{digest_of(PACKAGE)}-*") if path.is_dir()]
    for path in kept:
        shutil.copytree(path, checkout / "build" / path.name)
    if not kept and not os.environ.get(NEEDED):
        pytest.skip("nothing is built of these sources (ARENA_COMPILE=1 pip install -e .)")
    return checkout
