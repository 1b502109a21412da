"""The tables of a session as a page, and one table: its hands with places, titles and points."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from arena.narration.sentences import language
from arena.session.names import HOUSE
from arena.statuses import HandStatus, ResultsMode
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.rendering import page, page_endpoint
from arena.web.pages.wording import table_label

TABLES_A_PAGE, TABLES_OF_A_ROUND = 50, 500
AFTER = Param("after", "text", "The table that the page before ended with.")
ROUND = Param("round", "integer", "Only the tables of this round.", least=1)


class Finish(NamedTuple):
    """How a player finished a hand. title: what it is called from then on, in English, or empty."""

    place: int
    title: str
    points: str


class TableHand(NamedTuple):
    """A hand in the list of its table. finishes: by player, None while they are not known."""

    hand: str
    number: int
    status: str
    finishes: tuple[Finish, ...] | None
    faults: int


def table_page(call: Call) -> Reply:
    """Show a table as a page: who sat there, and its hands with places, titles and points."""
    name = call.path["table"]
    table = call.queries.table(name)
    session = call.queries.session(table["session"])
    linked = _has_bot_pages(session)
    basis = session["name"], linked, table

    def values() -> Mapping[str, Any]:
        hands = [_row(hand, table["titles"]) for hand in table["hands"]]
        return {
            "session": session,
            "table": table,
            "label": table_label(name, table["round"], of=()),
            "linked": linked,
            "house": HOUSE,
            "hands": hands,
            "running": [each for each in hands if each.status == HandStatus.PLAYING],
            "points": _points(table["hands"]),
            "winners": [table["players"][at] for at in table["overall_winner"] or ()],
        }

    return page(call, "table.html", (name,), basis=basis, values=values)


def _has_bot_pages(session: Mapping[str, Any]) -> bool:
    """Have the bots of a session pages of their own? Not where nothing is rated, or shown."""
    shown = session["publication"]["results"] != ResultsMode.EMBARGOED
    return bool(shown and session["rated"])


def _row(hand: Mapping[str, Any], titles: Sequence[str | None]) -> TableHand:
    result = hand["result"]
    if result is None:
        return TableHand(hand["hand"], hand["number"], hand["status"], None, 0)
    places = dict(zip(result["places"], result["finish"], strict=True))
    by_game = {player: titles[place] for place, player in enumerate(result["game"])}
    words = language("en")
    finishes = (
        Finish(places[player], words.title(by_game.get(player)), f"{points:+g}" if points else "")
        for player, points in enumerate(result["points"])
    )
    return TableHand(
        hand["hand"], hand["number"], hand["status"], tuple(finishes), len(result["faults"])
    )


def _points(hands: Sequence[Mapping[str, Any]]) -> list[str]:
    """What each player has by the ruleset's own scoring; nothing where that gives nothing."""
    given = [hand["result"]["points"] for hand in hands if hand["result"] is not None]
    sums = [sum(points) for points in zip(*given, strict=True)]
    return [f"{points:g}" for points in sums] if any(map(any, given)) else []


def tables_page(call: Call) -> Reply:
    """Show the tables of a session as a page, round by round."""
    name, after, round_ = call.path["session"], call.query["after"], call.query["round"]
    session = call.queries.session(name)
    limit = TABLES_A_PAGE if round_ is None else TABLES_OF_A_ROUND
    listed = call.queries.tables(name, after=after, limit=limit, round_=round_)
    linked = _has_bot_pages(session)
    rounds = [
        (number, [{**each, "label": table_label(each["table"], number, of=())} for each in tables])
        for number, tables in groupby(listed["tables"], itemgetter("round"))
    ]
    values = {
        "session": session,
        "rounds": rounds,
        "round": round_,
        "next": listed["next"],
        "linked": linked,
        "house": HOUSE,
    }
    basis = session["name"], linked, listed
    return page(call, "tables.html", (name, after, round_), basis=basis, values=lambda: values)


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of these pages."""
    bad, query = (Code.NOT_FOUND, Code.BAD_VALUE), (AFTER, ROUND)
    return (
        page_endpoint("/tables/{table}", table_page, codes=bad[:1]),
        page_endpoint("/sessions/{session}/tables", tables_page, query=query, codes=bad),
    )
