"""The times of a session's document: RFC 3339 with an offset, in order; countdowns in words."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadInput
from arena.session.config import read_config
from arena.session.times import TIMES, countdown, instant_text, left_ms, possible, read_times

SOME_MS = st.integers(0, 4_102_444_799_999)


def test_times_come_back_in_utc() -> None:
    document = {"name": "Cup", "opens": "2027-06-30T18:00:00+02:00", "ends": "2027-07-01 01:02:03z"}
    config = read_config(document)
    assert config.document["opens"] == "2027-06-30T16:00:00.000Z"
    assert config.document["ends"] == "2027-07-01T01:02:03.000Z"
    assert config.document["starts"] is None
    assert read_config(config.document) == config


@pytest.mark.parametrize(
    "text",
    [
        "2027-06-30T18:00:00",
        "2027-06-30",
        "2027-06-30T18:00Z",
        "2027-06-31T18:00:00Z",
        "2027-06-30T25:00:00Z",
        "20270630T180000Z",
        "2027-W26-3T18:00:00Z",
        "tomorrow",
        "",
        1_800_000_000,
        True,
    ],
)
@pytest.mark.parametrize("what", TIMES)
def test_what_is_no_instant_with_an_offset_is_refused_by_name(what: str, text: object) -> None:
    with pytest.raises(BadInput, match=rf"^{what} is .*with its offset"):
        read_times({what: text})


@pytest.mark.parametrize("text", ["2100-01-01T00:00:00Z", "1969-12-31T23:59:59Z"])
def test_an_instant_of_another_age_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="before the year 2100"):
        read_times({"ends": text})


def test_times_follow_each_other_and_may_be_equal() -> None:
    at = "2027-06-30T18:00:00Z"
    assert len(read_times(dict.fromkeys(TIMES, at)).given) == len(TIMES)
    with pytest.raises(BadInput, match=r"ends .*not before `starts`, which is 2027-06-30T18"):
        read_times({"starts": at, "ends": "2027-06-30T19:59:59+02:00"})


@given(SOME_MS, SOME_MS)
def test_an_instant_survives_its_text(at_ms: int, now_ms: int) -> None:
    text = instant_text(at_ms)
    assert read_times({"opens": text}).opens == at_ms
    assert left_ms(text, now_ms) == at_ms - now_ms


@pytest.mark.parametrize(
    ("ms", "words"),
    [
        (-1, "now"),
        (0, "now"),
        (1, "in less than a minute"),
        (59_000, "in less than a minute"),
        (60_000, "in 1 min"),
        (3_599_000, "in 59 min"),
        (7_800_000, "in 2 h 10 min"),
        (86_400_000, "in 1 day 0 h"),
        (180_000_000, "in 2 days 2 h"),
    ],
)
def test_a_countdown_in_words(ms: int, words: str) -> None:
    assert countdown(ms) == words


def test_what_a_session_can_still_do_by_its_status() -> None:
    assert [what for what in TIMES if possible(what, "created")] == list(TIMES)
    assert [what for what in TIMES if possible(what, "open")] == list(TIMES[1:])
    assert [what for what in TIMES if possible(what, "running")] == list(TIMES[2:])
    assert [what for what in TIMES if possible(what, "finished")] == ["publishes"]
