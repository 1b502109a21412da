"""When a process notes that it is alive: at once, and then whenever its time has passed."""

from __future__ import annotations

from arena.referee import shared_clock
from arena.referee.sweeper import Sweeper
from tests.referee.table import Arena


def test_the_first_beat_comes_at_once_and_each_other_when_its_time_has_passed(
    arena: Arena,
) -> None:
    arena.session()
    context = arena.referee._context
    sweeper, beat_ms = Sweeper(context), shared_clock.beat_ms(context)
    arena.clock.pass_ms(1)
    sweeper.sweep()
    first_ms = context.clock.now_ms()
    assert arena.store.counter(shared_clock.ALIVE) == first_ms
    arena.clock.pass_ms(beat_ms - 1)
    sweeper.sweep()
    assert arena.store.counter(shared_clock.ALIVE) == first_ms
    arena.clock.pass_ms(1)
    sweeper.sweep()
    assert arena.store.counter(shared_clock.ALIVE) == first_ms + beat_ms


def test_where_nothing_is_played_nothing_is_noted(arena: Arena) -> None:
    before = arena.store.counter(shared_clock.ALIVE)
    arena.clock.pass_ms(3_600_000)
    Sweeper(arena.referee._context).sweep()
    assert arena.store.counter(shared_clock.ALIVE) == before
