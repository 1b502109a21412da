"""The HTTP server of `arena serve`: gevent.pywsgi, stopped in order and with garbage in mind.

Answers leave without Nagle's delay; a stop releases those who wait and lets open requests end. What
happens on a connection is in `arena.web.connections`. This module may not know what the app does.
The process must have been patched (`arena.web.patching`) before anything else was imported.
"""

from __future__ import annotations

import gc
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import gevent
from gevent.event import Event
from gevent.pywsgi import WSGIServer

from arena.errors import BadInput
from arena.web.connections import ArenaHandler
from arena.web.files import raise_file_limit

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOG: Final = logging.getLogger("arena.web.server")
BACKLOG: Final = 1_024
COLLECT_AT: Final = (20_000, 20, 20)
"""Things made since the last collection; and how many small collections to a larger one."""
LOOK_S: Final = 0.01
SWITCH_S: Final = 2e-4
"""How soon a thread that computes beside the greenlets lets them have the interpreter. They give it
away at every system call; with Python's 5 ms they would be back ten times in a request at that."""
STOP_SIGNALS: Final = ("SIGTERM", "SIGINT", "SIGBREAK")


class ArenaServer(WSGIServer):
    """A listening server. busy: requests being answered. stopping: close after each answer."""

    handler_class = ArenaHandler

    def __init__(self, app: WSGIApplication, host: str, port: int) -> None:
        super().__init__(
            (host, port),
            app,
            backlog=BACKLOG,
            log=None,
            error_log=LOG,
            environ={
                "SERVER_NAME": host,
                "SCRIPT_NAME": "",
                "wsgi.multithread": True,
                "wsgi.input_terminated": True,
            },
        )
        self.busy = 0
        self.stopping = False

    def init_socket(self) -> None:
        """Bind, and switch Nagle's algorithm off: accepted connections inherit it."""
        super().init_socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


def serve(
    app: WSGIApplication,
    host: str,
    port: int,
    *,
    on_start: Callable[[], None],
    on_ready: Callable[[str], None],
    on_stop: Callable[[], None],
    drain_s: float,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then stop in order. Blocks.

    port: 0 for any free one. on_start: called when all else is made ready, right before it listens.
    on_ready: called with the URL when it listens. on_stop: must release everybody who waits; called
    after the listener is closed, before open requests are waited for, which takes at most drain_s.
    Raises BadInput if it cannot listen there.
    """
    server = ArenaServer(app, host, port)
    raise_file_limit()
    collect_rarely()
    sys.setswitchinterval(SWITCH_S)
    on_start()
    try:
        server.start()
    except OSError as error:
        told = f"an address that is free here ({error.strerror or error})"
        raise BadInput("address", f"{host}:{port}", told) from error
    stop = Event()
    for name in STOP_SIGNALS:
        if hasattr(signal, name):
            gevent.signal_handler(getattr(signal, name), stop.set)
    if not is_loopback(host):
        LOG.warning(
            "listening on %s, beyond this machine: tokens travel in the clear, so put a proxy "
            "with TLS in front of it",
            host,
        )
    try:
        on_ready(server.url)
        stop.wait()
    finally:
        stop_server(server, on_stop, drain_s=drain_s)


def collect_rarely() -> None:
    """Look for garbage in cycles less often: a server keeps most of what it makes, and by default
    would look through all of it again and again. What is there at the start is never looked at."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*COLLECT_AT)


def stop_server(server: ArenaServer, on_stop: Callable[[], None], *, drain_s: float) -> None:
    """Stop listening, release those who wait, let open requests end. Not in a signal callback."""
    server.stopping = True
    server.close()
    on_stop()
    for _ in range(round(drain_s / LOOK_S)):
        if not server.busy:
            return
        gevent.sleep(LOOK_S)


def is_loopback(host: str) -> bool:
    """Can only this machine reach an address?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
