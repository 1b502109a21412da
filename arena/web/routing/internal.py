"""The app for the other referees: behind a secret, and with what the first one knows of a client.

No client may reach it. What comes here was passed on, and says by whom and for which client; the
outer app never reads those fields. This module may not know who is home of anything.
"""

from __future__ import annotations

import hmac
import threading
from collections.abc import Iterable, Iterator
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import orjson

from arena import __version__
from arena.cluster.peers import CURSOR, HELLO
from arena.referee.bell import Bell
from arena.settings import REFEREE_NAME
from arena.web.api.middleware import HOP
from arena.web.api.problems import Code, Problem
from arena.web.routing.arrived import PART, Arrived, may_wait, on_hang_up
from arena.web.routing.cursors import MergedCursors
from arena.web.routing.homes import Homes
from arena.web.routing.paths import NOTHING
from arena.web.routing.sending_back import Refusals, send

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

SECRET = "HTTP_ARENA_CLUSTER_SECRET"
FROM = "HTTP_ARENA_HOP"
OF_SEVERAL = "HTTP_ARENA_PART"
FORWARDED = "HTTP_X_FORWARDED_FOR"


class InternalApp:
    """A WSGI app around the routed one, for requests of other referees."""

    def __init__(
        self, app: WSGIApplication, cluster: Homes, bell: Bell, cursors: MergedCursors
    ) -> None:
        self._app = app
        self._cluster = cluster
        self._cursors = cursors
        self._bell = bell
        self._refusals = Refusals()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer a referee that knows the secret; nobody else is told anything."""
        request = Arrived(environ, start, NOTHING, address=lambda _: "")
        if not self._is_peer(environ):
            return self._refusals.answer(request, Problem(Code.FORBIDDEN, "This is not for you."))
        if environ.get("PATH_INFO") == HELLO:
            told = {"name": self._cluster.name, "version": __version__}
            return send(request, orjson.dumps(told))
        if environ.get("PATH_INFO") == CURSOR:
            return self._cursor(request)
        _arrive(environ)
        return self._watched(environ, start)

    def _cursor(self, request: Arrived) -> Iterable[bytes]:
        """What a number stands for that this referee gave a bot for cursors of several homes."""
        named = parse_qs(request.query)
        try:
            cursors = self._cursors.known(named["bot"][0], int(named["cursor"][0]))
        except (KeyError, ValueError):
            problem = Problem(Code.BAD_REQUEST, "A bot and a cursor are expected.")
            return self._refusals.answer(request, problem)
        return send(request, orjson.dumps(dict(cursors)))

    def _is_peer(self, environ: WSGIEnvironment) -> bool:
        expected = self._cluster.secret
        shown = str(environ.pop(SECRET, ""))
        return bool(expected) and hmac.compare_digest(shown.encode(), expected.encode())

    def _watched(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """The answer of the app, which waits no longer when the other referee hangs up."""
        if not may_wait(environ):
            return self._app(environ, start)
        thread = threading.get_ident()
        end = on_hang_up(environ, lambda: self._bell.bar_thread(thread))
        try:
            body = self._app(environ, start)
        finally:
            end()
            self._bell.admit_thread(thread)
        return WatchedStream(environ, body) if hasattr(body, "hang_up") else body


class WatchedStream:
    """A stream that ends when the other referee hangs up, also while there is nothing to send."""

    def __init__(self, environ: WSGIEnvironment, body: Any) -> None:
        self._body = body
        self._pieces = iter(body)
        self._end = on_hang_up(environ, body.hang_up)

    def __iter__(self) -> Iterator[bytes]:
        return self

    def __next__(self) -> bytes:
        """The next piece."""
        piece: bytes = next(self._pieces)
        return piece

    def close(self) -> None:
        """Close the stream."""
        self._end()
        self._body.close()


def _arrive(environ: WSGIEnvironment) -> None:
    """Let a request be as it was where it arrived first."""
    name = str(environ.pop(FROM, ""))
    environ[HOP] = name if REFEREE_NAME.fullmatch(name) else "unknown"
    if environ.pop(OF_SEVERAL, None) is not None:
        environ[PART] = True
    try:
        environ["REMOTE_ADDR"] = str(ip_address(environ.pop(FORWARDED, "")))
    except ValueError:
        environ["REMOTE_ADDR"] = ""
