"""A process that stood still was out: nobody is charged for it, and time never goes back."""

from __future__ import annotations

import logging

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import Gone
from arena.referee.clock import LATE_MS, ArenaClock
from arena.referee.heartbeat import BEAT_MS, QUIET_MS
from tests.referee.table import Arena, FakeClock, lowest
from tests.referee.test_fair_clocks import BANK, DEADLINE, GRACE, MOVE, ledger, left_ms


def beat(arena: Arena) -> None:
    arena.referee._heartbeat.beat()


def beating_for(arena: Arena, ms: int) -> None:
    """Time passes, and a beat comes whenever one is due."""
    for _ in range(ms // BEAT_MS):
        arena.clock.pass_ms(BEAT_MS)
        beat(arena)
        arena.referee.sweep()


def test_a_standstill_between_two_beats_is_charged_to_nobody(arena: Arena) -> None:
    arena.session()
    beat(arena)
    bot, before = arena.one()
    arena.clock.pass_ms(BEAT_MS + 2_000)
    beat(arena)
    _, after = arena.one()
    assert left_ms(after) == left_ms(before) - BEAT_MS
    arena.referee.answer(bot, before["turn"], lowest(before))
    [entry] = ledger(arena, bot)
    assert (entry["charged_ms"], entry["bank_ms"]) == (0, BANK)


def test_an_answer_that_came_meanwhile_is_stamped_with_the_time_before(arena: Arena) -> None:
    """It is read before the beat had its turn, and would be too late by the wall clock."""
    arena.session()
    arena.first_lap()
    beat(arena)
    bot, turn = arena.one()
    beating_for(arena, DEADLINE)
    arena.clock.pass_ms(BEAT_MS + 2_000)
    assert arena.referee.answer(bot, turn["turn"], lowest(turn))["accepted"]
    entry = ledger(arena, bot)[-1]
    assert entry["charged_ms"] == DEADLINE + BEAT_MS - GRACE


def test_no_turn_expires_because_of_it_whoever_looks_first(arena: Arena) -> None:
    arena.session()
    arena.first_lap()
    beat(arena)
    arena.clock.pass_ms(10 * DEADLINE)
    assert arena.referee.sweep() == 0
    beat(arena)
    assert arena.referee.sweep() == 0
    beating_for(arena, DEADLINE + GRACE - 2 * BEAT_MS)
    bot, turn = arena.one()
    beating_for(arena, 4 * BEAT_MS)
    with pytest.raises(Gone, match="timeout"):
        arena.referee.answer(bot, turn["turn"], lowest(turn))


def test_what_the_grace_covers_is_not_credited(arena: Arena) -> None:
    arena.session()
    beat(arena)
    _, before = arena.one()
    arena.clock.pass_ms(BEAT_MS + LATE_MS)
    beat(arena)
    _, after = arena.one()
    assert left_ms(after) == left_ms(before) - BEAT_MS - LATE_MS
    assert LATE_MS < GRACE


def test_without_a_heartbeat_time_simply_passes(arena: Arena) -> None:
    arena.session()
    _, before = arena.one()
    arena.clock.pass_ms(MOVE)
    assert left_ms(arena.one()[1]) == left_ms(before) - MOVE


def test_after_a_stop_no_more_beats_are_waited_for(arena: Arena) -> None:
    arena.session()
    arena.first_lap()
    beat(arena)
    arena.clock.pass_ms(BEAT_MS)
    arena.referee.stop()
    arena.restart(outage_ms=5_000)
    _, turn = arena.one()
    assert left_ms(turn) == DEADLINE - BEAT_MS


def test_a_halt_and_a_standstill_at_the_same_time_are_counted_once() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.watch(50)
    halted = arena.halt()
    clock.pass_ms(5_000)
    arena.go(halted)
    assert arena.now_ms() == halted
    clock.pass_ms(40)
    assert arena.now_ms() == halted + 40


@given(st.lists(st.tuples(st.integers(0, 400), st.booleans()), max_size=80))
def test_arena_time_never_goes_back_nor_faster_than_the_wall(
    passed: list[tuple[int, bool]],
) -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.watch(BEAT_MS)
    before = arena.now_ms()
    for ms, beats in passed:
        clock.pass_ms(ms)
        if beats:
            arena.watch(BEAT_MS)
        now = arena.now_ms()
        assert before <= now <= before + ms
        before = now


@given(st.lists(st.integers(0, 2_000), max_size=40))
def test_however_long_it_stands_still_only_a_beat_and_its_delay_pass(stood: list[int]) -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.watch(BEAT_MS)
    for ms in stood:
        before = arena.now_ms()
        clock.pass_ms(ms)
        assert arena.now_ms() - before <= BEAT_MS + LATE_MS
        arena.watch(BEAT_MS)


def test_who_looked_while_the_beat_was_late_sees_time_stand_still_until_it_is_made_up() -> None:
    clock = FakeClock(1_000)
    arena = ArenaClock(clock)
    arena.go(None)
    arena.watch(50)
    clock.pass_ms(140)
    assert arena.now_ms() == 1_140, "90 ms late: not yet a standstill"
    clock.pass_ms(20)
    assert arena.now_ms() == 1_140
    arena.watch(50)
    clock.pass_ms(50)
    assert arena.now_ms() == 1_140, "110 ms were credited, 20 of them are left"
    arena.watch(50)
    clock.pass_ms(50)
    assert arena.now_ms() == 1_150


def metrics(arena: Arena) -> dict[str, float]:
    lines = arena.referee.metrics().decode().splitlines()
    return {name: float(value) for name, value in (x.split(" ") for x in lines if x[0] != "#")}


def test_metrics_and_log_tell_of_it(arena: Arena, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING, "arena.referee")
    beat(arena)
    assert metrics(arena)["arena_standstills_total"] == 0
    for ms in (2_000, 500, 20):
        arena.clock.pass_ms(BEAT_MS + ms)
        beat(arena)
    told = metrics(arena)
    assert told["arena_standstills_total"] == 2
    assert told["arena_standstill_credited_seconds_total"] == 2.5
    assert told["arena_loop_lag_seconds"] == 0.02
    assert told["arena_loop_lag_max_seconds"] == 2.0
    [first] = caplog.records
    assert "1 times, 2000 ms in all, 2000 ms the longest" in first.getMessage()
    assert "credited to all clocks" in first.getMessage()
    beating_for(arena, QUIET_MS)
    assert len(caplog.records) == 2
    assert "1 times, 500 ms in all" in caplog.records[1].getMessage()
