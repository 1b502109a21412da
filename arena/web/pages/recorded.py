"""A recorded hand as a page without an arena: served by `arena replay`, or one file by itself.

The file has its style, its script and the moments of the hand in it and refers to nothing else, so
it opens by double click; its policy allows these very bytes. It knows no request and no file.
"""

from __future__ import annotations

import gzip
import hashlib
import re
from base64 import b64encode
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import orjson
from markupsafe import Markup, escape

from arena.session.recorded_hand import RecordedHand
from arena.tournament.reporting.markup import printable
from arena.web.pages.assets import STYLESHEET, VIEWER
from arena.web.pages.hands import HandView, viewer_values
from arena.web.pages.moments import moments_document
from arena.web.pages.rendering import render_template

CLASS = re.compile(r"\.([A-Za-z][\w-]*)")
WORD = re.compile(r"[\w-]+")
ELSEWHERE = ".moves,.choices,.log>.notes{display:none}"
"""In a file by itself links to the same hand, seen otherwise, lead nowhere."""

UNPACKING = """\
const packed = document.querySelector(".viewer > script");
const bytes = Uint8Array.from(atob(packed.textContent), (letter) => letter.charCodeAt(0));
const unpacked = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
packed.textContent = await new Response(unpacked).text();
"""
"""Runs before the viewer's script, which reads the moments as they are served."""


class RecordedLinks(NamedTuple):
    """Where the hands beside a served one are; None where there is none."""

    before: str | None
    after: str | None


class Alone(NamedTuple):
    """What a file by itself has inside that a served page refers to."""

    head: Markup
    script: Markup


class RecordedEntry(NamedTuple):
    """A hand in the list of a record file. names: best to last if that is known."""

    path: str
    hand: str
    names: tuple[str, ...]
    void: bool


def served_page(
    hand: RecordedHand,
    view: HandView,
    *,
    at: int | None = None,
    log: str = "trick",
    theme: str | None = None,
    moments: str,
    links: RecordedLinks,
) -> bytes:
    """The page of a hand; moments: the address of its moments. Raises BadInput."""
    values = {
        **viewer_values(_printable(hand), view, at, log, theme),
        "data": {"moments": moments},
        "links": links,
        "alone": None,
    }
    return render_template("recorded.html", values)


def moments_of(hand: RecordedHand, view: HandView) -> bytes:
    """The moments of a hand, for the script. Raises BadInput."""
    by = view.narrator(hand)
    return orjson.dumps(moments_document(by, printable(hand.hand), by.moments(hand.steps)))


def list_page(
    file: str,
    hands: Sequence[RecordedEntry],
    *,
    first: int,
    before: str | None,
    after: str | None,
) -> bytes:
    """A list of hands of a record file. first: the number of the first of them."""
    values = {
        "file": printable(file),
        "hands": hands,
        "first": first,
        "before": before,
        "after": after,
    }
    return render_template("recorded_hands.html", values)


def one_file(hand: RecordedHand, view: HandView) -> bytes:
    """The hand as one HTML file that needs nothing else. Raises BadInput."""
    values: Mapping[str, Any] = {
        **viewer_values(_printable(hand), view),
        "data": {},
        "links": None,
        "inline": _packed(moments_of(hand, view)) if hand.steps else None,
    }
    script = UNPACKING + compact_script(VIEWER.body.decode())
    bare = Alone(Markup(), Markup(f'<script type="module">{script}</script>'))
    page = render_template("recorded.html", {**values, "alone": bare}).decode()
    style = rules_for(page, STYLESHEET.body.decode()) + ELSEWHERE
    alone = bare._replace(head=_head(style, script))
    return render_template("recorded.html", {**values, "alone": alone})


def _head(style: str, script: str) -> Markup:
    """The policy of a file by itself and its style."""
    policy = escape(_policy(style, script))
    return Markup(
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n<style>{style}</style>'
    )


def rules_for(page: str, style: str) -> str:
    """The rules of a stylesheet without those whose classes are not named on a page."""
    return _rules_for(frozenset(WORD.findall(page)), style)


def _rules_for(words: frozenset[str], style: str) -> str:
    kept, start, depth = [], 0, 0
    for mark in re.finditer("[{}]", style):
        depth += 1 if mark[0] == "{" else -1
        if not depth:
            kept.append(_rule_for(words, style[start : mark.end()]))
            start = mark.end()
    return "".join(kept)


def _rule_for(words: frozenset[str], rule: str) -> str:
    head, _, body = rule.partition("{")
    if head.lstrip().startswith("@"):
        inner = _rules_for(words, body[:-1])
        return f"{head}{{{inner}}}" if inner else ""
    return rule if any(words.issuperset(CLASS.findall(each)) for each in head.split(",")) else ""


def _policy(style: str, script: str) -> str:
    """What the file may load: its own style and its own script, by their digests."""
    return (
        f"default-src 'none'; style-src '{_digest(style)}'; script-src '{_digest(script)}'; "
        "base-uri 'none'; form-action 'none'"
    )


def _digest(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _packed(document: bytes) -> str:
    """Moments as the file has them: the same sentences stand in its list, so they take little."""
    return b64encode(gzip.compress(document, 9, mtime=0)).decode()


def compact_script(script: str) -> str:
    """A script without the comments and indents that are there for people who read the file; none
    of its texts goes over a line."""
    lines = (line.strip() for line in script.splitlines())
    return "\n".join(line for line in lines if line and not line.startswith("//"))


def _printable(hand: RecordedHand) -> RecordedHand:
    """The same with ids that do nothing to a page or a terminal; a file may come from anybody."""
    return hand._replace(hand=printable(hand.hand), table=printable(hand.table))
