"""The gate before every view: token, limit, query and body; and the way back to HTTP bytes.

The order is fixed: who calls, may they, how often, then what they say. This module is the only one
that reads Flask's request; it may not know what any endpoint means.
"""

from __future__ import annotations

from collections.abc import Callable
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import orjson
from flask import Blueprint, request
from werkzeug.exceptions import ClientDisconnected, RequestEntityTooLarge

from arena.web.auth import identity_of
from arena.web.bodies import read_object
from arena.web.endpoints import JSON, Call, Endpoint, Reply, Services, Toll
from arena.web.lean import Answer, asked
from arena.web.limits import EVERYBODY, Buckets
from arena.web.logs import CALLER, REQUEST
from arena.web.manners import response_of
from arena.web.problems import Code, Problem, invalid, retry
from arena.web.queries import Values, defaults, reader

if TYPE_CHECKING:
    from _typeshed.wsgi import InputStream, WSGIEnvironment

JSON_DEPTH: Final = 16


def blueprint(
    name: str, endpoints: tuple[Endpoint, ...], *, services: Services, prefix: str
) -> Blueprint:
    """A Flask blueprint of a route table."""
    made = Blueprint(name, __name__, url_prefix=prefix or None)
    for endpoint in endpoints:
        made.add_url_rule(
            flask_path(endpoint.path),
            endpoint=endpoint.name,
            view_func=_handler(endpoint, services),
            methods=[endpoint.method],
        )
    return made


def flask_path(path: str) -> str:
    """A path as Flask writes it: ``/turns/{turn}`` becomes ``/turns/<name:turn>``."""
    return path.replace("{action}", "<action:action>").replace("{", "<name:").replace("}", ">")


def _handler(endpoint: Endpoint, services: Services) -> Callable[..., Answer]:
    without_query: Values = MappingProxyType(defaults(endpoint.query))
    read = reader(endpoint.query)

    def handle(**path: str) -> Answer:
        environ = asked().environ
        name = environ[REQUEST]
        who = identity_of(services.referee, environ.get("HTTP_AUTHORIZATION"), endpoint.scope)
        caller = environ[CALLER] = who.id if who else None
        purse, key = _purse(endpoint, services, caller)
        _take(purse, key, endpoint.toll)
        sent = environ.get("QUERY_STRING")
        query = read(sent) if sent else without_query
        body = _body(environ, endpoint, services) if endpoint.body else {}
        reply = endpoint.view(Call(services, path, query, body, who, name, environ))
        if reply.credit and purse:
            purse.credit(key, reply.credit)
        return _respond(reply, name)

    return handle


def _purse(
    endpoint: Endpoint, services: Services, caller: str | None
) -> tuple[Buckets | None, str]:
    if endpoint.toll is Toll.FREE:
        return None, EVERYBODY
    if endpoint.toll is Toll.REGISTRATION:
        return services.registrations, EVERYBODY
    return (services.buckets, caller) if caller else (services.anonymous, EVERYBODY)


def _take(purse: Buckets | None, key: str, toll: Toll) -> None:
    seconds = purse.take(key, in_debt=toll is Toll.ANSWER) if purse else 0
    if seconds:
        whose = "This token asks" if key != EVERYBODY else "Callers without a token ask"
        raise retry(Code.TOO_MANY_REQUESTS, f"{whose} too often.", seconds)


def _body(environ: WSGIEnvironment, endpoint: Endpoint, services: Services) -> dict[str, Any]:
    data = _data(environ, services.settings.max_body_bytes)
    _check_media(environ.get("CONTENT_TYPE") or "")
    body = read_object(data, depth=JSON_DEPTH)
    faults = services.schemas.faults(endpoint.body, body)
    if faults:
        raise invalid(faults)
    return body


def _data(environ: WSGIEnvironment, most: int) -> bytes:
    """The bytes of the body. Raises RequestEntityTooLarge, ClientDisconnected."""
    length = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):  # it comes in chunks, or there is none
        data = request.get_data(cache=False)
    elif int(length) <= most:
        data = _exactly(environ["wsgi.input"], int(length))
    else:
        raise RequestEntityTooLarge
    if len(data) > most:
        raise RequestEntityTooLarge
    return data


def _exactly(stream: InputStream, length: int) -> bytes:
    try:
        data = stream.read(length)
    except OSError as error:
        raise ClientDisconnected from error
    if len(data) < length:
        raise ClientDisconnected
    return data


def _check_media(media: str) -> None:
    if media != JSON and media.partition(";")[0].strip().lower() != JSON:
        told = f"not {media[:80]!r}" if media else "and the request has no Content-Type"
        raise Problem(Code.NOT_JSON, f"Bodies must be {JSON}, {told}.")


def _respond(reply: Reply, name: str) -> Answer:
    plain = isinstance(reply.document, dict)
    body = orjson.dumps(reply.document) if plain else reply.document
    return response_of(body, reply.status, reply.media, reply.headers, name=name)
