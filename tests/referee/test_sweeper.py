"""When a process that has its database for itself notes that it is alive: at once, and then
whenever its time has passed."""

from __future__ import annotations

from arena.referee.liveness import ALIVE, Liveness, noted_in
from arena.referee.sweeper import Sweeper
from tests.referee.table import Arena

BEAT_MS = 1_000


def sweeper(arena: Arena) -> Sweeper:
    context = arena.referee._context
    return Sweeper(context, Liveness(context, noted_in(arena.store), every_ms=BEAT_MS))


def test_the_first_beat_comes_at_once_and_each_other_when_its_time_has_passed(
    arena: Arena,
) -> None:
    arena.session()
    context, fresh = arena.referee._context, sweeper(arena)
    arena.clock.pass_ms(1)
    fresh.sweep()
    first_ms = context.clock.now_ms()
    assert arena.store.counter(ALIVE) == first_ms
    arena.clock.pass_ms(BEAT_MS - 1)
    fresh.sweep()
    assert arena.store.counter(ALIVE) == first_ms
    arena.clock.pass_ms(1)
    fresh.sweep()
    assert arena.store.counter(ALIVE) == first_ms + BEAT_MS


def test_where_nothing_is_played_nothing_is_noted(arena: Arena) -> None:
    before = arena.store.counter(ALIVE)
    arena.clock.pass_ms(3_600_000)
    sweeper(arena).sweep()
    assert arena.store.counter(ALIVE) == before
