"""Long work rests between its pieces, and all of it together keeps to its share."""

from __future__ import annotations

import pytest

from arena import pacing
from arena.pacing import LONGEST_S, MOMENT_S, PIECE_S, Pacer, Pieces


class Time:
    """Seconds that pass when somebody works or rests."""

    def __init__(self) -> None:
        self.now = 50.0
        self.rests: list[float] = []

    def __call__(self) -> float:
        return self.now

    def rest(self, seconds: float) -> None:
        self.rests.append(seconds)
        self.now += seconds


def test_work_rests_after_each_piece_so_long_that_it_keeps_to_its_share() -> None:
    time = Time()
    work = Pacer(0.1, monotonic=time, rest=time.rest).work()
    began = time.now
    for _ in range(100):
        time.now += 2 * PIECE_S
        work.pause()
    assert len(time.rests) == 100
    assert 100 * 2 * PIECE_S / (time.now - began) == pytest.approx(0.1)


def test_short_pieces_are_added_up_before_there_is_a_rest() -> None:
    time = Time()
    work = Pacer(0.5, monotonic=time, rest=time.rest).work()
    for _ in range(10):
        time.now += PIECE_S / 4
        work.pause()
    assert time.rests == pytest.approx([PIECE_S, PIECE_S])


def test_all_work_together_has_one_share() -> None:
    time = Time()
    rests: list[float] = []
    pacer = Pacer(0.25, monotonic=time, rest=rests.append)
    for work in [pacer.work() for _ in range(4)]:
        work.stop(0.010)
        work.pause()
    assert rests == pytest.approx([0.030, 0.060, 0.090, 0.120])


def test_what_is_not_work_is_not_counted() -> None:
    time = Time()
    work = Pacer(0.1, monotonic=time, rest=time.rest).work()
    work.stop()
    time.now += 60
    work.go_on()
    work.pause()
    assert time.rests == []


def test_what_is_waited_for_is_no_work() -> None:
    """A question to a database that does not answer computes nothing."""
    time = Time()
    computed = 0.0
    work = Pacer(0.1, monotonic=time, cpu=lambda: computed, rest=time.rest).work()
    time.now += 60
    computed += PIECE_S
    work.pause()
    assert time.rests == pytest.approx([9 * PIECE_S])


def test_while_nothing_is_played_there_is_more_for_it() -> None:
    time = Time()
    quiet = True
    pacer = Pacer(0.1, quiet=lambda: quiet, monotonic=time, rest=time.rest)
    pacer.spend(0.010)
    quiet = False
    pacer.spend(0.010)
    assert time.rests == pytest.approx([0.010, 0.090])


def test_without_a_limit_nobody_rests() -> None:
    time = Time()
    work = Pacer(monotonic=time, rest=time.rest).work()
    time.now += 5
    work.pause()
    assert time.rests == []


def test_work_that_is_not_put_off_gives_others_a_turn_after_each_piece() -> None:
    time = Time()
    pieces = Pieces(time.rest, monotonic=time)
    for _ in range(10):
        time.now += 0.6 * LONGEST_S
        pieces.pause()
    assert time.rests == [MOMENT_S] * 5
    time.now += 0.9 * LONGEST_S
    pieces.begin()
    time.now += 0.9 * LONGEST_S
    assert not pieces.is_over


def test_where_all_have_their_own_threads_no_piece_ends() -> None:
    time = Time()
    pieces = Pieces(monotonic=time)
    time.now += 5
    assert not pieces.is_over
    pieces.pause()


def test_to_let_others_run_is_to_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr(pacing.time, "sleep", slept.append)
    pacing.let_others_run()
    pacing.let_others_run(0.5)
    assert slept == [0.0, 0.5]
