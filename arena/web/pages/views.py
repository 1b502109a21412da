"""Pages for people: the list of sessions, one session with its standings, further tables of it.

Plain HTML from templates, with every value escaped: no script, no cookie, no token. Everything on a
page is what anybody may see. Views and their words only; the numbers come from the referee.
"""

from __future__ import annotations

import weakref
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from arena.errors import Forbidden, NotFound
from arena.queries.standings_snapshot import StandingsSnapshot, View
from arena.reference.listing import settings
from arena.rules.options import OPTIONS
from arena.session.times import countdown, left_ms
from arena.statuses import ENTERABLE, IN_PLAY, OVER
from arena.tournament.reporting.layouts import COLUMNS
from arena.tournament.reporting.markup import printable
from arena.tournament.reporting.notices import footer, header, marks
from arena.tournament.standings import Row, Standings
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import TABLE, Code
from arena.web.api.queries import Param
from arena.web.api.results import CODES, DIVISION, SEATS
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint, render_template

PAGE_SIZE = 50
HEADS: Mapping[str, str] = {
    "#": "Place",
    "range": "Range of places",
    "bot": "Bot",
    "Elo": "Elo",
    "+/-": "±",
    "ahead%": "Ahead\u00a0%",
    "place": "Mean place",
    "1st%": "First\u00a0%",
    "last%": "Last\u00a0%",
    "hands": "Hands",
    "blocks": "Blocks",
    "LOS>": "Better than next\u00a0%",
}
"""The columns of the page, which are those of the layout `full`, in words."""
STATUS: Mapping[str, str] = {
    "created": "not open yet",
    "open": "open: bots may enter",
    "running": "being played",
    "paused": "paused",
    "finished": "finished",
    "cancelled": "cancelled",
}
ENDING = "; it ends when the hands that run have ended"
TIMES: Mapping[str, str] = {
    "opens": "Opens for bots",
    "starts": "Starts",
    "freezes": "Results are frozen",
    "ends": "Ends",
    "publishes": "Results are published",
}
"""What a session does by itself, in words."""
GROUPS = (
    ("Being played", IN_PLAY),
    ("Coming", ENTERABLE),
    ("Over", OVER),
)
"""What the front page lists, in this order: the heading, and the statuses below it."""
FORMS = (
    ("text", "text"),
    ("json", "JSON"),
    ("csv", "CSV"),
    ("github", "Markdown"),
    ("latex", "LaTeX"),
)


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


class RankingRow(NamedTuple):
    """One bot in the table: its cells before and after its name."""

    before: tuple[str, ...]
    name: str
    marks: str
    after: tuple[str, ...]


def home(call: Call) -> Reply:
    """Show the sessions of this arena as a page."""
    return list_page(call)


def list_page(call: Call) -> Reply:
    """Show the sessions of this arena as a page, newest first."""
    after = call.query["after"]
    listed = call.queries.sessions(after=after, limit=PAGE_SIZE)
    groups = [(words, list(_with_status(listed["sessions"], of))) for words, of in GROUPS]
    values = {
        "groups": [(words, sessions) for words, sessions in groups if sessions],
        "next": listed["next"],
        "older": after is not None,
        "status": STATUS,
    }
    return page(call, "sessions.html", (after,), basis=listed, values=lambda: values)


def _with_status(
    sessions: Iterable[Mapping[str, Any]], of: Collection[str]
) -> Iterator[Mapping[str, Any]]:
    return (session for session in sessions if session["status"] in of)


def session_page(call: Call) -> Reply:
    """Show a session as a page: what is played, how far it is, standings with a picture."""
    name, seats, division = call.path["session"], call.query["seats"], call.query["division"]
    session = call.queries.session(name)
    fit = _fit(call, name, seats, division)
    times = _times(call, session)
    basis = session, times, None if fit is None else weakref.ref(fit)
    values = partial(_session_values, session, times, fit)
    return page(call, "session.html", (name, seats, division), basis=basis, values=values)


class ScheduledTime(NamedTuple):
    """What a session does by itself: what that is, when, and how long it is until then or what
    became of it."""

    what: str
    at: str
    words: str


def _times(call: Call, session: Mapping[str, Any]) -> list[ScheduledTime]:
    """The times of a session, with a countdown for those that lie ahead."""
    return [
        ScheduledTime(TIMES[each["what"]], each["at"], _time_words(call, each))
        for each in session["times"]
    ]


def _time_words(call: Call, time: Mapping[str, Any]) -> str:
    if time["outcome"] is None:
        return countdown(left_ms(time["at"], call.queries.clock.wall_ms()))
    return f"{time['outcome']}: {time['reason']}" if time["reason"] else str(time["outcome"])


def _session_values(
    session: Mapping[str, Any], times: list[ScheduledTime], fit: StandingsSnapshot | None
) -> dict[str, Any]:
    progress = session["progress"]
    return {
        "session": session,
        "status": STATUS[session["status"]] + (ENDING if session["ending"] else ""),
        "times": times,
        "done": progress["hands_finished"] + progress["hands_forfeited"],
        "connected": _connected(session),
        "options": list(_options(session["ruleset"])),
        "heads": tuple(HEADS.values()),
        "sizes": _sizes(session, fit),
        "part": _part(fit),
        "asked": _asked(fit, sizes=_sizes(session, fit)),
        "standings": None if fit is None else _standings_table(fit),
        "forms": FORMS,
        "reports": REPORTS,
    }


def _connected(session: Mapping[str, Any]) -> int | None:
    """How many bots are there before the start; None where that is not told."""
    known = [entry["connected"] for entry in session["entries"] if "connected" in entry]
    return sum(known) if known else None


def _part(fit: StandingsSnapshot | None) -> dict[str, str]:
    """The division whose standings are on the page, for addresses; nothing for all."""
    part = None if fit is None else fit.standings.facts.division
    return {} if part is None else {"division": part.id}


def _asked(fit: StandingsSnapshot | None, *, sizes: Sequence[Size]) -> str:
    """What follows an address, so that it shows the same part of the standings."""
    if fit is None:
        return ""
    seats = {"seats": str(fit.standings.facts.seats)} if sizes else {}
    query = urlencode({**_part(fit), **seats})
    return f"?{query}" if query else ""


def _fit(
    call: Call, session: str, seats: int | None, division: str | None
) -> StandingsSnapshot | None:
    """The standings as everybody may see them; None while they are embargoed."""
    try:
        return call.queries.fit(session, seats=seats, division=division)
    except Forbidden:
        return None


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


def problem_page(problem: Mapping[str, Any]) -> bytes:
    """A problem's document as a page, for a browser."""
    advice = TABLE[Code(problem["code"])].advice
    return render_template("problem.html", {"problem": problem, "advice": advice})


class Size(NamedTuple):
    """Tables of one size, where there are two. current: their standings are those on the page."""

    seats: int
    current: bool


def _sizes(session: Mapping[str, Any], fit: StandingsSnapshot | None) -> list[Size]:
    """The sizes to choose from; none if there is no choice."""
    sizes = session["design"]["sizes"] if session["design"] else []
    if fit is None or len(sizes) < 2:
        return []
    return [Size(seats, fit.standings.facts.seats == seats) for seats in sizes]


class RuleSetting(NamedTuple):
    """A rule of the session that is not as usual, with its Japanese name where it has one."""

    option: str
    value: str
    kanji: str
    reading: str
    says: str


def _options(ruleset: Mapping[str, Any]) -> Iterator[RuleSetting]:
    for each in settings(dict(ruleset)):
        option = OPTIONS[each.option]
        if each.value != each.other:
            value = {True: "on", False: "off"}.get(each.value, each.value)
            yield RuleSetting(each.option, str(value), option.kanji, option.reading, option.says)


class StandingsTable(NamedTuple):
    """The standings for the template: rankings, lines above and below, and the picture,
    which is empty if there is nothing to draw.

    seats: of the tables that count.
    """

    rankings: tuple[tuple[RankingRow, ...], ...]
    above: list[str]
    below: list[str]
    picture: Markup
    seats: int | None


def _standings_table(fit: StandingsSnapshot) -> StandingsTable:
    standings: Standings = fit.standings
    return StandingsTable(
        tuple(tuple(map(_ranking_row, section.rows)) for section in standings.sections),
        above=header(standings)[1:],
        below=footer(standings),
        picture=Markup(fit.text("picture") if standings.hands else ""),
        seats=standings.facts.seats,
    )


def _ranking_row(row: Row) -> RankingRow:
    heads = tuple(HEADS)
    at = heads.index("bot")
    cells = [COLUMNS[head].text(row) for head in heads]
    return RankingRow(tuple(cells[:at]), printable(row.name), marks(row), tuple(cells[at + 1 :]))


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of pages."""
    older = (Param("after", "text", "The session that the page before ended with."),)
    bad, part = (Code.NOT_FOUND, Code.BAD_VALUE), (SEATS, DIVISION)
    return (
        page_endpoint("/", home, query=older),
        page_endpoint("/sessions", list_page, query=older),
        page_endpoint("/sessions/{session}", session_page, query=part, codes=bad),
        page_endpoint("/sessions/{session}/{report}", report_page, query=part, codes=CODES),
    )
