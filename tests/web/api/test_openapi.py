"""The OpenAPI document says what there is, all of it and nothing else."""

from __future__ import annotations

import re
from typing import Any

import orjson
import pytest
from flask import Flask
from flask.testing import FlaskClient
from openapi_spec_validator import OpenAPIV31SpecValidator

from arena.settings import Settings
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
def test_it_is_valid_with_the_schema_files_put_in(
    document: dict[str, Any], schemas: Schemas
) -> None:
    OpenAPIV31SpecValidator(_with_files(document, schemas)).validate()


def _with_files(document: dict[str, Any], schemas: Schemas) -> dict[str, Any]:
    """The document with its schemas as components: a validator of files needs no server."""
    inside = r'"$ref":"#/components/schemas/\1"'
    text = orjson.dumps([document, dict(schemas.documents)]).decode()
    text = re.sub(r'"\$ref":"(?:schemas/)?(\w+)\.schema\.json"', inside, text)
    whole: dict[str, Any]
    whole, parts = orjson.loads(text)
    for part in parts.values():
        del part["$id"], part["$schema"]
    whole["components"]["schemas"] = parts
    return whole


def test_each_schema_that_it_refers_to_is_served(
    document: dict[str, Any], anybody: FlaskClient
) -> None:
    references = set(re.findall(r'"\$ref":"([^"]+)"', orjson.dumps(document).decode()))
    assert references
    for reference in references:
        assert anybody.get("/" + reference).status_code == 200


def test_each_schema_is_in_use(document: dict[str, Any], schemas: Schemas) -> None:
    text = orjson.dumps([document, dict(schemas.documents)]).decode()
    used = set(re.findall(r'"\$ref":"(?:schemas/)?(\w+)\.schema\.json"', text))
    assert used == set(schemas.documents)


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
