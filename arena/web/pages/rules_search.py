"""Finding a rule on the page of all rules: what `arena rules find` finds, as a list of links.

A form sends the query and needs no script; with script the list follows what is typed. Programs get
the list as Markdown.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from arena.reference import find, find_absent, guesses
from arena.reference.entries import PATCH, PRESET, Entry
from arena.reference.readings import Absent
from arena.web.api.documents import MARKDOWN, ServedDocument, document_of
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.rendering import HTML, render_template

QUERY = Param(
    "q",
    "text",
    "Only the rules found by this kanji, reading, English name, or words of a sentence.",
    default="",
    shortest=0,
)


class FoundRules(NamedTuple):
    """What a query finds, the best first. absent: variants that are no options; near: names that
    are like the query. Both only if nothing else was found."""

    query: str
    entries: tuple[Entry, ...] = ()
    absent: tuple[Absent, ...] = ()
    near: tuple[str, ...] = ()

    @property
    def summary(self) -> str:
        """How many there are, in words."""
        if self.entries:
            number = len(self.entries)
            return "1 rule found" if number == 1 else f"{number} rules found"
        return "No option, but known" if self.absent else f"Nothing about “{self.query}”"


def find_rules(query: str) -> FoundRules:
    """The presets, patches and options that a query finds."""
    if entries := tuple(find(query)):
        return FoundRules(query, entries)
    if absent := tuple(find_absent(query)):
        return FoundRules(query, absent=absent)
    return FoundRules(query, near=tuple(guesses(query)))


def found_page(call: Call, query: str) -> ServedDocument:
    """What a query finds, as a page. It is not cached: there is no end of queries."""

    def render() -> bytes:
        return render_template("rules.html", {"found": find_rules(query), "address": address})

    return document_of(call.queries.long_work.computing(render), HTML)


def found_markdown(call: Call, query: str) -> ServedDocument:
    """What a query finds, as Markdown."""
    found = call.queries.long_work.computing(partial(find_rules, query))
    lines = [f"- `{each.name}`: {each.says} {each.setting}." for each in found.entries]
    lines += [f"- {row.names} ({row.reading}): {row.why}" for row in found.absent]
    lines += [f"- perhaps `{name}`" for name in found.near]
    text = "\n".join([f"# {found.summary}", "", *lines, ""])
    return document_of(text.encode(), f"{MARKDOWN}; charset=utf-8")


def address(entry: Entry) -> str:
    """Where an entry stands."""
    if entry.kind == PRESET:
        return f"/rules/{entry.name}"
    return f"/rules#patch-{entry.name}" if entry.kind == PATCH else f"/rules#{entry.name}"


def nothing_sought() -> Mapping[str, Any]:
    """The values of the page that shows all rules."""
    return {"found": None, "address": address}
