"""Pages of the manual as HTML: headings with anchors, links that lead to where the pages are.

The pages are ours, yet nothing in them is taken as HTML.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from arena.manual import PAGES

Address = Callable[[str], str]
"""The address of a page by its topic."""

READING = re.compile(r"<td>((?:AM|OR|C|XV)-\w+)</td>")
"""The cell of a table that a settled reading of the rules begins with."""
SCHEMA = re.compile(r"(?:\.\./)+schemas/([\w.]+)")


def manual_html(text: str, address: Address, *, schemas: str = "") -> str:
    """A page as HTML.

    address: where other pages are. schemas: where the schemas of the API are; "" where they are
    not, so that they are named without a link, as is everything else that only the repository has.
    A settled reading can be linked to by its id. What may be wider than the page, and so scrolls by
    itself, can have the focus of the keyboard.
    """
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(text)
    for heading, inline in pairwise(tokens):
        if heading.type == "heading_open":
            heading.attrSet("id", anchor(inline.content))
    for token in tokens:
        if token.children:
            token.children = _with_links(token.children, address, schemas)
    body = str(parser.renderer.render(tokens, parser.options, {}))
    for wide in ("<table>", "<pre>"):  # the text itself has no "<": these are the renderer's
        body = body.replace(wide, f'{wide[:-1]} tabindex="0">')
    return READING.sub(r'<td id="\1">\1</td>', body)


def anchor(heading: str) -> str:
    """The name of a heading in addresses, as GitHub makes it."""
    return re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def _with_links(tokens: list[Token], address: Address, schemas: str) -> list[Token]:
    """The tokens with links that lead somewhere; those that lead nowhere become plain text."""
    kept, dropped = [], False
    for token in tokens:
        if token.type == "link_open":
            link = target(str(token.attrGet("href")), address, schemas=schemas)
            dropped = not link
            if link:
                token.attrSet("href", link)
        if not (dropped and token.type in ("link_open", "link_close")):
            kept.append(token)
    return kept


def target(link: str, address: Address, *, schemas: str) -> str:
    """Where a link of a page leads; "" if only the repository has it."""
    if "://" in link or link.startswith("#"):
        return link
    place, _, fragment = link.partition("#")
    file = place.rpartition("/")[2]
    for page in PAGES:
        if page.file == file:
            return address(page.topic) + (f"#{fragment}" if fragment else "")
    schema = SCHEMA.fullmatch(place)
    return f"{schemas}/{schema.group(1)}" if schema and schemas else ""
