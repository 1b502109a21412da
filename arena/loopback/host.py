"""A referee with its app in this process, and addresses under which it can be asked.

    with LocalArena() as arena:
        url = arena.listen().url

Each address may have a middleware of its own, which sees every request that comes there. The store
is in memory: nothing is left behind.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from io import BytesIO
from types import TracebackType
from typing import TYPE_CHECKING, Any

from arena.application import Referee
from arena.documents import Document
from arena.errors import ArenaError
from arena.loopback.messages import Headers, Middleware, Request, Response
from arena.loopback.server import HOST, LoopbackServer
from arena.settings import Settings
from arena.store.memory import open_memory
from arena.store.port import Store
from arena.web.api.problems import from_arena
from arena.web.app import create_app

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication

Answering = Callable[[str, str, Mapping[str, Any]], Document]
"""Answers a turn, by bot, turn and body; raises ArenaError."""
Intercept = Callable[[str, str, Mapping[str, Any], Answering], Document]
"""Is given an answer of a bot, and what takes it; replies in its place."""


class InterceptedReferee(Referee):
    """A referee whose answers to bots may be intercepted; everything else is as it is.

    intercepts: by the bot's id. One sees each answer alone, also of those that came together.
    """

    def __init__(self, store: Store, settings: Settings) -> None:
        super().__init__(store, settings=settings)
        self.intercepts: dict[str, Intercept] = {}

    def answer(self, bot: str, turn: str, body: Mapping[str, Any]) -> Document:
        """See `Referee.answer`."""
        intercept = self.intercepts.get(bot)
        if intercept is None:
            return super().answer(bot, turn, body)
        return intercept(bot, turn, body, super().answer)

    def answer_many(self, bot: str, answers: Sequence[Mapping[str, Any]]) -> list[Document]:
        """See `Referee.answer_many`."""
        if bot not in self.intercepts:
            return super().answer_many(bot, answers)
        return [self._result(bot, dict(answer)) for answer in answers]

    def _result(self, bot: str, body: dict[str, Any]) -> Document:
        """One entry of many, as `Referee.answer_many` describes it."""
        turn = body.pop("turn", None)
        if not isinstance(turn, str):
            return super().answer_many(bot, [body])[0]
        try:
            return {"turn": turn, "status": 200, **self.answer(bot, turn, body)}
        except ArenaError as error:
            return {"turn": turn, "status": from_arena(error).status, "error": error}


class LocalArena:
    """The arena of this process, from its making until `close`.

    Raises BadInput for settings with which there can be none.
    """

    def __init__(self, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self._store = open_memory()
        self.referee = InterceptedReferee(self._store, self.settings)
        self._app: WSGIApplication = create_app(self.referee, self.settings)
        self._servers: list[LoopbackServer] = []
        self.referee.start()

    def __enter__(self) -> LocalArena:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def listen(self, middleware: Middleware | None = None) -> LoopbackServer:
        """One more address. middleware: sees every request that comes there."""

        def respond(request: Request) -> Response:
            return self.ask(request) if middleware is None else middleware(request, self.ask)

        server = LoopbackServer(respond)
        self._servers.append(server)
        return server

    def ask(self, request: Request) -> Response:
        """What the app answers to a request."""
        return ask(self._app, request)

    def close(self) -> None:
        """Release all who wait, then end everything; harmless if done twice."""
        self.referee.stop()
        while self._servers:
            self._servers.pop().close()
        self._store.close()


def ask(app: WSGIApplication, request: Request) -> Response:
    """What a WSGI app answers to a request."""
    started: list[tuple[str, list[tuple[str, str]]]] = []

    def start_response(status: str, headers: list[tuple[str, str]], exc_info: Any = None) -> Any:
        started[:] = [(status, headers)]
        return _no_write

    parts = app(_environ(request), start_response)
    stream = iter(parts)
    first = next(stream, b"")  # an app may start its response with the first part
    status, headers = started[0]
    known: Headers = tuple(headers)
    if any(name.lower() == "content-length" for name, _ in known) or request.method == "HEAD":
        body = b"".join((first, *stream))
        close = getattr(parts, "close", None)
        if close is not None:
            close()
        return Response(int(status[:3]), known, body)
    return Response(int(status[:3]), known, first, stream)


def _no_write(data: bytes) -> object:
    raise TypeError("an app has to return its body; WSGI's write() is not supported here")


def _environ(request: Request) -> dict[str, Any]:
    path, _, query = request.target.partition("?")
    fields = {k: v for k, v in request.fields.items() if k != "HTTP_TRANSFER_ENCODING"}
    return {
        **fields,
        "REQUEST_METHOD": request.method,
        "SCRIPT_NAME": "",
        "PATH_INFO": Request("", path, {}, b"", 0, 0.0).path.encode().decode("latin-1"),
        "QUERY_STRING": query,
        "CONTENT_LENGTH": str(len(request.body)) if request.body else fields_length(request),
        "SERVER_NAME": HOST,
        "SERVER_PORT": request.fields.get("HTTP_HOST", "").rpartition(":")[2] or "80",
        "SERVER_PROTOCOL": "HTTP/1.1",
        "REMOTE_ADDR": HOST,
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": "http",
        "wsgi.input": BytesIO(request.body),
        "wsgi.errors": BytesIO(),
        "wsgi.multithread": True,
        "wsgi.multiprocess": False,
        "wsgi.run_once": False,
        "wsgi.input_terminated": True,
    }


def fields_length(request: Request) -> str:
    """The length that a request without a body says it has."""
    return request.fields.get("CONTENT_LENGTH", "")
