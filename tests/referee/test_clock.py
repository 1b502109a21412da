"""Wall time, arena time, session time."""

from __future__ import annotations

from contextlib import nullcontext, suppress

from hypothesis import given
from hypothesis import strategies as st

from arena.clock import SystemClock, instant
from arena.errors import Unavailable
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


def test_a_session_clock_that_goes_on_stands_still_first_and_never_goes_back() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    session = SessionClock(arena, lag_ms=700)
    session.go_on(5_000, still_ms=2_000)
    times = []
    for act in (session.now_ms, session.freeze, lambda: session.thaw(session.lag_ms)):
        clock.pass_ms(900)
        act()
        times.append(session.now_ms())
    clock.pass_ms(100)
    times.append(session.now_ms())
    assert times == [5_000, 5_000, 5_700, 5_800]


def test_whoever_looks_while_an_arena_clock_goes_on_sees_no_time_go_back() -> None:
    """As another thread may between any two steps."""
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.watch(50)
    times = [arena.halt()]

    def wall_ms() -> int:
        arena.wall_ms = clock.now_ms
        times.append(arena.now_ms())
        arena.wall_ms = wall_ms
        return clock.now_ms()

    arena.wall_ms = wall_ms
    arena.resume(times[0] - 500)
    assert len(times) > 1
    assert set(times) == {times[0]}


def test_a_halted_arena_clock_stands_still() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    assert arena.halt() == 1_000
    clock.pass_ms(9)
    assert arena.now_ms() == 1_000


def test_during_an_outage_the_clock_stands_still_and_then_goes_on() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    with arena.outage():
        clock.pass_ms(400)
        assert (arena.now_ms(), arena.wall_ms()) == (1_000, 1_400)
    clock.pass_ms(5)
    assert arena.now_ms() == 1_005


def test_an_outage_that_ends_with_an_error_halts_the_clock() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    with suppress(Unavailable), arena.outage():
        clock.pass_ms(400)
        raise Unavailable("locked")
    clock.pass_ms(5)
    assert (arena.now_ms(), arena.halted_ms) == (1_000, 1_000)


def test_a_clock_that_stands_is_not_set_going_by_the_end_of_an_outage() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.halt()
    with arena.outage():
        clock.pass_ms(400)
    assert (arena.now_ms(), arena.halted_ms) == (1_000, 1_000)


def test_a_clock_that_is_set_going_during_an_outage_goes_on_at_its_end() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.halt()
    with arena.outage():
        clock.pass_ms(400)
        arena.go(1_000)
        clock.pass_ms(400)
        assert arena.now_ms() == 1_000
    clock.pass_ms(5)
    assert arena.now_ms() == 1_005


def test_the_end_of_an_outage_takes_nothing_of_what_was_credited_meanwhile() -> None:
    """As by a beat that was written, while the write after it has to wait."""
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.halt()
    with arena.outage():
        clock.pass_ms(400)
        arena.resume(1_000 - 2_000)
    clock.pass_ms(2_000)
    assert arena.now_ms() == 1_000
    clock.pass_ms(5)
    assert arena.now_ms() == 1_005


@given(st.lists(st.tuples(st.integers(0, 400), st.sampled_from(["", "beat", "out"])), max_size=80))
def test_with_outages_arena_time_never_goes_back_nor_faster_than_the_wall(
    passed: list[tuple[int, str]],
) -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.watch(50)
    before = arena.now_ms()
    for ms, what in passed:
        with arena.outage() if what == "out" else nullcontext():
            start = arena.now_ms()
            clock.pass_ms(ms)
            now = arena.now_ms()
        if what == "beat":
            arena.watch(50)
        assert before <= start <= now <= before + (0 if what == "out" else ms)
        assert arena.now_ms() == now
        before = now


def test_instants_are_written_for_people() -> None:
    assert instant(1_800_000_000_250) == "2027-01-15T08:00:00.250Z"
