"""The HTTP server of `arena serve`: gevent.pywsgi, stopped in order and with garbage in mind.

Answers leave without Nagle's delay; a stop releases those who wait and lets open requests end. What
happens on a connection is in `arena.web.server.connections`. This module may not know what the app
does. The process must have been patched (`arena.web.server.patching`) before anything else was
imported.
"""

from __future__ import annotations

import contextlib
import errno
import gc
import ipaddress
import logging
import signal
import socket
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import gevent
from gevent.event import Event
from gevent.pywsgi import WSGIServer

from arena.errors import BadInput
from arena.web.server.admission import Admission
from arena.web.server.connections import ArenaHandler
from arena.web.server.fairness import Lane, RateLimiter
from arena.web.server.file_limits import connection_ceiling, raise_file_limit
from arena.web.server.refusals import no_room, raw_response
from arena.web.server.tracebacks import tracebacks_in_log
from arena.web.throttled_log import ThrottledLog

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

LOG = logging.getLogger("arena.web.server")
BACKLOG = 1_024
GC_THRESHOLDS = (20_000, 20, 20)
"""Objects allocated since the last collection, and small collections to a larger one."""
ACCEPTED_AT_ONCE = 1
"""Connections accepted in one turn of the loop. An answer takes several turns until it is committed
and those who wait are notified, and newcomers delay it in each of them."""
MOST_UNSENT_BYTES = 131_072
"""Bytes of an answer that the system takes before the first of them have left."""
REFUSED_AT_ONCE = 32
"""Excess connections that are answered; each takes a descriptor until its client has read it."""
REFUSAL_TIMEOUT_S = 1.0
"""And how long that may take."""
OUT_OF_FILES = frozenset({errno.EMFILE, errno.ENFILE, errno.ENOBUFS, errno.ENOMEM})
PIECE = 16_384
ACCEPT_PAUSE_S = 0.25
"""How long nobody is accepted when there were no descriptors left."""
DRAIN_POLL_S = 0.01
SWITCH_S = 2e-4
"""How soon a thread that computes beside the greenlets lets them have the interpreter. They give it
away at every system call; with Python's 5 ms they would be back ten times in a request at that."""
REFUSALS_PER_S = 100
"""How many answers 401 and 429 leave in a second, all callers together: nothing is charged for
them, and each costs a third of a millisecond."""
REFUSALS_BURST = 100
LONGEST_REFUSAL_S = 5.0
"""And how long one of them may be kept back."""
STOP_SIGNALS = ("SIGTERM", "SIGINT", "SIGBREAK")


class ArenaServer(WSGIServer):
    """A listening server.

    busy: requests being answered. stopping: close after each answer. lane: where those wait who may
    be kept waiting. refusals: limits the rate of answers 401 and 429. throttled_log: for what
    clients can cause as often as they like.
    """

    handler_class = ArenaHandler
    max_accept = ACCEPTED_AT_ONCE

    def __init__(
        self, app: WSGIApplication, host: str, port: int, *, admission: Admission | None = None
    ) -> None:
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
        self.lane = Lane()
        self.refusals = RateLimiter(
            REFUSALS_PER_S, burst=REFUSALS_BURST, longest_s=LONGEST_REFUSAL_S
        )
        self.throttled_log = ThrottledLog(LOG)
        self.admission = admission or Admission(connection_ceiling(0))
        self._refused = 0

    def init_socket(self) -> None:
        """Bind, and switch Nagle's algorithm off: accepted connections inherit it.

        So they do a limit of what waits unsent in the system: without one a client that never reads
        has megabytes copied for it.
        """
        super().init_socket()
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_NOTSENT_LOWAT"):
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NOTSENT_LOWAT, MOST_UNSENT_BYTES)

    def do_read(self) -> Any:
        """Accept a connection. Without a descriptor for it nobody is accepted for a moment."""
        try:
            return super().do_read()
        except OSError as error:
            if self.is_fatal_error(error):
                raise
            if error.errno in OUT_OF_FILES:
                self._pause_accepting(error)
            return None

    def _pause_accepting(self, error: OSError) -> None:
        self.throttled_log.log(
            logging.ERROR,
            "no files",
            "no connection can be accepted: %s (%d are open)",
            error.strerror,
            self.admission.inside,
        )
        self.stop_accepting()
        gevent.spawn_later(ACCEPT_PAUSE_S, self._resume_accepting)

    def _resume_accepting(self) -> None:
        if self.started:
            self.start_accepting()

    def do_handle(self, *args: Any) -> None:
        """Let a connection in, or say why not."""
        reason = self.admission.enter(args[1][0])
        if reason is None:
            super().do_handle(*args)
            return
        self.throttled_log.log(
            logging.WARNING,
            "no room",
            "a connection is refused: %s (%d are open)",
            reason,
            self.admission.inside,
        )
        if self._refused < REFUSED_AT_ONCE:
            self._refused += 1
            gevent.spawn(self._send_refusal, args[0], reason)
        else:
            args[0].close()

    def do_close(self, *args: Any) -> None:
        """A connection that was let in has ended."""
        self.admission.leave(args[1][0])
        super().do_close(*args)

    def _send_refusal(self, sock: Any, reason: str) -> None:
        """Answer before anything was asked, and hang up when the client has read it."""
        try:
            with contextlib.suppress(OSError), gevent.Timeout(REFUSAL_TIMEOUT_S, TimeoutError):
                sock.sendall(raw_response(no_room(reason)))
                sock.shutdown(socket.SHUT_WR)
                while sock.recv(PIECE):
                    continue
        finally:
            self._refused -= 1
            sock.close()

    @property
    def url(self) -> str:
        """Where it listens."""
        host, port = self.socket.getsockname()[:2]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"


@tracebacks_in_log()
def serve(
    app: WSGIApplication,
    host: str,
    port: int,
    *,
    on_start: Callable[[], None],
    on_ready: Callable[[str], None],
    on_stop: Callable[[], None],
    drain_s: float,
    max_connections: int = 0,
    max_connections_per_address: int = 0,
) -> None:
    """Serve until SIGTERM or Ctrl-C, then stop in order. Blocks.

    port: 0 for any free one. on_start: called when all else is ready, right before it listens.
    on_ready: called with the URL when it listens. on_stop: must release everybody who waits; called
    after the listener is closed, before open requests are waited for, which takes at most drain_s.
    max_connections: at a time; 0 for as many as the limit of open files allows; per address 0 for
    no limit. Raises BadInput if it cannot listen there, or cannot have that many connections.
    """
    raise_file_limit()
    admission = Admission(connection_ceiling(max_connections), max_connections_per_address)
    server = ArenaServer(app, host, port, admission=admission)
    tune_garbage_collection()
    sys.setswitchinterval(SWITCH_S)
    on_start()
    try:
        server.start()
    except OSError as error:
        expected = f"an address that is free here ({error.strerror or error})"
        raise BadInput("address", f"{host}:{port}", expected) from error
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


def tune_garbage_collection() -> None:
    """Collect cyclic garbage less often: a server keeps most of what it allocates, and by default
    all of it would be searched again and again. What exists at the start is never searched."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def stop_server(server: ArenaServer, on_stop: Callable[[], None], *, drain_s: float) -> None:
    """Stop listening, release those who wait, let open requests end. Not in a signal callback."""
    server.stopping = True
    server.close()
    server.refusals.release()
    on_stop()
    for _ in range(round(drain_s / DRAIN_POLL_S)):
        if not server.busy:
            return
        gevent.sleep(DRAIN_POLL_S)


def is_loopback(host: str) -> bool:
    """Can only this machine reach an address?"""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
