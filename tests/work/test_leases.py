"""Whose block it is: leases end, late results count, and everything counts once."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import NotFound, Unavailable
from arena.match.attempts import Failed
from arena.work.leases import MOST_LEASES, Leases

RESULT = Failed(Unavailable("it stands for a block"))


def leases(count):
    book = Leases(30)
    return book, [book.add(number) for number in range(1, count + 1)]


def test_blocks_are_leased_in_order_and_to_one_worker_at_a_time():
    book, _ = leases(2)
    assert [book.take(worker, 0).block.number for worker in ("a", "b")] == [1, 2]
    assert book.take("c", 29) is None


def test_a_lease_that_is_not_renewed_goes_to_somebody_else_and_first():
    book, _ = leases(2)
    first = book.take("a", 0)
    assert book.take("b", 30).block is first.block
    assert not book.is_open(first.id)
    assert not book.renew(first.id, 30)


def test_a_lease_that_is_renewed_stays():
    book, _ = leases(1)
    lease = book.take("a", 0)
    assert book.renew(lease.id, 29)
    assert book.take("b", 58) is None
    assert book.next_end_s() == 59


def test_what_comes_late_counts_unless_somebody_was_quicker():
    book, (future,) = leases(1)
    slow = book.take("a", 0)
    book.expire(30)
    assert book.settle(slow.id, RESULT)
    assert future.result() is RESULT
    assert book.take("b", 30) is None

    book, (future,) = leases(1)
    slow, quick = book.take("a", 0), book.take("b", 30)
    assert book.settle(quick.id, RESULT)
    assert not book.settle(slow.id, Failed(Unavailable("late")))
    assert not book.settle(quick.id, Failed(Unavailable("twice")))
    assert future.result() is RESULT


def test_a_block_that_nobody_brings_back_fails():
    book, (future,) = leases(1)
    for n in range(MOST_LEASES):
        assert not future.done()
        lease = book.take(f"worker-{n}", 0)
        book.lose(lease.id, f"worker-{n}: its process has ended")
        book.lose(lease.id, "said twice")
    assert str(future.result().error) == (
        "block 1 was lost 5 times; at last: worker-4: its process has ended"
    )


def test_a_block_that_was_cancelled_is_not_leased():
    book, futures = leases(2)
    futures[0].cancel()
    assert book.take("a", 0).block.number == 2


def test_nobody_has_a_lease_that_was_never_given():
    book, _ = leases(1)
    assert not book.renew("x", 0)
    with pytest.raises(NotFound):
        book.settle("x", RESULT)


STEP = st.tuples(st.sampled_from(["take", "settle", "lose", "expire"]), st.integers(0, 9))


@given(st.lists(STEP))
def test_whatever_happens_no_block_is_forgotten_or_counted_twice(steps):
    book, futures = leases(3)
    given_out, counted, now_s = [], 0, 0.0
    for what, which in steps:
        if what == "take" and (lease := book.take("w", now_s)):
            given_out.append(lease.id)
        elif what == "settle" and given_out:
            counted += book.settle(given_out[which % len(given_out)], RESULT)
        elif what == "lose" and given_out:
            book.lose(given_out[which % len(given_out)], "lost")
        elif what == "expire":
            now_s += 10 * which
            book.expire(now_s)
    failed = sum(future.done() and future.result() is not RESULT for future in futures)
    assert counted + failed == sum(future.done() for future in futures)
    while lease := book.take("w", now_s):
        assert book.settle(lease.id, RESULT)
    book.expire(now_s + 30)
    while lease := book.take("w", now_s + 30):
        assert book.settle(lease.id, RESULT)
    assert all(future.done() for future in futures)
