"""Flask with routes that are found at once and responses that are sent as they are.

Both are what a short request spends most of its time on in Flask. Figures below are CPU time of a
single answer, which is two requests (the poll and the answer) of about 390 us each; everything that
bought less than 3 % of it is Flask's own. `tests/web/test_frameworks.py` names each member that is
relied on. From Flask 3.2 on `full_dispatch_request` is given the context of the request before
anything else. This module may not know any endpoint, nor that there is a game.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from http import HTTPStatus
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from flask import Flask, Request, request
from werkzeug.exceptions import MethodNotAllowed, NotFound
from werkzeug.routing import BaseConverter, MapAdapter, Rule
from werkzeug.routing.exceptions import RoutingException

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment
    from flask.ctx import AppContext

STATUS_LINES: Mapping[int, str] = MappingProxyType(
    {status.value: f"{status.value} {status.phrase}" for status in HTTPStatus}
)
Match = tuple[Rule, Mapping[str, Any]]
ENDING = re.compile(r"([^<]*)/<(\w+):(\w+)>")


class Answer:
    """A response as it will be sent, in place of Flask's own class, which costs 14 us more each
    time (3.5 %) and has second thoughts on the body and its length.

    body: bytes, or pieces of bytes one by one; length: its bytes, None if they are not known, or
    there is no body at all.
    """

    __slots__ = ("body", "headers", "length", "status_code")

    def __init__(
        self, body: bytes | Iterable[bytes] | None, status_code: int, headers: list[tuple[str, str]]
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
        body = self.body
        if isinstance(body, bytes):
            return [] if environ["REQUEST_METHOD"] == "HEAD" else [body]
        if body is None or environ["REQUEST_METHOD"] == "HEAD":
            return EmptyBody(body)
        return body


class EmptyBody:
    """No body, in place of one that must be closed all the same."""

    def __init__(self, body: object) -> None:
        self._body = body

    def __iter__(self) -> Iterator[bytes]:
        return iter(())

    def close(self) -> None:
        """Close what is not sent."""
        close = getattr(self._body, "close", None)
        if close is not None:
            close()


class Ending(NamedTuple):
    """What a rule ends with: its only variable."""

    rule: Rule
    name: str
    converter: BaseConverter
    pattern: re.Pattern[str]


class FastFlask(Flask):
    """A Flask app whose routes depend on path and method alone, whose views make an `Answer`."""

    response_class = Answer  # type: ignore[assignment]

    def create_url_adapter(self, request: Request | None) -> None:
        """Nothing that would look for a route before `full_dispatch_request` does."""

    def full_dispatch_request(self, *_: AppContext) -> Any:
        """What the view of the request answers, or what is made of its error.

        Nobody is sent to another path: Flask would make a response of that, of its own class. Nor
        is there a look here for what there is not: signals, hooks before a view or of a blueprint,
        sessions, coroutines, values that are no responses. All that takes Flask 7 us more.
        """
        given = request._get_current_object()  # type: ignore[attr-defined]
        try:
            rule, values = given.url_rule, given.view_args = self._match(given.environ)
            response = self.view_functions[rule.endpoint](**values)
        except RoutingException:
            response = self.handle_user_exception(NotFound())
        except Exception as error:  # all of them: an error without a handler is raised again
            response = self.handle_user_exception(error)
        for hook in self.after_request_funcs[None]:
            response = hook(response)
        return response

    def do_teardown_request(self, *_: AppContext) -> None:  # type: ignore[override]
        """Nothing comes after a request; nor after its context. To look takes 3 us more."""

    do_teardown_appcontext = do_teardown_request  # type: ignore[assignment]

    def _match(self, environ: WSGIEnvironment) -> Match:
        """The rule for a request and the values of its variables, whatever host it names. Raises
        NotFound and MethodNotAllowed.

        Flask's own way takes 29 us more (7 %), and mends paths and methods that are taken literally
        here.
        """
        method: str = environ["REQUEST_METHOD"]
        path = environ.get("PATH_INFO", "").encode("latin-1").decode(errors="replace")
        if not path.startswith("/") or path.startswith("//"):
            raise NotFound  # Werkzeug would take it for a path with one slash, or redirect to it
        found = self._match_directly(method, path)
        if found is not None:
            return found
        routes = MapAdapter(self.url_map, "", "/", "", "http", path, method)
        if method == method.upper():
            return routes.match(return_rule=True)
        allowed = list(routes.allowed_methods())  # names of methods are case-sensitive
        raise MethodNotAllowed(allowed) if allowed else NotFound()

    def _match_directly(self, method: str, path: str) -> Match | None:
        """The rule for a path, if there is no need to search for it, which takes 13 us (3.3 %)."""
        plain = self._plain_rules.get((method, path))
        if plain is not None:
            return plain, {}
        stem, _, text = path.rpartition("/")
        ending = self._ending_rules.get((method, stem))
        if ending is None or not ending.pattern.fullmatch(text):
            return None
        return ending.rule, {ending.name: ending.converter.to_python(text)}

    @cached_property
    def _plain_rules(self) -> Mapping[tuple[str, str], Rule]:
        """The rules without variables, by method and path."""
        rules = (rule for rule in self.url_map.iter_rules() if not rule.arguments)
        return {(method, rule.rule): rule for rule in rules for method in rule.methods or ()}

    @cached_property
    def _ending_rules(self) -> Mapping[tuple[str, str], Ending]:
        """The rules whose only variable ends them, by method and what comes before; such as are
        alone with that."""
        by_place: dict[tuple[str, str], list[Ending]] = {}
        for rule in self.url_map.iter_rules():
            if parts := ENDING.fullmatch(rule.rule):
                stem, kind, name = parts.groups()
                converter = self.url_map.converters[kind](self.url_map)
                ending = Ending(rule, name, converter, re.compile(converter.regex))
                for method in rule.methods or ():
                    by_place.setdefault((method, stem), []).append(ending)
        return {place: endings[0] for place, endings in by_place.items() if len(endings) == 1}
