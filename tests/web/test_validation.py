"""The schema files themselves, and what is told when a body does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator

from arena.errors import Reason
from arena.web.problems import Code
from arena.web.validation import SUFFIX, Schemas, load_schemas

SCHEMAS = load_schemas()
NAMES = sorted(SCHEMAS.documents)


@pytest.mark.parametrize("name", NAMES)
def test_each_schema_is_a_schema_and_explains_itself(name: str, schemas: Schemas) -> None:
    schema = schemas.documents[name]
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["$id"] == name + SUFFIX
    assert schema["title"]


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_of_each_schema_fit_it(name: str, schemas: Schemas) -> None:
    for example in schemas.documents[name].get("examples", ()):
        assert schemas.faults(name, example) == []


@pytest.mark.parametrize("name", NAMES)
def test_each_reference_leads_to_a_schema(name: str, schemas: Schemas) -> None:
    for reference in _references(schemas.documents[name]):
        if not reference.startswith("#"):
            assert reference.removesuffix(SUFFIX) in schemas.documents


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"]
        for inner in schema.values():
            yield from _references(inner)
    if isinstance(schema, list):
        for inner in schema:
            yield from _references(inner)


def test_an_answer_among_many_is_an_answer_with_its_turn(schemas: Schemas) -> None:
    one = schemas.documents["answer"]["properties"]
    many = schemas.documents["answers"]["properties"]["answers"]["items"]["properties"]
    assert {name: many[name] for name in many if name != "turn"} == one


def test_the_closed_lists_of_the_problem_schema_are_those_of_the_code(schemas: Schemas) -> None:
    properties = schemas.documents["problem"]["properties"]
    assert properties["code"]["enum"] == [str(code) for code in Code]
    assert properties["reason"]["enum"] == [str(reason) for reason in Reason]


@pytest.mark.parametrize(
    "answer",
    [
        {"cards": ["S3"]},
        {"cards": []},
        {"cards": ["S4", "S5", "JK"], "as": ["S6"]},
        {"cards": ["JK", "JK"]},
        {"pass": True},
        {"choice": 0},
        {"ask": ["2", "HA", "JK"]},
        {"name": ["5"]},
        {"throw": "rock"},
    ],
)
def test_answers_of_every_kind_fit(answer: dict[str, Any], schemas: Schemas) -> None:
    assert schemas.faults("answer", answer) == []
    assert schemas.faults("answers", {"answers": [{"turn": "x", **answer}]}) == []


@pytest.mark.parametrize(
    ("answer", "pointer", "told"),
    [
        ({}, "", "exactly one of"),
        ({"as": ["S3"]}, "", "'cards' is a dependency"),
        ({"as": ["S3"], "pass": True}, "", "'cards' is a dependency"),
        ({"cards": ["S3"], "as": ["S3"], "pass": True}, "", "exactly one of"),
        ({"cards": ["S3", "S1"]}, "/cards/1", "does not match"),
        ({"cards": ["s3"]}, "/cards/0", "does not match"),
        ({"cards": [3]}, "/cards/0", "is not of type 'string'"),
        ({"cards": "S3"}, "/cards", "is not of type 'array'"),
        ({"cards": ["S3"] * 200}, "/cards", "is too long: at most 108 entries"),
        ({"pass": False}, "/pass", "True was expected"),
        ({"pass": 1}, "/pass", "True was expected"),
        ({"choice": -1}, "/choice", "minimum"),
        ({"choice": "0"}, "/choice", "is not of type 'integer'"),
        ({"choice": True}, "/choice", "is not of type 'integer'"),
        ({"choice": 0.5}, "/choice", "is not of type 'integer'"),
        ({"throw": "well"}, "/throw", "is not one of"),
        ({"cads": ["S3"]}, "", "unknown member 'cads'; known: cards, as, pass"),
    ],
)
def test_answers_that_do_not_fit_are_told_where_and_why(
    answer: dict[str, Any], pointer: str, told: str, schemas: Schemas
) -> None:
    faults = schemas.faults("answer", answer)
    assert any(f["pointer"] == pointer and told in f["message"] for f in faults), faults
    inside = schemas.faults("answers", {"answers": [{"turn": "x", **answer}]})
    assert any(f["pointer"] == f"/answers/0{pointer}" for f in inside), inside


def test_a_body_full_of_faults_is_answered_briefly(schemas: Schemas) -> None:
    faults = schemas.faults("answer", {"cards": ["x" * 500] * 100})
    assert len(faults) == 20
    assert all(len(fault["message"]) <= 300 for fault in faults)


REQUESTS = ("answer", "answers", "registration", "session", "code_request")
WORDS = st.sampled_from(
    ["S3", "JK", "H2", "3", "rock", "pagat", "a", "", "x" * 300, "\u0000", "大"]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 70_000) | st.floats(-2, 9) | WORDS


def bodies(schema: Any) -> st.SearchStrategy[Any]:
    """Bodies near a schema: its own members with all kinds of values, and some others."""
    names = st.sampled_from([*schema.get("properties", {}), "other"])
    values = st.recursive(
        SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(names, v, max_size=3)
    )
    return st.dictionaries(names, values, max_size=5)


@pytest.mark.parametrize("name", REQUESTS)
@given(data=st.data())
def test_the_quick_validator_agrees_with_the_one_that_writes_the_faults(
    name: str, data: st.DataObject
) -> None:
    body = data.draw(bodies(SCHEMAS.documents[name]))
    quick = SCHEMAS.is_valid(name, body)
    assert quick == SCHEMAS.validators[name].is_valid(body)
