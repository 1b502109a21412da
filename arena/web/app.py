"""The app factory: route tables, manners and services put together into a Flask app.

The app uses only `threading` primitives (through the referee), so it runs under a
thread-per-request server as it is, and under gevent if the process was patched at its start.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

import orjson
from flask import Flask
from werkzeug.routing import BaseConverter

from arena.settings import Settings
from arena.web import bots, organisers, pages, public, results
from arena.web.endpoints import Endpoint, Services
from arena.web.exports import Exports
from arena.web.gate import blueprint
from arena.web.lean import LeanFlask
from arena.web.limits import Buckets
from arena.web.manners import teach_manners
from arena.web.meters import WebMeters
from arena.web.openapi import openapi_document
from arena.web.validation import load_schemas

if TYPE_CHECKING:
    from arena.referee.service import Referee

ANONYMOUS_PER_S: Final = 200
ANONYMOUS_BURST: Final = 1_000
"""All callers without a token share one bucket; bots have their own and do not feel it."""
REGISTRATIONS_PER_S: Final = 20
REGISTRATIONS_BURST: Final = 200
"""So do registrations; a whole class fits into the burst."""

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
    """
    chosen = settings or Settings()
    parts = route_tables(chosen)
    services = _services(referee, chosen, parts, monotonic=monotonic)
    app = LeanFlask("arena", static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=chosen.max_body_bytes + 1,  # one more, to see that it is too long
        PROPAGATE_EXCEPTIONS=False,
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    app.url_map.strict_slashes = True
    app.url_map.merge_slashes = False
    app.url_map.converters.update(name=NameConverter, action=ActionConverter)
    teach_manners(app, monotonic, services.meters)
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
            "pages": ("", pages.endpoints()),
            "root": ("", public.root_endpoints()),
        }
    )


def _services(
    referee: Referee, settings: Settings, parts: Parts, *, monotonic: Callable[[], float]
) -> Services:
    rate, burst = settings.requests_per_s, settings.request_burst
    return Services(
        referee=referee,
        settings=settings,
        schemas=load_schemas(),
        buckets=Buckets(rate, burst, monotonic=monotonic),
        anonymous=Buckets(ANONYMOUS_PER_S, ANONYMOUS_BURST, monotonic=monotonic),
        registrations=Buckets(REGISTRATIONS_PER_S, REGISTRATIONS_BURST, monotonic=monotonic),
        monotonic=monotonic,
        meters=WebMeters(),
        openapi=orjson.dumps(openapi_document(parts), option=orjson.OPT_INDENT_2),
        exports=Exports(referee, settings),
    )
