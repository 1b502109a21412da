"""Wall time, arena time, session time."""

from __future__ import annotations

from arena.clock import SystemClock, instant
from arena.referee.clock import ArenaClock, SessionClock
from tests.referee.table import FakeClock


def test_the_system_clock_never_goes_back() -> None:
    clock = SystemClock()
    times = [clock.now_ms() for _ in range(1000)]
    assert times == sorted(times)


def test_arena_time_goes_on_from_where_the_last_process_was_alive() -> None:
    clock = FakeClock(10_000)
    arena = ArenaClock(clock)
    arena.go(4_000)
    assert arena.now_ms() == 4_000
    clock.pass_ms(7)
    assert (arena.now_ms(), arena.wall_ms()) == (4_007, 10_007)


def test_a_wall_clock_that_was_set_back_does_not_turn_arena_time_back() -> None:
    arena = ArenaClock(FakeClock(1_000))
    arena.go(5_000)
    assert arena.now_ms() == 5_000


def test_a_frozen_session_clock_goes_on_from_where_it_stood() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    session = SessionClock(arena)
    assert session.freeze() == 1_000
    clock.pass_ms(500)
    assert session.now_ms() == 1_000
    session.thaw(session.lag_to_resume_ms())
    clock.pass_ms(5)
    assert session.now_ms() == 1_005


def test_a_halted_arena_clock_stands_still() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    assert arena.halt() == 1_000
    clock.pass_ms(9)
    assert arena.now_ms() == 1_000


def test_instants_are_written_for_people() -> None:
    assert instant(1_800_000_000_250) == "2027-01-15T08:00:00.250Z"
