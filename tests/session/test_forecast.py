"""Forecasts: what is said of a session before it begins."""

from __future__ import annotations

from typing import Any

import pytest

from arena.session.config import read_config
from arena.session.forecast import Speed, forecast, forecast_document, forecast_text, time_text
from arena.session.stored_schedule import first_rounds, rounds_to_come
from arena.tournament.precision import precision


def forecast_of(bots: int, *, speed: Speed | None = None, **members: Any) -> Any:
    """The forecast of a session of this many bots, b0, b1 ..."""
    config = read_config({"name": "Cup", "seats": 4, **members})
    names = [f"b{number}" for number in range(bots)]
    schedule = first_rounds(config.schedule, 4, names=names, owners=names, seed=b"seed")
    to_come = rounds_to_come(config.schedule, schedule)
    return forecast(config, schedule, names, to_come=to_come, speed=speed)


@pytest.mark.slow
def test_a_class_of_thirty_hears_before_it_begins_that_most_will_not_be_separated() -> None:
    """18 of 30 students were not separated after 40 hands, which was a surprise."""
    made = forecast_of(30, schedule={"rounds": 5}, hands_per_table=10)
    assert made.hands_each == (40, 50)
    assert made.not_separated == 29
    assert "A bot will play 4 blocks; with fewer than 5" in made.warnings[0]
    longer = forecast_of(30, schedule={"rounds": 6}, hands_per_table=8)
    assert longer.blocks_each == (5, 6)
    assert 18 <= longer.not_separated <= 24
    assert "More than half of the field" in longer.warnings[0]
    exact = forecast_of(30, schedule={"rounds": 60}, hands_per_table=10)
    assert exact.not_separated <= 8
    assert exact.warnings == ()


def test_precision_is_that_of_the_error_formula_and_shrinks_with_the_root_of_hands() -> None:
    once = precision(bots=12, seats=4, hands=110, blocks=11)
    assert once is not None
    assert 60 <= once.error <= 80  # measured on the real engine: 64.6, 64.1 (pagat, and patches)
    assert once.gap_error == pytest.approx(once.error * 2**0.5)
    assert once.separable > once.gap_error
    assert 0.5 < once.separable_ahead < 0.8
    more = precision(bots=12, seats=4, hands=4_400, blocks=440)
    assert more is not None
    assert more.error == pytest.approx(once.error / 40**0.5, rel=0.15)
    assert precision(bots=12, seats=4, hands=0, blocks=0) is None


def test_an_anchor_with_too_few_blocks_is_named_with_the_number_it_needs() -> None:
    made = forecast_of(12, schedule={"rounds": 7}, anchor="b3")
    said = made.warnings[0]
    assert said.startswith("The anchor b3 will play 7 blocks; to carry the scale it needs 10")
    assert said.endswith(" (10 rounds instead of 7). Else the mean will be 1500.")
    enough = forecast_of(12, schedule={"rounds": 10}, anchor="b3").warnings
    assert not any("anchor" in warning for warning in enough)
    said = forecast_of(12, anchor="heuristic").warnings[0]
    assert said == "The anchor heuristic has not entered: the mean will be 1500."
    (said,) = forecast_of(12, benchmarks=["b3", "heuristic", "house-1"]).warnings
    assert said.startswith("The benchmark heuristic has not entered: the session cannot start")


def test_the_time_follows_from_past_hands_and_from_the_clock() -> None:
    made = forecast_of(
        12,
        speed=Speed(1_500.0, 80),
        schedule={"rounds": 10, "rounds_at_once": 3},
        hands_per_table=10,
        clock={"move_ms": 1_000, "bank_ms": 0},
    )
    assert made.likely_ms == 4 * 10 * 1_500
    assert made.most_ms == 4 * 10 * 4 * 25 * 1_000
    text = forecast_text(forecast_document(made))
    assert "about 60 s, at 1.5 s a hand (80 hands measured); at most 67 min" in text
    without = forecast_text(forecast_document(forecast_of(12)))
    assert "no hand of such tables was measured" in without


def test_rounds_to_come_count_and_a_ladder_without_end_says_so() -> None:
    made = forecast_of(12, schedule={"kind": "swiss", "rounds": 10})
    assert (made.rounds, made.blocks_each, made.hands) == (10, (10, 10), 300)
    ladder = forecast_of(12, schedule={"kind": "ladder"})
    assert ladder.rounds is None
    assert ladder.precision is None
    assert "until it is closed" in ladder.warnings[0]
    assert "no fixed time" in forecast_text(forecast_document(ladder))


def test_replayed_shuffles_are_one_block() -> None:
    deals = {"deals": "rotate", "deals_may_repeat": True}
    made = forecast_of(12, schedule={"rounds": 5}, hands_per_table=2, **deals)
    assert made.blocks_each == (5, 5)
    assert made.hands_each == (40, 40)
    assert made.hands == 5 * 3 * 4 * 2


@pytest.mark.parametrize(
    ("ms", "said"),
    [(0, "0 s"), (45_000, "45 s"), (600_000, "10 min"), (12_000_000, "3 h 20 min")],
)
def test_times_are_said_as_people_say_them(ms: int, said: str) -> None:
    assert time_text(ms) == said
    assert time_text(100 * 3_600_000) == "4 days 4 h"
