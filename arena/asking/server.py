"""The desk over HTTP: the arena's own app, on a free port of this machine, in threads.

A thread for each connection, for there is one bot. Connections are kept open as the arena keeps
them. It may not know what is asked.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from werkzeug.serving import WSGIRequestHandler, make_server

from arena.asking.desk import SETTINGS, Desk
from arena.web.app import create_app

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


@contextmanager
def served(desk: Desk, folder: Path) -> Iterator[str]:
    """Serve a desk meanwhile; the address. folder: for the log."""
    server = make_server(
        HOST, 0, create_app(desk, SETTINGS), threaded=True, request_handler=QuietHandler
    )
    thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
    thread.start()
    log = logging.FileHandler(folder / LOG_FILE, delay=True)
    LOG.addHandler(log)
    try:
        yield f"http://{HOST}:{server.port}"
    finally:
        desk.stop()
        server.shutdown()
        server.server_close()
        thread.join()
        LOG.removeHandler(log)
        log.close()
