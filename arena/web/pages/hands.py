"""The viewer: a hand that is over, at any of its moments, and the tables that lead to it.

Works without script: the hand is a list of sentences, each a link to how things stood after it.
Everything on a page is what anybody may see.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from arena.errors import BadInput, Forbidden
from arena.narration.language import Language, Speaker
from arena.narration.sentences import ABOVE, LANGUAGES, Perspective, Sentence, language, narrate
from arena.rules import EMPTY, evolve
from arena.rules.events import Cleared
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.tournament.reporting.markup import printable
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages.board import board
from arena.web.pages.rendering import page, page_endpoint

TABLES_A_PAGE = 50
AT = Param("at", "integer", "The event after which the hand is shown; without it, the deal.")
SEAT = Param("seat", "integer", "The seat whose cards are shown; without it, all.", most=7)
LANG = Param("lang", "word", "The language of the sentences.", "en", words=tuple(LANGUAGES))
LOG = Param(
    "log",
    "word",
    "The tricks that are open: that of the moment, or all.",
    "trick",
    words=("trick", "all"),
)
AFTER = Param("after", "text", "The table that the page before ended with.")
LANGUAGE_NAMES = {"en": "English", "ja": "日本語"}
NOTABLE = {
    "revolution": "revolution",
    "cut": "cleared by a rule",
    "lock": "lock",
    "out": "out",
    "foul": "forbidden last play",
    "fall": "fall",
    "fault": "answered by the referee",
}


class Line(NamedTuple):
    """What one step says. at: the number of its last event; notable: words for what is."""

    at: int
    text: str
    notable: tuple[str, ...]


class Trick(NamedTuple):
    """The lines up to a clear. number: from 1."""

    number: int
    lines: tuple[Line, ...]

    @property
    def notable(self) -> tuple[str, ...]:
        """Words for what is notable in it, each once."""
        return tuple(dict.fromkeys(word for line in self.lines for word in line.notable))


class Moves(NamedTuple):
    """Where the links of the viewer lead, as numbers of events; None where there is nothing."""

    first: int | None
    trick_before: int | None
    before: int | None
    after: int | None
    trick_after: int | None
    notable: int | None
    last: int | None


def hand_page(call: Call) -> Reply:
    """Show a hand as a page: what happened in sentences, and how it stood at one moment."""
    name = call.path["hand"]
    shown = call.queries.hand(name)
    try:
        record = call.queries.record(name)
    except Forbidden:
        return page(call, "hand_closed.html", (name,), basis=shown, values=lambda: {"hand": shown})
    chosen = tuple(call.query[name] for name in ("at", "seat", "lang", "log"))

    def values() -> Mapping[str, Any]:
        return {
            "session": record["session"],
            "commitment": record["commitment"],
            **_hand_values(read_recorded_hand(record), *chosen),
        }

    return page(call, "hand.html", (name, *chosen), basis=(shown, record["void"]), values=values)


def _hand_values(
    hand: RecordedHand, at: int | None, seat: int | None, code: str, log: str
) -> Mapping[str, Any]:
    if seat is not None and seat >= len(hand.names):
        raise BadInput("seat", seat, f"0 to {len(hand.names) - 1}")
    words, reader = language(code), ABOVE if seat is None else Perspective(seat)
    speaker = Speaker(tuple(map(printable, hand.names)), hand.rules.table.titles)
    tricks = tuple(_tricks(hand, words, speaker, reader))
    lines = [line for trick in tricks for line in trick.lines]
    moment = (lines[0].at if lines else 0) if at is None else at
    state = hand.state_at(moment) if lines else EMPTY
    return {
        "hand": hand,
        "names": speaker.names,
        "board": board(words, speaker, hand.rules, state, reader=reader) if lines else None,
        "tricks": tricks,
        "at": moment,
        "current": next((line.at for line in lines if line.at >= moment), None),
        "last": len(hand.events) - 1,
        "moves": _moves(tricks, moment),
        "seat": seat,
        "lang": code,
        "log": log,
        "languages": LANGUAGE_NAMES,
    }


def _tricks(
    hand: RecordedHand, words: Language, speaker: Speaker, reader: Perspective
) -> Iterator[Trick]:
    """The lines of a hand, trick by trick."""
    state, lines, number = EMPTY, list[Line](), 1
    for step in hand.steps:
        sentences = list(narrate(words, speaker, step.events, reader=reader, state=state))
        state = evolve(state, step.events)
        if sentences:
            lines.append(_line(step.first + len(step.events) - 1, words, sentences))
        if any(isinstance(event, Cleared) for event in step.events) and not state.over:
            yield Trick(number, tuple(lines))
            lines, number = [], number + 1
    if lines:
        yield Trick(number, tuple(lines))


def _line(at: int, words: Language, sentences: Sequence[Sentence]) -> Line:
    notable = dict.fromkeys(NOTABLE[each.notable] for each in sentences if each.notable)
    return Line(at, words.between.join(each.text for each in sentences), tuple(notable))


def _moves(tricks: Sequence[Trick], at: int) -> Moves:
    """Where one can go from a moment: a step, a trick, to what is notable, to either end."""
    lines = [line for trick in tricks for line in trick.lines]
    before = [line.at for line in lines if line.at < at]
    after = [line.at for line in lines if line.at > at]
    starts = [trick.lines[0].at for trick in tricks if trick.lines]
    return Moves(
        before[0] if before else None,
        max((start for start in starts if start < at), default=None),
        before[-1] if before else None,
        after[0] if after else None,
        min((start for start in starts if start > at), default=None),
        next((line.at for line in lines if line.at > at and line.notable), None),
        after[-1] if after else None,
    )


def table_page(call: Call) -> Reply:
    """Show a table as a page: who sat there, and its hands with who finished where."""
    name = call.path["table"]
    table = call.queries.table(name)
    names = [printable(player["name"]) for player in table["players"]]
    values = {"table": table, "names": names, "hands": [_result(hand) for hand in table["hands"]]}
    return page(call, "table.html", (name,), basis=table, values=lambda: values)


class HandResultRow(NamedTuple):
    """A hand in the list of its table. places: by player, None while it is not known."""

    hand: str
    number: int
    status: str
    places: Mapping[int, int] | None
    faults: int


def _result(hand: Mapping[str, Any]) -> HandResultRow:
    result = hand["result"]
    if result is None:
        return HandResultRow(hand["hand"], hand["number"], hand["status"], None, 0)
    places = dict(zip(result["places"], result["finish"], strict=True))
    return HandResultRow(
        hand["hand"], hand["number"], hand["status"], places, len(result["faults"])
    )


def tables_page(call: Call) -> Reply:
    """Show the tables of a session as a page, in playing order."""
    name, after = call.path["session"], call.query["after"]
    session = call.queries.session(name)
    listed = call.queries.tables(name, after=after, limit=TABLES_A_PAGE)
    values = {"session": session, "tables": listed["tables"], "next": listed["next"]}
    basis = session["name"], listed
    return page(call, "tables.html", (name, after), basis=basis, values=lambda: values)


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of these pages."""
    bad = (Code.NOT_FOUND, Code.BAD_VALUE)
    return (
        page_endpoint("/hands/{hand}", hand_page, query=(AT, SEAT, LANG, LOG), codes=bad),
        page_endpoint("/tables/{table}", table_page, codes=bad[:1]),
        page_endpoint("/sessions/{session}/tables", tables_page, query=(AFTER,), codes=bad),
    )
