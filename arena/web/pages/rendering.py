"""How a page is rendered: templates, read once, and pages kept until what they show has changed."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping
from functools import cache
from typing import Any

import orjson
from jinja2 import Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup, escape

from arena.tournament.reporting.markup import printable
from arena.web.api.endpoints import Endpoint, Reply, View
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.assets import (
    ICON,
    INVITATION,
    LIVE,
    PARTS,
    RULES,
    SEAT,
    STYLESHEET,
    VIEWER,
)
from arena.web.pages.parts import with_version
from arena.web.pages.wording import statement_address

PARTS_A_PIECE = 100
"""Strings of a template after which its rendering may rest: a fraction of a millisecond."""
HTML = "text/html; charset=utf-8"
PAGE_COST = 4
"""Units that a page costs beyond the first: to render one takes several times as long."""


def page(
    call: Call,
    template: str,
    key: tuple[Hashable, ...],
    *,
    basis: object,
    values: Callable[[], Mapping[str, Any]],
) -> Reply:
    """A page that is rendered anew only if something on it has changed. key: which of those of one
    template; basis: what it shows."""

    def render() -> bytes:
        work = call.queries.long_work.queries.work()
        shown = values()
        work.pause()
        return with_version(render_template(template, shown, pause=work.pause))

    kept = call.services.pages.page((template, *key), basis, media=HTML, render=render)
    return Reply(kept.body, media=HTML, etag=kept.etag, credit=-PAGE_COST)


def render_template(
    name: str, values: Mapping[str, Any], *, pause: Callable[[], None] = lambda: None
) -> bytes:
    """A template with its values, all of them escaped. pause: is called between two pieces of the
    work."""
    written = []
    for number, part in enumerate(_template(name).generate(**values)):
        written.append(part)
        if number % PARTS_A_PIECE == 0:
            pause()
    return "".join(written).encode()


@cache
def _template(name: str) -> Template:
    """A template, read once for each process."""
    environment = Environment(
        loader=PackageLoader("arena.web.pages"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"printable": printable, "with_code": with_code}
    environment.globals |= {
        "statement_address": statement_address,
        "stylesheet": STYLESHEET.path,
        "icon": ICON.path,
        "viewer_script": VIEWER.path,
        "seat_script": SEAT.path,
        "invitation_script": INVITATION.path,
        "live_script": LIVE.path,
        "rules_script": RULES.path,
        "parts_script": PARTS.path,
    }
    return environment.get_template(name)


def with_code(text: str) -> Markup:
    """A text with what stands between backticks as code."""
    parts = re.split(r"`([^`]*)`", text)
    return Markup("").join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part)
        for number, part in enumerate(parts)
    )


def data_block(document: Mapping[str, Any]) -> Markup:
    """A document as what stands in a `<script type="application/json">`: no browser runs it, and
    no text in it ends the element."""
    return Markup(orjson.dumps(document).decode().replace("<", "\\u003c"))


def page_endpoint(
    path: str, view: View, *, query: tuple[Param, ...] = (), codes: tuple[Code, ...] = ()
) -> Endpoint:
    """The route of a page."""
    medias, further = ("text/html",), (304,)
    return Endpoint("GET", path, view, query=query, codes=codes, medias=medias, further=further)
