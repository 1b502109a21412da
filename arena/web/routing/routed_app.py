"""The app of a referee that shares its database: what it is not home of goes to whoever is.

What concerns no session in play, or one of this referee, the inner app answers as it always does.
A request goes over one hop at most: where it was passed on to it is answered, or refused as not at
home, and tried again by who passed it on. This module may not know what an answer means.
"""

from __future__ import annotations

import errno
import time
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import parse_qs

from arena.errors import Unavailable
from arena.web.api.addresses import Addresses
from arena.web.api.browser_forms import MOST_FIELDS, MOST_FORM_BYTES
from arena.web.api.problems import NOT_HOME, Problem, from_arena
from arena.web.routing.arrived import Arrived
from arena.web.routing.callers import Callers
from arena.web.routing.homes import Homes
from arena.web.routing.passing import Missed, Passing
from arena.web.routing.paths import NOTHING, Concern, Matter, concern_of, session_of_turn
from arena.web.routing.sending_back import Refusals

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

    from arena.identity.registry import Registry
    from arena.settings import Settings
    from arena.web.routing.merging import Merging

MOVE_S = 3.0
"""How long a request waits for the next home of a session whose home does not answer;"""
LOOK_S = 0.05
"""and how often it is asked where a bot is, for which no single session stands."""
STOPPING_S = 2
ELSEWHERE = "What this is about moves to another referee just now."


class RoutedApp:
    """A WSGI app around the app of a referee.

    app: that answers here. cluster: who is home of what. passing: how requests get to others.
    merging: how those are answered that concern several. registry: whose token it is.
    """

    def __init__(
        self,
        app: WSGIApplication,
        cluster: Homes,
        *,
        passing: Passing,
        merging: Merging,
        registry: Registry,
        settings: Settings,
        monotonic: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._app: Final = app
        self._cluster = cluster
        self._passing = passing
        self._merging = merging
        self._callers = Callers(registry, monotonic=monotonic)
        self._addresses = Addresses(settings, monotonic=monotonic)
        self._most_bytes = settings.max_body_bytes
        self._monotonic = monotonic
        self._sleep = sleep
        self._refusals = Refusals()

    def __call__(self, environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        """Answer a request, here or elsewhere."""
        path, query = environ.get("PATH_INFO", ""), environ.get("QUERY_STRING", "")
        concern = concern_of(environ["REQUEST_METHOD"], path, query)
        if concern is NOTHING:
            return self._app(environ, start)
        request = Arrived(environ, start, concern, address=self._addresses.whole)
        try:
            return self._answer(request)
        except Unavailable as error:
            return self._refusals.answer(request, from_arena(error))
        except Problem as problem:
            return self._refusals.answer(request, problem)

    def _answer(self, request: Arrived) -> Iterable[bytes]:
        if not self._cluster.is_certain():
            self._cluster.await_certainty()
        if request.part:
            return self._app(request.environ, request.start)
        matter = request.concern.matter
        if matter in (Matter.TURNS, Matter.ANSWER, Matter.SEAT):
            request.bot = self._callers.bot(request.environ, matter)
            if request.bot is not None:
                return self._of_bot(request, request.bot)
        if matter in (Matter.TURNS, Matter.SEAT) or request.hop is not None:
            return self._as_home(request)
        if matter is Matter.REFEREE:
            return self._to_referee(request, request.concern.name)
        return self._of_session(request)

    def _of_bot(self, request: Arrived, bot: str) -> Iterable[bytes]:
        """What concerns a bot goes to its homes; an answer to the home of its turn."""
        homes = self._homes(request, bot)
        if self._merging.concerns(request, homes):
            return self._merged(request, bot)
        if request.hop is not None:
            return self._as_home(request)
        if len(homes) > 1 and request.concern.matter is Matter.SEAT:
            request.concern = self._concern_of_person(request, bot)
        if request.concern.name:
            return self._of_session(request)
        return self._of_one_home(request, bot, homes)

    def _homes(self, request: Arrived, bot: str) -> tuple[str, ...]:
        """The homes of a bot now; the main one is the route that its answer names."""
        homes = self._cluster.homes_of_bot(bot)
        if homes:
            request.route = homes[0] if len(homes) == 1 else self._cluster.main_home(bot)
        return homes

    def _as_home(self, request: Arrived) -> Iterable[bytes]:
        """Who passed this on takes this referee for the home, which it may just have become."""
        if request.concern.name and request.concern.matter is not Matter.REFEREE:
            self._cluster.claim(request.concern.name)
        return self._app(request.environ, request.start)

    def _of_one_home(self, request: Arrived, bot: str, homes: tuple[str, ...]) -> Iterable[bytes]:
        """Ask the home of a bot, and the next one if that is gone."""
        own = self._cluster.name
        began_s = self._monotonic()
        until_s = began_s + MOVE_S
        while True:
            home = own if own in homes or not homes else request.route or homes[0]
            if home == own:
                return self._app(request.environ, request.start)

            def moved(home: str = home) -> bool:
                return home not in self._cluster.homes_of_bot(bot)

            answered = self._elsewhere(home, request, moved)
            if not isinstance(answered, Missed):
                return answered
            self._check_missed(request, answered)
            if answered.rung:
                began_s, until_s = self._go_on_waiting(request, began_s)
            while not (answered.rung or moved()):
                if self._monotonic() >= until_s:
                    raise Unavailable(ELSEWHERE)
                self._sleep(LOOK_S)
            homes = self._homes(request, bot)
            if self._merging.concerns(request, homes):
                return self._merged(request, bot)

    def _concern_of_person(self, request: Arrived, person: str) -> Concern:
        """What somebody who sits at tables of several homes asks about: the session of the turn
        that a form answers, else the one that the page shows."""
        form = (request.body(MOST_FORM_BYTES) or b"").decode("ascii", "replace")
        try:
            turn = parse_qs(form, max_num_fields=MOST_FIELDS).get("turn", [""])[0]
        except ValueError:
            turn = ""
        session = session_of_turn(turn) or self._cluster.seat_of(person) or ""
        request.route = self._cluster.home_of_session(session) or request.route
        return request.concern._replace(name=session)

    def _merged(self, request: Arrived, bot: str) -> Iterable[bytes]:
        body = request.body(self._most_bytes)
        if body is None:
            return self._app(request.environ, request.start)
        return self._merging.answer(request, bot, body)

    def _of_session(self, request: Arrived) -> Iterable[bytes]:
        """Ask the home of a session, and the next one if that is gone."""
        cluster, own = self._cluster, self._cluster.name
        session = request.concern.name
        home = cluster.home_of_session(session)
        if home is None and request.concern.matter is Matter.START:
            home = cluster.for_start()
        request.keep_body()
        began_s = self._monotonic()
        until_s = began_s + MOVE_S
        while True:
            answered = self._at(request, own if home is None else home)
            if not isinstance(answered, Missed):
                return answered
            self._check_missed(request, answered)
            if answered.rung:
                began_s, until_s = self._go_on_waiting(request, began_s)
                home = cluster.home_of_session(session)
                continue
            cluster.refresh(session)
            left_s = max(0.0, until_s - self._monotonic())
            home = cluster.await_move(session, answered.home, left_s)
            if home is None and (left_s <= 0 or cluster.home_of_session(session) is not None):
                raise Unavailable(ELSEWHERE)
            if home is None and answered.home == own:  # it is in play, and nobody has its lease yet
                self._sleep(LOOK_S)

    def _go_on_waiting(self, request: Arrived, began_s: float) -> tuple[float, float]:
        """A wait was ended that began then; when the next one begins, and how long homes may take
        in it to be there."""
        now_s = self._monotonic()
        request.shorten_wait(now_s - began_s)
        return now_s, now_s + MOVE_S

    def _at(self, request: Arrived, home: str) -> Iterable[bytes] | Missed:
        session = request.concern.name
        if home == self._cluster.name:
            if self._cluster.home_of_session(session) == home:
                self._cluster.claim(session)
            return self._here(request)
        if not home:
            return Missed(home, "nobody knows its home")

        def moved() -> bool:
            return self._cluster.home_of_session(session) != home

        return self._elsewhere(home, request, moved)

    def _here(self, request: Arrived) -> Iterable[bytes] | Missed:
        """The answer of the app here, unless it says that it is not the home."""
        missed = False

        def start(status: str, fields: Sequence[tuple[str, str]], exc_info: Any = None) -> Any:
            nonlocal missed
            if status.startswith("503") and any(name == NOT_HOME for name, _ in fields):
                missed = True
                return _write_nothing
            return request.start(status, list(fields), exc_info)

        body = self._app(request.environ, start)
        if not missed:
            return body
        close = getattr(body, "close", None)
        if close is not None:
            close()
        request.rewind()
        return Missed(self._cluster.name, "it is not the home of this any more")

    def _elsewhere(
        self, home: str, request: Arrived, moved: Callable[[], bool]
    ) -> Iterable[bytes] | Missed:
        """The answer of another referee. What is too long or cannot be read, the app here refuses:
        it reads the body again, with the same end."""
        body = request.body(self._most_bytes)
        if body is None:
            return self._app(request.environ, request.start)
        return self._passing.pass_on(home, request, body, moved=moved)

    def _to_referee(self, request: Arrived, name: str) -> Iterable[bytes]:
        """Ask a referee by its name; of one that there is not, the app here says so."""
        if name == self._cluster.name or self._cluster.address(name) is None:
            return self._app(request.environ, request.start)
        answered = self._elsewhere(name, request, _never)
        if isinstance(answered, Missed):
            self._check_missed(request, answered)
            raise Unavailable(f"referee {name!r} cannot be reached: {answered.reason}")
        return answered

    def _check_missed(self, request: Arrived, missed: Missed) -> None:
        """Raises BrokenPipeError if nobody waits for an answer any more; Unavailable if it cannot
        be asked for once more."""
        if missed.gone:
            raise BrokenPipeError(errno.EPIPE, "the client has gone")
        if missed.stopped:
            raise Unavailable("the referee is stopping", retry_after=STOPPING_S)
        if missed.done and not request.repeatable:
            raise Unavailable(f"referee {missed.home!r} did not answer: {missed.reason}")


def _never() -> bool:
    return False


def _write_nothing(data: bytes) -> object:
    raise TypeError("an app has to return its body; WSGI's write() is not supported here")
