"""A session as a page: what is played, how far it is, standings with a picture."""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import urlencode

from markupsafe import Markup

from arena.errors import Forbidden
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.reference.listing import settings
from arena.rules.options import OPTIONS
from arena.session.times import countdown, left_ms
from arena.tournament.reporting.layouts import COLUMNS
from arena.tournament.reporting.markup import printable
from arena.tournament.reporting.notices import footer, header, marks
from arena.tournament.standings import Row, Standings
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.results import DIVISION, SEATS
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.reports import REPORTS
from arena.web.pages.wording import STATUS

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
ENDING = "; it ends when the hands that run have ended"
TIMES: Mapping[str, str] = {
    "opens": "Opens for bots",
    "starts": "Starts",
    "freezes": "Results are frozen",
    "ends": "Ends",
    "publishes": "Results are published",
}
"""What a session does by itself, in words."""
FORMS = (
    ("text", "text"),
    ("json", "JSON"),
    ("csv", "CSV"),
    ("github", "Markdown"),
    ("latex", "LaTeX"),
)


class RankingRow(NamedTuple):
    """One bot in the table: its cells before and after its name."""

    before: tuple[str, ...]
    name: str
    marks: str
    after: tuple[str, ...]


def session_page(call: Call) -> Reply:
    """Show a session as a page: what is played, how far it is, standings with a picture."""
    name, seats, division = call.path["session"], call.query["seats"], call.query["division"]
    session = call.queries.session(name)
    fit = _fit(call, session, seats, division)
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
    call: Call, session: Mapping[str, Any], seats: int | None, division: str | None
) -> StandingsSnapshot | None:
    """The standings as everybody may see them; None while they are embargoed, and where there are
    none."""
    try:
        if not session["rated"]:
            return None
        return call.queries.fit(session["session"], seats=seats, division=division)
    except Forbidden:
        return None


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
    """The route of this page."""
    bad, part = (Code.NOT_FOUND, Code.BAD_VALUE), (SEATS, DIVISION)
    return (page_endpoint("/sessions/{session}", session_page, query=part, codes=bad),)
