"""What is relied on of Flask, Werkzeug and gevent: every member that is overridden or used beyond
what their manuals promise. When a new version of one of them fails here, the line says what to look
at before the bound in pyproject.toml is raised."""

from __future__ import annotations

import errno
import inspect
import tomllib
from importlib.metadata import version
from pathlib import Path
from typing import Any, NamedTuple

import gevent
import pytest
from flask import Flask, Request
from gevent.baseserver import BaseServer
from gevent.hub import Hub, Waiter
from gevent.pywsgi import WSGIHandler, WSGIServer
from gevent.server import StreamServer
from packaging.requirements import Requirement
from werkzeug.exceptions import HTTPException
from werkzeug.local import LocalProxy
from werkzeug.routing import BaseConverter, Map, MapAdapter, RequestRedirect, Rule
from werkzeug.routing.exceptions import RoutingException

from arena.web.api.fast_flask import FastFlask
from arena.web.server.connections import ArenaHandler
from arena.web.server.http_server import ArenaServer

ROUTED = "url_scheme path_info default_method query_args"
CTX = "From Flask 3.2 on the context of the request comes first."


class Member(NamedTuple):
    """owner: a class. name: of its member. signatures: the names of the parameters, as they may
    be; none for a member that is no function. why: what we do with it."""

    owner: type
    name: str
    signatures: tuple[str, ...]
    why: str


MEMBERS = (
    Member(
        Flask,
        "create_url_adapter",
        ("self request",),
        "overridden: finds nothing",
    ),
    Member(Flask, "full_dispatch_request", ("self", "self ctx"), f"overridden. {CTX}"),
    Member(Flask, "do_teardown_request", ("self exc", "self ctx exc"), f"overridden. {CTX}"),
    Member(Flask, "do_teardown_appcontext", ("self exc", "self ctx exc"), f"overridden. {CTX}"),
    Member(Flask, "handle_user_exception", ("self e", "self ctx e"), "called"),
    Member(Request, "url_rule", (), "set by `full_dispatch_request`"),
    Member(Request, "view_args", (), "set by `full_dispatch_request`"),
    Member(LocalProxy, "_get_current_object", (), "called on `flask.request`"),
    Member(Flask, "wsgi_app", ("self environ start_response",), "wrapped by `RequestIdMiddleware`"),
    Member(Flask, "response_class", (), "replaced by a class that is none of Flask's"),
    Member(
        MapAdapter,
        "__init__",
        (f"self map server_name script_name subdomain {ROUTED}",),
        "called with seven of them by position",
    ),
    Member(
        MapAdapter,
        "match",
        ("self path_info method return_rule query_args websocket",),
        "called",
    ),
    Member(MapAdapter, "allowed_methods", ("self path_info",), "called"),
    Member(Map, "iter_rules", ("self endpoint",), "called"),
    Member(Map, "default_converters", (), "its kinds are looked up in `converters`"),
    Member(BaseConverter, "__init__", ("self map args kwargs",), "called"),
    Member(BaseConverter, "to_python", ("self value",), "called"),
    Member(BaseConverter, "regex", (), "read, and replaced in converters of ours"),
    Member(WSGIHandler, "__init__", ("self sock address server rfile",), "extended"),
    Member(WSGIHandler, "read_requestline", ("self",), "overridden"),
    Member(WSGIHandler, "read_request", ("self raw_requestline",), "overridden"),
    Member(WSGIHandler, "handle_one_request", ("self",), "overridden; True, or None for the end"),
    Member(WSGIHandler, "get_environ", ("self",), "overridden"),
    Member(WSGIHandler, "log_request", ("self",), "overridden: the app has a log"),
    Member(WSGIHandler, "handle_one_response", ("self",), "extended"),
    Member(WSGIHandler, "start_response", ("self status headers exc_info",), "extended"),
    Member(WSGIHandler, "finalize_headers", ("self",), "extended: no last chunk after a HEAD"),
    Member(WSGIHandler, "response_use_chunked", (), "set"),
    Member(WSGIHandler, "_write_with_headers", ("self data",), "extended: one write"),
    Member(WSGIHandler, "write", ("self data",), "called"),
    Member(WSGIHandler, "_sendall", ("self data",), "overridden"),
    Member(WSGIHandler, "handle", ("self",), "extended: what watches its socket is closed"),
    Member(WSGIHandler, "handle_error", ("self t v tb",), "overridden: faults go to the log"),
    Member(WSGIHandler, "ignored_socket_errors", (), "EPIPE is how an answer is given up"),
    Member(WSGIHandler, "close_connection", (), "set"),
    Member(WSGIHandler, "response_length", (), "counted"),
    Member(WSGIHandler, "result", (), "set"),
    Member(WSGIHandler, "wsgi_input", (), "set; its `_discard` is called after each response"),
    Member(WSGIHandler, "environ", (), "set"),
    Member(WSGIHandler, "application", (), "set"),
    Member(WSGIHandler, "command", (), "set"),
    Member(WSGIHandler, "path", (), "set"),
    Member(WSGIHandler, "request_version", (), "set"),
    Member(WSGIHandler, "content_length", (), "set"),
    Member(
        WSGIServer,
        "__init__",
        ("self listener application backlog spawn log error_log handler_class environ ssl_args",),
        "extended",
    ),
    Member(WSGIServer, "get_environ", ("self",), "called for each request"),
    Member(WSGIServer, "handle", ("self sock address",), "makes a handler for each connection"),
    Member(WSGIServer, "init_socket", ("self",), "extended"),
    Member(WSGIServer, "handler_class", (), "replaced"),
    Member(StreamServer, "do_read", ("self",), "extended; accepts, None for nobody"),
    Member(StreamServer, "do_close", ("self sock args",), "extended; gets socket and address"),
    Member(BaseServer, "do_handle", ("self args",), "extended; gets socket and address"),
    Member(BaseServer, "max_accept", (), "replaced"),
    Member(BaseServer, "start_accepting", ("self",), "called"),
    Member(BaseServer, "stop_accepting", ("self",), "called"),
    Member(BaseServer, "started", (), "read"),
    Member(BaseServer, "is_fatal_error", ("self ex",), "called"),
    Member(Hub, "print_exception", ("self context t v tb",), "replaced on the instance"),
    Member(Hub, "handle_error", ("self context type value tb",), "calls `print_exception`"),
    Member(gevent.Greenlet, "_run", (), "read for its name"),
    Member(Waiter, "switch", (), "called from the loop"),
    Member(Waiter, "get", (), "called"),
)

OURS = (
    (FastFlask, Flask),
    (ArenaHandler, WSGIHandler),
    (ArenaServer, WSGIServer),
)
OF_EVERY_CLASS = frozenset(vars(type("Any", (), {"__slots__": (), "__annotations__": {}}))) | {
    "__dict__",
    "__weakref__",
}


def parameters(function: Any) -> str:
    return " ".join(inspect.signature(inspect.unwrap(function)).parameters)


@pytest.mark.parametrize("member", MEMBERS, ids=lambda m: f"{m.owner.__name__}.{m.name}")
def test_a_member_that_is_relied_on_is_there_as_it_was(member: Member) -> None:
    name = f"{member.owner.__module__}.{member.owner.__name__}.{member.name}"
    known = hasattr(member.owner, member.name)
    known = known or member.name in getattr(member.owner, "__annotations__", {})
    assert known, f"{name} is gone; it is {member.why}"
    if not member.signatures:
        return
    found = parameters(inspect.getattr_static(member.owner, member.name))
    assert found in member.signatures, (
        f"{name} takes ({found}), not ({') or ('.join(member.signatures)}); it is {member.why}"
    )


@pytest.mark.parametrize(("own", "base"), OURS)
def test_whatever_is_overridden_is_in_the_table(own: type, base: type) -> None:
    named = {m.name for m in MEMBERS if issubclass(base, m.owner)}
    overridden = {name for name in vars(own) if hasattr(base, name)} - OF_EVERY_CLASS
    assert overridden - named == set(), f"{own.__name__} overrides what the table does not name"


def test_objects_have_the_attributes_that_are_read() -> None:
    app = FastFlask("app", static_folder=None)
    app.add_url_rule("/x/<int:number>", "x", lambda number: "")
    [rule] = app.url_map.iter_rules()
    assert (rule.rule, rule.endpoint, rule.arguments) == ("/x/<int:number>", "x", {"number"})
    assert "GET" in (rule.methods or ())
    assert app.after_request_funcs[None] == []
    assert issubclass(app.url_map.converters["int"], BaseConverter)
    assert isinstance(rule, Rule)
    assert errno.EPIPE in WSGIHandler.ignored_socket_errors
    assert issubclass(RequestRedirect, RoutingException)
    assert issubclass(RequestRedirect, HTTPException)


def test_every_dependency_has_both_bounds_and_what_is_installed_lies_between() -> None:
    """The development version of Flask, for one, is let in on purpose: then this is the test."""
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())["project"]
    found = [Requirement(line) for line in project["dependencies"]]
    assert {"flask", "werkzeug", "gevent", "jsonschema", "jsonschema-rs", "orjson"} <= {
        each.name for each in found
    }
    for each in found:
        operators = {bound.operator for bound in each.specifier}
        assert operators == {">=", "<"}, f"{each.name} needs a lower and an upper bound"
        installed = version(each.name)
        assert each.specifier.contains(installed, prereleases=True), (each.name, installed)
