"""A method that does not return is noticed: which, since when, and where it is."""

from __future__ import annotations

import threading
import time

import pytest

from arena.client.turn import Turn
from arena.client.watch import Watch


def stuck(release: threading.Event) -> None:
    release.wait(120)


@pytest.mark.slow
def test_a_call_that_does_not_return_is_reported_with_its_place_and_once_for_each_limit(
    caplog: pytest.LogCaptureFixture,
) -> None:
    release = threading.Event()
    with Watch(long_s=(0.05, 0.1), look_s=0.01) as watch:

        def play() -> None:
            with watch.call("play", "", Turn({"turn": "T1"})):
                stuck(release)

        bot = threading.Thread(target=play)
        bot.start()
        until = time.monotonic() + 120
        while len(caplog.records) < 2 and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(0.1)
        release.set()
        bot.join()
    first, second = [record.getMessage() for record in caplog.records]
    assert first.startswith("play() has not returned for ")
    assert ", at turn T1: it is at " in first
    assert "line " in second


def test_calls_that_return_and_a_watch_that_is_not_open_report_nothing(
    caplog: pytest.LogCaptureFixture,
) -> None:
    with Watch(long_s=(0.05,), look_s=0.01) as watch, watch.call("play", ""):
        pass
    with Watch(long_s=(0.0,), look_s=0.01).call("play", ""):
        time.sleep(0.05)
    assert caplog.records == []
