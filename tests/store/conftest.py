"""The stores that keep the contract: one list, so that a new kind is tested by adding it here."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.store import Store, open_store
from arena.store.sqlite import open_sqlite
from tests.postgres import Server
from tests.store.rows import WORLD, step

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


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A database in which a hand has been dealt, closed."""
    path = tmp_path / "arena.db"
    with open_sqlite(path) as store:
        store.write(*WORLD)
    return path


@pytest.fixture
def crashed(tmp_path: Path) -> Path:
    """A database as a killed process leaves it: closed by nobody, with some
    transactions in its log."""
    live, crashed = tmp_path / "live", tmp_path / "crashed"
    live.mkdir()
    crashed.mkdir()
    with open_sqlite(live / "arena.db") as store:
        store.write(*WORLD)
        for seq in range(2, 22):
            store.write(step(seq))
        for end in ("", "-wal", "-shm"):
            shutil.copyfile(live / f"arena.db{end}", crashed / f"arena.db{end}")
    return crashed / "arena.db"
