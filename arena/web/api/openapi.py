"""The OpenAPI 3.1 document, built from the route tables, the problem table and the schema files.

It holds the schemas as components, so that a saved copy is all that a generator of clients needs;
they are the schema files, so there is one truth. This module may not use an app or a request.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from http import HTTPStatus
from typing import Any

import arena
from arena.web.api.browser_forms import SEAT_COOKIE
from arena.web.api.documents import JSON
from arena.web.api.endpoints import Endpoint, Scope
from arena.web.api.middleware import FORM_MEDIA
from arena.web.api.organisers import ACTIONS, JSON_LINES
from arena.web.api.problems import MEDIA, TABLE, Code
from arena.web.api.validation import SUFFIX

DESCRIPTION = """\
A bot tournament arena for Daifugō. Bots call out and are never called: poll `/turns` for what is
to be decided, answer, and read the standings. JSON objects only, UTF-8; clients must ignore members
that they do not know. Errors are problem documents (RFC 9457) with a `code` from a closed list, see
`/problems`; who asks for `text/html` by name gets them as pages. Every response carries
`X-Request-Id`; a proper one that is sent is echoed.
"""
TAGS = {
    "bots": "A bot's life: register, enter, poll, answer.",
    "public": "What anybody may look at.",
    "streams": "What happens, as server-sent events.",
    "results": "Standings, further tables and pictures.",
    "organisers": "Sessions, rosters, codes and exports; an admin token is needed.",
    "cluster": "Referees that share a database: who plays which session.",
    "tokens": "Who has a token: bots barred and let in again, organisers, enrolment codes.",
    "pages": "Pages for people: no script, no token.",
    "root": "Documents and health.",
}
WHO = {
    Scope.BOT: "For bots.",
    Scope.VIEWER: "For viewers, assistants and organisers.",
    Scope.ASSISTANT: "For assistants and organisers.",
    Scope.ADMIN: "For organisers.",
    Scope.ANY_TOKEN: "For everybody with a token.",
    Scope.PUBLIC: "",
    Scope.SEAT: "For people in a browser.",
}
EVENT_STREAM = "text/event-stream"
NAME_PATTERN = r"^[^/\x00-\x1f\x7f]{1,120}$"


def openapi_document(
    parts: Mapping[str, tuple[str, Sequence[Endpoint]]], schemas: Mapping[str, Mapping[str, Any]]
) -> dict[str, Any]:
    """The document. parts: name of the blueprint -> (prefix, route table); schemas: by short name,
    as in their files."""
    paths: dict[str, dict[str, Any]] = {}
    for tag, (prefix, endpoints) in parts.items():
        for endpoint in endpoints:
            operations = paths.setdefault(prefix + endpoint.path, {})
            operations[endpoint.method.lower()] = _operation(tag, endpoint)
    return {
        "openapi": "3.1.0",
        "jsonSchemaDialect": "https://json-schema.org/draft/2020-12/schema",
        "info": _info(),
        "servers": [{"url": "/"}],
        "tags": [{"name": name, "description": text} for name, text in TAGS.items()],
        "paths": paths,
        "components": {
            "schemas": {
                component_name(name): _component(schema) for name, schema in schemas.items()
            },
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A bot's or organiser's.",
                },
                "seat": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": SEAT_COOKIE,
                    "description": "A person's who plays in a browser.",
                },
            },
        },
    }


def _info() -> dict[str, Any]:
    return {
        "title": "Daifugō Arena",
        "version": arena.__version__,
        "description": DESCRIPTION,
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }


def _operation(tag: str, endpoint: Endpoint) -> dict[str, Any]:
    summary, _, description = (endpoint.view.__doc__ or "").partition("\n")
    texts = [" ".join(description.split()), WHO[endpoint.scope]]
    operation: dict[str, Any] = {
        "operationId": endpoint.name,
        "tags": [tag],
        "summary": summary.strip(),
        "description": " ".join(text for text in texts if text) or summary.strip(),
        "parameters": [*_path_parameters(endpoint.path), *_query_parameters(endpoint)],
        "responses": _responses(endpoint),
        "security": _security(endpoint.scope),
    }
    if endpoint.form:
        shape = {"type": "object", "additionalProperties": {"type": "string"}}
        operation["requestBody"] = {"required": True, "content": {FORM_MEDIA: {"schema": shape}}}
    if endpoint.body:
        content = {JSON: {"schema": _ref(endpoint.body)}}
        operation["requestBody"] = {"required": not endpoint.optional_body, "content": content}
    return operation


def _security(scope: Scope) -> list[dict[str, list[str]]]:
    """What a request shows: nothing, a token, or the cookie of a person who plays."""
    if scope is Scope.SEAT:
        return [{}, {"seat": []}]
    return [{}, {"token": []}] if scope is Scope.PUBLIC else [{"token": []}]


def _path_parameters(path: str) -> Iterable[dict[str, Any]]:
    for name in re.findall(r"{(\w+)}", path):
        actions = {"type": "string", "enum": list(ACTIONS)}
        shape = actions if name == "action" else {"type": "string", "pattern": NAME_PATTERN}
        yield {"name": name, "in": "path", "required": True, "schema": shape}


def _query_parameters(endpoint: Endpoint) -> Iterable[dict[str, Any]]:
    for param in endpoint.query:
        shape = {"description": param.description, "schema": param.schema()}
        yield {"name": param.name, "in": "query", "required": False, **shape}


def _event_schema() -> dict[str, Any]:
    """Of each event of a stream as it is sent, for OpenAPI 3.1 has no list of them. `x-parsed`: of
    the same event with what its `data` says in JSON."""
    text = {"type": "string"}
    return {
        "type": "object",
        "properties": {"id": text, "event": text, "data": {**text, "contentMediaType": JSON}},
        "required": ["event", "data"],
        "x-parsed": _ref("frame"),
    }


def _lines_schema() -> dict[str, Any]:
    """Of a record file. `x-lines`: of its lines as they are parsed, the first one a header."""
    lines = [_ref(name) for name in ("session_record", "hand_record", "hand_head")]
    return {"type": "string", "x-lines": {"oneOf": lines}}


def _responses(endpoint: Endpoint) -> dict[str, Any]:
    medias = [JSON] if endpoint.answers else []
    content: dict[str, Any] = {media.partition(";")[0]: {} for media in (*medias, *endpoint.medias)}
    if endpoint.answers:
        content[JSON] = {"schema": _ref(endpoint.answers)}
    if EVENT_STREAM in content:
        content[EVENT_STREAM] = {"schema": _event_schema()}
    if JSON_LINES in content:
        content[JSON_LINES] = {"schema": _lines_schema()}
    responses = {str(endpoint.status): {"description": "Done.", "content": content}}
    for status in endpoint.further:
        has_body = {} if status == HTTPStatus.NOT_MODIFIED else {"content": content}
        responses[str(status)] = {"description": HTTPStatus(status).phrase, **has_body}
    by_status: dict[int, list[Code]] = {}
    for code in codes_of(endpoint):
        by_status.setdefault(TABLE[code].status, []).append(code)
    for status, codes in sorted(by_status.items()):
        responses[str(status)] = _problem_response(codes)
    return responses


def _problem_response(codes: Sequence[Code]) -> dict[str, Any]:
    titles = " ".join(f"`{code}`: {TABLE[code].title}." for code in codes)
    return {"description": titles, "content": {MEDIA: {"schema": _ref("problem")}}}


def codes_of(endpoint: Endpoint) -> list[Code]:
    """Every problem code that an endpoint may answer, in the order of the table."""
    codes = {Code.INVALID, Code.BAD_REQUEST, Code.BAD_TOKEN, Code.SERVER_ERROR, Code.UNAVAILABLE}
    codes |= set(endpoint.codes)
    if endpoint.body:
        codes |= {Code.BAD_JSON, Code.TOO_LARGE, Code.NOT_JSON}
    if endpoint.form:
        codes |= {Code.FORBIDDEN, Code.TOO_LARGE}
    if endpoint.scope not in (Scope.PUBLIC, Scope.SEAT):
        codes |= {Code.NO_TOKEN, Code.FORBIDDEN}
    codes |= {Code.TOO_MANY_REQUESTS}  # free or not: it may bring a token that nobody knows
    return [code for code in Code if code in codes]


def _ref(name: str) -> dict[str, str]:
    return {"$ref": f"#/components/schemas/{component_name(name)}"}


def component_name(schema: str) -> str:
    """The name of a schema as generators of clients like it: `hand_record` is HandRecord."""
    return "".join(word.capitalize() for word in schema.split("_"))


def _component(schema: Mapping[str, Any]) -> dict[str, Any]:
    """A schema file as a component. Its title goes: generators would name classes by it."""
    own = {key: value for key, value in schema.items() if key not in ("$schema", "$id", "title")}
    component: dict[str, Any] = _part(own)
    return component


def _part(value: Any) -> Any:
    """A part of a schema, with references to components instead of files. What common generators
    stumble over is written otherwise, and means the same: the end of a tuple, members that can
    only be true."""
    if isinstance(value, list):
        return [_part(each) for each in value]
    if not isinstance(value, Mapping):
        return value
    part = {key: _part(each) for key, each in value.items()}
    if isinstance(value.get("$ref"), str):
        part |= _ref(value["$ref"].removesuffix(SUFFIX))
    if part.get("items") is False:
        del part["items"]
        part["maxItems"] = len(part["prefixItems"])
    if part.get("const") is True:
        del part["const"]
        part |= {"type": "boolean", "not": {"const": False}}
    return part
