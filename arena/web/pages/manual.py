"""The manual on a running arena: the same pages as in the repository, of the same version."""

from __future__ import annotations

from functools import cache

from markupsafe import Markup

from arena.manual import FIRST_PAGES, ManualPage, manual_page, pages_by_kind
from arena.manual.rendering import manual_html
from arena.web.api.documents import MARKDOWN, ServedDocument, document_of
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.negotiation import prefers
from arena.web.api.problems import Code
from arena.web.api.services import Call
from arena.web.pages.rendering import HTML, PAGE_COST, page_endpoint, render_template

SUFFIX = ".md"


def manual_index(call: Call) -> Reply:
    """List the pages of the manual."""
    return _reply(_index())


def manual_topic(call: Call) -> Reply:
    """Read a page of the manual; as Markdown with `.md` behind its name, or by `Accept`."""
    topic = call.path["topic"]
    if topic.endswith(SUFFIX):
        return _reply(_markdown(manual_page(topic.removesuffix(SUFFIX))))
    plain = prefers(call.environ.get("HTTP_ACCEPT", ""), MARKDOWN, "text/html")
    reply = _reply((_markdown if plain else _page)(manual_page(topic)))
    reply.headers = {"Vary": "Accept"}
    return reply


def _reply(document: ServedDocument) -> Reply:
    return Reply(document.body, media=document.media, etag=document.etag, credit=-PAGE_COST)


@cache
def _index() -> ServedDocument:
    values = {"kinds": pages_by_kind(), "first": FIRST_PAGES}
    return document_of(render_template("manual.html", values), HTML)


@cache
def _page(page: ManualPage) -> ServedDocument:
    body = manual_html(page.text, lambda topic: f"/manual/{topic}", schemas="/schemas")
    values = {"page": page, "body": Markup(body)}
    return document_of(render_template("manual_page.html", values), HTML)


@cache
def _markdown(page: ManualPage) -> ServedDocument:
    return document_of(page.text.encode(), f"{MARKDOWN}; charset=utf-8")


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of the manual."""
    return (
        page_endpoint("/manual", manual_index),
        Endpoint(
            "GET",
            "/manual/{topic}",
            manual_topic,
            codes=(Code.NOT_FOUND,),
            medias=("text/html", MARKDOWN),
            further=(304,),
        ),
    )
