"""What clients can cause as often as they like is logged now and then, with how often it was."""

from __future__ import annotations

import logging

import pytest

from arena.web.throttled_log import ThrottledLog

LOG = logging.getLogger("arena.test.throttle")


class Seconds:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_of_many_events_of_a_kind_one_line_is_written_and_the_next_tells_how_many(
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.INFO)
    clock = Seconds()
    throttled_log = ThrottledLog(LOG, every_s=5.0, monotonic=clock)
    for number in range(1_000):
        throttled_log.log(logging.INFO, "garbage", "not HTTP: %s", number)
        throttled_log.log(logging.ERROR, "files", "no more files")
    assert [r.getMessage() for r in caplog.records] == ["not HTTP: 0", "no more files"]
    assert not any(hasattr(r, "fields") for r in caplog.records)
    clock.now += 5.0
    throttled_log.log(logging.INFO, "garbage", "not HTTP: %s", "again")
    last = caplog.records[-1]
    assert (last.getMessage(), last.fields) == ("not HTTP: again", {"more": 999})  # type: ignore[attr-defined]
    clock.now += 5.0
    throttled_log.log(logging.INFO, "garbage", "not HTTP: %s", "alone")
    assert not hasattr(caplog.records[-1], "fields")
