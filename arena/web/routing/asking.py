"""Asking several homes at once, of which this referee may be one, each for its part of an answer.

Each part is asked in a thread of its own, one of them in that of the caller; whoever waits for
nothing any more is released, here and elsewhere. This module may not know what an answer means.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import orjson

from arena.cluster.peers import ANSWER_S, Cancellation, PeerRequest, PeerUnreachable
from arena.documents import Document
from arena.referee.bell import Bell
from arena.web.api.problems import NOT_HOME
from arena.web.routing.arrived import PART, PART_FIELD, Arrived, passed_back, target_of, wait_of
from arena.web.routing.passing import Passing, Watched

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

GRACE_S = 0.003
"""How long after all were asked a reply that is ready is waited for: some hops on an idle core."""
RETRY_S = 0.5
"""How soon a home that did not answer is asked again while others keep a bot waiting."""
DROPPED = frozenset(
    (
        *("CONTENT_LENGTH", "CONTENT_TYPE", "HTTP_TRANSFER_ENCODING", "HTTP_EXPECT"),
        *("HTTP_ACCEPT", "HTTP_ACCEPT_ENCODING"),
    )
)
NOT_OF_PARTS = frozenset({"Accept", "Accept-Encoding", "Content-Type", "X-Request-Id"})
"""Fields of the whole request that parts do not have, or have their own: they are read here."""


class HomeQuestion(NamedTuple):
    """What one home is asked. path: as in a WSGI environment; media: the type of the body, "" where
    that was not said, or there is none."""

    home: str
    method: str
    path: str
    query: str = ""
    body: bytes = b""
    media: str = ""


class HomeReply(NamedTuple):
    """What one home answered. status: 0 if it did not."""

    home: str
    status: int
    fields: tuple[tuple[str, str], ...] = ()
    body: bytes = b""

    @property
    def accepted(self) -> bool:
        """Is it what was asked for?"""
        return self.status == 200

    @property
    def refused(self) -> bool:
        """Is it refused for good: wherever it is asked, and however often?"""
        return self.status not in (0, 200, 503)

    @property
    def failed(self) -> bool:
        """Is there no answer, or is it that there will be one later?"""
        return self.status in (0, 503)

    @property
    def document(self) -> Document:
        """The JSON object that it is."""
        document: Document = orjson.loads(self.body)
        return document


class HomePart(Protocol):
    """One home that is asked."""

    def run(self) -> HomeReply:
        """Ask, and wait for the reply."""
        ...

    def cancel(self) -> None:
        """Wait no longer; from another thread."""
        ...


class RemotePart:
    """A part that another referee answers."""

    def __init__(self, passing: Passing, request: Arrived, question: HomeQuestion) -> None:
        self._passing = passing
        self._home = question.home
        self._cancellation = Cancellation()
        fields = [each for each in request.fields() if each[0] not in NOT_OF_PARTS]
        fields += [(PART_FIELD, "1"), ("X-Request-Id", request.request_id)]
        if question.media:
            fields.append(("Content-Type", question.media))
        self._request = PeerRequest(
            question.method,
            target_of(question.path, question.query),
            fields,
            question.body,
            answer_s=wait_of(question.query) + ANSWER_S,
            cancellation=self._cancellation,
        )

    def run(self) -> HomeReply:
        """Ask the other referee."""
        try:
            response = self._passing.ask(self._home, self._request)
            fields = tuple(passed_back(response.fields))
            return HomeReply(self._home, response.status, fields, response.read())
        except PeerUnreachable as error:
            if not self._cancellation.cancelled:
                self._passing.failed(error)
            return HomeReply(self._home, 0)

    def cancel(self) -> None:
        """Hang up."""
        self._cancellation.cancel()


class LocalPart:
    """A part that the app here answers."""

    def __init__(
        self, app: WSGIApplication, bell: Bell, request: Arrived, question: HomeQuestion
    ) -> None:
        self._app = app
        self._bell = bell
        self._home = question.home
        self._lock = threading.Lock()
        self._thread: int | None = None
        self._cancelled = False
        environ = {k: v for k, v in request.environ.items() if k not in DROPPED}
        self._environ = environ | {
            "REQUEST_METHOD": question.method,
            "PATH_INFO": question.path,
            "QUERY_STRING": question.query,
            "HTTP_X_REQUEST_ID": request.request_id,
            "wsgi.input": BytesIO(question.body),
            PART: True,
        }
        if question.method != "GET":
            self._environ["CONTENT_LENGTH"] = str(len(question.body))
            self._environ["CONTENT_TYPE"] = question.media

    def run(self) -> HomeReply:
        """Ask the app."""
        thread = threading.get_ident()
        with self._lock:
            if self._cancelled:
                return HomeReply(self._home, 0)
            self._thread = thread
        try:
            return self._ask()
        finally:
            with self._lock:
                self._thread = None
            self._bell.admit_thread(thread)

    def _ask(self) -> HomeReply:
        begun: list[tuple[str, Sequence[tuple[str, str]]]] = []

        def start(status: str, fields: Sequence[tuple[str, str]], exc_info: Any = None) -> Any:
            begun[:] = [(status, fields)]

        pieces = self._app(self._environ, start)
        body = b"".join(pieces)
        status, fields = begun[0]
        return HomeReply(self._home, int(status[:3]), tuple(fields), body)

    def cancel(self) -> None:
        """Send it home from what it waits for."""
        with self._lock:
            self._cancelled = True
            if self._thread is not None:
                self._bell.bar_thread(self._thread)


class Gathering:
    """Parts that are asked at the same time. decides: is a reply the one that the others need not
    be waited for? They get what is left of GRACE_S, for what is ready with them as well. Where a
    home fails the others are not waited for much longer either, so that it is asked again."""

    def __init__(self, parts: Sequence[HomePart], decides: Callable[[HomeReply], bool]) -> None:
        self._parts = parts
        self._decides = decides
        self._lock = threading.Lock()
        self._replies: dict[str, HomeReply] = {}
        self._left = len(parts)
        self._until_s = time.monotonic() + GRACE_S
        self._all_there = threading.Event()
        self._over = threading.Event()

    def run(self) -> Mapping[str, HomeReply]:
        """The replies that have come when it is decided, by home, the first first."""
        *others, last = self._parts
        for part in others:
            threading.Thread(target=self._run, args=(part,), daemon=True).start()
        self._run(last)
        self._over.wait()
        with self._lock:
            return dict(self._replies)

    def cancel(self) -> None:
        """Wait no longer."""
        self._over.set()
        self._all_there.set()
        for part in self._parts:
            part.cancel()

    def _run(self, part: HomePart) -> None:
        reply: HomeReply | None = None
        try:
            reply = part.run()
        finally:
            decided = self._note(reply)
        if decided:
            self._all_there.wait(max(0.0, self._until_s - time.monotonic()))
            self.cancel()
        elif reply is not None and reply.failed and not self._over.wait(RETRY_S):
            self.cancel()

    def _note(self, reply: HomeReply | None) -> bool:
        """Take a reply down, unless it is too late; does it decide?"""
        with self._lock:
            self._left -= 1
            if self._over.is_set():
                return False
            if reply is not None:
                self._replies[reply.home] = reply
            if not self._left:
                self._all_there.set()
                self._over.set()
            return bool(self._left) and reply is not None and self._decides(reply)


class HomeInquiry:
    """Asks homes. app: answers for this referee, own."""

    def __init__(self, app: WSGIApplication, own: Callable[[], str], passing: Passing) -> None:
        self._app = app
        self._own = own
        self._passing = passing

    def ask(
        self,
        request: Arrived,
        questions: Sequence[HomeQuestion],
        decides: Callable[[HomeReply], bool] = lambda reply: False,
    ) -> tuple[Mapping[str, HomeReply], Watched]:
        """The replies of homes, and how the wait for them ended."""
        own = self._own()
        ordered = sorted(questions, key=lambda question: question.home == own)  # own: last
        gathering = Gathering([self._part(request, each) for each in ordered], decides)
        watched = Watched(self._passing.bell, request, gathering.cancel, by_rings=False)
        try:
            return gathering.run(), watched
        finally:
            watched.end()

    def _part(self, request: Arrived, question: HomeQuestion) -> HomePart:
        if question.home == self._own():
            return LocalPart(self._app, self._passing.bell, request, question)
        return RemotePart(self._passing, request, question)


def is_elsewhere(reply: HomeReply) -> bool:
    """Does a home say that it is none, or not at all?"""
    return reply.status == 0 or (
        reply.status == 503 and any(name.lower() == NOT_HOME.lower() for name, _ in reply.fields)
    )
