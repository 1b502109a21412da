"""The schedule of a session's document: its schema and its reader say the same."""

from __future__ import annotations

import json
from typing import Any

import jsonschema
import pytest

from arena.errors import BadInput
from arena.resources import folder
from arena.session.config import read_config
from arena.session.schedule_config import (
    KINDS,
    LIMITS,
    OF_ALL,
    ScheduleConfig,
    read_schedule_config,
)

SCHEMA = json.loads((folder("schemas") / "session.schema.json").read_text())
SCHEDULE = SCHEMA["properties"]["schedule"]
GOOD: list[dict[str, Any]] = [
    {},
    {"rounds": None, "rounds_at_once": 3, "house_bots": True},
    {"kind": "round_robin", "mixed_sizes": True},
    {"kind": "gauntlet", "regulars": ["a", "b"], "rounds": 7},
    {"kind": "swiss", "rounds": 9, "house_bots": True},
    {"kind": "ladder", "tables": None},
    {"kind": "ladder", "tables": 3, "rounds": 100},
    {"kind": "final", "of": ["cup"], "prizes": 3},
    {"kind": "swiss", "apart": [["a", "b", {"owner": "c"}], ["a", "d"]]},
    {"kind": "final", "finalists": ["a", "b"], "rounds": 2},
]


def fits(schedule: dict[str, Any]) -> bool:
    """Does the schema take it?"""
    return jsonschema.Draft202012Validator(SCHEDULE).is_valid(schedule)


def test_every_kind_has_the_same_members_in_the_schema() -> None:
    assert SCHEDULE["properties"]["kind"]["enum"] == list(KINDS)
    told = {
        each["if"]["properties"]["kind"]["const"]: each["then"]["propertyNames"]["enum"]
        for each in SCHEDULE["allOf"]
    }
    assert told == {kind: [*OF_ALL, *members] for kind, members in KINDS.items()}
    members = {*OF_ALL}.union(*KINDS.values())
    assert set(SCHEDULE["properties"]) == members == set(ScheduleConfig.__dataclass_fields__)
    for name, (least, most) in LIMITS.items():
        limits = SCHEDULE["properties"][name]
        assert (limits["minimum"], limits["maximum"]) == (least, most)


@pytest.mark.parametrize("schedule", GOOD, ids=str)
def test_what_fits_is_read_by_both_and_comes_back_complete(schedule: dict[str, Any]) -> None:
    assert fits(schedule)
    document = read_schedule_config(schedule).document()
    assert fits(document)
    assert schedule.items() <= document.items()
    assert read_schedule_config(document) == read_schedule_config(schedule)


@pytest.mark.parametrize(
    "schedule",
    [
        {"kind": "knockout"},
        {"prizes": 3},
        {"kind": "swiss", "regulars": ["a"]},
        {"kind": "ladder", "house_bots": True},
        {"kind": "gauntlet", "regulars": ["a", "a"]},
        {"kind": "final", "of": [3]},
        {"rounds": 0},
        {"apart": [["a"]]},
        {"apart": [["a", {"bot": "b"}]]},
        {"house_bots": None},
    ],
    ids=str,
)
def test_what_does_not_fit_is_refused_by_both(schedule: dict[str, Any]) -> None:
    assert not fits(schedule)
    with pytest.raises(BadInput):
        read_schedule_config(schedule)


@pytest.mark.parametrize("example", SCHEMA["examples"], ids=str)
def test_the_examples_of_the_schema_are_sessions(example: dict[str, Any]) -> None:
    assert read_config(example).name == example["name"]
