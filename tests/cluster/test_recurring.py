"""What goes wrong again and again is logged when it begins, now and then, and when it is over."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

from arena.cluster.recurring import AGAIN_S, RecurringFault, repeat
from arena.errors import Unavailable

LOG = logging.getLogger("arena.cluster")
AWAY = Unavailable("the database: connection refused")


class Seconds:
    """A clock that is put forward."""

    def __init__(self) -> None:
        self.s = 100.0

    def __call__(self) -> float:
        return self.s


def times(count: int) -> Callable[[], bool]:
    """A wait that ends so often, and then for good."""
    left = iter([False] * count + [True])
    return lambda: next(left)


def lines(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records]


def test_a_fault_that_lasts_is_logged_at_its_beginning_now_and_then_and_at_its_end(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    clock = Seconds()
    fault = RecurringFault(LOG, "no beat", monotonic=clock)
    fault.over()
    for _ in range(50):
        fault.note(AWAY)
        clock.s += AGAIN_S / 20
    fault.over()
    fault.over()
    assert lines(caplog) == [
        "no beat: the database: connection refused; it will be tried again",
        "no beat, for 10 s by now: the database: connection refused",
        "no beat, for 20 s by now: the database: connection refused",
        "no beat: well again, after 25.0 s",
    ]


def test_what_is_repeated_goes_on_after_every_kind_of_fault(
    caplog: pytest.LogCaptureFixture,
) -> None:
    outcomes = iter([None, AWAY, ZeroDivisionError("of our own"), None])
    done: list[str] = []

    def act() -> None:
        outcome = next(outcomes)
        if outcome is not None:
            raise outcome
        done.append("done")

    fault = RecurringFault(LOG, "it failed")
    repeat(act, times(4), fault, on_fault=lambda: done.append("rested"))
    assert done == ["done", "rested", "rested", "done"]
    assert [record.exc_info is not None for record in caplog.records] == [False, True]
