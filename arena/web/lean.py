"""Flask without what nobody here asks of it: sessions, hosts, hooks, second thoughts on a response.

Each of these costs some microseconds of every request, together more than half of what Flask does.
They are left out by overriding what Flask documents for that. This module may not know any
endpoint, nor that there is a game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, Request
from flask.sessions import NullSession, SessionInterface, SessionMixin
from werkzeug.exceptions import NotFound
from werkzeug.routing import Map, MapAdapter, Rule

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

STATUS_LINES: Final[Mapping[int, str]] = MappingProxyType(
    {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
)


class Answer:
    """A response as it will be sent, in place of Flask's own class.

    body: bytes, or texts one by one; length: its bytes, None if they are not known.
    """

    __slots__ = ("body", "headers", "length", "status_code")

    def __init__(
        self, body: bytes | Iterable[str], status_code: int, headers: list[tuple[str, str]]
    ) -> None:
        self.body = body
        self.status_code = status_code
        self.headers = headers
        self.length = len(body) if isinstance(body, bytes) else None

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Send it: a response is a WSGI app."""
        headers = self.headers
        if self.length is not None:
            headers = [*headers, ("Content-Length", str(self.length))]
        start(STATUS_LINES[self.status_code], headers)
        if environ["REQUEST_METHOD"] == "HEAD":
            return []
        body = self.body
        return [body] if isinstance(body, bytes) else (text.encode() for text in body)


class NoSessions(SessionInterface):
    """There are no cookies: every request has the same empty session, which cannot be written."""

    def __init__(self) -> None:
        self._none = NullSession()

    def open_session(self, app: Flask, request: Request) -> SessionMixin:
        return self._none


class Found(MapAdapter):
    """The routes for a request whose rule is known already."""

    def __init__(self, routes: Map, rule: Rule) -> None:
        super().__init__(routes, "", "/", "", "http", rule.rule, "")
        self._rule = rule

    def match(self, *_: Any, **__: Any) -> Any:
        """The rule and its variables, of which it has none."""
        return self._rule, {}


class LeanFlask(Flask):
    """A Flask app whose routes depend on path and method alone, and whose views are plain functions
    that make an `Answer`. Of all hooks it has only `after_request`, and that for the whole app."""

    response_class = Answer  # type: ignore[assignment]
    session_interface = NoSessions()

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """The routes for a request, whatever host it names."""
        if request is None:
            return None
        path = request.environ.get("PATH_INFO", "").encode("latin-1").decode(errors="replace")
        if path.startswith("//"):  # Werkzeug would take it for one slash
            raise NotFound
        rule = self._plain_rules.get((request.method, path))
        if rule is not None:
            return Found(self.url_map, rule)
        return MapAdapter(self.url_map, "", "/", "", "http", path, request.method)

    @cached_property
    def _plain_rules(self) -> Mapping[tuple[str, str], Rule]:
        """The rules without variables, by method and path: no need to search for these."""
        rules = (rule for rule in self.url_map.iter_rules() if not rule.arguments)
        return {(method, rule.rule): rule for rule in rules for method in rule.methods or ()}

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Views and hooks are functions, never coroutines."""
        return func

    def preprocess_request(self) -> None:
        """Nothing comes before a view."""

    def process_response(self, response: Any) -> Any:
        """Show a response to the hooks, those first that were added last."""
        for look in reversed(self.after_request_funcs[None]):
            response = look(response)
        return response

    def do_teardown_request(self, exc: BaseException | None = None) -> None:
        """Nothing comes after a request."""

    def do_teardown_appcontext(self, exc: BaseException | None = None) -> None:
        """Nor after that."""
