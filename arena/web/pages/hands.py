"""The viewer: a hand that is over, at any of its moments, and the tables that lead to it.

Works without script: the hand is a list of sentences, each a link to how things stood after it.
Everything on a page is what anybody may see.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import orjson
from markupsafe import Markup

from arena import __version__
from arena.errors import BadInput, Forbidden, NotFound
from arena.narration.language import Detail
from arena.narration.sentences import ABOVE, LANGUAGES, PUBLIC, Perspective, language
from arena.session.names import hand_id
from arena.session.record_format import remarks_of
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.statuses import TABLE_OPEN
from arena.store.reading import table_row
from arena.web.api.documents import JSON
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages import embedding
from arena.web.pages.assets import FOR_EVER, PROOFS, VERIFY
from arena.web.pages.board import faces
from arena.web.pages.live import as_recorded, as_watched, until
from arena.web.pages.moments import (
    START,
    HandMoment,
    Line,
    Narrator,
    Progress,
    moments_document,
    narrator,
    seconds_text,
)
from arena.web.pages.rendering import PAGE_COST, data_block, page, page_endpoint
from arena.web.pages.wording import round_and_table
from arena.web.streams.hands import WITHHELD

THEMES = ("light", "dark")
AT = Param("at", "integer", "The event after which the hand is shown; without it, the deal.")
SEAT = Param("seat", "integer", "The seat whose cards are shown; without it, all.", most=7)
LANG = Param("lang", "word", "The language of the sentences.", "en", words=tuple(LANGUAGES))
DETAIL = Param(
    "detail",
    "word",
    "How much the sentences say.",
    Detail.NORMAL,
    words=tuple(Detail),
)
THEME = Param("theme", "word", "The colours; without it, those of the system.", words=THEMES)
SPEED = Param(
    "speed",
    "number",
    "How fast the script plays; 1 is a move a second.",
    1.0,
    least=0.25,
    most=8,
)
PLAY = Param("play", "flag", "Begin to play at once, where there is script.", False)
WATCH = Param(
    "watch",
    "flag",
    "Only what everybody could see while the hand was played; so is one that is being played.",
    False,
)
UNTIL = Param("until", "integer", "The number of events to tell; without it, all.", least=1)
VERSION = Param("version", "text", "The version that the page names.")
LOG = Param(
    "log",
    "word",
    "The tricks that are open: that of the moment, or all.",
    "trick",
    words=("trick", "all"),
)
MOST_INLINE = 400
"""Steps of a hand whose moments are part of its page, which saves a browser a request; those of a
longer one the script fetches."""
LANGUAGE_NAMES = {"en": "English", "ja": "日本語"}
DETAIL_NAMES = {"brief": "brief", "normal": "as usual", "full": "full"}


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


class HandView(NamedTuple):
    """What of a hand is asked for. seat: None for all cards; watch: no more than everybody could
    see while it was played, whatever the seat."""

    seat: int | None
    lang: str
    detail: Detail
    watch: bool = False

    def narrator(self, hand: RecordedHand) -> Narrator:
        """The narrator of a hand for this view. Raises BadInput for a seat that it has not."""
        if self.seat is not None and self.seat >= len(hand.names):
            raise BadInput("seat", self.seat, f"0 to {len(hand.names) - 1}")
        reader = ABOVE if self.seat is None else Perspective(self.seat)
        reader = PUBLIC if self.watch else reader
        words = language(self.lang)
        return narrator(words, hand.names, hand.rules, reader=reader, detail=self.detail)


def hand_page(call: Call) -> Reply:
    """Show a hand as a page: what happened in sentences, and how it stood at one moment."""
    name = call.path["hand"]
    shown = call.queries.hand(name)
    try:
        record = call.queries.record(name)
    except Forbidden:
        return embedding.embeddable(call, _watched_page(call, shown))
    view, chosen = _view(call), tuple(call.query[each] for each in ("at", "log", "theme"))
    place = _place(call, shown)

    def open_values() -> Mapping[str, Any]:
        pause = call.queries.long_work.queries.work().pause
        hand = _seen(read_recorded_hand(record), view)
        return {
            "commitment": record["commitment"],
            "place": place,
            "data": _data(shown, record, view),
            **viewer_values(hand, view, *chosen, pause=pause),
        }

    noted = any("note" in remarks_of(step) for step in record["steps"])  # from the session's end on
    basis = shown, record["void"], place, noted
    key = name, view, *chosen
    return embedding.embeddable(call, page(call, "hand.html", key, basis=basis, values=open_values))


def _watched_page(call: Call, shown: Mapping[str, Any]) -> Reply:
    """The page of a hand whose cards are not shown, or not yet: as everybody may know it by now."""
    name = shown["hand"]
    followed = call.referee.followed_hand(name)
    place = _place(call, shown)
    if not followed.shown or followed.hidden or not followed.hand.log.steps:
        closed = {"hand": shown, "place": place}
        return page(call, "hand_closed.html", (name,), basis=(shown, place), values=lambda: closed)
    view = _view(call)._replace(seat=None, watch=True)
    chosen = tuple(call.query[each] for each in ("at", "log", "theme"))
    hand, over = as_recorded(followed.hand), followed.hand.closed

    def values() -> Mapping[str, Any]:
        pause = call.queries.long_work.queries.work().pause
        return {
            "shown": shown,
            "place": place,
            "data": _live_data(hand, view, goes_on=not over),
            **viewer_values(hand, view, *chosen, pause=pause, from_end=True, over=over),
        }

    basis = shown, place, len(hand.events), over
    return page(call, "hand_live.html", (name, view, *chosen), basis=basis, values=values)


def _live_data(hand: RecordedHand, view: HandView, *, goes_on: bool) -> Mapping[str, str]:
    """What the scripts have to know of a hand that is watched: the moments that are on the page,
    and of one that goes on, what comes next, with and without a stream."""
    name, known = quote(hand.hand), len(hand.events)
    words = {"lang": view.lang, "detail": view.detail}
    moments = urlencode({**words, "watch": 1, "until": known})
    data = {"watch": "1", "moments": f"/hands/{name}/moments?{moments}"}
    if not goes_on:
        return data
    stream = urlencode({"hand": hand.hand, "form": "moments", **words})
    return {
        **data,
        "stream": f"/api/v1/stream?{stream}",
        "events": f"/api/v1/hands/{name}/events",
        "known": str(known),
    }


def hand_moments(call: Call) -> Reply:
    """Get all moments of a hand that may be seen: what each step says, and the board after it.

    The viewer draws from it; the words are those of the page. With the `version` that the page
    names it may be kept for ever. Of a hand that is being played it has what everybody may know.
    """
    name, view = call.path["hand"], _view(call)
    shown = call.queries.hand(name)
    try:
        record = call.queries.record(name)
    except Forbidden:
        return _watched_moments(call, shown)
    version = _version(shown, record)

    def render() -> bytes:
        pause = call.queries.long_work.queries.work().pause
        hand = until(_seen(read_recorded_hand(record), view), events)
        pause()
        by = view.narrator(hand)
        return orjson.dumps(moments_document(by, name, by.moments(hand.steps), pause=pause))

    events = call.query["until"]
    key = "moments", name, view, events
    kept = call.services.pages.page(key, version, media=JSON, render=render)
    headers = FOR_EVER if call.query["version"] == version else None
    return Reply(kept.body, etag=kept.etag, credit=-PAGE_COST, headers=headers)


def _watched_moments(call: Call, shown: Mapping[str, Any]) -> Reply:
    """The moments of a hand whose cards are not shown, or not yet. Raises Forbidden."""
    name, events = shown["hand"], call.query["until"]
    followed = call.referee.followed_hand(name)
    if not followed.shown or followed.hidden:
        raise Forbidden(name, WITHHELD)
    view, closed = _view(call)._replace(seat=None, watch=True), followed.hand.closed
    hand = until(as_recorded(followed.hand), events)

    def render() -> bytes:
        pause = call.queries.long_work.queries.work().pause
        by = view.narrator(hand)
        moments = by.moments(hand.steps)
        return orjson.dumps(moments_document(by, name, moments, over=closed, pause=pause))

    key, basis = ("moments", name, view, events), (len(hand.events), closed)
    kept = call.services.pages.page(key, basis, media=JSON, render=render)
    return Reply(kept.body, etag=kept.etag, credit=-PAGE_COST)


def _seen(hand: RecordedHand, view: HandView) -> RecordedHand:
    """A hand for a view: without the times of turns for those who only watch."""
    return as_watched(hand) if view.watch else hand


def _data(shown: Mapping[str, Any], record: Mapping[str, Any], view: HandView) -> Mapping[str, str]:
    """What the viewer's script has to know: the addresses of what it fetches."""
    seat = {} if view.seat is None else {"seat": view.seat}
    watch = {"watch": 1} if view.watch else {}
    words = {"lang": view.lang, "detail": view.detail}
    query = {**seat, **words, **watch, "version": _version(shown, record)}
    hand, session = quote(shown["hand"]), quote(shown["session"])
    whose = "" if view.seat is None else f"seat={view.seat}&"
    return {
        "moments": f"/hands/{hand}/moments?{urlencode(query)}",
        "record": f"/api/v1/hands/{hand}/record",
        "session": f"/api/v1/sessions/{session}",
        "proof": f"/api/v1/hands/{hand}/proof",
        "commitment": shown["commitment"],
        "verify": VERIFY.path,
        "proofs": PROOFS.path,
        **({"watch": "1"} if view.watch else {"position": f"/hands/{hand}/position?{whose}at="}),
    }


def _view(call: Call) -> HandView:
    query = call.query
    return HandView(query["seat"], query["lang"], Detail(query["detail"]), query["watch"])


def _version(shown: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """What differs whenever the moments of a hand may."""
    basis = orjson.dumps((__version__, shown, record["void"]))
    return hashlib.sha256(basis).hexdigest()[:16]


class Place(NamedTuple):
    """Where a hand belongs. name: of the session; label: what people call the table; hands: how
    many are played at it; before, after: the hands beside it there, None where there is none;
    closed: is nothing played there any more, so that the digest has its hands?
    """

    session: str
    name: str
    table: str
    label: str
    hands: int
    before: str | None
    after: str | None
    closed: bool


def _place(call: Call, shown: Mapping[str, Any]) -> Place:
    session, table = shown["session"], shown["table"]
    config = call.queries.in_play.session(session).config
    before, after = (_other_hand(call, shown, by) for by in (-1, 1))
    label, hands = round_and_table(table), config.hands_per_table
    closed = table_row(call.queries.store, table).status not in TABLE_OPEN
    return Place(session, config.name, table, label, hands, before, after, closed)


def _other_hand(call: Call, shown: Mapping[str, Any], by: int) -> str | None:
    name = hand_id(shown["table"], shown["number"] + by)
    try:
        call.queries.hand(name)
    except NotFound:
        return None
    return name


def viewer_values(
    hand: RecordedHand,
    view: HandView,
    at: int | None = None,
    log: str = "trick",
    theme: str | None = None,
    *,
    pause: Callable[[], None] = lambda: None,
    from_end: bool = False,
    over: bool = True,
) -> Mapping[str, Any]:
    """What `viewer.html` shows of a hand, but for `data`. at: after which event, None for the deal,
    or for the last one that says something if it is shown from its end; pause: is called between
    two pieces of the work; over: has the hand ended? Raises BadInput."""
    by = view.narrator(hand)
    lines, inline = _lines(by, hand, over=over, pause=pause)
    moment = (lines[-from_end].at if lines else 0) if at is None else at
    point = _point_at(hand, moment) if lines else START
    tricks = tricks_of(lines)
    return {
        "hand": hand,
        "names": by.speaker.names,
        "board": by.board(point) if lines else None,
        "faces": faces(by.words, hand.rules),
        "tricks": tricks,
        "notes": hand.notes(view.seat),
        "spent": [seconds_text(ms) for ms in _spent_ms(lines, moment, len(hand.names))],
        "at": moment,
        "current": next((line.at for line in lines if line.at >= moment), None),
        "last": lines[-1].at if from_end else len(hand.events) - 1,
        "moves": moves_from(tricks, moment),
        **view._asdict(),
        "log": log,
        "theme": theme,
        "kept": _kept(view, theme),
        "inline": inline,
        "languages": LANGUAGE_NAMES,
        "details": DETAIL_NAMES,
    }


def _kept(view: HandView, theme: str | None) -> str:
    """What of a query holds for the hands beside as well."""
    chosen = {
        "lang": view.lang if view.lang != LANG.default else None,
        "detail": view.detail if view.detail != DETAIL.default else None,
        "theme": theme,
    }
    return urlencode({name: value for name, value in chosen.items() if value})


def _lines(
    by: Narrator, hand: RecordedHand, *, over: bool, pause: Callable[[], None]
) -> tuple[list[Line], Markup | None]:
    """What each step of a hand says; and its moments for the script, unless they are too many to
    be sent along with each page."""
    lines, moments, inside = [], [], len(hand.steps) <= MOST_INLINE
    for line, point in by.lines(hand.steps):
        lines.append(line)
        if inside:
            moments.append(HandMoment(line, by.board(point)))
        pause()
    if not inside:
        return lines, None
    return lines, data_block(moments_document(by, hand.hand, moments, over=over, pause=pause))


def _spent_ms(lines: Iterable[Line], at: int, players: int) -> list[int]:
    """What its turns have cost each seat by the event of this number, in milliseconds."""
    spent = [0] * players
    for line in lines:
        if line.at <= at and line.seat >= 0:
            spent[line.seat] += line.charged_ms or 0
    return spent


def _point_at(hand: RecordedHand, at: int) -> Progress:
    """The point after the event of this number. Raises BadInput."""
    if not 0 <= at < len(hand.events):
        raise BadInput("at", at, f"an event, 0 to {len(hand.events) - 1}")
    return START.after(hand.events[: at + 1])


def tricks_of(lines: Iterable[Line]) -> tuple[Trick, ...]:
    """The lines of a hand, trick by trick."""
    grouped = groupby(lines, attrgetter("trick"))
    return tuple(Trick(number, tuple(members)) for number, members in grouped)


def moves_from(tricks: Sequence[Trick], at: int) -> Moves:
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


def endpoints() -> tuple[Endpoint, ...]:
    """The routes of these pages."""
    bad = (Code.NOT_FOUND, Code.BAD_VALUE)
    return (
        page_endpoint(
            "/hands/{hand}",
            hand_page,
            query=(AT, SEAT, LANG, DETAIL, LOG, THEME, SPEED, PLAY, WATCH),
            codes=(*bad, Code.DAMAGED),
        ),
        Endpoint(
            "GET",
            "/hands/{hand}/moments",
            hand_moments,
            "moments",
            query=(SEAT, LANG, DETAIL, WATCH, UNTIL, VERSION),
            codes=(*bad, Code.FORBIDDEN, Code.DAMAGED),
            further=(304,),
        ),
        Endpoint(
            "GET",
            "/oembed",
            embedding.oembed,
            "oembed",
            query=embedding.QUERY,
            codes=bad,
            medias=("text/xml",),
        ),
    )
