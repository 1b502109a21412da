"""One scene, played: the session, the bot's process, and the phases one after the other."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from arena.doctor.evidence import API, Exchange, WireObserver, document, is_poll
from arena.doctor.opponents import OtherPlayers
from arena.doctor.process import BotProcess, Launch
from arena.doctor.scenes import CALM, MANY_HANDS, PAUSE, RESTART, Scene, ScenePhase
from arena.doctor.troubles import Trouble
from arena.documents import Document
from arena.errors import Conflict
from arena.loopback.host import Answering, LocalArena
from arena.loopback.messages import Request, Responder, Response
from arena.loopback.server import LoopbackServer
from arena.statuses import OVER

ACTOR = "doctor"
ENTER_S = 2.0
"""How long a bot that asks for turns may take to enter."""
LONGEST_WAIT_S = 2
"""The longest wait of a poll: it may end early, and nobody here waits for the end of one."""
PAUSE_S = 1.5
GONE_S = 10.0
"""How long a bot may take to end when its session is over."""
FINISH_S = 30.0
LOOK_S = 0.02
LEDGER_S = 0.25
QUIET_S = 12.0
"""A phase in which nothing happens for this long, besides the time for a turn, is over."""
CLOSING_TRIES = 20
MOST_EXPIRED = 2
LATE_S = 3.0
"""How long an answer to a turn that has expired is waited for, to tell late from never."""
PAGE = 500


class DoctorStopped(Exception):
    """The doctor was told to stop. Never leaves this package."""


@dataclass(frozen=True, kw_only=True)
class Terms:
    """How bots are tried. move_ms, bank_ms: the clock of all sessions; start_s: how long a bot may
    take to its first request."""

    move_ms: int = 2_000
    bank_ms: int = 8_000
    start_s: float = 30.0

    @property
    def clock(self) -> Document:
        """As a session's document says it. No grace: what is late is late."""
        return {"move_ms": self.move_ms, "bank_ms": self.bank_ms, "grace_ms": 0}

    @property
    def quiet_s(self) -> float:
        """After how long without a request a bot is stuck."""
        return QUIET_S + (self.move_ms + self.bank_ms) / 1000


@dataclass
class PhaseRun:
    """A phase as it went. outcome: `done`, `ended` (the process), `expired` (turns), `stuck`
    (nothing happened), `not come` (no occasion), or `left out`. first: the number of its first
    exchange; still: which ones came while the session stood still. expired: the ledger's entries of
    turns that the referee answered for the bot."""

    phase: ScenePhase
    trouble: Trouble
    first: int
    outcome: str = "left out"
    still: slice = field(default_factory=lambda: slice(0))
    expired: list[Document] = field(default_factory=list)
    launch: Launch | None = None
    lines: list[str] = field(default_factory=list)
    why: str = ""


@dataclass
class SceneRun:
    """A scene as it went: all that checks may look at.

    entered_by_hand: the doctor had to enter the bot. over_s: when the session was over; status: the
    session's. ledger: of the bot's turns, at the end.
    """

    scene: Scene
    observer: WireObserver = field(default_factory=WireObserver)
    phases: list[PhaseRun] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    lines: dict[int, list[str]] = field(default_factory=dict)
    session: str = ""
    token: str = ""
    bot: str = ""
    entered_by_hand: bool = False
    connected: bool = False
    over_s: float | None = None
    status: str = ""
    ledger: list[Document] = field(default_factory=list)

    def phase(self, name: str) -> PhaseRun | None:
        """A phase by its name; None if it was not wanted, or not reached."""
        return next((run for run in self.phases if run.phase.name == name), None)


class SceneDirector:
    """Plays one scene. stop: ends it early, by `DoctorStopped`."""

    def __init__(
        self,
        arena: LocalArena,
        opponents: OtherPlayers,
        scene: Scene,
        *,
        terms: Terms,
        process: BotProcess,
        stop: threading.Event,
        progress: Callable[[str], None] = lambda line: None,
    ) -> None:
        self._arena, self._opponents, self._terms = arena, opponents, terms
        self._process, self._stop, self._progress = process, stop, progress
        self.run = SceneRun(scene)
        self._trouble = Trouble()
        self._server: LoopbackServer | None = None
        self._code = ""
        self._name = f"bot-{scene.name}"

    def play(self) -> SceneRun:
        """Play it to its end; what happened."""
        run = self.run
        self._server = self._arena.listen(self._middleware)
        try:
            self._prepare()
            self._launch()
            if self._await_connection():
                self._await_entry()
                self._phases()
                self._finish()
        finally:
            self._keep_lines()
            self._process.stop()
            self._server.close()
            run.launches = self._process.launches
        return run

    # The session

    def _prepare(self) -> None:
        """Create the session, enter the others, make the bot or a code for it."""
        referee, scene, run = self._arena.referee, self.run.scene, self.run
        schedule: Document = {"rounds": 1}
        if scene.tables > 1:
            schedule = {
                "kind": "gauntlet",
                "rounds": scene.tables,
                "rounds_at_once": scene.tables,
                "regulars": [self._name],
            }
        members = {
            "name": f"Doctor: {scene.name}",
            "slug": f"doctor-{scene.name}",
            "seats": scene.seats,
            "hands_per_table": MANY_HANDS,
            "clock": self._terms.clock,
            "schedule": schedule,
            "rated": scene.tables == 1,
        }
        run.session = referee.create_session({**members, **scene.members}, ACTOR)["session"]
        self._opponents.styles[run.session] = scene.style
        referee.set_session(run.session, "open", ACTOR)
        for other in self._opponents.ids[: scene.opponents]:
            referee.add_bot(run.session, other, ACTOR)
        if scene.registers:
            self._code = _new_code(self._arena)
        else:
            bot, run.token = referee.register(self._name)
            self._known(bot["id"])

    def _known(self, bot: str) -> None:
        """The bot has an id from now on."""
        self.run.bot = bot
        self._arena.referee.intercepts[bot] = self._intercept

    def _environ(self) -> dict[str, str]:
        """What a command is given; see `arena/manual/doctor.md`."""
        assert self._server is not None
        environ = {
            "ARENA_URL": self._server.url,
            "ARENA_SESSION": self.run.session,
            "ARENA_NAME": self._name,
            "PYTHONUNBUFFERED": "1",
        }
        if self.run.scene.registers:
            kept = str(self._process.home / "token.json")
            return {**environ, "ARENA_CODE": self._code, "ARENA_TOKEN_FILE": kept}
        return {**environ, "ARENA_TOKEN": self.run.token}

    def _launch(self) -> None:
        self._process.start(self._environ())

    def _await_connection(self) -> bool:
        """Wait for the first request. False if none comes, or the process ends before one."""
        until_s = time.monotonic() + self._terms.start_s
        while not self.run.observer.exchanges:
            if self._process.code() is not None or time.monotonic() > until_s:
                break
            self._pause()
        self.run.connected = bool(self.run.observer.exchanges)
        return self.run.connected

    def _await_entry(self) -> None:
        """Wait until the bot has entered; if it does not, enter it."""
        run, patience_s = self.run, self._terms.start_s
        begun_s = time.monotonic()
        while not self._has_entered():
            polled_s = next((e.request.at_s for e in run.observer.since(0) if _polls(e)), None)
            late = polled_s is not None and time.monotonic() - polled_s > ENTER_S
            gone = self._process.code() is not None
            if late or gone or time.monotonic() - begun_s > patience_s:
                break
            self._pause()
        if not self._has_entered():
            run.entered_by_hand = True
            if not run.bot:
                return
            self._arena.referee.add_bot(run.session, run.bot, ACTOR)
        self._arena.referee.set_session(run.session, "start", ACTOR)

    def _has_entered(self) -> bool:
        path = f"{API}/sessions/{self.run.session}/entry"
        return any(
            e.request.method == "PUT" and e.request.path == path and e.status == 200
            for e in self.run.observer.since(0)
        )

    def _finish(self) -> None:
        """End the session, and see whether the bot ends too."""
        run = self.run
        run.observer.phase = "end"
        hopeless = self._process.code() is not None or run.phases[-1].outcome != "done"
        if not run.bot or self._status() not in ("running", "paused"):
            return
        close_session(self._arena, run.session, "cancel" if hopeless else "end")
        until_s = time.monotonic() + FINISH_S
        while self._status() not in OVER:
            if self._process.code() is not None or time.monotonic() > until_s:
                close_session(self._arena, run.session, "cancel")
                break
            self._pause()
        run.status, run.over_s = self._status(), time.monotonic()
        until_s = run.over_s + GONE_S
        while self._process.code() is None and time.monotonic() < until_s:
            self._pause()
        run.ledger = self._ledger()

    def _status(self) -> str:
        return _status(self._arena, self.run.session)

    # The phases

    def _phases(self) -> None:
        run = self.run
        if not run.bot:
            return
        for phase in run.scene.phases:
            if self._process.code() is not None:
                self._launch_again()
            self._progress(f"{run.scene.name}: {phase.name}")
            ran = self._phase(phase)
            run.phases.append(ran)
            if ran.outcome in ("ended", "expired", "stuck"):
                if run.observer.accepted() == 0:
                    return  # it answers nothing, whatever happens
                if phase is not run.scene.phases[-1]:
                    self._launch_again()

    def _launch_again(self) -> None:
        """End what runs of the bot, and start it again."""
        self._keep_lines()
        self._process.stop()
        self._launch()

    def _phase(self, phase: ScenePhase) -> PhaseRun:
        """Play one phase until there has been enough of it."""
        run, observer = self.run, self.run.observer
        ran = PhaseRun(phase, phase.make(), len(observer.exchanges))
        observer.phase = phase.name
        if phase.act == RESTART:
            self._keep_lines()
            self._process.stop()
            ran.first = len(observer.exchanges)
            self._launch()
        if phase.act == PAUSE:
            ran.still = self._pause_session()
        expired_before = {entry["turn"] for entry in self._expired()}
        self._trouble = ran.trouble
        ran.outcome = self._until_enough(ran, expired_before)
        ran.expired = [e for e in self._expired() if e["turn"] not in expired_before]
        ran.launch = self._process.launches[-1]
        ran.lines = self._process.last_lines()
        if ran.launch.code is not None:
            ran.why = ran.launch.why
        self._trouble = Trouble()
        run.lines[len(self._process.launches) - 1] = ran.lines
        return ran

    def _until_enough(self, ran: PhaseRun, before: set[str]) -> str:
        """Wait for the end of a phase; its outcome."""
        phase, observer = ran.phase, self.run.observer
        most = MOST_EXPIRED if phase.name == CALM else 1
        looked_s = active_s = time.monotonic()
        known = len(observer.exchanges)
        while True:
            came = ran.trouble.came
            if came is not None and phase.enough(observer, came + 1, phase.turns):
                return "done"
            if self._process.code() is not None:
                return "ended"
            now_s = time.monotonic()
            if now_s - looked_s > LEDGER_S:
                looked_s = now_s
                expired = {entry["turn"] for entry in self._expired()} - before
                if len(expired) >= most:
                    self._await_late_answer(expired)
                    return "expired"
            if len(observer.exchanges) > known:
                known, active_s = len(observer.exchanges), now_s
            if observer.accepted(ran.first) >= phase.most:
                return "not come"
            if now_s - active_s > self._terms.quiet_s:
                return "stuck"
            self._pause()

    def _await_late_answer(self, expired: set[str]) -> None:
        """Wait a little for an answer to one of the turns that have expired."""
        until_s = time.monotonic() + LATE_S
        while time.monotonic() < until_s and self._process.code() is None:
            if any(a.turn in expired for a in tuple(self.run.observer.answers)):
                return
            self._pause()

    def _pause_session(self) -> slice:
        """Let the session stand still for a moment; the exchanges in that."""
        referee, exchanges = self._arena.referee, self.run.observer.exchanges
        referee.set_session(self.run.session, "pause", ACTOR)
        first, until_s = len(exchanges), time.monotonic() + PAUSE_S
        while time.monotonic() < until_s:
            self._pause()
        still = slice(first, len(exchanges))
        referee.set_session(self.run.session, "resume", ACTOR)
        return still

    def _ledger(self) -> list[Document]:
        run = self.run
        if not run.bot:
            return []
        entries: list[Document] = []
        after: str | None = None
        while True:
            page = self._arena.referee.queries.ledger(
                run.bot, session=run.session, after=after, limit=PAGE
            )
            entries += page["entries"]
            after = page["next"]
            if after is None:
                return entries

    def _expired(self) -> list[Document]:
        """The turns that the referee answered for the bot."""
        return [entry for entry in self._ledger() if entry["cause"] is not None]

    # What is between the bot and the referee

    def _middleware(self, request: Request, forward: Responder) -> Response:
        exchange = self.run.observer.begin(request)

        def shortened(asked: Request) -> Response:
            wait = asked.query.get("wait", "")
            if _number(wait) > LONGEST_WAIT_S and _number(wait) <= 30:
                asked = asked.with_query(wait=str(LONGEST_WAIT_S))
            return forward(asked)

        response = self._trouble.exchange(exchange, shortened, self.run.observer)
        self._notice_registration(exchange, response)
        exchange.sent = response
        exchange.ready_s = time.monotonic()
        return replace(response, sent=lambda: self.run.observer.left(exchange))

    def _notice_registration(self, exchange: Exchange, response: Response) -> None:
        """From a registration on it is known which bot it is."""
        request = exchange.request
        if request.method != "POST" or request.path != f"{API}/bots" or response.status != 201:
            return
        registered = document(response.body)
        self.run.token = str(registered["token"])
        self._known(str(registered["bot"]["id"]))

    def _intercept(
        self, bot: str, turn: str, body: Mapping[str, Any], answer: Answering
    ) -> Document:
        return self._trouble.answer(bot, turn, body, answer, self.run.observer)

    def _pause(self) -> None:
        """Let a moment pass, or until something is asked. Raises DoctorStopped."""
        if self._stop.is_set():
            raise DoctorStopped
        with self.run.observer.changed:
            self.run.observer.changed.wait(LOOK_S)

    def _keep_lines(self) -> None:
        if self._process.launches:
            self.run.lines[len(self._process.launches) - 1] = self._process.last_lines()


def close_session(arena: LocalArena, session: str, action: str) -> None:
    """End or cancel a session, unless it has just ended by itself, or is about to."""
    for tries_left in reversed(range(CLOSING_TRIES)):
        try:
            arena.referee.set_session(session, action, ACTOR)
        except Conflict:  # a table that ends meanwhile is one, too
            if _status(arena, session) in OVER:
                return
            if not tries_left:
                raise
            time.sleep(LOOK_S)
        else:
            return


def _status(arena: LocalArena, session: str) -> str:
    status: str = arena.referee.queries.session(session, staff=True)["status"]
    return status


def _polls(exchange: Exchange) -> bool:
    return is_poll(exchange.request) and exchange.status == 200


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return 0.0


def _new_code(arena: LocalArena) -> str:
    """An enrolment code, which a bot may use again if it is restarted."""
    codes = arena.referee.enrolment.create_codes(ACTOR, None, uses=4, actor=ACTOR)
    code: str = codes[0]["code"]
    return code
