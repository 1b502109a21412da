"""The JSON form of standings keeps to its schema."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from arena.tournament.reporting.documents import rounded, standings_document
from arena.tournament.results import forfeit
from arena.tournament.standings import Entrant, compile_standings
from tests.tournament.cup import STANDINGS
from tests.tournament.simulation import hand

PATH = Path(__file__).parents[2] / "schemas" / "standings.schema.json"
SCHEMA = json.loads(PATH.read_text(encoding="utf-8"))
CASES = {
    "the cup": STANDINGS,
    "no hands": compile_standings([], [Entrant("solo")]),
    "nothing at all": compile_standings([]),
    "separate tables": compile_standings([hand("a", "b"), hand("p", "q")]),
    "forfeits": compile_standings([forfeit("ab", ("a",), block="b", pool="p")]),
}


def test_the_schema_is_a_schema():
    Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize("case", sorted(CASES))
def test_every_document_is_valid(case):
    document = standings_document(CASES[case])
    assert list(Draft202012Validator(SCHEMA).iter_errors(document)) == []
    assert json.loads(json.dumps(document, allow_nan=False)) == document


def test_the_schema_names_every_member_and_allows_no_other():
    document = standings_document(STANDINGS)
    group = SCHEMA["properties"]["groups"]["items"]
    row = group["properties"]["rows"]["items"]
    found = (document, document["groups"][0], document["groups"][0]["rows"][0])
    for values, schema in zip(found, (SCHEMA, group, row), strict=True):
        # For one reader only, where there are any, or from an arena.
        sometimes = {"own", "reasons", "people", "digest"}
        always = [name for name in schema["properties"] if name not in sometimes]
        assert always == schema["required"] == list(values)
        assert schema["additionalProperties"] is False
        assert all(member["description"] for member in schema["properties"].values())


def test_numbers_are_rounded_and_never_minus_zero():
    assert (rounded(1534.6789, 2), rounded(None, 2)) == (1534.68, None)
    assert str(rounded(-0.001, 2)) == "0.0"
