"""The OpenAPI document says what there is, all of it and nothing else."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient
from jsonschema import Draft202012Validator
from openapi_spec_validator import OpenAPIV31SpecValidator

from arena.settings import Settings
from arena.web.api.openapi import component_name
from arena.web.api.organisers import ACTIONS
from arena.web.api.validation import Schemas
from arena.web.app import route_tables


@pytest.fixture
def document(anybody: FlaskClient) -> dict[str, Any]:
    response = anybody.get("/openapi.json")
    assert response.mimetype == "application/json"
    read: dict[str, Any] = orjson.loads(response.data)
    return read


def test_it_lists_exactly_the_routes_that_exist(document: dict[str, Any], app: Flask) -> None:
    listed = {
        (method.upper(), path)
        for path, operations in document["paths"].items()
        for method in operations
    }
    routes = {
        (method, re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", rule.rule))
        for rule in app.url_map.iter_rules()
        for method in rule.methods or ()
    }
    assert listed == {(method, path) for method, path in routes if method != "HEAD"}


@pytest.mark.slow
def test_a_saved_copy_is_valid_by_itself(document: dict[str, Any]) -> None:
    OpenAPIV31SpecValidator(document).validate()


def test_the_same_settings_give_equal_routes() -> None:
    """So apps of one process can share what follows from them, as those of tests do."""
    assert route_tables(Settings(max_turns=4)) == route_tables(Settings(max_turns=4))


def test_it_refers_to_its_own_components_only_and_to_each_of_them(
    document: dict[str, Any], schemas: Schemas
) -> None:
    references = set(re.findall(r'"\$ref":"([^"]+)"', orjson.dumps(document).decode()))
    components = document["components"]["schemas"]
    assert references == {f"#/components/schemas/{name}" for name in components}
    assert set(components) == {component_name(name) for name in schemas.documents}
    assert all(re.fullmatch(r"[A-Z][A-Za-z]+", name) for name in components)


def test_a_component_takes_and_refuses_what_its_file_does(
    document: dict[str, Any], schemas: Schemas
) -> None:
    """Members that can only be true and the end of a tuple are written otherwise."""
    wholly = {"$ref": "#/components/schemas/Answer", "components": document["components"]}
    validator = Draft202012Validator(wholly)
    answers = ({"pass": True}, {"pass": False}, {"pass": 1}, {"choice": 3}, {"cards": "S3"}, {})
    for answer in answers:
        assert validator.is_valid(answer) == schemas.is_valid("answer", answer), answer
    ruleset = {"$ref": "#/components/schemas/Ruleset", "components": document["components"]}
    for exchange in ("free", [[2, 1]], [[2]], [[2, 1, 1]]):
        asked = {"preset": "pagat", "options": {"exchange": exchange}}
        one = Draft202012Validator(ruleset).is_valid(asked)
        assert one == schemas.is_valid("ruleset", asked), exchange


def test_each_operation_has_a_name_of_its_own_and_tells_what_it_is_for(
    document: dict[str, Any],
) -> None:
    operations = [op for ops in document["paths"].values() for op in ops.values()]
    names = [operation["operationId"] for operation in operations]
    assert len(names) == len(set(names))
    for operation in operations:
        assert operation["summary"].endswith(".")
        assert {"400", "500", "503"} <= set(operation["responses"])


def test_each_endpoint_names_only_schemas_that_exist(schemas: Schemas) -> None:
    for _, endpoints in route_tables(Settings()).values():
        for endpoint in endpoints:
            assert {endpoint.answers, endpoint.body} - {""} <= set(schemas.documents)
            assert endpoint.answers or endpoint.medias


def test_only_actions_have_a_list_of_values(document: dict[str, Any]) -> None:
    shapes = {
        parameter["name"]: parameter["schema"]
        for operations in document["paths"].values()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
        if parameter["in"] == "path"
    }
    assert shapes.pop("action") == {"type": "string", "enum": list(ACTIONS)}
    assert {name for name, shape in shapes.items() if "pattern" not in shape} == set()
