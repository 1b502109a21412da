"""What lies in a store in memory, beyond what the port answers."""

from __future__ import annotations

from arena.store.memory import MemoryEngine
from arena.store.sql import SqlStore


def counters(store: SqlStore) -> list[str]:
    """The keys of all counters and instants."""
    return [name for (name,) in store._engine.rows("SELECT name FROM life", ())]


def everything(store: SqlStore) -> str:
    """The whole database as SQL."""
    assert isinstance(store._engine, MemoryEngine)
    return "\n".join(store._engine._connection.iterdump())
