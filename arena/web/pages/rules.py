"""The rules as pages: the reference with an anchor for each option, and what a ruleset changes.

Programs get the same as Markdown: by `Accept`, or with `.md` behind the address.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import groupby
from typing import Any, NamedTuple

import orjson
from markupsafe import Markup

from arena.errors import BadInput, NotFound
from arena.manual.rendering import manual_html
from arena.narration.language import Detail
from arena.reference.document import FAMILIES, INTRODUCTION, reference, section_of, used
from arena.reference.entries import TEXT, plain, written
from arena.reference.interactions import INTERACTIONS, Interaction
from arena.reference.inventory import STATEMENTS
from arena.reference.listing import rules_data, settings
from arena.rules.catalogue import Option
from arena.rules.options import FAMILY, OPTIONS
from arena.rules.patches import patch_names
from arena.rules.presets import PRESETS
from arena.rules.short_form import read_short_form, short_form
from arena.web.api.documents import MARKDOWN, ServedDocument, document_of
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.limits import rate_cost_of_document
from arena.web.api.middleware import FORM_POLICY
from arena.web.api.negotiation import wants_page
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.examples import played
from arena.web.pages.hands import HandView
from arena.web.pages.rendering import HTML, PAGE_COST, page, render_template
from arena.web.pages.rules_search import QUERY, found_markdown, found_page, nothing_sought

SUFFIX = ".md"
JAPANESE = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
WORDS = HandView(None, "en", Detail.NORMAL)
"""How examples stand on the page of all rules."""
BY_ACCEPT = {"Vary": "Accept"}
WITH_FORM = {**BY_ACCEPT, FORM_POLICY[0]: FORM_POLICY[1]}
DIFF = Param("diff", "text", "Another ruleset, whose options stand beside those of this one.")


class SetValue(NamedTuple):
    """A preset or patch that sets an option. anchor: where it stands."""

    name: str
    value: str
    anchor: str


class Changed(NamedTuple):
    """An option of a ruleset that is other than in the ruleset it is compared with."""

    option: Option
    value: str
    other: str


def rules(call: Call) -> Reply:
    """Read the rules: every preset, patch and option, each with an example.

    As Markdown, and as a page for who asks for HTML. Generated from the catalogue that the engine
    itself is compiled from. With `q` only those that it finds.
    """
    query = call.query["q"].strip()
    if not wants_page(call.environ.get("HTTP_ACCEPT", ""), MARKDOWN):
        return _markdown(found_markdown(call, query) if query else _reference(call), BY_ACCEPT)
    if query:
        shown = found_page(call, query)
        return Reply(shown.body, media=HTML, etag=shown.etag, credit=-PAGE_COST, headers=WITH_FORM)
    compute = call.queries.long_work.computing

    def values() -> Mapping[str, Any]:
        pause = call.queries.long_work.queries.work().pause
        sections = {}
        for name in OPTIONS:
            sections[name] = compute(partial(option_section, name))
            pause()
        return {"sections": sections, **_contents(), **nothing_sought()}

    reply = page(call, "rules.html", (), basis=None, values=values)
    reply.headers = WITH_FORM
    return reply


def rules_markdown(call: Call) -> Reply:
    """Read the rules as Markdown."""
    return _markdown(_reference(call), {})


def _reference(call: Call) -> ServedDocument:
    """The whole reference; its examples are played in pieces, when somebody asks for it first."""
    compute = call.queries.long_work.computing

    def render() -> bytes:
        pause = call.queries.long_work.queries.work().pause

        def section(name: str) -> Sequence[str]:
            lines = compute(partial(_markdown_section, name))
            pause()
            return lines

        return reference(section).encode()

    media = f"{MARKDOWN}; charset=utf-8"
    return call.services.pages.page(("reference",), None, media=media, render=render)


@cache
def _markdown_section(name: str) -> Sequence[str]:
    return tuple(section_of(name))


def _markdown(document: ServedDocument, headers: Mapping[str, str]) -> Reply:
    cost = rate_cost_of_document(len(document.body))
    media, etag = document.media, document.etag
    return Reply(document.body, media=media, etag=etag, credit=-cost, headers=headers)


@cache
def option_section(name: str) -> Markup:
    """An option as a section of the page."""
    option, hand = OPTIONS[name], played(name)[0]
    lines = hand.lines(WORDS.narrator(hand.hand))
    values = {
        "option": option,
        "also": [(name, JAPANESE.search(name) is not None) for name in option.also],
        "default": written(option.default),
        "text": TEXT if option.text else "",
        "used": [SetValue(where, written(value), _anchor(where)) for where, value in used(name)],
        "meets": list(_meetings(name)),
        "lines": [line.text for line in lines] if len(lines) <= 12 else [],
        "several": len(played(name)) > 1,
    }
    return Markup(render_template("rules_option.html", values).decode())


def _meetings(name: str) -> Iterator[tuple[list[str], Interaction]]:
    """What is settled where an option meets others, with the names of those."""
    for meeting in INTERACTIONS:
        if name in meeting.options:
            yield [other for other in meeting.options if other != name], meeting


def _anchor(name: str) -> str:
    """Where a preset or a patch stands."""
    return f"/rules/{name}" if name in PRESETS else f"#patch-{name}"


def _contents() -> Mapping[str, Any]:
    """What stands on the page besides the options."""
    families = [
        (family, FAMILIES[family], list(names))
        for family, names in groupby(OPTIONS, key=FAMILY.__getitem__)
    ]
    patches = [(name, patch, _set(patch.options)) for name, patch in patch_names()]
    return {
        "introduction": Markup(manual_html(INTRODUCTION, lambda topic: f"/manual/{topic}")),
        "presets": PRESETS,
        "patches": patches,
        "families": families,
        "options": OPTIONS,
        "statements": STATEMENTS.values(),
    }


def _set(options: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(name, written(value)) for name, value in options.items()]


def ruleset(call: Call) -> Reply:
    """Read what a ruleset changes: a preset, or any ruleset in its short form.

    As a page for who asks for HTML, else as Markdown; with `.md` behind it as Markdown in any case.
    `diff` compares it with another ruleset instead of the defaults.
    """
    name, diff = call.path["ruleset"], call.query["diff"]
    plainly = name.endswith(SUFFIX)
    text = name.removesuffix(SUFFIX)
    document = _document(text)
    other = None if diff is None else _document(diff)

    def values() -> Mapping[str, Any]:
        return _ruleset_values(text, document, diff, other)

    if plainly or not wants_page(call.environ.get("HTTP_ACCEPT", ""), MARKDOWN):
        body = call.queries.long_work.computing(lambda: _ruleset_markdown(values()))
        return _markdown(document_of(body, f"{MARKDOWN}; charset=utf-8"), BY_ACCEPT)
    reply = page(call, "ruleset.html", (text, diff), basis=None, values=values)
    reply.headers = BY_ACCEPT
    return reply


def _document(text: str) -> Mapping[str, Any]:
    """The ruleset of a short form. Raises NotFound for an unknown preset, BadInput for the rest."""
    document = read_short_form(text)
    try:
        rules_data(document)
    except BadInput as error:
        if error.thing == "preset":
            raise NotFound(
                text, f"there is no such ruleset; it begins with {error.expected}"
            ) from None
        raise
    return document


def _ruleset_values(
    text: str, document: Mapping[str, Any], diff: str | None, other: Mapping[str, Any] | None
) -> Mapping[str, Any]:
    return {
        "name": text,
        "preset": PRESETS.get(text),
        "patches": document["patches"],
        "single": bool(document.get("options")),
        "base": document["preset"],
        "changes": list(_changes(document, other)),
        "diff": diff,
        "presets": list(PRESETS),
        "fingerprint": rules_data(document)["fingerprint"],
        "document": orjson.dumps(plain(document)).decode(),
        "short": short_form(document),
    }


def _changes(document: Mapping[str, Any], other: Mapping[str, Any] | None) -> Iterator[Changed]:
    """The options that are other than in the other ruleset, or than by default."""
    for each in settings(document, diff=other):
        if each.value != each.other:
            yield Changed(OPTIONS[each.option], written(each.value), written(each.other))


def _ruleset_markdown(values: Mapping[str, Any]) -> bytes:
    """What a ruleset changes, as Markdown."""
    preset, diff = values["preset"], values["diff"]
    lines = [f"# `{values['name']}`", ""]
    lines += [f"{preset.says} Source: {preset.source}.", ""] if preset else []
    lines += [f"Fingerprint: `{values['fingerprint']}`", ""]
    lines += _rows(values["changes"], diff or "the defaults")
    return "\n".join([*lines, ""]).encode()


def _rows(changes: Iterable[Changed], other: str) -> list[str]:
    rows = [
        f"| `{each.option.name}` | {each.value} | {each.other} | {each.option.says} |"
        for each in changes
    ]
    if not rows:
        return [f"No difference from {other}."]
    return [f"| option | value | {other} | what it is |", "|---|---|---|---|", *rows]


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of the rules."""
    medias = ("text/html", MARKDOWN)
    bad = (Code.NOT_FOUND, Code.BAD_VALUE)
    return (
        Endpoint("GET", "/rules", rules, query=(QUERY,), medias=medias, further=(304,)),
        Endpoint("GET", "/rules.md", rules_markdown, medias=(MARKDOWN,), further=(304,)),
        Endpoint(
            "GET",
            "/rules/{ruleset}",
            ruleset,
            query=(DIFF,),
            codes=bad,
            medias=medias,
            further=(304,),
        ),
    )
