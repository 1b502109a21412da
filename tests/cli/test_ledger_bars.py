"""The bars of `arena ledger`: what the time of a turn went to."""

from __future__ import annotations

from typing import Any

from arena.cli.organise.ledger_bars import Parts, bar, bars, parts_of


def entry(**members: Any) -> dict[str, Any]:
    """A turn that was offered, sent after 100 ms and answered after 1,000."""
    plain = {"turn": "t", "first_seen_ms": 100, "answered_ms": 1_000, "thought_ms": 600}
    return {**plain, "cause": None, **members}


def test_the_time_is_split_into_what_is_known() -> None:
    assert parts_of(entry()) == Parts(waiting=100, way=300, thinking=600, unknown=0)
    assert parts_of(entry(thought_ms=None)) == Parts(100, 0, 0, 900)
    assert parts_of(entry(first_seen_ms=None)) == Parts(0, 400, 600, 0)


def test_what_a_bot_says_is_never_more_than_there_was() -> None:
    assert parts_of(entry(thought_ms=50_000)) == Parts(100, 0, 900, 0)
    assert parts_of(entry(first_seen_ms=1_500)) == Parts(1_000, 0, 0, 0)


def test_a_turn_that_waits_or_that_the_referee_answered_has_no_parts() -> None:
    assert parts_of(entry(answered_ms=None)) is None
    assert parts_of(entry(cause="timeout")) is None


def test_the_longest_turn_fills_the_width_and_nothing_that_was_is_left_out() -> None:
    assert bar(Parts(100, 300, 600, 0), 1_000) == "." * 4 + "-" * 12 + "#" * 24
    assert bar(Parts(1, 0, 1, 0), 1_000) == ".#"
    assert bar(Parts(0, 0, 0, 0), 0) == ""


def test_each_turn_has_a_row() -> None:
    shown = bars([entry(), entry(thought_ms=None), entry(cause="timeout"), entry(answered_ms=None)])
    assert [row[1] for row in shown] == [1_000, 1_000, 1_000, None]
    assert [row[2] for row in shown] == [
        "." * 4 + "-" * 12 + "#" * 24,
        "." * 4 + "=" * 36,
        "timeout",
        "waits",
    ]
