"""A whole server process: store, referee, app and server, from one Settings value.

Called by `python -m arena.web` and by `arena serve`; both patch the process first.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import replace

from arena import CORE, __version__
from arena.application import Referee
from arena.errors import ArenaError, BadInput
from arena.identity.casual import HouseBot, house_bots
from arena.identity.signing import open_signer
from arena.organising.integrity import check_at_start
from arena.settings import Settings
from arena.store import Store, open_store
from arena.web.app import create_app
from arena.web.house_bots import HouseProgram
from arena.web.pages.kit import kit_files
from arena.web.routing.router import Router
from arena.web.server.file_limits import connection_ceiling, raise_file_limit
from arena.web.server.http_server import serve

HOUSE_LOCK = "house bots"
"""The lock of whoever runs the program of the house bots; no name of a referee has a space."""
LOG = logging.getLogger("arena.web")


def run(settings: Settings, *, on_ready: Callable[[str, Referee], None]) -> None:
    """Open the store, resume what was being played, serve until stopped. Blocks.

    on_ready: called with the URL and the referee once requests are taken. Raises Damaged for a
    database that is, before anything is changed in it, and BadInput for a core that is not there
    and for a signing key that is not this arena's.
    """
    if CORE.expected:
        raise BadInput("ARENA_CORE", CORE.wanted, CORE.expected)
    check_at_start(settings.database, settings.database_check)
    kit_files()
    store = open_store(settings.database, verify_log=False)  # checked already, or not to be
    LOG.log(logging.WARNING if CORE.unused else logging.INFO, "arena %s, %s", __version__, CORE)
    try:
        signer = open_signer(store, settings.database, given=settings.signing_key)
    except ArenaError:
        store.close()
        raise
    referee = Referee(store, settings=settings, paced=True, signer=signer)
    house = _house_program(referee, store) if settings.house_bots else None
    cluster, router = referee.cluster, None

    def ready(url: str) -> None:
        on_ready(url, referee)
        if house is not None:
            house.start(url)

    def start() -> None:
        if router is not None and cluster is not None:
            cluster.listen(router.listen(), router.check)  # others are told where when it joins
        referee.start()  # not sooner: from then on the bots' clocks go

    def stop() -> None:
        if house is not None:
            house.stop()
        referee.stop()  # before the router: what it hands over, others learn of a moment later
        if router is not None:
            router.stop(drain_s=settings.drain_s)

    try:
        roomy = _with_room(settings)
        app = create_app(referee, roomy)
        router = None if cluster is None else Router(app, cluster, referee.bell, roomy)
        serve(
            app if router is None else router.app,
            settings.host,
            settings.port,
            on_start=start,
            on_ready=ready,
            on_stop=stop,
            drain_s=settings.drain_s,
            max_connections=settings.max_connections,
            max_connections_per_address=settings.max_connections_per_address,
        )
    finally:
        stop()
        store.close()


def _house_program(referee: Referee, store: Store) -> HouseProgram:
    """The program of the house bots; of referees that share a database one runs it."""

    def bots() -> list[HouseBot]:
        return house_bots(referee.registry, store)

    if not store.shared:
        return HouseProgram(bots)
    locks = store.name_locks()
    return HouseProgram(bots, is_ours=lambda: locks.take(HOUSE_LOCK), on_stop=locks.close)


def _with_room(settings: Settings) -> Settings:
    """The settings, with streams for at most half of the connections: the others are for bots."""
    raise_file_limit()
    room = connection_ceiling(settings.max_connections) // 2
    return replace(settings, streams=min(settings.streams, room))
