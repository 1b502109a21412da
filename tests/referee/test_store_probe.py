from __future__ import annotations

from typing import Any

from arena.errors import Unavailable
from arena.referee.store_probe import StoreProbe
from tests.referee.table import Arena, FakeClock


class CountingStore:
    """Counts what it is asked to write. broken: it cannot."""

    def __init__(self) -> None:
        self.writes = 0
        self.broken = False

    def write(self, *changes: Any) -> None:
        self.writes += 1
        if self.broken:
            raise Unavailable("the disk is full")


def test_the_store_is_tried_at_most_once_a_second_however_often_it_is_asked_for() -> None:
    store, clock = CountingStore(), FakeClock()
    probe = StoreProbe(store, clock.now_ms)  # type: ignore[arg-type]
    for _ in range(30):
        assert all(probe.trouble() is None for _ in range(100))
        clock.pass_ms(100)
    assert store.writes == 3


def test_trouble_is_seen_and_so_is_its_end_within_a_second() -> None:
    store, clock = CountingStore(), FakeClock()
    probe = StoreProbe(store, clock.now_ms)  # type: ignore[arg-type]
    assert probe.trouble() is None
    store.broken = True
    clock.pass_ms(1_000)
    assert probe.trouble() == "the disk is full"
    store.broken = False
    assert probe.trouble() == "the disk is full"
    clock.pass_ms(1_000)
    assert probe.trouble() is None


def test_health_is_asked_for_without_a_row_each_time() -> None:
    arena = Arena()
    rows: list[Any] = []
    write = arena.store.write
    arena.store.write = lambda *changes: (rows.extend(changes), write(*changes))[1]  # type: ignore[method-assign]
    assert all(arena.referee.health()["ready"] for _ in range(50))
    assert len(rows) == 1
