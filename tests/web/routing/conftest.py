from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.web.routing.pair import Pair, pair


@pytest.fixture
def two() -> Iterator[Pair]:
    with pair() as made:
        yield made
