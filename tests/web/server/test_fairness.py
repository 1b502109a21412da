"""The lane: those who may be kept waiting pass a few at a time, and the others between."""

from __future__ import annotations

import threading
from collections.abc import Callable
from itertools import pairwise

import gevent
import pytest

from arena.web.server.fairness import Lane, RateLimiter


def in_a_loop_of_its_own(work: Callable[[], None]) -> None:
    """A thread has a hub of its own."""
    failed: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            failed.append(error)
        finally:
            gevent.get_hub().destroy()

    thread = threading.Thread(target=run)
    thread.start()
    thread.join(30)
    if failed:
        raise failed[0]


@pytest.mark.slow
@pytest.mark.parametrize("width", [1, 4])
def test_of_many_only_a_few_pass_before_the_others_have_their_turn(width: int) -> None:
    turns: list[int] = []  # how many had passed when somebody else had a turn
    passed: list[int] = []

    def many(lane: Lane, number: int) -> None:
        lane.wait()
        passed.append(number)

    def somebody_else() -> None:
        while len(passed) < 100:
            turns.append(len(passed))
            gevent.sleep(0)

    def work() -> None:
        lane = Lane(width)
        gevent.joinall(
            [gevent.spawn(many, lane, n) for n in range(100)] + [gevent.spawn(somebody_else)]
        )

    in_a_loop_of_its_own(work)
    assert passed == list(range(100))
    assert max(later - earlier for earlier, later in pairwise(turns)) <= 2 * width


def test_who_passes_again_and_again_waits_each_time() -> None:
    rounds: list[str] = []

    def work() -> None:
        lane = Lane(2)

        def again(name: str) -> None:
            for _ in range(5):
                lane.wait()
                rounds.append(name)

        gevent.joinall([gevent.spawn(again, name) for name in "abc"])

    in_a_loop_of_its_own(work)
    assert sorted(rounds) == sorted("abc" * 5)
    assert {*rounds[:3]} == {*"abc"}


def test_one_that_fails_behind_the_lane_holds_up_nobody() -> None:
    passed: list[int] = []

    def work() -> None:
        lane = Lane(1)
        gevent.get_hub().exception_stream = None  # what failed is not the matter here

        def one(number: int) -> None:
            lane.wait()
            if number == 0:
                raise ZeroDivisionError
            passed.append(number)

        gevent.joinall([gevent.spawn(one, n) for n in range(3)])

    in_a_loop_of_its_own(work)
    assert passed == [1, 2]


def test_a_burst_passes_at_once_and_the_rest_at_the_rate_of_all() -> None:
    now_s = 1_000.0
    limiter = RateLimiter(10, burst=3, longest_s=60, monotonic=lambda: now_s)
    assert [limiter.next_wait_s() for _ in range(6)] == pytest.approx([0, 0, 0, 0.1, 0.2, 0.3])
    now_s += 0.25
    assert limiter.next_wait_s() == pytest.approx(0.15)
    now_s += 60
    assert [limiter.next_wait_s() for _ in range(4)] == pytest.approx([0, 0, 0, 0.1])


def test_nobody_waits_longer_than_the_longest_wait_however_many_there_are() -> None:
    now_s = 0.0
    limiter = RateLimiter(10, burst=1, longest_s=2, monotonic=lambda: now_s)
    waits = [limiter.next_wait_s() for _ in range(1_000)]
    assert max(waits) == waits[-1] == 2
    now_s = 2.0  # the thousand have not pushed anybody further away
    assert limiter.next_wait_s() == pytest.approx(0.1)


def test_who_waits_at_a_pace_is_released_at_a_stop() -> None:
    passed: list[str] = []

    def work() -> None:
        limiter = RateLimiter(0.001, burst=1, longest_s=1_000)

        def one(name: str) -> None:
            limiter.wait()
            passed.append(name)

        waiting = [gevent.spawn(one, name) for name in ("first", "second", "third")]
        gevent.sleep(0)
        assert passed == ["first"]
        limiter.release()
        gevent.joinall(waiting, timeout=10)
        one("afterwards")

    in_a_loop_of_its_own(work)
    assert passed[0] == "first"
    assert sorted(passed) == ["afterwards", "first", "second", "third"]
