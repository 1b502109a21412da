"""A request as it arrived: what of it is passed on, and how its answer is begun.

Its body is kept when it is read, so that it can be sent on, and once more to another home. This
module may not know who is home of anything.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from arena.cluster.peers import ANSWER_S, PeerRequest
from arena.settings import REFEREE_NAME
from arena.web.api.logs import REQUEST
from arena.web.api.middleware import HOP, request_id
from arena.web.routing.paths import Concern, Matter
from arena.web.server.connections import HANG_UP

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

PART = "arena.part"
"""Where it says that the answer is one part of a merged one."""
PART_FIELD = "Arena-Part"
ROUTE_FIELD = "Arena-Route"
CONNECTION = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization"),
        *("proxy-connection", "te", "trailer", "transfer-encoding", "upgrade"),
    )
)
"""Fields that concern one connection (RFC 9110, 7.6.1)."""
NOT_PASSED = frozenset(
    (
        *(f"HTTP_{name.upper().replace('-', '_')}" for name in CONNECTION),
        *("HTTP_EXPECT", "HTTP_X_FORWARDED_FOR"),
        *("HTTP_ARENA_HOP", "HTTP_ARENA_CLUSTER_SECRET", "HTTP_ARENA_PART"),
    )
)
"""What of a head is not sent on as it came."""
REPEATABLE = frozenset({"GET", "HEAD", "PUT", "DELETE", "OPTIONS"})
VISIBLE = "".join(map(chr, range(33, 127)))
IN_PATH, IN_QUERY = re.sub("[%?#]", "", VISIBLE), re.sub("#", "", VISIBLE)
UNRESERVED = re.compile(
    "(?<!%)(?<!%[0-9A-F])%(2[DE]|3[0-9]|[46][1-9A-F]|[57][0-9A]|5F|7E)", re.ASCII | re.IGNORECASE
)
"""Escaped characters that need not be (RFC 3986, 2.3), but for such as belong to another escape as
soon as they are none themselves."""
WAIT = re.compile(r"(?:^|&)wait=([0-9]{1,6}(?:\.[0-9]{1,6})?)(?=&|$)", re.ASCII)
PAGE_S = 15.0
"""How long an answer may take beyond its wait that is not about turns: it may have to be computed
from a whole session."""
OF_BOTS = frozenset({Matter.TURNS, Matter.ANSWER, Matter.SEAT})


class KeptBody:
    """What `wsgi.input` becomes: what is read of it is kept, and can be read again."""

    def __init__(self, source: Any) -> None:
        self._source = source
        self._kept = bytearray()
        self._at = 0

    def read(self, size: int | None = -1) -> bytes:
        """As a file's; first what was kept. Raises OSError as its source does."""
        most = -1 if size is None else size
        again = bytes(self._kept[self._at :] if most < 0 else self._kept[self._at :][:most])
        self._at += len(again)
        if most < 0 or len(again) < most:
            fresh: bytes = self._source.read(most if most < 0 else most - len(again))
            self._kept += fresh
            self._at += len(fresh)
            return again + fresh
        return again

    def rewind(self) -> None:
        """Read from its beginning again."""
        self._at = 0


class Arrived:
    """A request. concern: what it is about; bot: who sent it, if that matters and is known.

    most_bytes: of a body that is passed on. address: where the client is.
    """

    def __init__(
        self,
        environ: WSGIEnvironment,
        start: StartResponse,
        concern: Concern,
        *,
        bot: str | None = None,
        address: Callable[[Mapping[str, Any]], str],
    ) -> None:
        self.environ = environ
        if "%" in environ.get("QUERY_STRING", ""):
            environ["QUERY_STRING"] = plain_query(environ["QUERY_STRING"])
        self.concern = concern
        self.bot = bot
        self.hop: str | None = environ.get(HOP)
        self.part = PART in environ
        self.method: str = environ["REQUEST_METHOD"]
        self.route: str | None = None
        self._start = start
        self._address = address
        self._body: bytes | None = None

    @property
    def query(self) -> str:
        """The query, as it came."""
        return str(self.environ.get("QUERY_STRING", ""))

    @property
    def request_id(self) -> str:
        """By what it is known in logs, here and where it is passed on to."""
        known: str | None = self.environ.get(REQUEST)
        if known is None:
            known = self.environ[REQUEST] = request_id(self.environ.get("HTTP_X_REQUEST_ID"))
        return known

    @property
    def repeatable(self) -> bool:
        """Does it do no harm if it comes twice? An answer's turn is its idempotency key."""
        return self.method in REPEATABLE or self.concern.matter in (Matter.TURNS, Matter.ANSWER)

    def start(self, status: str, fields: Sequence[tuple[str, str]], exc_info: Any = None) -> Any:
        """Begin the answer, with the way to it where the client has to be told."""
        more = self._route_fields()
        return self._start(status, [*fields, *more] if more else list(fields), exc_info)

    def _route_fields(self) -> tuple[tuple[str, str], ...]:
        if self.route is None or self.hop is not None:
            return ()
        return route_fields(self.route, str(self.environ.get("HTTP_COOKIE", "")))

    def keep_body(self) -> None:
        """From now on what is read of the body can be read again."""
        source = self.environ.get("wsgi.input")
        if source is not None and not isinstance(source, KeptBody) and self._may_have_body():
            self.environ["wsgi.input"] = KeptBody(source)

    def rewind(self) -> None:
        """Let the body be read from its beginning."""
        source = self.environ.get("wsgi.input")
        if isinstance(source, KeptBody):
            source.rewind()

    def body(self, most: int) -> bytes | None:
        """The whole body; None for one that is longer, or cannot be read."""
        if self._body is None:
            self._body = self._read(most) if self._may_have_body() else b""
        return self._body

    def _may_have_body(self) -> bool:
        environ = self.environ
        if self.method in ("GET", "HEAD"):
            return False
        return bool(environ.get("CONTENT_LENGTH") or environ.get("HTTP_TRANSFER_ENCODING"))

    def _read(self, most: int) -> bytes | None:
        """Read the body, and leave it to be read once more."""
        self.keep_body()
        length = str(self.environ.get("CONTENT_LENGTH") or "")
        source = self.environ["wsgi.input"]
        known = int(length) if length.isascii() and length.isdigit() else None
        if known is not None and known > most:
            return None
        parts, left = [], most + 1 if known is None else known
        try:
            while left and (part := source.read(left)):
                parts.append(part)
                left -= len(part)
        except OSError:
            return None
        finally:
            source.rewind()
        short = known is not None and left > 0
        return None if short or (known is None and not left) else b"".join(parts)

    def passed(self, body: bytes, *, longest_wait_s: float) -> PeerRequest:
        """The request as another referee gets it."""
        wait_s = min(wait_of(self.query), longest_wait_s)
        grace_s = ANSWER_S if self.concern.matter in OF_BOTS else PAGE_S
        return PeerRequest(
            self.method,
            target_of(str(self.environ.get("PATH_INFO", "")), self.query),
            self.fields(),
            body,
            answer_s=wait_s + grace_s,
            repeatable=self.repeatable,
        )

    def fields(self) -> list[tuple[str, str]]:
        """The head as another referee gets it: without what concerns the connection, or would be a
        line of its own; with what only this referee can know."""
        environ = self.environ
        fields = [
            (_field_name(name), value)
            for name, value in environ.items()
            if name.startswith("HTTP_")
            and name not in NOT_PASSED
            and not ("\n" in value or "\r" in value)
        ]
        if environ.get("CONTENT_TYPE"):
            fields.append(("Content-Type", environ["CONTENT_TYPE"]))
        if "HTTP_HOST" not in environ:  # HTTP/1.0 needs none
            fields.append(("Host", "peer"))
        fields.append(("X-Forwarded-For", self._address(environ)))
        return fields

    def shorten_wait(self, waited_s: float) -> None:
        """Ask again to wait only for what is left of what the client asked for."""
        left_s = max(0.0, wait_of(self.query) - waited_s)
        self.environ["QUERY_STRING"] = WAIT.sub(
            lambda match: match[0][: match.start(1) - match.start()] + f"{left_s:.3f}", self.query
        )

    def on_hang_up(self, then: Callable[[], None]) -> Callable[[], None]:
        """Have something done if the client goes while it waits; what ends that."""
        if not may_wait(self.environ):
            return _nothing
        return on_hang_up(self.environ, then)


def on_hang_up(environ: Mapping[str, Any], then: Callable[[], None]) -> Callable[[], None]:
    """Have something done if a client goes, where the server can notice it; what ends that."""
    watch: Callable[[Callable[[], None]], Callable[[], None]] | None = environ.get(HANG_UP)
    return _nothing if watch is None else watch(then)


def may_wait(environ: Mapping[str, Any]) -> bool:
    """May an answer take its time, since that was asked for, or since it is a stream?"""
    query = environ.get("QUERY_STRING", "")
    return wait_of(query) > 0 or environ.get("PATH_INFO", "").endswith("/stream")


def _nothing() -> None:
    """There is nothing to end."""


def plain_query(query: str) -> str:
    """A query without needless escapes: the same one, in which `wait` can be read."""
    return UNRESERVED.sub(lambda match: chr(int(match[1], 16)), query) if "%" in query else query


def wait_of(query: str) -> float:
    """The seconds that a query asks to wait."""
    match = WAIT.search(query) if "wait" in query else None
    return float(match[1]) if match else 0.0


def target_of(path: str, query: str) -> str:
    """Path and query of a WSGI environment, as they are sent on."""
    quoted = quote(path.encode("latin-1"), safe=IN_PATH)
    return f"{quoted}?{quote(query.encode('latin-1'), safe=IN_QUERY)}" if query else quoted


def route_fields(route: str, cookies: str) -> tuple[tuple[str, str], ...]:
    """What tells a client, and the balancer before it, at which referee it is answered directly;
    nothing where its cookie says that already. What a cookie says is believed by balancers only."""
    mine = f"arena_route={route}"
    if mine in cookies and mine in (each.strip() for each in cookies.split(";")):
        return ()
    if REFEREE_NAME.fullmatch(route) is None:  # a home that somebody's hand has written
        return ()
    return (
        ("Set-Cookie", f"{mine}; Path=/; HttpOnly; SameSite=Lax"),
        (ROUTE_FIELD, route),
    )


def _field_name(name: str) -> str:
    known = FIELD_NAMES.get(name)
    return known if known is not None else name[5:].replace("_", "-").title()


FIELD_NAMES: Mapping[str, str] = MappingProxyType(
    {
        f"HTTP_{name.upper().replace('-', '_')}": name
        for name in (
            *("Accept", "Accept-Encoding", "Accept-Language", "Authorization", "Cookie", "Host"),
            *("If-None-Match", "Last-Event-Id", "Origin", "Range", "Referer", "User-Agent"),
            *("X-Forwarded-Proto",),
        )
    }
)


def passed_back(fields: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The head of an answer as the client gets it: its server says when, and how it sends it."""
    return [
        (name, value)
        for name, value in fields
        if (low := name.lower()) not in CONNECTION and low != "date"
    ]
