"""Further tables of a session as pages: who beats whom, how sure that is, rounds one by one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

from markupsafe import Markup

from arena.errors import NotFound
from arena.queries.standings_snapshot import PageTable
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.results import CODES, DIVISION, SEATS
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint


class TablePage(NamedTuple):
    """A further table: which of a fit it is, its heading, and what its numbers are."""

    view: PageTable
    words: str
    says: str


REPORTS: Mapping[str, TablePage] = {
    "standings": TablePage(
        "full",
        "Full table",
        "Every number of the standings; Elo and ± with 95 %.",
    ),
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
    table = fit.html(report.view, f"/sessions/{quote(name, safe='')}")
    session = call.queries.session(name)
    values = {"session": session, "seats": seats, "report": report, "table": Markup(table)}
    key = name, seats, division, report.view
    return page(call, "report.html", key, basis=(session, table), values=lambda: values)


def endpoints() -> tuple[Endpoint, ...]:
    """The route of these pages."""
    path, query = "/sessions/{session}/{report}", (SEATS, DIVISION)
    return (page_endpoint(path, report_page, query=query, codes=CODES),)
