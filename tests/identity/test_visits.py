"""Who was here is known of each bot, also if it asks another process."""

from __future__ import annotations

from arena.identity.visits import HERE_MS, TOLD_MS, Visit, Visits
from arena.store.memory import open_memory
from arena.store.sql import SqlStore


class SharedStore:
    """A store in memory that says that others write to it too."""

    shared = True

    def __init__(self, store: SqlStore) -> None:
        self.write = store.write
        self.counters = store.counters


def test_a_bot_is_connected_for_a_while_after_it_was_here() -> None:
    with open_memory() as store:
        visits = Visits(store)
        assert visits.of(["b-1"]) == {}
        visits.note("b-1", 1_000, "kit/1")
        visits.note("b-1", 2_000)
        visit = visits.of(["b-1"]).get("b-1")
    assert visit == Visit(2_000, "kit/1")
    assert visit.connected(2_000 + HERE_MS)
    assert not visit.connected(2_001 + HERE_MS)


def test_a_long_name_of_a_client_is_cut() -> None:
    with open_memory() as store:
        visits = Visits(store)
        visits.note("b-1", 0, "x" * 10_000)
        visit = visits.of(["b-1"]).get("b-1")
    assert visit is not None
    assert len(visit.client) == 80


def test_processes_of_one_store_tell_each_other_now_and_then() -> None:
    with open_memory() as store:
        shared = SharedStore(store)
        here, there = Visits(shared), Visits(shared)
        here.note("b-1", 100_000, "kit/1")
        assert there.of(["b-1", "b-2"]) == {"b-1": Visit(100_000, "")}
        here.note("b-1", 100_000 + TOLD_MS - 1)
        assert there.of(["b-1"]) == {"b-1": Visit(100_000, "")}
        here.note("b-1", 100_000 + TOLD_MS)
        assert there.of(["b-1"]) == {"b-1": Visit(100_000 + TOLD_MS, "")}
        assert here.of(["b-1"]) == {"b-1": Visit(100_000 + TOLD_MS, "kit/1")}
