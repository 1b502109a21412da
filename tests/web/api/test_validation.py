"""The schema files themselves, and what is answered when a body does not fit."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator, ValidationError

from arena.errors import Reason
from arena.rules.options import OPTIONS
from arena.settings import Settings
from arena.web.api.problems import Code
from arena.web.api.validation import SUFFIX, Schemas, _nearest, load_schemas
from arena.web.app import route_tables

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
        (
            {"cards": ["S3"], "as": ["S3"], "pass": True, "choice": 0, "accept": True},
            "",
            "exactly one of",
        ),
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
def test_faults_of_answers_say_where_and_why(
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


BODIES = sorted(
    {
        endpoint.body
        for _, endpoints in route_tables(Settings()).values()
        for endpoint in endpoints
        if endpoint.body
    }
)
WORDS = st.sampled_from(
    [
        "S3",
        "JK",
        "H2",
        "3",
        "rock",
        "pagat",
        "a",
        "",
        "x" * 300,
        "\u0000",
        "大",
        "abc\n",
        "lot\n",
        "00\n",
    ]
)
SCALARS = st.none() | st.booleans() | st.integers(-3, 70_000) | st.floats(-2, 9) | WORDS


def bodies(schema: Any) -> st.SearchStrategy[Any]:
    """Bodies near a schema: its own members with all kinds of values, and some others."""
    names = st.sampled_from([*schema.get("properties", {}), "other"])
    values = st.recursive(
        SCALARS, lambda v: st.lists(v, max_size=4) | st.dictionaries(names, v, max_size=3)
    )
    return st.dictionaries(names, values, max_size=5)


@pytest.mark.slow
@pytest.mark.parametrize("name", BODIES)
@given(data=st.data())
def test_the_quick_validator_agrees_with_the_one_that_writes_the_faults(
    name: str, data: st.DataObject
) -> None:
    body = data.draw(bodies(SCHEMAS.documents[name]))
    quick = SCHEMAS.is_valid(name, body)
    assert quick == SCHEMAS.validators[name].is_valid(body)


@pytest.mark.parametrize("name", BODIES)
def test_no_place_in_a_body_is_unbounded(name: str) -> None:
    assert list(unbounded(SCHEMAS.documents[name], name)) == []


def test_unbounded_places_are_found_wherever_they_are() -> None:
    hidden = {"type": "object", "additionalProperties": False, "properties": {}}
    for place in (
        {"type": "string", "pattern": "^a*$"},
        {"type": ["null", "string"]},
        {"type": "array", "items": {"enum": [1]}},
        {"type": "object", "properties": {}},
        {},
        {"anyOf": [{"enum": ["a"]}, {"type": "string"}]},
        {"type": "array", "maxItems": 3, "items": {"type": "string"}},
        {"type": "array", "maxItems": 3},
    ):
        assert list(unbounded({**hidden, "properties": {"x": place}}, "s")), place


def unbounded(schema: Any, place: str) -> Iterator[str]:
    """Places of a schema where a body may be as long as it likes."""
    if "$ref" in schema:
        yield from unbounded(SCHEMAS.documents[schema["$ref"].removesuffix(SUFFIX)], place)
        return
    if "enum" in schema or "const" in schema:
        return
    if "anyOf" in schema:
        for inner in schema["anyOf"]:
            yield from unbounded(inner, place)
        return
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not kinds:
        yield f"{place} may be anything"
    if "string" in kinds and "maxLength" not in schema:
        yield f"{place} has no maxLength"
    if "array" in kinds:
        yield from _unbounded_entries(schema, place)
    if "object" in kinds:
        if schema.get("additionalProperties") is not False:
            yield f"{place} has any number of members"
        for name, inner in schema.get("properties", {}).items():
            yield from unbounded(inner, f"{place}/{name}")


def _unbounded_entries(schema: Any, place: str) -> Iterator[str]:
    if "maxItems" not in schema:
        yield f"{place} has no maxItems"
    for inner in schema.get("prefixItems", ()):
        yield from unbounded(inner, place)
    items = schema.get("items", True)
    if items is not False:
        yield from unbounded({} if items is True else items, f"{place}/*")


class Counting:
    """Counts the faults that are built."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.built = 0
        make = ValidationError.__init__

        def count(error: ValidationError, *args: Any, **kwargs: Any) -> None:
            self.built += 1
            make(error, *args, **kwargs)

        monkeypatch.setattr(ValidationError, "__init__", count)


HOSTILE = [
    ("answer", {"cards": ["x"] * 108, "as": ["x"] * 108, "ask": ["x"] * 108, "name": ["x"] * 13}),
    ("answer", {f"m{n}": n for n in range(500)}),
    ("answers", {"answers": [{}] * 1_024}),
    ("answers", {"answers": [{"turn": "t", "cards": ["S9"] * 108}] * 60 + [{}]}),
    ("answers", {"answers": [{"turn": n, **{f"m{n}": 1 for n in range(50)}} for n in range(60)]}),
    ("session", {"name": "x", "schedule": {f"m{n}": n for n in range(500)}}),
    ("session", {"name": "x", "schedule": {"kind": "final", "of": [{}] * 1_000}}),
    ("session", {"name": "x", "ruleset": {"patches": [f"kakumei{n}" for n in range(64)]}}),
    ("session", {"name": "x", "ruleset": {"options": {"exchange": [["x"] * 4] * 16}}}),
    ("session", {"name": "x", "ruleset": {"options": {"exchange": [1] * 2_000}}}),
]


@pytest.mark.parametrize(("name", "body"), HOSTILE)
def test_no_more_faults_are_built_than_answered(
    name: str, body: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counting = Counting(monkeypatch)
    faults = SCHEMAS.faults(name, body)
    assert 1 <= len(faults) <= 20
    assert len(faults) <= counting.built <= 20 + 1  # the one after the last may have been begun


def test_a_few_of_many_unknown_members_are_listed_and_the_rest_counted(
    schemas: Schemas,
) -> None:
    [fault] = [
        fault
        for fault in schemas.faults("registration", {f"m{n}": n for n in range(400)})
        if fault["message"].startswith("unknown")
    ]
    assert fault["message"].startswith("unknown member 'm0', 'm1', 'm2', 'm3', 'm4' and 395 more; ")
    assert fault["message"].endswith("known: name, owner, code")


def test_words_are_looked_for_among_the_known_ones_for_a_few_names_only(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked = []

    def nearest(name: str, words: Any, n: int) -> list[str]:
        asked.append(name)
        return []

    monkeypatch.setattr("arena.web.api.validation.get_close_matches", nearest)
    patches = [f"kakumei{n}" for n in range(64)]
    assert SCHEMAS.faults("session", {"name": "x", "ruleset": {"patches": patches}})
    assert len(asked) == 3


def test_of_many_names_the_nearest_is_told_and_not_all_of_them() -> None:
    faults = SCHEMAS.faults("session", {"name": "x", "ruleset": {"patches": ["kakumi"]}})
    assert "unknown: 'kakumi'; did you mean kakumei?" in [fault["message"] for fault in faults]


def test_entries_of_a_list_that_is_too_long_are_not_looked_at(schemas: Schemas) -> None:
    faults = schemas.faults("answer", {"cards": ["x"] * 109})
    assert [fault["pointer"] for fault in faults] == ["/cards"]
    assert faults[0]["message"].endswith("is too long: at most 108 entries")


@pytest.mark.parametrize(
    "members",
    [
        {"slug": "cup\n"},
        {"seed": "00\n"},
        {"ruleset": {"options": {"first_lead": "lot\n"}}},
        {"ruleset": {"options": {"session_end": "hands:5\n"}}},
    ],
)
def test_a_text_that_ends_its_line_is_not_what_a_pattern_allows(
    members: dict[str, Any], schemas: Schemas
) -> None:
    [fault] = schemas.faults("session", {"name": "Cup", **members})
    assert "does not match" in fault["message"]


def test_where_the_two_validators_disagree_nothing_is_let_through(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    schemas = load_schemas()
    monkeypatch.setattr(schemas, "is_valid", lambda name, instance: False)
    [fault] = schemas.faults("answer", {"pass": True})
    assert fault["message"] == "does not fit the schema"


WORDS = [*OPTIONS, *(f"pagat.{name}" for name in OPTIONS)]


@pytest.mark.slow
@given(st.sampled_from(WORDS) | st.text("abegikoprs_.", max_size=20), st.integers(0, 20), st.text())
def test_the_nearest_name_is_that_of_the_library(name: str, at: int, other: str) -> None:
    written = name[:at] + other + name[at + 1 :]
    assert _nearest(written, WORDS) == get_close_matches(written, WORDS, n=1)
