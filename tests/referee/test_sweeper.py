"""When a process that has its database for itself notes that it is alive: at once, and then
whenever its time has passed."""

from __future__ import annotations

import pytest

from arena.errors import Unavailable
from arena.referee.liveness import ALIVE, COME_AGAIN_MS, Liveness, noted_in
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


def test_an_outage_counts_from_the_beginning_of_the_beat_that_failed(arena: Arena) -> None:
    """A database that does not answer is given up after a while, which is charged to nobody, nor is
    the moment in which those come again that were refused."""
    arena.session()
    context = arena.referee._context
    away = True

    def note(_: int) -> None:
        if away:
            arena.clock.pass_ms(1_400)
            raise Unavailable("the database: connection refused")

    liveness = Liveness(context, note, every_ms=BEAT_MS)
    began_ms = context.clock.now_ms()
    for _ in range(2):
        with pytest.raises(Unavailable):
            liveness.beat()
    shown_ms = context.clock.now_ms()
    arena.clock.pass_ms(5_000)
    away = False
    liveness.beat()
    assert context.clock.now_ms() == shown_ms == began_ms + 1_400
    arena.clock.pass_ms(COME_AGAIN_MS + 1_400)
    assert context.clock.now_ms() == shown_ms
    arena.clock.pass_ms(100)
    assert context.clock.now_ms() == began_ms + 1_500


def test_a_beat_that_takes_long_is_an_outage_though_it_is_noted_in_the_end(arena: Arena) -> None:
    """It waited behind a write whose commit was in doubt, or for a server that stood still."""
    arena.session()
    context, took_ms = arena.referee._context, [2_000, 100]
    liveness = Liveness(context, lambda _: arena.clock.pass_ms(took_ms.pop(0)), every_ms=BEAT_MS)
    began_ms = context.clock.now_ms()
    liveness.beat()
    arena.clock.pass_ms(1_000)
    assert context.clock.now_ms() == began_ms + 1_000
    liveness.beat()
    assert context.clock.now_ms() == began_ms + 1_100


def test_a_beat_that_takes_long_takes_nothing_of_the_moment_after_an_outage(arena: Arena) -> None:
    """As where a database that has come back is slow at first."""
    arena.session()
    context, took_ms = arena.referee._context, [0, 300]
    liveness = Liveness(context, lambda _: arena.clock.pass_ms(took_ms.pop(0)), every_ms=BEAT_MS)
    stood_ms = context.clock.halt()
    liveness.beat()
    arena.clock.pass_ms(500)
    liveness.beat()
    arena.clock.pass_ms(COME_AGAIN_MS - 800)
    assert context.clock.now_ms() == stood_ms
    arena.clock.pass_ms(100)
    assert context.clock.now_ms() == stood_ms + 100
