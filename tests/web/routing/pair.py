"""Two referees in one process: two real apps on one store, and homes that the test decides.

Clients ask the outer app of one by WSGI; the internal app of each listens on loopback, in threads,
so what is passed on goes over real connections.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from werkzeug.serving import BaseWSGIServer, WSGIRequestHandler, make_server
from werkzeug.test import Client, TestResponse

from arena.application import Referee
from arena.errors import Unavailable
from arena.settings import Settings
from arena.store.memory import open_memory
from arena.store.port import Store
from arena.web.api.services import Services
from arena.web.app import create_app
from arena.web.routing.router import Router
from tests.apps import made_once

SECRET = "a-secret-of-the-referees"
SETTINGS = Settings(requests_per_s=0, anonymous_per_s=0, access_log=True)
SEED = "5e" * 32
MARKS = {"ash": 7, "elm": 11}
NOW_MS = 1_800_000_000_000


class FakeHomes:
    """Homes as the test says; both referees look at the same ones. on_move: what happens while
    somebody waits for a move."""

    def __init__(self, name: str, homes: dict[str, str], bots: dict[str, set[str]]) -> None:
        self.name = name
        self.secret = SECRET
        self.mark = MARKS[name]
        self.homes = homes
        self.bots = bots
        self.seats: dict[str, str] = {}
        self.addresses: dict[str, str] = {}
        self.certain = True
        self.on_move: Callable[[], None] = lambda: None
        self.on_death: Callable[[str], None] = lambda name: None
        self.start_at = name
        self.refreshed: list[str] = []
        self.lost: list[str] = []

    def home_of_session(self, session: str) -> str | None:
        return self.homes.get(session)

    def homes_of_bot(self, bot: str) -> tuple[str, ...]:
        return tuple(sorted({self.homes[each] for each in self._sessions(bot)}))

    def main_home(self, bot: str) -> str | None:
        homes = sorted(self.homes[each] for each in self._sessions(bot))
        return max(homes, key=homes.count, default=None)

    def _sessions(self, bot: str) -> list[str]:
        return [each for each in self.bots.get(bot, ()) if each in self.homes]

    def seat_of(self, person: str) -> str | None:
        return self.seats.get(person)

    def address(self, name: str) -> str | None:
        return self.addresses.get(name)

    def issuer(self, cursor: int) -> str | None:
        return next((name for name, mark in MARKS.items() if cursor % 4096 == mark), None)

    def for_start(self) -> str:
        return self.start_at

    def is_certain(self) -> bool:
        return self.certain

    def await_certainty(self) -> None:
        raise Unavailable("this referee cannot reach the database")

    def await_move(self, session: str, was: str, timeout_s: float) -> str | None:
        self.on_move()
        home = self.homes.get(session)
        return None if home == was else home

    def claim(self, session: str) -> None:
        """It is played here already, if it is at all."""

    def refresh(self, session: str) -> None:
        self.refreshed.append(session)

    def unreachable(self, name: str) -> None:
        self.lost.append(name)


class Quiet(WSGIRequestHandler):
    """HTTP/1.1, and nothing on standard error."""

    protocol_version = "HTTP/1.1"

    def log(self, type: str, message: str, *args: Any) -> None:  # noqa: A002
        """The app has a log of its own."""


class Side:
    """One of the two referees. app: what answers in the end; seen: requests that came there."""

    def __init__(self, name: str, store: Store, homes: FakeHomes) -> None:
        self.name = name
        self.homes = homes
        self.referee = Referee(store, settings=SETTINGS)
        self.referee._context.signals.open_turns.mark(MARKS[name], NOW_MS)
        self.referee.start(threads=False)
        with made_once():
            self.app = create_app(self.referee, SETTINGS)
        self.router = Router(self.app, homes, self.referee.bell, SETTINGS)
        self.came: list[Mapping[str, Any]] = []
        self.server: BaseWSGIServer | None = None

    @property
    def services(self) -> Services:
        services: Services = self.app.extensions["arena"]
        return services

    def listen(self) -> str:
        """Let the other side reach it; the address."""

        def internal(environ: Any, start: Any) -> Any:
            self.came.append(dict(environ))
            return self.router.internal(environ, start)

        self.server = make_server("127.0.0.1", 0, internal, threaded=True, request_handler=Quiet)
        threading.Thread(target=self.server.serve_forever, args=(0.02,)).start()
        return f"http://127.0.0.1:{self.server.server_port}"

    def vanish(self) -> None:
        """Be reached by nobody any more."""
        if self.server is not None:
            self.server.shutdown()
            self.server.server_close()
            self.server = None

    def client(self, token: str | None = None) -> Client:
        """Somebody who asks at this side, with a token or without, and keeps no cookies."""
        return WithToken(self.router.app, token)

    def close(self) -> None:
        self.referee.stop()
        self.router.stop(drain_s=0)
        self.vanish()


class WithToken(Client):
    """A client that sends a token."""

    def __init__(self, app: Any, token: str | None) -> None:
        super().__init__(app, use_cookies=False)
        self._token = token

    def open(self, *args: Any, **more: Any) -> TestResponse:
        headers = dict(more.pop("headers", None) or {})
        if self._token is not None:
            headers["Authorization"] = f"Bearer {self._token}"
        return super().open(*args, headers=headers, **more)


class Pair:
    """Referees `ash` and `elm`, and four bots that both know."""

    def __init__(self) -> None:
        self.store = open_memory()
        homes: dict[str, str] = {}
        bots: dict[str, set[str]] = {}
        self.ash, self.elm = (
            Side(name, self.store, FakeHomes(name, homes, bots)) for name in MARKS
        )
        self.homes, self.bots = homes, bots
        self.admin = self.ash.referee.registry.create_admin("organiser")
        made = [self.ash.referee.register(f"bot-{number}") for number in range(4)]
        self.ids = [bot["id"] for bot, _ in made]
        self.tokens = [token for _, token in made]
        self.elm.referee.registry.load()
        self.ash.homes.addresses["elm"] = self.elm.listen()
        self.elm.homes.addresses["ash"] = self.ash.listen()

    def start(self, slug: str, home: Side, **members: Any) -> str:
        """A session with all four bots that is played at a referee; its id."""
        document = {"name": slug.title(), "slug": slug, "seats": 4, "seed": SEED}
        document |= {"hands_per_table": 1, "schedule": {"rounds": 1}, **members}
        referee = home.referee
        session: str = referee.create_session(document, "organiser")["session"]
        referee.set_session(session, "open", "organiser")
        for bot in self.ids:
            referee.enter(session, bot)
            self.bots.setdefault(bot, set()).add(session)
        self.homes[session] = home.name
        referee.set_session(session, "start", "organiser")
        return session

    def turn_at(self, side: Side) -> tuple[int, str]:
        """The first open turn at a referee, by its id, with the number of its bot. Nobody is told
        of it, and who waits goes on."""
        while True:  # another thread may answer it meanwhile
            for number, bot in enumerate(self.ids):
                if turns := side.referee._context.signals.open_turns.of(bot):
                    return number, turns[0].id

    def close(self) -> None:
        for side in (self.ash, self.elm):
            side.close()
        self.store.close()


@contextmanager
def pair() -> Iterator[Pair]:
    """Two referees that are gone afterwards."""
    two = Pair()
    try:
        yield two
    finally:
        two.close()
