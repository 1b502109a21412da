"""Looks at every response of an app under test: is it what the documents promise?"""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from typing import Any

import orjson
from flask import Flask, Response, request

from arena.settings import Settings
from arena.web.api.endpoints import Endpoint
from arena.web.api.fast_flask import Answer
from arena.web.api.negotiation import wants_page
from arena.web.api.openapi import codes_of
from arena.web.api.problems import MEDIA
from arena.web.api.validation import SUFFIX, Schemas
from arena.web.app import route_tables


def as_response(answer: Answer) -> Response:
    """The same response as Flask would have it, with all that can be asked of it; a stream is not
    read, and what is compressed is as it was before."""
    body = answer.body
    if body is not None and not isinstance(body, bytes):
        return Response(iter(()), answer.status_code, answer.headers)
    response = Response(body, answer.status_code, answer.headers)
    if response.content_encoding == "gzip":
        response.data = gzip.decompress(response.data)
    return response


class Watchdog:
    """Hang it on an app with `watch`; afterwards `complaints` should be empty."""

    def __init__(self, schemas: Schemas) -> None:
        self.schemas = schemas
        self.complaints: list[str] = []
        self.seen_codes: set[str] = set()
        self._endpoints: dict[str, Endpoint] = {
            f"{part}.{endpoint.name}": endpoint
            for part, (_, endpoints) in route_tables(Settings()).items()
            for endpoint in endpoints
        }

    def watch(self, app: Flask) -> None:
        app.after_request_funcs[None].insert(0, self._look)  # what comes first runs last

    def _look(self, answer: Answer) -> Answer:
        response = as_response(answer)
        if response.is_streamed or request.method == "HEAD":
            return answer
        endpoint = self._endpoints.get(request.endpoint or "")
        self.complaints += [
            f"{request.method} {request.path} {response.status_code}: {complaint}"
            for complaint in self._faults(response, endpoint)
        ]
        return answer

    def _faults(self, response: Response, endpoint: Endpoint | None) -> Iterator[str]:
        if response.status_code >= 400:
            yield from self._problem_faults(response, endpoint)
        elif endpoint is None:
            if response.status_code != 308 or response.data:
                yield "a response of nowhere"
        elif response.status_code == 304 and 304 in endpoint.further:
            yield from () if not response.data else ("a 304 with a body",)
        elif response.status_code not in (endpoint.status, *endpoint.further):
            yield f"the documents say {endpoint.status}"
        elif endpoint.answers and response.mimetype == "application/json":
            yield from self.document_faults(endpoint.answers, orjson.loads(response.data))
        elif not any(media.startswith(response.mimetype) for media in endpoint.medias):
            yield f"the documents do not speak of {response.mimetype}"

    def _problem_faults(self, response: Response, endpoint: Endpoint | None) -> Iterator[str]:
        if response.mimetype == "text/html" and wants_page(request.headers.get("Accept", "")):
            return
        if response.mimetype != MEDIA:
            yield f"an error as {response.mimetype}"
            return
        problem = orjson.loads(response.data)
        yield from self.document_faults("problem", problem)
        self.seen_codes.add(problem["code"])
        if problem["status"] != response.status_code:
            yield "the status in the body differs"
        if problem["instance"] != response.headers["X-Request-Id"]:
            yield "the instance is not the request id"
        if endpoint is not None and problem["code"] not in map(str, codes_of(endpoint)):
            yield f"the documents do not speak of {problem['code']}"

    def document_faults(self, name: str, document: Any) -> list[str]:
        """What a document does not keep of its schema, members that are not described included."""
        faults = [f"{f['pointer']}: {f['message']}" for f in self.schemas.faults(name, document)]
        schema = self.schemas.documents[name]
        return faults + [f"{path} is not described" for path in self._strays(schema, document, "")]

    def _strays(self, schema: Any, value: Any, path: str) -> Iterator[str]:
        if "$ref" in schema:
            schema = self.schemas.documents[schema["$ref"].removesuffix(SUFFIX)]
        if isinstance(value, dict) and "properties" in schema:
            for name, inner in value.items():
                if name in schema["properties"]:
                    yield from self._strays(schema["properties"][name], inner, f"{path}/{name}")
                elif "additionalProperties" not in schema:
                    yield f"{path}/{name}"
        if isinstance(value, list) and "items" in schema:
            for inner in value:
                yield from self._strays(schema["items"], inner, f"{path}/*")
