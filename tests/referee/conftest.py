"""Fixtures of the referee's tests."""

from __future__ import annotations

import pytest

from tests.referee.table import Arena


@pytest.fixture
def arena() -> Arena:
    """A referee on a memory store with a clock that stands still."""
    return Arena()
