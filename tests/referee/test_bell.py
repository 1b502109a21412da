"""The bell wakes; it never tells."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

from arena.referee.bell import Bell


def test_a_ring_before_the_wait_is_not_lost() -> None:
    bell = Bell()
    waiter = bell.listen("bot:a")
    bell.ring("bot:a")
    assert waiter.wait(0) is not None


def test_a_ring_wakes_everybody_who_listens_to_the_topic() -> None:
    bell = Bell()
    waiters = [bell.listen("bot:a", key) for key in range(3)]
    elsewhere = bell.listen("bot:b")
    with ThreadPoolExecutor() as pool:
        woken = [pool.submit(waiter.wait, 20_000) for waiter in waiters]
        bell.ring("bot:a")
        assert all(each.result() is not None for each in woken)
    assert elsewhere.wait(0) is None


def test_a_newer_waiter_releases_the_older_of_the_same_key_only() -> None:
    bell = Bell()
    older = bell.listen("bot:a", ("from", None))
    other = bell.listen("bot:a", ("from", 7))
    newer = bell.listen("bot:a", ("from", None))
    assert (older.released, other.released, newer.released) == (True, False, False)
    assert older.wait(0) is not None
    assert (other.wait(0), newer.wait(0)) == (None, None)


def test_the_older_waiter_leaving_does_not_touch_the_newer() -> None:
    bell = Bell()
    older = bell.listen("bot:a", "k")
    newer = bell.listen("bot:a", "k")
    bell.leave(older)
    bell.leave(older)
    third = bell.listen("bot:a", "k")
    assert newer.released
    bell.leave(newer)
    bell.leave(third)
    assert bell.waiting() == 0


def test_a_stopped_bell_releases_present_and_future_waiters() -> None:
    bell = Bell()
    waiter = bell.listen("bot:a")
    bell.stop()
    assert waiter.wait(0) is not None
    assert waiter.stopped
    assert bell.listen("bot:a").stopped


def test_whether_anybody_listens_to_a_topic_is_known() -> None:
    bell = Bell()
    assert not bell.has_listener("bot:a")
    first, second = bell.listen("bot:a"), bell.listen("bot:a")
    bell.leave(first)
    assert bell.has_listener("bot:a")
    assert not bell.has_listener("bot:b")
    bell.leave(second)
    assert not bell.has_listener("bot:a")
