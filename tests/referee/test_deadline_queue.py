"""One entry for each hand, the earliest first."""

from __future__ import annotations

from arena.referee.deadline_queue import DeadlineQueue


def test_hands_come_up_when_they_are_due() -> None:
    watch = DeadlineQueue()
    watch.put("a", 30)
    watch.put("b", 10)
    assert watch.come_up(9) == []
    assert watch.come_up(30) == ["b", "a"]
    assert watch.come_up(99) == []


def test_a_later_deadline_does_not_push_a_hand_back() -> None:
    watch = DeadlineQueue()
    watch.put("a", 10)
    watch.put("a", 50)
    assert watch.come_up(10) == ["a"]


def test_an_earlier_deadline_counts_once() -> None:
    watch = DeadlineQueue()
    watch.put("a", 50)
    watch.put("a", 10)
    assert watch.come_up(60) == ["a"]
    assert len(watch) == 0


def test_a_dropped_hand_does_not_come_up() -> None:
    watch = DeadlineQueue()
    watch.put("a", 10)
    watch.drop("a")
    assert watch.come_up(60) == []


def test_the_sleep_ends_when_an_earlier_deadline_is_put_or_it_is_stopped() -> None:
    watch = DeadlineQueue()
    watch.put("a", 0)
    watch.sleep(5, longest_ms=60_000)
    watch.stop()
    watch.sleep(0, longest_ms=60_000)
