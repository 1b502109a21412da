"""The referee over HTTP: the arena's own app, on a free port of this machine, in threads.

A thread for each connection, for there is one bot. Connections are kept open as the arena keeps
them. It may not know what is asked.
"""

from __future__ import annotations

import logging
import socket
import threading
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wsgi import ClosingIterator

from arena.asking.referee import SETTINGS, AskingReferee
from arena.errors import Unavailable
from arena.web.app import create_app

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

HOST = "127.0.0.1"
LOG = logging.getLogger("arena.web")
LOG_FILE = "referee.log"


class QuietHandler(WSGIRequestHandler):
    """A connection: kept open, without a log, and without Nagle's delay."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1

    def log(self, *_: Any) -> None:
        """Nothing: what a bot asks is no news."""


def _noticing(app: WSGIApplication, referee: AskingReferee) -> WSGIApplication:
    """The app, which tells the referee when somebody has read that its session is over."""
    path = f"/api/v1/sessions/{referee.session}"

    def notice(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        answer = app(environ, start_response)
        if referee.finished and environ["PATH_INFO"] == path:
            return ClosingIterator(answer, referee.told.set)
        return answer

    return notice


@contextmanager
def served(referee: AskingReferee, folder: Path, port: int = 0) -> Iterator[str]:
    """Serve a referee meanwhile; the address. folder: for the log; port: 0 for a free one.

    Raises `Unavailable` where the port is taken.
    """
    app = _noticing(create_app(referee, SETTINGS), referee)
    try:
        listening = socket.create_server((HOST, port))
    except OSError as error:
        detail = f"port {port} of {HOST} cannot be used ({error.strerror})"
        raise Unavailable(detail) from error
    with listening:
        server = make_server(
            HOST,
            listening.getsockname()[1],
            app,
            threaded=True,
            request_handler=QuietHandler,
            fd=listening.fileno(),
        )
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    log = logging.FileHandler(folder / LOG_FILE, delay=True)
    LOG.addHandler(log)
    try:
        yield f"http://{HOST}:{server.port}"
    finally:
        referee.stop()
        server.shutdown()
        server.server_close()
        thread.join()
        LOG.removeHandler(log)
        log.close()
