"""How many hands a table plays: as the session says, else as the ruleset does (OR-75)."""

from __future__ import annotations

from typing import Any

import pytest

from arena.errors import BadInput
from arena.session.config import read_config, settled
from tests.referee.table import Arena


@pytest.mark.parametrize(
    ("ruleset", "given", "hands", "stop"),
    [
        ("pagat", None, 10, "open"),
        ("pagat", 40, 40, "open"),
        ("tycoon_p5r", None, 3, "hands:3"),
        ("tycoon_p5r", 3, 3, "hands:3"),
        ("tycoon_p5r", 2, 2, "open"),
        ("tycoon_p5r", 40, 40, "open"),
        ("denexa+timed", None, 1_000, "minutes:60"),
        ("denexa+timed", 5, 5, "open"),
        ("pagat+score,session_end=points:7", None, 1_000, "points:7"),
        ("pagat+score,session_end=points:7", 5, 5, "open"),
    ],
)
def test_the_sessions_number_wins_and_where_it_is_left_out_the_ruleset_stops(
    ruleset: str, given: int | None, hands: int, stop: str
) -> None:
    """rests: OR-75"""
    document: dict[str, Any] = {"name": "Cup", "ruleset": ruleset}
    if given is not None:
        document["hands_per_table"] = given
    config = read_config(settled(document))
    assert (config.hands_per_table, config.rules.table.session_end) == (hands, stop)
    assert config.document["hands_per_table"] == hands


def test_what_has_been_settled_stays_as_it_is_when_it_is_read_again() -> None:
    for given in ({}, {"hands_per_table": 40}):
        config = read_config(settled({"name": "Cup", "ruleset": "tycoon_p5r", **given}))
        again = read_config(config.document)
        assert again.rules is config.rules
        assert again.hands_per_table == config.hands_per_table


def test_the_rest_of_the_ruleset_stays_as_it_was_given() -> None:
    ruleset = {"preset": "tycoon_p5r", "patches": ["go_tobi"], "options": {"jokers": 1}}
    done = settled({"name": "Cup", "ruleset": ruleset, "hands_per_table": 5})
    assert done["ruleset"] == ruleset | {"options": {"jokers": 1, "session_end": "open"}}


def test_more_hands_than_a_table_may_have_are_refused() -> None:
    with pytest.raises(BadInput, match="at most hands:1000"):
        read_config({"name": "Cup", "ruleset": "pagat,session_end=hands:1001"})


@pytest.mark.parametrize(
    ("more", "hands"), [({"hands_per_table": None}, 3), ({"hands_per_table": 5}, 5)]
)
def test_a_session_plays_and_plans_the_same_number(
    arena: Arena, more: dict[str, Any], hands: int
) -> None:
    """rests: OR-75"""
    session = arena.session(4, ruleset={"preset": "tycoon_p5r"}, schedule={"rounds": 2}, **more)
    document = arena.referee.queries.session(session)
    assert document["hands_per_table"] == hands
    assert document["progress"]["hands"] == 2 * hands
    arena.play()
    document = arena.referee.queries.session(session)
    assert document["status"] == "finished"
    assert document["progress"]["hands_finished"] == 2 * hands
