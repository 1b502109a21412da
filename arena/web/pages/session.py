"""A session as a page: who leads, what is being played now, what comes next, how to take part.

The numbers of the statistician stand a step behind, on the pages of `reports`. Words only: what may
be seen is decided by the queries.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from markupsafe import Markup

from arena.errors import Forbidden
from arena.manual import PAGES
from arena.queries.standings_snapshot import StandingsSnapshot
from arena.reference.listing import settings
from arena.rules.options import OPTIONS
from arena.session.forecast import left_to_play_ms
from arena.session.times import countdown, left_ms
from arena.statuses import ENTERABLE, IN_PLAY, OVER, ResultsMode, SessionStatus
from arena.tournament.reporting.markup import printable
from arena.tournament.reporting.notices import footer, header
from arena.tournament.standings import Standings
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.results import DIVISION, SEATS
from arena.web.api.services import Call
from arena.web.pages.entering import Entering, entering
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.reports import REPORTS
from arena.web.pages.wording import CLOCK_WORDS, STATUS, TIMES, ordinal, ruleset_words, table_label

ENDING = "; it ends when the hands that run have ended"
FORMS = (
    ("text", "text"),
    ("json", "JSON"),
    ("csv", "CSV"),
    ("github", "Markdown"),
    ("latex", "LaTeX"),
)
MOST_TABLES, MOST_COMING, MOST_ROUNDS = 8, 6, 100
"""Tables and rounds that are listed here; the page of tables has all."""


class ScheduledTime(NamedTuple):
    """What a session does by itself: what that is, when, and how long it is until then or what
    became of it."""

    what: str
    at: str
    words: str


class Round(NamedTuple):
    """A round of the schedule. state: done, now, to come; drawn: nobody can say which of these."""

    number: int
    state: str


class Now(NamedTuple):
    """What of a session is being played, as the page shows it. next_in: when about the next round
    begins, empty where nobody can know."""

    playing: tuple[Mapping[str, Any], ...]
    next: Mapping[str, Any] | None
    next_in: str
    to_go: str
    round: int | None
    rounds: tuple[Round, ...]


def session_page(call: Call) -> Reply:
    """Show a session as a page: who leads, what is being played, what comes, how to enter."""
    name, seats, division = call.path["session"], call.query["seats"], call.query["division"]
    session = call.queries.session(name)
    fit = _fit(call, session, seats, division)
    times = _times(call, session)
    now = _now(session, call.queries.programme(name))
    enter = entering(call, session)
    named = {"session": name, "seats": seats, "division": division}
    stream = urlencode({each: value for each, value in named.items() if value is not None})
    basis = session, times, now, None if fit is None else weakref.ref(fit)
    values = partial(_session_values, session, times, now, enter=enter, fit=fit, stream=stream)
    return page(call, "session.html", (name, seats, division, enter), basis=basis, values=values)


def _times(call: Call, session: Mapping[str, Any]) -> list[ScheduledTime]:
    """The times of a session, with a countdown for those that lie ahead."""
    return [
        ScheduledTime(TIMES[each["what"]], each["at"], _time_words(call, each))
        for each in session["times"]
    ]


def _time_words(call: Call, time: Mapping[str, Any]) -> str:
    if time["outcome"] is None:
        return countdown(left_ms(time["at"], call.queries.clock.wall_ms()))
    return f"({time['outcome']}: {time['reason']})" if time["reason"] else f"({time['outcome']})"


def _now(session: Mapping[str, Any], programme: Mapping[str, Any]) -> Now:
    """What is being played, with times in words, so that it changes once a minute at most."""
    done, total = _hands(session)
    left = left_to_play_ms(programme["played_ms"], done=done, total=total)
    playing = tuple(
        {**each, "label": table_label(each["table"], each["round"], of=programme["playing"])}
        for each in programme["playing"]
    )
    return Now(
        playing,
        programme["next"],
        _next_in(playing, left, hands=total - done),
        "" if left is None else f"{countdown(left).removeprefix('in ')} to go",
        programme["round"],
        tuple(_rounds(session, programme)),
    )


def _hands(session: Mapping[str, Any]) -> tuple[int, int]:
    """How many hands are done, and of how many."""
    progress = session["progress"]
    return progress["hands_finished"] + progress["hands_forfeited"], progress["hands"]


def _next_in(playing: Sequence[Mapping[str, Any]], left: int | None, *, hands: int) -> str:
    """When about the hands of this round will have been played: their part of all that are left."""
    here = sum(each["hands"] - each["hand"] + 1 for each in playing)
    if left is None or not here or hands <= 0:
        return ""
    about = countdown(round(left * min(1.0, here / hands)))
    return about.replace("in ", "in about ", 1) if about[3:].strip()[:1].isdigit() else about


def _rounds(session: Mapping[str, Any], programme: Mapping[str, Any]) -> Iterator[Round]:
    """The rounds of the schedule, none before there is one."""
    if session["design"] is None:
        return
    playing = {each["round"] for each in programme["playing"]}
    begun, drawn = programme["round"], session["progress"]["rounds"]
    last = drawn if begun is None else max(programme["rounds"] or 0, begun)
    for number in range(max(1, last - MOST_ROUNDS + 1), last + 1):
        if number in playing:
            yield Round(number, "now")
        elif begun is None:
            yield Round(number, "done" if session["status"] == SessionStatus.FINISHED else "drawn")
        else:
            yield Round(number, "done" if number <= begun else "to come")


def _session_values(
    session: Mapping[str, Any],
    times: list[ScheduledTime],
    now: Now,
    *,
    enter: Entering | None,
    fit: StandingsSnapshot | None,
    stream: str,
) -> dict[str, Any]:
    """The values of the template. stream: the query by which this very page is followed."""
    begun = session["status"] not in ENTERABLE
    here = [entry for entry in session["entries"] if "connected" in entry]
    return {
        "session": session,
        "followed": session["status"] not in OVER or not _is_live(session),
        "stream": stream,
        "news": _news(session, now, fit),
        "ruleset": ruleset_words(session["ruleset"]),
        "status": _status(session, now),
        "progress": list(_progress(session, now, fit)),
        "now": now.playing,
        "next": now.next,
        "next_in": now.next_in,
        "rounds": now.rounds,
        "CLOCK_WORDS": CLOCK_WORDS,
        "MOST_TABLES": MOST_TABLES,
        "MOST_COMING": MOST_COMING,
        "times": times,
        "entering": enter,
        "first_page": PAGES[0],
        "bots_here": here,
        "invited": [entry for entry in session["entries"] if "person" in entry],
        "connected": sum(entry["connected"] for entry in here),
        "hidden": session["board"] != "named",
        "options": list(_options(session["ruleset"])),
        "sizes": _sizes(session, fit),
        "part": _part(fit),
        "asked": _asked(fit, sizes=_sizes(session, fit)),
        "withheld": fit is None and session["rated"],
        "standings": _standings(session, fit) if fit is not None and begun else None,
        "revealing": session["status"] in OVER and fit is not None and _is_live(session),
        "forms": FORMS,
        "reports": REPORTS,
    }


def _is_live(session: Mapping[str, Any]) -> bool:
    """Is nothing of the results withheld?"""
    return bool(session["publication"]["results"] == ResultsMode.LIVE)


def _status(session: Mapping[str, Any], now: Now) -> str:
    """The word beside the name."""
    ending = ENDING if session["ending"] else ""
    if session["status"] == SessionStatus.RUNNING and now.round:
        last = now.rounds[-1].number if now.rounds else now.round
        of = f" of {last}" if last > now.round else ""
        return f"being played: round {now.round}{of}{ending}"
    return STATUS[session["status"]] + ending


def _news(session: Mapping[str, Any], now: Now, fit: StandingsSnapshot | None) -> str:
    """What is said aloud of a session when it changes: seldom, and in one sentence each."""
    status = _status(session, now)
    leader = _leader(fit) if session["status"] in IN_PLAY else ""
    return f"{status[:1].upper()}{status[1:]}.{f' {leader} leads.' if leader else ''}"


def _leader(fit: StandingsSnapshot | None) -> str:
    """Who is first in the standings, if anybody is ranked."""
    rows = fit.standings.sections[0].rows if fit is not None and fit.standings.sections else ()
    return printable(rows[0].name) if rows and rows[0].ranks is not None else ""


def _progress(session: Mapping[str, Any], now: Now, fit: StandingsSnapshot | None) -> Iterator[str]:
    """The line below the name: how far it is, how long it will take, what results say by now."""
    done, total = _hands(session)
    if session["status"] in OVER:
        yield f"{done} hands played"
    elif total:
        yield f"{done} of {total} hands"
    if now.to_go:
        yield f"about {now.to_go}".replace("about less", "less")
    rows = fit.standings.sections[0].rows if fit is not None and fit.standings.sections else ()
    ranked = [row for row in rows if row.ranks is not None]
    if ranked and ranked[0].ranks is not None and ranked[0].ranks[1] < len(ranked):
        so_far = "so far " if session["status"] in IN_PLAY else ""
        yield f"results {so_far}separate 1st from {ordinal(ranked[0].ranks[1] + 1)}"


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


class StandingsOnPage(NamedTuple):
    """The standings for the template. seats: of the tables that count."""

    table: Markup
    notes: list[str]
    seats: int | None


def _standings(session: Mapping[str, Any], fit: StandingsSnapshot) -> StandingsOnPage:
    standings: Standings = fit.standings
    address = f"/sessions/{quote(session['session'], safe='')}"
    return StandingsOnPage(
        Markup(fit.html("leaders", address)),
        notes=header(standings)[1:] + footer(standings),
        seats=standings.facts.seats,
    )


def endpoints() -> tuple[Endpoint, ...]:
    """The route of this page."""
    bad, part = (Code.NOT_FOUND, Code.BAD_VALUE), (SEATS, DIVISION)
    return (page_endpoint("/sessions/{session}", session_page, query=part, codes=bad),)
