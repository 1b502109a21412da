"""The endpoint of streams: what a client wants to follow, and from where on.

Everybody gets what everybody may see, with a token or without. This module may not know how a
stream is served.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from arena.errors import BadInput
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
from arena.web.api.endpoints import Endpoint, Reply
from arena.web.api.problems import Code, fault, invalid
from arena.web.api.queries import Param
from arena.web.api.results import DIVISION, SEATS
from arena.web.api.services import Call
from arena.web.streams.bodies import StreamBody, Wanted
from arena.web.streams.channels import Channel
from arena.web.streams.hands import Form, HandFeed, Hands, hand_source
from arena.web.streams.hub import Source

MEDIA = "text/event-stream; charset=utf-8"
HEADERS = {"X-Accel-Buffering": "no"}
"""A proxy that keeps answers back until they are whole would keep a stream back for ever."""
LONGEST_S = 3_600
TOPICS = ("hand", "table", "session", "sessions")
EVENT_ID = re.compile(r"(.{1,120})\.([0-9]{1,16})", re.ASCII)
HAND = Param("hand", "text", "Follow this hand.")
TABLE = Param("table", "text", "Follow this table, hand after hand.")
SESSION = Param("session", "text", "Follow the page of this session.")
SESSIONS = Param("sessions", "word", "Follow the front page, with all sessions.", words=("all",))
AFTER = Param(
    "after",
    "integer",
    "What is known already: the number of events of the hand, the version of the page.",
    0,
)
FORM = Param(
    "form",
    "word",
    "What is sent: the events of each step, the moments that the viewer draws, or only which hands"
    " are played.",
    "events",
    words=("events", "moments", "hands"),
)
LANG = Param("lang", "word", "The language of moments.", "en", words=tuple(LANGUAGES))
DETAIL = Param("detail", "word", "How much moments say.", Detail.NORMAL, words=tuple(Detail))
SECONDS = Param(
    "seconds",
    "integer",
    "How long the stream may last; 0 tells what there is and ends.",
    LONGEST_S,
    most=LONGEST_S,
)


def stream(call: Call) -> Reply:
    """Follow a hand, a table, a session or all sessions as everybody may see them.

    By server-sent events. Each has an `id`; who comes back sends the last one as `Last-Event-ID`,
    as browsers do by themselves, and nothing is missing or sent twice. 204 if nothing will follow
    any more.
    """
    topic = _topic(call.query)
    name = call.query[topic]
    resumed = _last_event(call.environ.get("HTTP_LAST_EVENT_ID", ""))
    if topic in call.services.page_sources:
        return _page_stream(call, topic, resumed)
    hand, after = (name, call.query["after"]) if topic == "hand" else (None, 0)
    if resumed is not None:
        hand, after = _check_resumed(topic, name, resumed)
    if hand is None:
        hand = call.referee.current_hand(name)
    form = call.services.forms[call.query["form"]](call.query)
    wanted = Wanted(hand_source(call.referee, hand, form), after, call.query["seconds"])
    onward = _onward(call.referee, form)
    return _reply(call, wanted._replace(onward=onward) if topic == "table" else wanted)


def _page_stream(call: Call, topic: str, resumed: tuple[str, int] | None) -> Reply:
    """Follow a page. Raises BadInput if what is resumed is another one."""
    after = call.query["after"]
    if resumed is not None:
        _, after = _check_resumed(topic, call.query[topic], resumed)
    source = call.services.page_sources[topic](call)
    return _reply(call, Wanted(source, after, call.query["seconds"]))


def _topic(query: Mapping[str, object]) -> str:
    """Which of the topics is asked for. Raises Problem unless it is just one."""
    named = [topic for topic in TOPICS if query[topic] is not None]
    if len(named) != 1:
        raise invalid([fault("query", "", f"name one of {', '.join(TOPICS)}")])
    return named[0]


def _last_event(given: str) -> tuple[str, int] | None:
    """The hand and the number in `Last-Event-ID`; None if there is none. Raises BadInput."""
    if not given:
        return None
    parts = EVENT_ID.fullmatch(given)
    if parts is None:
        raise BadInput("Last-Event-ID", given[:200], "the id of an event of this stream")
    return parts[1], int(parts[2])


def _check_resumed(topic: str, name: str, resumed: tuple[str, int]) -> tuple[str, int]:
    """Raises BadInput if what a client resumes is something else than what it asks for."""
    hand = resumed[0]
    if hand != name and not (topic == "table" and hand.rpartition("-h")[0] == name):
        raise BadInput("Last-Event-ID", hand, f"an event of the {topic} {name}")
    return resumed


def _onward(hands: Hands, form: Form) -> Callable[[Channel], Source | None]:
    """Who follows a table goes from hand to hand."""

    def onward(channel: Channel) -> Source | None:
        feed = channel.feed
        following = feed.following if isinstance(feed, HandFeed) else None
        return hand_source(hands, following, form) if following else None

    return onward


def _reply(call: Call, wanted: Wanted) -> Reply:
    streams = call.services.streams
    channel = streams.open(wanted.source)
    over = channel.journal.finished and wanted.after >= channel.journal.end
    if over and wanted.onward(channel) is None:
        return Reply(None, status=204, media="")
    address = call.services.addresses.of(call.environ)
    if wanted.seconds:
        streams.enter(address)
    body = StreamBody(streams, wanted, channel, address=address, name=call.request_id)
    return Reply(body, media=MEDIA, headers=HEADERS)


def endpoints() -> tuple[Endpoint, ...]:
    """The route of streams, below the base path of the API."""
    codes = (Code.NOT_FOUND, Code.FORBIDDEN, Code.BAD_VALUE, Code.DAMAGED)
    return (
        Endpoint(
            "GET",
            "/stream",
            stream,
            query=(
                *(HAND, TABLE, FORM, LANG, DETAIL),
                *(SESSION, SEATS, DIVISION, SESSIONS),
                *(AFTER, SECONDS),
            ),
            codes=codes,
            medias=("text/event-stream",),
            further=(204,),
        ),
    )
