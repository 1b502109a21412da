"""What comes before every view: limit, token, query and body; and the way back to HTTP bytes.

The order is fixed: how often, who calls, may they, then what they say. Tokens are read from
`Authorization: Bearer` and, for people at `/seat` only, from a cookie. Whose bucket it is follows
from the token; good ones are known from memory, so that nothing is looked up before a unit was
taken. This module is the only one that reads Flask's request; it may not know what any endpoint
means.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn

import orjson
from flask import Blueprint, request
from werkzeug.exceptions import ClientDisconnected, HTTPException, RequestEntityTooLarge

from arena.statuses import BotKind
from arena.web.api.bodies import BadFrame, read_object
from arena.web.api.browser_forms import MOST_FORM_BYTES, read_form, seat_cookie
from arena.web.api.compression import LEAST_BYTES
from arena.web.api.documents import JSON
from arena.web.api.endpoints import Endpoint, Malformed, RateCost, Reply, Scope
from arena.web.api.fast_flask import Answer
from arena.web.api.limits import EVERYBODY, Buckets, rate_cost_of_refusal
from arena.web.api.logs import CALLER, REQUEST
from arena.web.api.middleware import response_of
from arena.web.api.negotiation import takes_gzip
from arena.web.api.problems import Code, Problem, fault, from_http, invalid
from arena.web.api.queries import Values, defaults, reader
from arena.web.api.ranges import is_known
from arena.web.api.services import Call, Services

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIEnvironment

    from arena.identity.registry import Identity

REALM = 'Bearer realm="daifugo-arena"'
NEEDED = MappingProxyType(
    {
        Scope.BOT: "play",
        Scope.VIEWER: "view",
        Scope.ASSISTANT: "assist",
        Scope.ADMIN: "admin",
    }
)
"""What a token must be good for, by the scope of the endpoint."""
JSON_DEPTH = 16
TOKEN_TOO_OFTEN = "This token asks too often."
ANONYMOUS_TOO_OFTEN = "Callers without a token ask too often."
CHUNKED_BYTES = "arena.chunked_bytes"
"""Where the environment holds how much came of a body without a length."""


def blueprint(
    name: str, endpoints: tuple[Endpoint, ...], *, services: Services, prefix: str
) -> Blueprint:
    """A Flask blueprint of a route table."""
    routes = Blueprint(name, __name__, url_prefix=prefix or None)
    for endpoint in endpoints:
        routes.add_url_rule(
            flask_path(endpoint.path),
            endpoint=endpoint.name,
            view_func=_handler(endpoint, services),
            methods=[endpoint.method],
        )
    return routes


def flask_path(path: str) -> str:
    """A path as Flask writes it: ``/turns/{turn}`` becomes ``/turns/<name:turn>``."""
    return path.replace("{action}", "<action:action>").replace("{", "<name:").replace("}", ">")


class Admitted(NamedTuple):
    """A caller who may ask. who: None without a token; bucket: what the request draws from, None if
    that is nothing, or not known yet; key: its own there."""

    who: Identity | None
    bucket: Buckets | None
    key: str


def _handler(endpoint: Endpoint, services: Services) -> Callable[..., Answer]:
    without_query: Values = MappingProxyType(defaults(endpoint.query))
    read = reader(endpoint.query)
    registers = endpoint.rate_cost is RateCost.REGISTRATION

    def handle(**path: str) -> Answer:
        environ = request.environ
        who, bucket, key = _admit(environ, endpoint, services)
        sent = environ.get("QUERY_STRING")
        try:
            query = without_query
            if sent:
                query = _query(read, sent, endpoint, services=services, who=who, path=path)
            body: dict[str, Any] = {}
            if endpoint.form:
                body = read_form(environ.get("CONTENT_TYPE") or "", _data(environ, MOST_FORM_BYTES))
            elif endpoint.body and not (endpoint.optional_body and _has_no_body(environ)):
                body = _body(environ, endpoint, services, who=who, path=path)
        except (Problem, RequestEntityTooLarge, ClientDisconnected):
            cost = rate_cost_of_refusal(_received_bytes(environ, services))
            if bucket:
                bucket.charge(key, cost)
            elif registers:
                services.registrations.refuse(environ, cost)
            raise
        address = services.addresses.of(environ) if registers else ""
        name = environ[REQUEST]
        reply = endpoint.view(Call(services, path, query, body, who, name, environ, address))
        if reply.etag or endpoint.gzip:
            reply = _negotiated(reply, environ, services)
        if reply.credit and bucket:
            bucket.credit(key, reply.credit)
        return _respond(reply, name)

    return handle


def _negotiated(reply: Reply, environ: WSGIEnvironment, services: Services) -> Reply:
    """A reply as this client wants it: without a body if it has that already, else compressed if
    it reads that and there is anything to gain.

    The tag of compressed bytes is a weak one: other processes may compress otherwise. It says that
    the content is the same, so a client that has it in either form need not get it again.
    """
    if not isinstance(reply.document, dict | bytes):
        return reply
    body = orjson.dumps(reply.document) if isinstance(reply.document, dict) else reply.document
    zipped = len(body) >= LEAST_BYTES and takes_gzip(environ)
    etag = f"W/{reply.etag}" if reply.etag and zipped else reply.etag
    headers = {**(reply.headers or {}), "Vary": _varies(reply.headers)}
    if reply.etag and is_known(environ, reply.etag):
        return Reply(None, status=304, media="", headers=headers, etag=etag)
    if zipped:
        body = services.compression(body, reply.etag)
        headers["Content-Encoding"] = "gzip"
    return replace(reply, document=body, headers=headers, etag=etag)


def _varies(headers: Mapping[str, str] | None) -> str:
    """What an answer depends on besides its address, compression included."""
    already = (headers or {}).get("Vary")
    return f"{already}, Accept-Encoding" if already else "Accept-Encoding"


def _has_no_body(environ: WSGIEnvironment) -> bool:
    return environ.get("CONTENT_LENGTH") in (None, "", "0") and not environ.get(
        "HTTP_TRANSFER_ENCODING"
    )


def _admit(environ: WSGIEnvironment, endpoint: Endpoint, services: Services) -> Admitted:
    """Who calls, with a unit taken for the request. Raises Problem: `bad_token` or `no_token`,
    `too_many_requests`, or `forbidden`."""
    header = environ.get("HTTP_AUTHORIZATION")
    who = _identify(header, services) if header else None
    if endpoint.scope is Scope.SEAT:
        who, header = _person(environ, services), None
    caller = environ[CALLER] = who.id if who else None
    bucket, key = _bucket(endpoint, services, caller)
    if bucket is services.anonymous:
        services.addresses.check_request(environ)
    if bucket:
        detail = TOKEN_TOO_OFTEN if caller else ANONYMOUS_TOO_OFTEN
        bucket.take_or_refuse(key, detail, in_debt=endpoint.rate_cost is RateCost.ANSWER)
    needed = NEEDED.get(endpoint.scope)
    if who is not None:
        if needed and needed not in who.scopes:
            lacking = f"This needs a token with the scope {needed!r}; this one has not got it."
            raise Problem(Code.FORBIDDEN, lacking)
    elif header is not None:
        raise _unknown(Code.NO_TOKEN, "The header must read Authorization: Bearer <token>.")
    elif endpoint.scope not in (Scope.PUBLIC, Scope.SEAT):
        raise _unknown(Code.NO_TOKEN, "This needs the header Authorization: Bearer <token>.")
    return Admitted(who, bucket, key)


def _identify(header: str, services: Services) -> Identity | None:
    """Whose token the header holds; None if it holds none. Raises Problem: `bad_token`, also on
    public endpoints, since a wrong token is a mistake that should be reported; or
    `too_many_requests` if too many such are tried: only then is a token looked for that is not
    known from memory."""
    scheme, _, token = header.partition(" ")
    token = token.strip() if scheme.lower() == "bearer" else ""
    who = services.registry.known(token)
    if who is None and token:
        services.unknown_tokens.take_or_refuse(EVERYBODY, "Unknown tokens are tried too often.")
        who = services.registry.identify(token)
        if who is None:
            raise _unknown(Code.BAD_TOKEN, "This token is not known here, or no longer.")
    return who


def _person(environ: WSGIEnvironment, services: Services) -> Identity | None:
    """Who plays in the browser that sent this, by its cookie; None for nobody who is known, as when
    the table was taken away long ago."""
    token = seat_cookie(environ)
    if not token:
        return None
    who = services.registry.known(token)
    if who is None and not services.unknown_tokens.take(EVERYBODY):
        who = services.registry.identify(token)
    return who if who is not None and who.kind == BotKind.BOT else None


def _unknown(code: Code, detail: str) -> Problem:
    challenge = REALM if code is Code.NO_TOKEN else f'{REALM}, error="invalid_token"'
    return Problem(code, detail, headers={"WWW-Authenticate": challenge})


def _bucket(
    endpoint: Endpoint, services: Services, caller: str | None
) -> tuple[Buckets | None, str]:
    """The bucket that a request draws from, and its key there."""
    if endpoint.rate_cost is RateCost.FREE:
        return None, EVERYBODY
    if endpoint.rate_cost is RateCost.REGISTRATION and caller is None:
        return None, EVERYBODY  # what it draws from is known when the code has been read
    return (services.buckets, caller) if caller else (services.anonymous, EVERYBODY)


def _received_bytes(environ: WSGIEnvironment, services: Services) -> int:
    """The size of what a client sent beyond its head; of a body that is too long, what is read."""
    length = environ.get("CONTENT_LENGTH") or ""
    size = int(length) if length.isascii() and length.isdigit() else environ.get(CHUNKED_BYTES, 0)
    most = services.settings.max_body_bytes
    return min(size, most) + len(environ.get("QUERY_STRING", ""))


def _query(
    read: Callable[[str], Values],
    sent: str,
    endpoint: Endpoint,
    *,
    services: Services,
    who: Identity | None,
    path: Mapping[str, str],
) -> Values:
    try:
        return read(sent)
    except Problem as problem:
        _refuse_unread(problem, endpoint, services, who=who, path=path)


def _body(
    environ: WSGIEnvironment,
    endpoint: Endpoint,
    services: Services,
    *,
    who: Identity | None,
    path: Mapping[str, str],
) -> dict[str, Any]:
    body = None
    try:
        data = _data(environ, endpoint.most_bytes or services.settings.max_body_bytes)
        media = environ.get("CONTENT_TYPE") or ""
        if media != JSON:
            _check_media(media)
        body = read_object(data, depth=JSON_DEPTH, most_values=endpoint.most_values)
        for member, most in endpoint.most_entries:
            _check_entries(body, member, most)
        if not services.schemas.is_valid(endpoint.body, body):
            raise invalid(services.schemas.faults(endpoint.body, body))
        return body
    except ClientDisconnected as error:
        if not isinstance(error.__context__, BadFrame):  # it has gone, which may be an accident
            raise
        _refuse_unread(error, endpoint, services, who=who, path=path)
    except (Problem, RequestEntityTooLarge) as error:
        _refuse_unread(error, endpoint, services, who=who, path=path, body=body)


def _refuse_unread(
    error: Problem | HTTPException,
    endpoint: Endpoint,
    services: Services,
    *,
    who: Identity | None,
    path: Mapping[str, str],
    body: Mapping[str, Any] | None = None,
) -> NoReturn:
    """Raises the error, or what the endpoint turns it into if it counts malformed requests.

    body: what was read of it.
    """
    if endpoint.on_malformed is None or who is None:
        raise error
    problem = error if isinstance(error, Problem) else from_http(error)
    unread = Malformed(services.referee, path, who.id, body, problem)
    raise endpoint.on_malformed(unread) from error


def _check_media(media: str) -> None:
    """Raises Problem for a body that is not said to be JSON."""
    if media.partition(";")[0].strip().lower() != JSON:
        problem = f"not {media[:80]!r}" if media else "and the request has no Content-Type"
        raise Problem(Code.NOT_JSON, f"Bodies must be {JSON}, {problem}.")


def _check_entries(body: dict[str, Any], member: str, most: int) -> None:
    entries = body.get(member)
    if isinstance(entries, list) and len(entries) > most:
        raise invalid([fault("body", f"/{member}", f"{len(entries)} {member}; at most {most}")])


def _data(environ: WSGIEnvironment, most: int) -> bytes:
    """The bytes of the body. Raises RequestEntityTooLarge, ClientDisconnected."""
    length = environ.get("CONTENT_LENGTH") or ""
    if not (length.isascii() and length.isdigit()):  # it comes in chunks, or there is none
        environ[CHUNKED_BYTES] = most
        data = request.get_data(cache=False)
        environ[CHUNKED_BYTES] = len(data)
    elif int(length) <= most:
        try:
            data = environ["wsgi.input"].read(int(length))
        except OSError as error:
            raise ClientDisconnected from error
        if len(data) < int(length):
            raise ClientDisconnected
    else:
        raise RequestEntityTooLarge
    if len(data) > most:
        raise RequestEntityTooLarge
    return data


def _respond(reply: Reply, name: str) -> Answer:
    plain = isinstance(reply.document, dict)
    body = orjson.dumps(reply.document) if plain else reply.document
    more = {**(reply.headers or {}), "ETag": reply.etag} if reply.etag else reply.headers
    return response_of(body, reply.status, reply.media, more, name=name)
