"""The fast selection starts no process, and its marks are those in use."""

from __future__ import annotations

import subprocess
import sys
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests import fast

TESTS = Path(__file__).parent


def test_a_test_without_a_mark_starts_no_process() -> None:
    with pytest.raises(pytest.fail.Exception, match="mark it `server`"):
        subprocess.run([sys.executable, "-c", ""], check=False)
    with pytest.raises(pytest.fail.Exception, match="mark it `server`"):
        get_context("spawn").Process().start()


def test_every_mark_is_registered_and_used(pytestconfig: pytest.Config) -> None:
    ours = [line.partition(":")[0] for line in pytestconfig.getini("markers")]
    assert {*fast.SLOW_KINDS, "fast"} <= set(ours)
    text = "".join(file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py"))
    used = {kind for kind in fast.SLOW_KINDS if f"pytest.mark.{kind}" in text}
    assert used | set(fast.OF_FIXTURES.values()) == set(fast.SLOW_KINDS)
