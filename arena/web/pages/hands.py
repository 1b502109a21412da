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

from arena import __version__
from arena.errors import BadInput, Forbidden, NotFound
from arena.narration.language import Detail
from arena.narration.sentences import ABOVE, LANGUAGES, Perspective, language
from arena.session.names import hand_id
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.web.api.documents import JSON
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code
from arena.web.api.queries import Param
from arena.web.api.services import Call
from arena.web.pages import embedding
from arena.web.pages.assets import FOR_EVER, VERIFY
from arena.web.pages.board import faces
from arena.web.pages.moments import START, Line, Narrator, Progress, moments_document, narrator
from arena.web.pages.rendering import PAGE_COST, page, page_endpoint

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
VERSION = Param("version", "text", "The version that the page names.")
LOG = Param(
    "log",
    "word",
    "The tricks that are open: that of the moment, or all.",
    "trick",
    words=("trick", "all"),
)
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
    """What of a hand is asked for. seat: None for all cards."""

    seat: int | None
    lang: str
    detail: Detail

    def narrator(self, hand: RecordedHand) -> Narrator:
        """The narrator of a hand for this view. Raises BadInput for a seat that it has not."""
        if self.seat is not None and self.seat >= len(hand.names):
            raise BadInput("seat", self.seat, f"0 to {len(hand.names) - 1}")
        reader = ABOVE if self.seat is None else Perspective(self.seat)
        words = language(self.lang)
        return narrator(words, hand.names, hand.rules, reader=reader, detail=self.detail)


def hand_page(call: Call) -> Reply:
    """Show a hand as a page: what happened in sentences, and how it stood at one moment."""
    name = call.path["hand"]
    shown = call.queries.hand(name)
    try:
        record = call.queries.record(name)
    except Forbidden:
        closed = page(
            call, "hand_closed.html", (name,), basis=shown, values=lambda: {"hand": shown}
        )
        return embedding.embeddable(call, closed)
    view, chosen = _view(call), tuple(call.query[each] for each in ("at", "log", "theme"))
    beside = _beside(call, shown)

    def open_values() -> Mapping[str, Any]:
        pause = call.queries.long_work.queries.work().pause
        hand = read_recorded_hand(record)
        return {
            "session": record["session"],
            "commitment": record["commitment"],
            "beside": beside,
            "data": _data(shown, record, view),
            **viewer_values(hand, view, *chosen, pause=pause),
        }

    basis = shown, record["void"], beside
    key = name, view, *chosen
    return embedding.embeddable(call, page(call, "hand.html", key, basis=basis, values=open_values))


def hand_moments(call: Call) -> Reply:
    """Get all moments of a hand that is over: what each step says, and the board after it.

    The viewer draws from it; the words are those of the page. With the `version` that the page
    names it may be kept for ever.
    """
    name, view = call.path["hand"], _view(call)
    shown, record = call.queries.hand(name), call.queries.record(name)
    version = _version(shown, record)

    def render() -> bytes:
        pause = call.queries.long_work.queries.work().pause
        hand = read_recorded_hand(record)
        pause()
        by = view.narrator(hand)
        return orjson.dumps(moments_document(by, hand.hand, hand.steps, pause=pause))

    key = "moments", name, view
    kept = call.services.pages.page(key, version, media=JSON, render=render)
    headers = FOR_EVER if call.query["version"] == version else None
    return Reply(kept.body, etag=kept.etag, credit=-PAGE_COST, headers=headers)


def _data(shown: Mapping[str, Any], record: Mapping[str, Any], view: HandView) -> Mapping[str, str]:
    """What the viewer's script has to know: the addresses of what it fetches."""
    seat = {} if view.seat is None else {"seat": view.seat}
    query = {**seat, "lang": view.lang, "detail": view.detail, "version": _version(shown, record)}
    hand, session = quote(shown["hand"]), quote(shown["session"])
    return {
        "moments": f"/hands/{hand}/moments?{urlencode(query)}",
        "record": f"/api/v1/hands/{hand}/record",
        "session": f"/api/v1/sessions/{session}",
        "commitment": shown["commitment"],
        "verify": VERIFY.path,
    }


def _view(call: Call) -> HandView:
    return HandView(call.query["seat"], call.query["lang"], Detail(call.query["detail"]))


def _version(shown: Mapping[str, Any], record: Mapping[str, Any]) -> str:
    """What differs whenever the moments of a hand may."""
    basis = orjson.dumps((__version__, shown, record["void"]))
    return hashlib.sha256(basis).hexdigest()[:16]


class Beside(NamedTuple):
    """The hands of the same table before and after a hand; None where there is none."""

    before: str | None
    after: str | None


def _beside(call: Call, shown: Mapping[str, Any]) -> Beside:
    return Beside(*(_other_hand(call, shown, by) for by in (-1, 1)))


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
) -> Mapping[str, Any]:
    """What `viewer.html` shows of a hand, but for `data`. at: after which event, None for the deal;
    pause: is called between two pieces of the work. Raises BadInput."""
    by, lines = view.narrator(hand), []
    for line, _ in by.lines(hand.steps):
        lines.append(line)
        pause()
    moment = (lines[0].at if lines else 0) if at is None else at
    point = _point_at(hand, moment) if lines else START
    tricks = tricks_of(lines)
    return {
        "hand": hand,
        "names": by.speaker.names,
        "board": by.board(point) if lines else None,
        "faces": faces(by.words, hand.rules),
        "tricks": tricks,
        "at": moment,
        "current": next((line.at for line in lines if line.at >= moment), None),
        "last": len(hand.events) - 1,
        "moves": moves_from(tricks, moment),
        **view._asdict(),
        "log": log,
        "theme": theme,
        "inline": None,
        "languages": LANGUAGE_NAMES,
        "details": DETAIL_NAMES,
    }


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
            query=(AT, SEAT, LANG, DETAIL, LOG, THEME, SPEED, PLAY),
            codes=bad,
        ),
        Endpoint(
            "GET",
            "/hands/{hand}/moments",
            hand_moments,
            "moments",
            query=(SEAT, LANG, DETAIL, VERSION),
            codes=(*bad, Code.FORBIDDEN),
            further=(304,),
        ),
        Endpoint(
            "GET",
            "/oembed",
            embedding.oembed,
            "oembed",
            query=embedding.QUERY,
            codes=bad,
        ),
    )
