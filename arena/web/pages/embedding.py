"""Hands within other people's pages: who may embed them, and oEmbed, by which a page that is given
a link to a hand finds out how.

Only the viewer may be embedded: it has no form and no cookie, so nobody can be made to click on
something there that matters.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from markupsafe import escape

from arena.errors import BadInput, NotFound
from arena.web.api.endpoints import Reply
from arena.web.api.middleware import PAGE_POLICY
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.wording import round_and_table

XML = "text/xml; charset=utf-8"
PROVIDER = "Daifugō Arena"
HANDS = "/hands/"
ADDRESS = re.compile(r"(https?://(?P<host>[^/?#]+))?/hands/(?P<hand>[^/?#]{1,120})")
WIDTH, HEIGHT = 960, 720
LONGEST_URL = 500
NOBODY = "frame-ancestors 'none'"
QUERY = (
    Param("url", "text", "The address of a hand here, as it is shared.", longest=LONGEST_URL),
    Param("format", "word", "The form of the answer.", "json", words=("json", "xml")),
    Param("maxwidth", "integer", "The most pixels across.", WIDTH, least=1),
    Param("maxheight", "integer", "The most pixels down.", HEIGHT, least=1),
)


def embeddable(call: Call, reply: Reply) -> Reply:
    """A page with leave to be shown within those pages that the settings name.

    Browsers go by the policy where it says who may, and then not by `X-Frame-Options`.
    """
    ancestors = call.services.settings.frame_ancestors
    if not ancestors:
        return reply
    name, policy = PAGE_POLICY
    allowed = policy.replace(NOBODY, f"frame-ancestors {' '.join(ancestors.split())}")
    return replace(reply, headers={**(reply.headers or {}), name: allowed})


def oembed(call: Call) -> Reply:
    """Show how a hand is embedded in another page (oEmbed 1.0, JSON or XML).

    A hand is `rich`, with an `iframe`, where the arena lets others embed it, and else a `link`.
    """
    url = call.query["url"]
    if url is None:
        raise BadInput("url", None, f"the address of a hand here: {HANDS}…")
    document = _document(call, url, call.queries.hand(_hand_of(call, url)))
    if call.query["format"] == "xml":
        return Reply(_xml(document), media=XML)
    return Reply(document)


def _document(call: Call, url: str, hand: Mapping[str, Any]) -> dict[str, Any]:
    """What is answered of a hand, whatever the format."""
    session = call.queries.in_play.session(hand["session"]).config
    document = {
        "version": "1.0",
        "title": f"Hand {hand['number']} · {round_and_table(hand['table'])} · {session.name}",
        "provider_name": PROVIDER,
    }
    if not call.services.settings.frame_ancestors:
        return {**document, "type": "link"}
    width, height = min(call.query["maxwidth"], WIDTH), min(call.query["maxheight"], HEIGHT)
    frame = (
        f'<iframe src="{escape(_absolute(call, url))}" title="{escape(document["title"])}"'
        f' width="{width}" height="{height}" allow="clipboard-write"></iframe>'
    )
    return {**document, "type": "rich", "html": frame, "width": width, "height": height}


def _xml(document: Mapping[str, Any]) -> bytes:
    """The same as XML; what may not stand in one, no query and no name here has."""
    members = (f"<{name}>{escape(v)}</{name}>" for name, v in document.items())
    head = '<?xml version="1.0" encoding="utf-8" standalone="yes"?>'
    return f"{head}\n<oembed>{''.join(members)}</oembed>\n".encode()


def _hand_of(call: Call, url: str) -> str:
    """The id of the hand that an address here leads to. Raises NotFound."""
    here = call.environ.get("HTTP_HOST", "")
    match = ADDRESS.match(url)
    if match is None or match["host"] not in (None, here):
        raise NotFound(url[:80], f"not the address of a hand here: {HANDS}…")
    return match["hand"]


def _absolute(call: Call, url: str) -> str:
    """An address that works from another host."""
    return f"//{call.environ.get('HTTP_HOST', '')}{url}" if url.startswith(HANDS) else url
