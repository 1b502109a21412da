"""The stores that keep the contract: one list, so that a new kind is tested by adding it here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store import Store, open_store
from tests.postgres import Server
from tests.store.rows import WORLD

KINDS = ("memory", "sqlite", "postgresql")


def _url(request: pytest.FixtureRequest, kind: str, folder: Path) -> str:
    if kind == "postgresql":
        server: Server = request.getfixturevalue("postgres")
        return server.create()
    return "memory:" if kind == "memory" else f"sqlite:///{folder / 'arena.db'}"


@pytest.fixture(params=KINDS)
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Store]:
    """An empty store of each kind."""
    with open_store(_url(request, request.param, tmp_path)) as opened:
        yield opened


@pytest.fixture
def cup(store: Store) -> Store:
    """A store with a session in which a hand has been dealt."""
    store.write(*WORLD)
    return store
