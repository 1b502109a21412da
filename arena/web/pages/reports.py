"""Further tables of a session as pages: who beats whom, how sure that is, rounds one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple

from markupsafe import Markup

from arena.errors import NotFound
from arena.queries.standings_snapshot import StandingsSnapshot, View
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.results import CODES, DIVISION, SEATS
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint


class TablePage(NamedTuple):
    """A further table: which view of a fit it is, its heading, and what its numbers are."""

    view: View | Literal["history"]
    words: str
    says: str


REPORTS: Mapping[str, TablePage] = {
    "crosstable": TablePage(
        "cross",
        "Who finished ahead of whom",
        "In per cent of the hands that two of them shared; ties count half.",
    ),
    "superiority": TablePage(
        "superiority",
        "Who is likely better than whom",
        "How likely the bot of the row is better than that of the column, in per cent.",
    ),
    "separations": TablePage(
        "separation",
        "How many hands would tell neighbours apart",
        "Each bot, and the next one in the standings.",
    ),
    "history": TablePage(
        "history",
        "Ratings after each round",
        "Of the rounds that are complete, with 95 % intervals.",
    ),
}


def report_page(call: Call) -> Reply:
    """Show a further table of a session as a page: one of `REPORTS`."""
    name, seats, division = call.path["session"], call.query["seats"], call.query["division"]
    report = REPORTS.get(call.path["report"])
    if report is None:
        raise NotFound(name, f"a session has no page {call.path['report']!r}")
    of_all = report.view == "history"
    fit = call.queries.fit(name, seats=seats, division=None if of_all else division)
    table = _report_table(fit, report.view)
    session = call.queries.session(name)
    values = {"session": session, "seats": seats, "report": report, "table": Markup(table)}
    key = name, seats, division, report.view
    return page(call, "report.html", key, basis=(session, table), values=lambda: values)


def _report_table(fit: StandingsSnapshot, view: View | Literal["history"]) -> str:
    """A table as HTML, with classes where the library writes styles, which the policy forbids."""
    if view == "history":
        table = fit.history_text(view, form="html")
    else:
        table = fit.text(view, form="html")
    return table.replace(' style="text-align: right;"', ' class="number"')


def endpoints() -> tuple[Endpoint, ...]:
    """The route of these pages."""
    path, query = "/sessions/{session}/{report}", (SEATS, DIVISION)
    return (page_endpoint(path, report_page, query=query, codes=CODES),)
