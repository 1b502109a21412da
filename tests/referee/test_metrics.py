"""Tallies: what they tell is what the library's own counters and histograms would."""

from __future__ import annotations

import threading

from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import (
    CollectorRegistry,
    Counter,
    Histogram,
    disable_created_metrics,
    generate_latest,
)

from arena.referee import metrics
from arena.referee.metrics import Count, Counters

BOUNDS = (0.001, 0.01, 0.25, 1, 2.5)
disable_created_metrics()  # type: ignore[no-untyped-call]


@given(
    st.lists(st.floats(0, 4) | st.sampled_from(BOUNDS)),
    st.lists(st.tuples(st.sampled_from(["rock", "paper"]), st.integers(0, 9))),
)
def test_they_are_told_as_by_the_library(
    seconds: list[float], counted: list[tuple[str, int]]
) -> None:
    ours, theirs = CollectorRegistry(), CollectorRegistry()
    made = Counters(ours)
    answers = Counter("answers", "Answers.", ["kind"], registry=theirs)
    thinking = Histogram("thinking", "Thinking.", registry=theirs, buckets=BOUNDS)
    kinds = made.counts("answers", "Answers.", ["kind"])
    times = made.times("thinking", "Thinking.", BOUNDS)[""]
    for kind, number in counted:
        answers.labels(kind).inc(number)
        made.note(kinds.setdefault((kind,), Count()), number)
    for taken in seconds:
        thinking.observe(taken)
        made.note(times, taken)
    assert generate_latest(ours) == generate_latest(theirs)


def test_nothing_is_lost_between_threads_and_the_queue_stays_short() -> None:
    registry = CollectorRegistry()
    made = Counters(registry)
    count = made.count("moves", "Moves.")
    longest = []

    def move() -> None:
        for _ in range(10_000):
            made.note(count)
        longest.append(len(made._news))

    threads = [threading.Thread(target=move) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert max(longest) <= metrics.LONGEST_QUEUE + len(threads)
    assert b"\nmoves_total 80000.0\n" in generate_latest(registry)
