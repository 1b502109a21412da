"""Work is repeated when it was lost, and comes in order; nobody is blamed for another's end."""

from __future__ import annotations

from collections import Counter
from concurrent.futures import BrokenExecutor, CancelledError, Future
from itertools import islice

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.repeating import MOST_TRIES, Lost, in_order


class KilledWorker(Exception):
    """What a cluster that nobody here knows raises."""


def future_of(value=None, loss=None):
    future = Future()
    if isinstance(loss, CancelledError):
        future.cancel()
    elif loss is not None:
        future.set_exception(loss)
    else:
        future.set_result(value)
    return future


class Losing:
    """Loses the tries that it is told to lose; otherwise ten times the number."""

    def __init__(self, losses):
        self.losses = losses
        self.begun = []

    def __call__(self, number, tried):
        self.begun.append((number, tried))
        return future_of(10 * number, self.losses.get((number, tried)))


@pytest.mark.parametrize(
    "loss", [BrokenExecutor(), CancelledError(), ConnectionResetError(), KilledWorker()], ids=repr
)
def test_whatever_an_executor_loses_is_done_again(loss):
    losing, lost = Losing({(2, 1): loss, (2, 2): loss}), []
    got = list(
        in_order(losing, range(1, 5), window=2, lost=lambda n, why: lost.append((n, type(why))))
    )
    assert got == [10, 20, 30, 40]
    assert lost == [(2, type(loss))] * 2
    assert losing.begun == [(1, 1), (2, 1), (3, 1), (2, 2), (2, 3), (4, 1)]


def test_what_is_lost_every_time_ends_it():
    losing = Losing({(2, tried): BrokenExecutor("gone") for tried in range(1, 9)})
    got = in_order(losing, range(1, 5), window=1)
    assert next(got) == 10
    with pytest.raises(Lost, match=r"2 was lost 3 times") as raised:
        next(got)
    assert str(raised.value.loss) == "gone"
    assert Counter(losing.begun)[2, MOST_TRIES] == 1


def test_the_last_try_is_made_when_nothing_else_is_under_way():
    """A pool that breaks loses all that it does; who was there three times is not yet guilty."""
    under_way, alone = {}, []

    def begin(number, tried):
        if tried == MOST_TRIES:
            alone.append([other for other, future in under_way.items() if not future.done()])
        if number == 1 and tried < MOST_TRIES:
            return future_of(loss=BrokenExecutor())
        under_way[number] = Settling(number)
        return under_way[number]

    assert list(in_order(begin, range(1, 5), window=4)) == [1, 2, 3, 4]
    assert alone == [[]]


class Settling(Future):
    """Is done as soon as somebody waits for it."""

    def __init__(self, value):
        super().__init__()
        self._value = value

    def exception(self, timeout=None):
        if not self.done():
            self.set_result(self._value)
        return super().exception(timeout)


def test_ctrl_c_in_the_work_is_no_loss():
    losing = Losing({(1, 1): KeyboardInterrupt()})
    with pytest.raises(KeyboardInterrupt):
        next(in_order(losing, range(1, 3), window=1))


def test_what_is_left_of_the_window_is_cancelled():
    begun = []

    def begin(number, tried):
        begun.append(future_of(number) if number == 1 else Future())
        return begun[-1]

    got = in_order(begin, range(1, 100), window=3)
    assert list(islice(got, 1)) == [1]
    got.close()
    assert [future.cancelled() for future in begun] == [False, True, True]


@given(
    losses=st.sets(st.tuples(st.integers(1, 9), st.integers(1, MOST_TRIES - 1))),
    window=st.integers(1, 12),
)
def test_everything_comes_once_and_in_order_whatever_is_lost(losses, window):
    losing = Losing(dict.fromkeys(losses, BrokenExecutor()))
    assert list(in_order(losing, range(1, 10), window=window)) == [10 * n for n in range(1, 10)]
