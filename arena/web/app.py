"""The app factory: route tables, middleware and services put together into a Flask app.

The app uses only `threading` primitives (through the referee), so it runs under a
thread-per-request server as it is, and under gevent if the process was patched at its start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.routing import BaseConverter

from arena.errors import BadInput
from arena.settings import Settings
from arena.web.api import bots, notices, organisers, public, results, tokens
from arena.web.api.addresses import Addresses
from arena.web.api.compression import Compression
from arena.web.api.documents import documents_of
from arena.web.api.endpoints import Endpoint
from arena.web.api.exports import Exports
from arena.web.api.fast_flask import FastFlask
from arena.web.api.limits import Buckets
from arena.web.api.middleware import WebMetrics, install_middleware
from arena.web.api.openapi import openapi_document
from arena.web.api.registrations import Registrations
from arena.web.api.request_pipeline import blueprint
from arena.web.api.services import Services
from arena.web.api.validation import Schemas, load_schemas
from arena.web.page_cache import PageCache
from arena.web.pages import (
    assets,
    ceremony,
    examples,
    hands,
    kit,
    manual,
    positions,
    problem,
    profiles,
    reports,
    rules,
    session,
    sessions,
    staff,
    tables,
)
from arena.web.pages.live import moments_form
from arena.web.pages.page_feeds import front_source, session_source
from arena.web.pages.seats import invitation, table
from arena.web.routing import endpoints as routing_endpoints
from arena.web.streams import endpoints as stream_endpoints
from arena.web.streams.hands import events_form, hands_form
from arena.web.streams.hub import Streams

if TYPE_CHECKING:
    from arena.application import Referee

UNKNOWN_TOKENS_PER_S = 50
UNKNOWN_TOKENS_BURST = 500
"""How often tokens are looked up that are not known from memory: there is no bucket of a caller
who is not known yet."""
PROBLEM = "problem"
"""The schema of every error that is answered."""

PAGES = (
    *(hands, tables, sessions, session, profiles, ceremony, reports),
    *(table, invitation, rules, examples, manual, kit, positions, problem, staff),
    assets,
)
"""The modules of pages for people."""

Parts = Mapping[str, tuple[str, Sequence[Endpoint]]]


class NameConverter(BaseConverter):
    """A name in a path: 1 to 120 characters, no slash and no control characters."""

    regex = r"[^/\x00-\x1f\x7f]{1,120}"


class ActionConverter(BaseConverter):
    """What an organiser does to a session."""

    regex = "|".join(organisers.ACTIONS)


def create_app(
    referee: Referee,
    settings: Settings | None = None,
    *,
    monotonic: Callable[[], float] = time.monotonic,
) -> Flask:
    """The arena as a WSGI app. The referee must be started and stopped by the caller.

    monotonic: seconds, for limits and for the times in the access log.
    Raises BadInput if a schema that an endpoint names is missing or unusable.
    """
    chosen = settings or Settings()
    parts = route_tables(chosen)
    services = _services(referee, chosen, parts, monotonic=monotonic)
    app = FastFlask("arena", static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=chosen.max_body_bytes + 1,  # one more, to see that it is too long
        PROPAGATE_EXCEPTIONS=False,
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.url_map.converters.update(name=NameConverter, action=ActionConverter)
    install_middleware(
        app,
        monotonic,
        services.metrics,
        problem_page=problem.problem_page,
        access_log=chosen.access_log,
    )
    app.extensions["arena"] = services
    for name, (prefix, endpoints) in parts.items():
        app.register_blueprint(blueprint(name, tuple(endpoints), services=services, prefix=prefix))
    return app


def route_tables(settings: Settings) -> Parts:
    """Every route of the arena: name of the blueprint -> (prefix, route table)."""
    return MappingProxyType(
        {
            "bots": (public.API, bots.endpoints(settings)),
            "public": (public.API, public.endpoints(settings)),
            "results": (public.API, results.endpoints()),
            "organisers": (public.API, organisers.endpoints(settings)),
            "tokens": (public.API, tokens.endpoints()),
            "notices": (public.API, notices.endpoints()),
            "cluster": (public.API, routing_endpoints.endpoints()),
            "streams": (public.API, stream_endpoints.endpoints()),
            "pages": ("", tuple(line for part in PAGES for line in part.endpoints())),
            "root": ("", public.root_endpoints()),
        }
    )


def _services(
    referee: Referee, settings: Settings, parts: Parts, *, monotonic: Callable[[], float]
) -> Services:
    rate, burst = settings.requests_per_s, settings.request_burst
    schemas = load_schemas()
    _check_schemas(schemas, parts)
    everybody = settings.anonymous_per_s, settings.anonymous_burst
    addresses = Addresses(settings, monotonic=monotonic)
    metrics, pacer = WebMetrics(), referee.queries.long_work.streams
    streams = Streams(referee.bell, settings, pacer=pacer)
    metrics.watch_streams(lambda: streams.count)
    return Services(
        referee=referee,
        queries=referee.queries,
        registry=referee.registry,
        settings=settings,
        schemas=schemas,
        buckets=Buckets(rate, burst, monotonic=monotonic),
        anonymous=Buckets(*everybody, monotonic=monotonic),
        addresses=addresses,
        registrations=Registrations(settings, addresses, monotonic=monotonic),
        unknown_tokens=Buckets(UNKNOWN_TOKENS_PER_S, UNKNOWN_TOKENS_BURST, monotonic=monotonic),
        monotonic=monotonic,
        metrics=metrics,
        documents=documents_of(schemas, openapi_document(parts, schemas.documents)),
        exports=Exports(referee.queries, settings),
        pages=PageCache(),
        compression=Compression(referee.queries.long_work.queries),
        streams=streams,
        forms=MappingProxyType(
            {"events": events_form, "moments": moments_form, "hands": hands_form}
        ),
        page_sources=MappingProxyType({"session": session_source, "sessions": front_source}),
    )


def _check_schemas(schemas: Schemas, parts: Parts) -> None:
    """A referee that could not check what it is sent does not start."""
    for prefix, endpoints in parts.values():
        for endpoint in endpoints:
            for name in filter(None, (endpoint.body, endpoint.answers, PROBLEM)):
                if name not in schemas.documents:
                    expected = f"a file schemas/{name}.schema.json"
                    route = f"{endpoint.method} {prefix}{endpoint.path}"
                    raise BadInput("schema", name, f"{expected} ({route} needs it)")
