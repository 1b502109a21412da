"""Documents that stay the same while a process runs: bytes that are built once, with an ETag.

Schemas, problem codes, the description of the interface. Asking for one costs no more
than sending it, and nothing but a 304 where the client has it already.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from arena.web.api.problems import TABLE, Code
from arena.web.api.validation import SUFFIX, Schemas

JSON = "application/json"
SCHEMA_MEDIA = "application/schema+json"
MARKDOWN = "text/markdown"
TEXT = "text/plain"
TEXT_MEDIA = f"{TEXT}; charset=utf-8"


class ServedDocument(NamedTuple):
    """A document as it is sent. etag: with its quotation marks; it follows from the bytes."""

    body: bytes
    media: str
    etag: str


def document_of(body: bytes, media: str) -> ServedDocument:
    """A document of these bytes."""
    return ServedDocument(body, media, f'"{hashlib.sha256(body).hexdigest()[:32]}"')


def documents_of(schemas: Schemas, openapi: Mapping[str, Any]) -> Mapping[str, ServedDocument]:
    """All documents, by their paths."""
    documents = {
        "/openapi.json": document_of(orjson.dumps(openapi), JSON),
        **dict(_schemas(schemas)),
        **dict(_problems()),
    }
    return MappingProxyType(documents)


def _schemas(schemas: Schemas) -> Iterator[tuple[str, ServedDocument]]:
    names = sorted(schemas.documents)
    index = [{"name": name, "path": f"/schemas/{name}{SUFFIX}"} for name in names]
    yield "/schemas", document_of(orjson.dumps({"schemas": index}), JSON)
    for name in names:
        body = orjson.dumps(schemas.documents[name], option=orjson.OPT_INDENT_2)
        yield f"/schemas/{name}{SUFFIX}", document_of(body, SCHEMA_MEDIA)


def _problems() -> Iterator[tuple[str, ServedDocument]]:
    entries = {code: _problem(code) for code in Code}
    yield "/problems", document_of(orjson.dumps({"problems": list(entries.values())}), JSON)
    for code, entry in entries.items():
        yield f"/problems/{code}", document_of(orjson.dumps(entry), JSON)


def _problem(code: Code) -> dict[str, Any]:
    return {"code": str(code), "type": f"/problems/{code}", **TABLE[code]._asdict()}
