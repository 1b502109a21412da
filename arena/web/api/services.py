"""What a view is given: the services of the app, and one request in which everything is checked.

Built by the app factory and by `request_pipeline`. This module may not know any endpoint.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from arena.settings import Settings
from arena.web.api.addresses import Addresses
from arena.web.api.compression import Compression
from arena.web.api.documents import ServedDocument
from arena.web.api.exports import Exports
from arena.web.api.limits import Buckets
from arena.web.api.middleware import WebMetrics
from arena.web.api.registrations import Registrations
from arena.web.api.validation import Schemas
from arena.web.page_cache import PageCache

if TYPE_CHECKING:
    from arena.application import Referee
    from arena.identity.registry import Identity, Registry
    from arena.queries.queries import Queries
    from arena.web.streams.hands import Form
    from arena.web.streams.hub import Source, Streams


@dataclass(frozen=True, slots=True)
class Services:
    """What the views work with, built once for each app. monotonic: seconds; forms: in which a hand
    can be followed, by name, each for a query; page_sources: the pages that can be followed, by the
    parameter that names them, each for a request of a stream."""

    referee: Referee
    queries: Queries
    registry: Registry
    settings: Settings
    schemas: Schemas
    buckets: Buckets
    anonymous: Buckets
    addresses: Addresses
    registrations: Registrations
    unknown_tokens: Buckets
    monotonic: Callable[[], float]
    metrics: WebMetrics
    documents: Mapping[str, ServedDocument]
    exports: Exports
    pages: PageCache
    compression: Compression
    streams: Streams
    forms: Mapping[str, Callable[[Mapping[str, Any]], Form]]
    page_sources: Mapping[str, Callable[[Call], Source]]


@dataclass(slots=True)
class Call:
    """A request that has passed the pipeline: everything in it is checked.

    environ: as the server gave it, for conditions and codings of files; nothing in it is checked.
    address: where a registration comes from; empty for all other requests.
    """

    services: Services
    path: Mapping[str, str]
    query: Mapping[str, Any]
    body: dict[str, Any]
    who: Identity | None
    request_id: str
    environ: Mapping[str, Any]
    address: str = ""

    @property
    def referee(self) -> Referee:
        """The referee."""
        return self.services.referee

    @property
    def queries(self) -> Queries:
        """What may be asked of the arena."""
        return self.services.queries

    @property
    def staff(self) -> bool:
        """Does somebody of the staff call? They see what is withheld from others."""
        return self.who is not None and "view" in self.who.scopes

    @property
    def caller(self) -> str:
        """The id of the bot or organiser who calls; the pipeline has checked that there is one."""
        if self.who is None:
            raise LookupError("this endpoint is public: it has no caller")
        return self.who.id
