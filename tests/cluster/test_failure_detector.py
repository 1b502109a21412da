"""Which referees have died: counts that grow no more, never clocks."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from arena.cluster.failure_detector import GRACE, FailureDetector, Sign

LEASE_MS = 1_500
BEAT_MS = 300


def sign(beats: int, *, stopped: bool = False) -> Sign:
    return Sign("1f", beats, stopped)


def observed(detector: FailureDetector, at_ms: int, beats: int, *, locked: bool = True) -> bool:
    """Is `west` dead, by what is observed then?"""
    dead = detector.observe(at_ms, {"west": sign(beats, stopped=False)}, {"west"} if locked else ())
    return "west" in dead


def test_who_beats_lives_and_who_has_not_for_the_time_of_a_lease_is_dead() -> None:
    detector = FailureDetector(LEASE_MS)
    for beat in range(5):
        assert not observed(detector, beat * BEAT_MS, beat)
    last_ms = 4 * BEAT_MS
    for at_ms in range(last_ms + BEAT_MS, last_ms + LEASE_MS, BEAT_MS):
        assert not observed(detector, at_ms, 4)
    assert detector.silent_ms("west") == LEASE_MS - BEAT_MS
    assert observed(detector, last_ms + LEASE_MS, 4)
    assert not observed(detector, last_ms + LEASE_MS + BEAT_MS, 5)


def test_of_a_killed_process_the_lock_is_free_and_half_the_time_is_enough() -> None:
    detector = FailureDetector(LEASE_MS)
    observed(detector, 0, 1)
    assert not observed(detector, LEASE_MS // 2 - 1, 1, locked=False)
    assert observed(detector, LEASE_MS // 2, 1, locked=False)


def test_who_has_lost_its_lock_and_beats_on_lives() -> None:
    detector = FailureDetector(LEASE_MS)
    assert not any(observed(detector, n * BEAT_MS, n, locked=False) for n in range(50))


def test_who_has_ended_in_order_is_dead_at_once() -> None:
    detector = FailureDetector(LEASE_MS)
    observed(detector, 0, 1)
    assert detector.observe(1, {"west": sign(1, stopped=True)}, {"west"}) == {"west"}


def test_another_run_of_the_same_name_lives_even_if_its_count_is_lower() -> None:
    detector = FailureDetector(LEASE_MS)
    for at_ms in range(0, LEASE_MS + 1, BEAT_MS):
        detector.observe(at_ms, {"west": Sign("1f", 9, False)}, {"west"})
    assert detector.observe(LEASE_MS + BEAT_MS, {"west": Sign("2e", 1, False)}, {"west"}) == set()


def test_whoever_could_not_observe_gives_everybody_time() -> None:
    detector = FailureDetector(LEASE_MS)
    observed(detector, 0, 1)
    detector.interrupted(BEAT_MS)
    for at_ms in range(2 * BEAT_MS, BEAT_MS + GRACE * LEASE_MS, BEAT_MS):
        assert not observed(detector, at_ms, 1)
    assert observed(detector, BEAT_MS + GRACE * LEASE_MS, 1)


def test_whoever_did_not_observe_for_long_counts_silence_anew() -> None:
    detector = FailureDetector(LEASE_MS)
    observed(detector, 0, 1)
    woken_ms = 60_000
    for at_ms in range(woken_ms, woken_ms + LEASE_MS, BEAT_MS):
        assert not observed(detector, at_ms, 1)
    assert observed(detector, woken_ms + LEASE_MS, 1)


def test_of_whom_nothing_is_known_is_silent_for_no_time() -> None:
    assert FailureDetector(LEASE_MS).silent_ms("west") == 0


@given(st.lists(st.tuples(st.integers(1, 2 * LEASE_MS), st.booleans(), st.booleans()), max_size=40))
def test_nobody_is_dead_that_has_been_observed_to_beat_in_half_a_lease(
    steps: list[tuple[int, bool, bool]],
) -> None:
    """steps: how much later it is looked, whether it has beaten, whether its lock is held."""
    detector, at_ms, beats, beaten_ms = FailureDetector(LEASE_MS), 0, 0, 0
    for later_ms, has_beaten, locked in steps:
        first = at_ms == 0
        at_ms += later_ms
        if has_beaten or first or later_ms > LEASE_MS // 2:  # or it is counted anew
            beats, beaten_ms = beats + has_beaten, at_ms
        is_dead = observed(detector, at_ms, beats, locked=locked)
        assert detector.silent_ms("west") == at_ms - beaten_ms
        assert not (is_dead and at_ms - beaten_ms < LEASE_MS // 2)
        assert not (is_dead and locked and at_ms - beaten_ms < LEASE_MS)
        assert not (is_dead and later_ms > LEASE_MS // 2 and not first)


@given(st.integers(0, BEAT_MS), st.booleans())
def test_whoever_beats_no_more_is_noticed_in_time(offset_ms: int, locked: bool) -> None:
    detector = FailureDetector(LEASE_MS)
    observed(detector, 0, 1)
    limit_ms = LEASE_MS if locked else LEASE_MS // 2
    at_ms, dead_ms = offset_ms, None
    while dead_ms is None:
        at_ms += BEAT_MS
        dead_ms = at_ms if observed(detector, at_ms, 1, locked=locked) else None
    assert dead_ms - limit_ms < BEAT_MS + offset_ms
