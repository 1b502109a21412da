"""Serves the hands of a record file as pages, on this machine only, until somebody stops it.

It reads the file hand by hand as they are asked for, writes nothing, and answers only requests that
name this machine: a page of some other site cannot make a browser read the file through it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl, urlencode, urlsplit

from arena.cli.documents import opened
from arena.documents import Document
from arena.errors import ArenaError, BadInput, NotFound
from arena.narration.language import Detail
from arena.narration.sentences import LANGUAGES
from arena.records.hands import hands_in
from arena.records.reading import lines_of
from arena.session.recorded_hand import RecordedHand, read_recorded_hand
from arena.tournament.reporting.markup import printable
from arena.web.pages.assets import ASSETS
from arena.web.pages.hands import THEMES, HandView
from arena.web.pages.recorded import (
    RecordedEntry,
    RecordedLinks,
    list_page,
    moments_of,
    served_page,
)

HOST = "127.0.0.1"
HANDS_A_PAGE = 200
HTML = "text/html; charset=utf-8"
JSON = "application/json"
TEXT = "text/plain; charset=utf-8"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; "
    "frame-ancestors 'none'; base-uri 'none'; form-action 'self'"
)


class RecordedHands:
    """The hands of a record file, by their number in it, from 1."""

    def __init__(self, path: Path) -> None:
        """Raises BadInput that names the line, or for a file without hands."""
        self.path = path
        self._offsets: list[int] = []
        self.entries: list[RecordedEntry] = []
        self._begins = 0
        for document in hands_in(self._lines()):
            self._offsets.append(self._begins)
            self.entries.append(_entry(document, len(self._offsets)))
        if not self._offsets:
            raise BadInput("file", "without hands", "a record file of hands that were played")

    def _lines(self) -> Iterator[bytes]:
        """The lines of the file; where the current one begins is remembered."""
        with opened(self.path) as file:
            lines = lines_of(file)
            while True:
                self._begins = file.tell()
                line = next(lines, None)
                if line is None:
                    return
                yield line

    def position(self, wanted: str) -> int:
        """The number of a hand by its number or id. Raises BadInput."""
        ids = [entry.hand for entry in self.entries]
        if wanted.isdecimal() and 1 <= int(wanted) <= len(ids):
            return int(wanted)
        if wanted not in ids:
            expected = f"a number from 1 to {len(ids)}, or the id of a hand"
            raise BadInput("--hand", wanted, expected)
        return ids.index(wanted) + 1

    def hand(self, position: int) -> RecordedHand:
        """A hand of the file. Raises BadInput, also if the file is no longer what it was."""
        with opened(self.path) as file:
            file.seek(self._offsets[position - 1])
            line = next(lines_of(file), b"")
        document = next(hands_in([line]), None)
        if document is None:
            raise BadInput("file", str(self.path), "the same hands as before")
        return read_recorded_hand(document)


def _entry(document: Document, position: int) -> RecordedEntry:
    places = (document["result"] or {}).get("places") or document["seating"]
    names = tuple(printable(document["players"][player]) for player in places)
    void = document.get("void") is not None
    return RecordedEntry(f"/hands/{position}", printable(document["hand"]), names, void)


class ReplayAnswer(NamedTuple):
    """What is answered to one request."""

    body: bytes
    media: str
    status: HTTPStatus = HTTPStatus.OK


class ReplayPages:
    """What is served of a record file, by path and query."""

    def __init__(self, hands: RecordedHands) -> None:
        self._hands = hands

    def answer(self, path: str, query: Mapping[str, str]) -> ReplayAnswer:
        """The answer to a request; a mistake in it is answered with a sentence."""
        try:
            return self._found(path.strip("/").split("/"), query)
        except NotFound as error:
            return ReplayAnswer(str(error).encode(), TEXT, HTTPStatus.NOT_FOUND)
        except ArenaError as error:
            return ReplayAnswer(str(error).encode(), TEXT, HTTPStatus.BAD_REQUEST)

    def _found(self, steps: list[str], query: Mapping[str, str]) -> ReplayAnswer:
        match steps:
            case [""]:
                return ReplayAnswer(self._list(query), HTML)
            case ["static", name] if name in ASSETS:
                return ReplayAnswer(ASSETS[name].body, ASSETS[name].media)
            case ["hands", number]:
                return ReplayAnswer(self._page(self._position(number), query), HTML)
            case ["hands", number, "moments"]:
                hand = self._hands.hand(self._position(number))
                return ReplayAnswer(moments_of(hand, _view(query)), JSON)
        raise NotFound("/".join(steps), "there is no such page; / lists the hands")

    def _position(self, text: str) -> int:
        if not text.isdecimal() or not 1 <= int(text) <= len(self._hands.entries):
            last = len(self._hands.entries)
            raise NotFound("hand", f"hand is {printable(text)!r}; expected 1 to {last}")
        return int(text)

    def _page(self, position: int, query: Mapping[str, str]) -> bytes:
        view, last = _view(query), len(self._hands.entries)
        seat = {} if view.seat is None else {"seat": view.seat}
        asked = urlencode({**seat, "lang": view.lang, "detail": view.detail})
        return served_page(
            self._hands.hand(position),
            view,
            at=_whole(query, "at"),
            log=_word(query, "log", ("trick", "all")),
            theme=_word(query, "theme", THEMES) if "theme" in query else None,
            moments=f"/hands/{position}/moments?{asked}",
            links=RecordedLinks(
                f"/hands/{position - 1}?{asked}" if position > 1 else None,
                f"/hands/{position + 1}?{asked}" if position < last else None,
            ),
        )

    def _list(self, query: Mapping[str, str]) -> bytes:
        first = max(1, _whole(query, "from") or 1)
        entries, after = self._hands.entries, first + HANDS_A_PAGE
        return list_page(
            self._hands.path.name,
            entries[first - 1 : after - 1],
            first=first,
            before=f"/?from={max(1, first - HANDS_A_PAGE)}" if first > 1 else None,
            after=f"/?from={after}" if after <= len(entries) else None,
        )


def _view(query: Mapping[str, str]) -> HandView:
    lang = _word(query, "lang", tuple(LANGUAGES))
    detail = query.get("detail", Detail.NORMAL)
    if detail not in list(Detail):
        raise BadInput("detail", detail, "one of " + ", ".join(Detail))
    return HandView(_whole(query, "seat"), lang, Detail(detail))


def _whole(query: Mapping[str, str], name: str) -> int | None:
    """A whole number of the query. Raises BadInput."""
    text = query.get(name)
    if text is None:
        return None
    if not (text.isascii() and text.isdecimal() and len(text) <= 9):
        raise BadInput(name, text, "a whole number")
    return int(text)


def _word(query: Mapping[str, str], name: str, words: tuple[str, ...]) -> str:
    """A word of the query, the first if it has none. Raises BadInput."""
    value = query.get(name, words[0])
    if value not in words:
        raise BadInput(name, value, "one of " + ", ".join(words))
    return value


class ReplayServer(ThreadingHTTPServer):
    """Serves pages on this machine; port 0 is any that is free. Raises BadInput."""

    daemon_threads = True

    def __init__(self, pages: ReplayPages, port: int) -> None:
        self.pages = pages
        try:
            super().__init__((HOST, port), _Handler)
        except OSError as error:
            raise BadInput("--port", port, f"a port that is free ({error.strerror})") from error

    @property
    def url(self) -> str:
        """Where it is."""
        return f"http://{HOST}:{self.server_port}"


class _Handler(BaseHTTPRequestHandler):
    """One request: GET or HEAD, for this machine by name."""

    server: ReplayServer
    server_version = "arena-replay"
    sys_version = ""
    protocol_version = "HTTP/1.1"
    timeout = 30

    def do_GET(self) -> None:
        """Answer a request."""
        self._send(self._answer(), with_body=True)

    def do_HEAD(self) -> None:
        """The same without what it says."""
        self._send(self._answer(), with_body=False)

    def _answer(self) -> ReplayAnswer:
        port = self.server.server_port
        if self.headers.get("Host") not in (f"{HOST}:{port}", f"localhost:{port}"):
            return ReplayAnswer(b"not this machine", TEXT, HTTPStatus.MISDIRECTED_REQUEST)
        parts = urlsplit(self.path)
        return self.server.pages.answer(parts.path, dict(parse_qsl(parts.query)))

    def _send(self, answer: ReplayAnswer, *, with_body: bool) -> None:
        self.send_response(answer.status)
        headers = {
            "Content-Type": answer.media,
            "Content-Length": str(len(answer.body)),
            "Content-Security-Policy": POLICY,
            "X-Content-Type-Options": "nosniff",
            "Referrer-Policy": "no-referrer",
            "Cache-Control": "no-store",
        }
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if with_body:
            self.wfile.write(answer.body)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the library's name
        """Nothing is logged."""
