"""The router of one process, put together: the outer app, and the server for the other referees."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

import gevent
from flask import Flask

from arena.cluster.peers import Peers, PeerUnreachable
from arena.errors import BadInput, Unavailable
from arena.referee.bell import Bell
from arena.settings import Settings
from arena.web.api.services import Services
from arena.web.routing.asking import HomeInquiry
from arena.web.routing.cursors import MergedCursors
from arena.web.routing.homes import Homes
from arena.web.routing.hop_metrics import HopMetrics
from arena.web.routing.internal import InternalApp
from arena.web.routing.merging import Merging
from arena.web.routing.passing import Passing
from arena.web.routing.routed_app import RoutedApp
from arena.web.server.admission import Admission
from arena.web.server.connections import ArenaHandler
from arena.web.server.file_limits import connection_ceiling
from arena.web.server.heads import OF_CLIENTS, HeadLimits
from arena.web.server.http_server import DRAIN_POLL_S, ArenaServer

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOG = logging.getLogger("arena.web.routing")
EVERYWHERE = ("0.0.0.0", "::", "")


class PeerHandler(ArenaHandler):
    """A connection of another referee, over which requests of many clients come, each with a head
    that is longer than its client's by what that referee says of it."""

    most_parsed_heads = 64
    head_limits = HeadLimits(OF_CLIENTS.size + 4_096, OF_CLIENTS.fields + 16)


class Router:
    """Passes requests on, and takes those that others pass on. app: for clients; internal: for
    referees."""

    def __init__(self, app: Flask, cluster: Homes, bell: Bell, settings: Settings) -> None:
        services: Services = app.extensions["arena"]
        self._settings = settings
        self._cluster = cluster
        self._peers = Peers(cluster.address, lambda: cluster.secret, cluster.name)
        cluster.on_death = self._peers.hang_up
        passing = Passing(
            self._peers,
            bell,
            HopMetrics(services.metrics.registry),
            on_failure=cluster.unreachable,
            longest_wait_s=settings.max_wait_ms / 1000,
        )
        cursors = MergedCursors(lambda: cluster.mark)
        asking = HomeInquiry(app, lambda: cluster.name, passing)
        self.app: WSGIApplication = RoutedApp(
            app,
            cluster,
            passing=passing,
            merging=Merging(cluster, asking, passing, cursors, settings, services.schemas),
            registry=services.registry,
            settings=settings,
        )
        self.internal: WSGIApplication = InternalApp(self.app, cluster, bell, cursors)
        self._server: ArenaServer | None = None

    def listen(self) -> str:
        """Listen for the other referees; the address at which they reach this one. Raises BadInput
        if it cannot, or if that address is not known."""
        host, port = self._settings.cluster_host, self._settings.cluster_port
        if host in EVERYWHERE and not self._settings.cluster_address:
            expected = f"where other referees reach this one, since cluster_host is {host!r}"
            raise BadInput("cluster_address", "", expected)
        server = ArenaServer(self.internal, host, port, admission=Admission(connection_ceiling(0)))
        server.handler_class = PeerHandler
        server.refusals.release()  # they are kept back where their client is
        try:
            server.start()
        except OSError as error:
            expected = f"an address that is free here ({error.strerror or error})"
            raise BadInput("cluster_host", f"{host}:{port}", expected) from error
        self._server = server
        address = self._settings.cluster_address or server.url
        LOG.info("listening for other referees on %s, known to them as %s", server.url, address)
        return address

    def check(self, address: str) -> None:
        """Try whether this referee answers at an address. Raises Unavailable, BadInput."""
        try:
            name = self._peers.hello(address)
        except PeerUnreachable as error:
            raise Unavailable(error.reason) from error
        if name != self._cluster.name:
            raise Unavailable(f"the referee {name!r} answers there")

    def stop(self, *, drain_s: float) -> None:
        """Take nothing more from other referees, and let open requests end; twice is harmless."""
        server, self._server = self._server, None
        if server is not None:
            server.stopping = True
            server.close()
            for _ in range(round(drain_s / DRAIN_POLL_S)):
                if not server.busy:
                    break
                gevent.sleep(DRAIN_POLL_S)
        self._peers.close()
