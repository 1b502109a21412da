"""Standings and what follows from them: texts, tables and pictures of one fit.

Views only: what a caller may see is decided by the referee. The same numbers come as JSON, in every
form of Python's tabulate, as csv and as SVG.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, wraps

import orjson

from arena.queries.digests import brief_line
from arena.queries.standings_snapshot import HistoryView, StandingsSnapshot, View
from arena.session.profiles import pairing_document, profile_document, ratings_of
from arena.tournament.reporting import markup
from arena.web.api.documents import document_of
from arena.web.api.endpoints import Endpoint, Reply, Scope
from arena.web.api.endpoints import View as EndpointView
from arena.web.api.limits import rate_cost_of_list
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call

LAYOUTS = ("full", "concise", "wide", "points")
TEXTS = ("json", "text", "markdown", *markup.FORMS)
ALIASES = {"text": "plain", "markdown": "github", "unsafehtml": "html"}
MEDIAS = {
    "github": "text/markdown",
    "pipe": "text/markdown",
    "html": "text/html",
    "csv": "text/csv",
    "latex": "application/x-latex",
}
"""Media types of the texts; the other forms of `tabulate` are plain text."""
TEXT_MEDIAS = tuple(sorted({"text/plain", *MEDIAS.values()}))
SVG_MEDIA = "image/svg+xml"

FORM = Param("format", "word", "The form of the answer.", "json", words=TEXTS)
SEATS = Param(
    "seats", "integer", "Of the tables that count, where there are two sizes.", least=2, most=8
)
DIVISION = Param("division", "text", "Only the bots of this division, by its id.")
CODES = (Code.NOT_FOUND, Code.FORBIDDEN, Code.BAD_VALUE)


def show_standings(call: Call) -> Reply:
    """Show the standings, fitted to all blocks that have ended by now.

    `format` is json, svg (a picture), or text, github (also called markdown), html, csv, latex or
    another form of Python's tabulate; `layout` and `width` are for the texts. With the token of a
    bot whose name is not shown, `own` in json is what it is called. Organisers see them live, also
    while they are frozen or embargoed for others.
    """
    asked = call.query["format"]
    if asked == "svg":
        return show_picture(call)
    digest = call.queries.digest_brief(call.path["session"])
    notes = brief_line(digest)
    layout, width = call.query["layout"], call.query["width"]
    reply = _view(call, "standings", layout=layout, width=width, notes=notes)
    if asked == "json":
        reply.document = {**reply.document, "digest": digest}
    own = None
    if asked == "json" and call.who is not None:  # the bot's pseudonym, on a pseudonymous board
        own = call.queries.called(call.path["session"], call.who.id)
    return reply if own is None else Reply({**reply.document, "own": own})


def show_picture(call: Call) -> Reply:
    """Show the ratings with their intervals as a picture (SVG)."""
    return Reply(_fit(call).text("picture").encode(), media=SVG_MEDIA)


def show_cross_table(call: Call) -> Reply:
    """Show how often each bot finished ahead of each other.

    In texts in per cent of the hands that they shared, or, with `counts`, in hands.
    """
    return _view(call, "counts" if call.query["counts"] else "cross", document="cross")


def show_superiority(call: Call) -> Reply:
    """Show how likely each bot is better than each other, in per cent."""
    return _view(call, "superiority")


def show_separations(call: Call) -> Reply:
    """Show each bot and the next: their gap, and about how many hands would tell them apart."""
    return _view(call, "separation")


def show_versions(call: Call) -> Reply:
    """Show the bots that play in several versions, and what each has gained on the one before.

    What stands behind the last @ in a name is the version, as in `otter@2`; versions of one bot
    have one owner.
    """
    return _view(call, "versions")


def show_history(call: Call) -> Reply:
    """Show the ratings with their intervals after each round that is complete.

    Of as much as the standings show the caller: while those are frozen, up to then. With many
    rounds every second one has its ratings, then every fourth, and always the last. `format` is
    json, svg (a picture), csv (one line for each bot and round), or another form, as for the
    standings.
    """
    asked = call.query["format"]
    if asked == "svg":
        return show_history_picture(call)
    fit = _fit(call)
    if asked == "json":
        return Reply(fit.history_document())
    form = ALIASES.get(asked, asked)
    return _text(fit.history_text("history", form=form), form)


def show_history_picture(call: Call) -> Reply:
    """Show the ratings after each round, with their intervals, as a picture (SVG).

    With `narrow` there is one chart in a row, for the screens of phones.
    """
    view: HistoryView = "narrow_history_picture" if call.query.get("narrow") else "history_picture"
    return Reply(_fit(call).history_text(view).encode(), media=SVG_MEDIA)


def _text(text: str, form: str) -> Reply:
    return Reply(text.encode(), media=f"{MEDIAS.get(form, 'text/plain')}; charset=utf-8")


def _view(
    call: Call,
    view: View,
    *,
    document: View | None = None,
    layout: str = "full",
    width: int | None = None,
    notes: tuple[str, ...] = (),
) -> Reply:
    """A view of the standings in the form that was asked for."""
    asked, fit = call.query["format"], _fit(call)
    if asked == "json":
        return Reply(fit.document(document or view))
    form = ALIASES.get(asked, asked)
    return _text(fit.text(view, form=form, layout=layout, width=width, notes=notes), form)


def _fit(call: Call) -> StandingsSnapshot:
    """The standings as the caller may see them."""
    session, seats = call.path["session"], call.query["seats"]
    division = call.query.get("division")
    return call.queries.fit(session, staff=call.staff, seats=seats, division=division)


def show_alerts(call: Call) -> Reply:
    """Show what an organiser should look at, with the statistics. Alerts, not verdicts.

    Pairs that help each other more than chance, bots that treat another bot's plays otherwise than
    everybody else's, seats and neighbours that were not shared out evenly, seats that pay, blocks
    that were cut short, bots that never met. Moves are read from the logs beside the arena's other
    work, from the first time that somebody asks: `moves_hands_unread` says how many hands are still
    to be read.
    """
    asked, fit = call.query["format"], _fit(call)
    moves = call.queries.moves_of(call.path["session"], fit)
    if asked == "json":
        return Reply(fit.alerts_document(moves))
    form = ALIASES.get(asked, asked)
    return _text(fit.alerts_text(moves, form=form), form)


def show_profile(call: Call) -> Reply:
    """Show what the hands of a session say of one bot.

    Its rating after each round, its record against each opponent, its places, faults and times, its
    best, its worst and all its hands. The bot by its id, or by its name as it is shown here. Only
    hands behind the standings that the caller sees: void tables have none, nor has what is
    withheld.
    """
    fit, query = _fit(call), call.query
    profile = fit.profile(call.path["bot"])
    history = ratings_of(fit.history(), profile.row.bot)
    document = profile_document(profile, history, after=query["after"], limit=query["limit"])
    return Reply(document, credit=-rate_cost_of_list(len(document["hands"])))


def show_pairing(call: Call) -> Reply:
    """Show what the hands of a session say of two bots.

    How the first did against the second, the difference of their ratings, all hands that they
    shared.
    """
    pairing = _fit(call).pairing(call.path["bot"], call.path["other"])
    document = pairing_document(pairing, after=call.query["after"], limit=call.query["limit"])
    return Reply(document, credit=-rate_cost_of_list(len(document["hands"])))


def show_programme(call: Call) -> Reply:
    """Show what of a session is being played now, hand by hand of each table, and what comes next.

    No result is in it, so it is the same while results are withheld.
    """
    return Reply(call.queries.programme(call.path["session"], staff=call.staff))


def show_forecast(call: Call) -> Reply:
    """Show how long the session will take and how exact its ratings will be.

    Also before it begins: then of those that have entered by now. How long hands take is measured
    by the newest ended sessions with as many seats. Warnings say what will disappoint: too few
    blocks for a rank or for the anchor, a field that will not be told apart.
    """
    return Reply(call.queries.forecast(call.path["session"]))


@cache
def endpoints() -> tuple[Endpoint, ...]:
    """The routes of standings and further tables."""
    form_or_svg = Param("format", "word", FORM.description, "json", words=(*TEXTS, "svg"))
    table_of = (
        form_or_svg,
        Param("layout", "word", "Which columns (for texts).", "full", words=LAYOUTS),
        Param("width", "integer", "Columns to fit a text into.", least=40, most=400),
        SEATS,
        DIVISION,
    )
    counts = Param("counts", "flag", "1 counts hands instead of per cent (for texts).", False)
    narrow = Param("narrow", "flag", "1 puts one chart in a row.", False)
    medias = (*TEXT_MEDIAS, SVG_MEDIA)
    public, viewer = Scope.PUBLIC, Scope.VIEWER
    return (
        replace(_endpoint("standings", show_standings, public, *table_of), medias=medias),
        _picture(_endpoint("standings.svg", show_picture, public, SEATS, DIVISION)),
        _endpoint("versions", show_versions, public, FORM, SEATS),
        replace(_endpoint("history", show_history, public, form_or_svg, SEATS), medias=medias),
        _picture(_endpoint("history.svg", show_history_picture, public, SEATS, narrow)),
        _endpoint("crosstable", show_cross_table, public, FORM, counts, SEATS, DIVISION),
        _endpoint("superiority", show_superiority, public, FORM, SEATS, DIVISION),
        _endpoint("separations", show_separations, public, FORM, SEATS, DIVISION),
        _endpoint("alerts", show_alerts, viewer, FORM, SEATS),
        replace(_endpoint("forecast", show_forecast, viewer), medias=()),
        Endpoint(
            "GET",
            "/sessions/{session}/programme",
            show_programme,
            "programme",
            codes=(Code.NOT_FOUND,),
        ),
        _of_bots("/sessions/{session}/bots/{bot}", show_profile, "profile"),
        _of_bots("/sessions/{session}/pairs/{bot}/{other}", show_pairing, "pairing"),
    )


def _of_bots(path: str, view: EndpointView, name: str) -> Endpoint:
    hands = (
        Param("after", "integer", "How many hands to leave out.", 0),
        Param("limit", "integer", "The most hands to get.", 100, least=1, most=500),
    )
    return Endpoint("GET", path, view, name, query=(SEATS, *hands), codes=CODES)


def _picture(endpoint: Endpoint) -> Endpoint:
    return replace(endpoint, answers="", medias=(SVG_MEDIA,))


def _endpoint(name: str, view: EndpointView, scope: Scope, *query: Param) -> Endpoint:
    """A route below a session; its name is that of the schema too."""
    path = f"/sessions/{{session}}/{name}"
    endpoint = Endpoint("GET", path, _tagged(view), name, scope, query=query, codes=CODES)
    return replace(endpoint, medias=TEXT_MEDIAS, further=(304,), gzip=True)


def _tagged(view: EndpointView) -> EndpointView:
    """The same view; who asks without a token gets a tag too, and may keep the answer by it: what
    everybody is shown changes only when blocks end."""

    @wraps(view)
    def answer(call: Call) -> Reply:
        reply = view(call)
        reply.headers = {**(reply.headers or {}), "Vary": "Authorization"}
        if call.who is None:
            plain = isinstance(reply.document, dict)
            reply.document = orjson.dumps(reply.document) if plain else reply.document
            reply.etag = document_of(reply.document, reply.media).etag
        return reply

    return answer
