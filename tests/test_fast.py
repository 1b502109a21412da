"""The fast selection holds tests to be fast, and its marks are those in use."""

import subprocess
import sys
from contextlib import nullcontext
from multiprocessing import get_context
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import fast

TESTS = Path(__file__).parent


def test_a_test_without_a_mark_starts_no_process() -> None:
    with pytest.raises(pytest.fail.Exception, match="mark it `server`"):
        subprocess.run([sys.executable, "-c", ""], check=False)
    with pytest.raises(pytest.fail.Exception, match="mark it `server`"):
        get_context("spawn").Process().start()


@pytest.mark.parametrize(("kind", "held"), [("fast", True), ("slow", False)])
def test_a_test_without_a_mark_computes_for_seconds_at_most(
    kind: str, held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    item: Any = SimpleNamespace(get_closest_marker=lambda name: name == kind or None)
    limit = pytest.raises(pytest.fail.Exception, match="mark it `slow`") if held else nullcontext()
    with monkeypatch.context() as patched:
        patched.setattr(fast, "settings", lambda: SimpleNamespace(max_examples=10))
        patched.setattr(fast, "LIMIT_S", -1.0)
        with limit, fast.held_to_fast(item):
            pass


def test_every_mark_is_registered_and_used(pytestconfig: pytest.Config) -> None:
    ours = [line.partition(":")[0] for line in pytestconfig.getini("markers")]
    assert {*fast.SLOW_KINDS, "fast"} <= set(ours)
    text = "".join(file.read_text(encoding="utf-8") for file in TESTS.rglob("test_*.py"))
    used = {kind for kind in fast.SLOW_KINDS if f"pytest.mark.{kind}" in text}
    assert used | set(fast.OF_FIXTURES.values()) == set(fast.SLOW_KINDS)
