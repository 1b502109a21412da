"""Markup: text of bots and sessions made safe for each form of table.

Names are chosen by strangers: here they lose control characters and, per form, whatever would
break the table or slip in markup. It knows the forms of `tabulate` and nothing of standings.
"""

from __future__ import annotations

import csv
import html
import io
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from tabulate import tabulate, tabulate_formats
from wcwidth import wcswidth

from arena.errors import BadInput

CSV = "csv"
FORMS = (CSV, *tabulate_formats)
"""All forms of a table: those of tabulate, and csv."""

SAFE_TWINS: Mapping[str, str] = MappingProxyType({"unsafehtml": "html", "latex_raw": "latex"})
"""Forms that escape nothing are answered in those that do."""

LATEX = ("latex", "latex_booktabs", "latex_longtable")
WIKI = ("mediawiki", "moinmoin", "textile")
MARKDOWN = ("github", "pipe")
TICKETS = ("jira", "youtrack")
WIDTHLESS = (CSV, "tsv", "html", "asciidoc", *LATEX, *WIKI, *TICKETS)
"""Forms that nobody reads as they are, so that the width of a line is of no matter."""

SPREADSHEETS = (CSV, "tsv")
"""Forms that spreadsheets open, and run what looks like a formula."""
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "＝", "＋", "－", "＠")
"""What a formula may begin with; some spreadsheets take the wide forms as well."""

ELLIPSIS = "…"
RIGHT_TO_LEFT = ("R", "AL", "AN")
"""Directions of characters that are written from right to left, or go with such."""


def safe_form(form: str) -> str:
    """The form to print for the one asked for. Raises BadInput if there is none."""
    if form not in FORMS:
        raise BadInput("format", form, f"one of {', '.join(FORMS)}")
    return SAFE_TWINS.get(form, form)


def printable(text: str) -> str:
    """The text without control, format and unassigned characters, each replaced by U+FFFD."""
    return "".join("\ufffd" if _hidden(character) else character for character in text).strip()


def _hidden(character: str) -> bool:
    return unicodedata.category(character)[0] == "C" or unicodedata.category(character) in (
        "Zl",
        "Zp",
    )


def width_of(text: str) -> int:
    """Columns that the text takes on a terminal."""
    return max(0, wcswidth(text))


def shortened(text: str, width: int) -> str:
    """The text cut to a number of terminal columns, with an ellipsis if anything was cut."""
    if width_of(text) <= width:
        return text
    while text and width_of(text) + 1 > width:
        text = text[:-1]
    return text + ELLIPSIS


def escaped(text: str, form: str) -> str:
    """Text for a cell, with what the form would take for markup and tabulate lets through.

    In csv and tsv, text that a spreadsheet would run as a formula gets an apostrophe in front; in
    tsv, which has no quotes of its own, also text that begins with one. Text that is written from
    right to left is set apart, so that it does not turn the numbers beside it round; not in csv,
    tsv and latex, which are read by programs.
    """
    if form in SPREADSHEETS:
        return "'" + text if form == "tsv" and text.startswith('"') else defused(text)
    safe = text.translate(_by_code(_escapes(form)))
    return safe if form in LATEX else set_apart(safe)


def defused(text: str) -> str:
    """Text that no spreadsheet runs as a formula. Not for numbers, which may begin with a minus."""
    return "'" + text if text.startswith(FORMULA_STARTS) else text


def set_apart(text: str) -> str:
    """Text between the marks that keep its direction to itself, if it has one of its own."""
    turned = any(unicodedata.bidirectional(character) in RIGHT_TO_LEFT for character in text)
    return f"\u2068{text}\u2069" if turned else text


def _escapes(form: str) -> dict[str, str]:
    if form in MARKDOWN:
        return {"\\": "\\\\", "|": "\\|", "<": "&lt;", "`": "\\`", "[": "\\["}
    if form in WIKI:
        return {"|": "&#124;", "<": "&lt;", "[": "&#91;", "{": "&#123;"}
    if form in TICKETS:
        return {"|": "\\|", "{": "\\{", "[": "\\["}
    if form == "rst":
        return {character: "\\" + character for character in "\\|*`_"}
    return {"asciidoc": {"|": "\\|"}, "orgtbl": {"|": "\\vert{}"}}.get(form, {})


def _by_code(rules: Mapping[str, str]) -> dict[int, str]:
    return {ord(character): text for character, text in rules.items()}


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """Rows as csv: quoted where needed, lines that end in a newline."""
    sink = io.StringIO()
    csv.writer(sink, lineterminator="\n").writerows(rows)
    return sink.getvalue()


def table(
    rows: Sequence[Sequence[str]], heads: Sequence[str], *, right: Sequence[bool], form: str
) -> str:
    """The rows as a table; `right`: which columns are flush right."""
    if not rows:
        return ""
    if form in SPREADSHEETS:
        heads = [defused(head) for head in heads]  # one of them is +/-
    if form == CSV:
        return csv_text([heads, *rows]).removesuffix("\n")
    aligns = ["right" if flush else "left" for flush in right]
    if form == "plain":
        # A plain head is a row like any other; as a head, tabulate would pad it by two columns.
        return tabulate([heads, *rows], tablefmt=form, colalign=aligns, disable_numparse=True)
    return tabulate(rows, headers=heads, tablefmt=form, colalign=aligns, disable_numparse=True)


def paragraph(lines: Sequence[str], form: str, *, width: int | None = None) -> str:
    """Lines of text around a table, in the manner of the form; none in csv and tsv."""
    if not lines or form in (CSV, "tsv"):
        return ""
    if form == "html":
        return "<p>" + "<br>\n".join(html.escape(line) for line in lines) + "</p>"
    if form in LATEX:
        return "\n\n".join("\\noindent " + _latex(line) for line in lines)
    bullet = _bullet(form)
    if form in WIDTHLESS or bullet or width is None:
        return "\n".join(bullet + escaped(line, form) for line in lines)
    return "\n".join(part for line in lines for part in _wrapped(line, width))


def _bullet(form: str) -> str:
    if form in (*MARKDOWN, "orgtbl"):
        return "- "
    if form == "rst":
        return "| "
    return "* " if form in (*WIKI, *TICKETS, "asciidoc") else ""


def _latex(line: str) -> str:
    rules = {c: "\\" + c for c in "&%$#_{}"}
    rules |= {
        "\\": r"\textbackslash{}",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
    }
    return line.translate(_by_code(rules))


def _wrapped(line: str, width: int) -> list[str]:
    """The line broken at spaces; what follows a break is indented."""
    parts: list[str] = []
    for word in line.split(" "):
        longer = f"{parts[-1]} {word}" if parts else word
        if not parts or width_of(longer) <= width:
            parts[-1:] = [longer]
        else:
            parts.append("  " + word)
    return parts
