"""From the bell to a waiter: a bot waits at one referee for a turn that another one gives.

Four bots at a table answer directly at the home of their session, at a low pace; they wait for
their turns elsewhere, or at home too, for comparison. Measured is from the moment at which the bot
before has its answer accepted, and durable, until the next turn is with a bot that waited for it.
"""

from __future__ import annotations

import selectors
import statistics
import tempfile
import time
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import NamedTuple
from urllib.parse import urlsplit

import orjson

from arena.bench.cluster.postgres import PostgresServer
from arena.bench.load import Enrolled, LoadPlan, Servers, create, enrol, serve
from arena.bench.players import AnswerPace, PlayerBot
from arena.bench.watching import Shares
from arena.client import Client
from arena.client.endpoints import session_path
from arena.client.problems import KitError
from arena.documents import Document
from arena.errors import Unavailable
from arena.processes import Processes

AT_A_TABLE = 4
MOST_HANDS = 1_000
ELSEWHERE = "waiter at another referee"
AT_HOME = "waiter at home"
BURST_S = 1.0
"""The start, which does not count."""
POLL = b"/api/v1/turns?wait=25&max=1"


class BellPlan(NamedTuple):
    """What to play. sessions: of one table each; every other one's bots wait elsewhere. pace:
    decisions a second over all of them."""

    ruleset: Document
    sessions: int = 4
    pace: float = 40.0
    seconds: float = 20.0
    seed: int = 1


class Waits(NamedTuple):
    """How long turns took to get to waiters of one kind: median and 99 %."""

    where: str
    told_ms: Shares
    samples: int


class BellWaiter:
    """A bot with two connections: one that waits for turns, one that answers at home.

    since_s: when it began to wait. hand: in which it has answered last.
    """

    def __init__(self, token: str, *, home: str, waits_at: str) -> None:
        self.where = AT_HOME if home == waits_at else ELSEWHERE
        self.waiting = PlayerBot(_address(waits_at), token)
        self.answering = PlayerBot(_address(home), token)
        self.since_s = 0.0
        self.hand = ""

    def wait(self) -> None:
        """Ask for the next turn."""
        self.since_s = time.perf_counter()
        self.waiting.ask(POLL)


class Told(NamedTuple):
    """A turn that has arrived: when, and since when its bot had waited."""

    at_s: float
    since_s: float
    where: str


class BellRun:
    """Bots that play until time is up; what was measured is in `samples`, by where they waited."""

    def __init__(self, waiters: Sequence[BellWaiter], plan: BellPlan) -> None:
        self.samples: dict[str, list[float]] = {AT_HOME: [], ELSEWHERE: []}
        self._random = Random(plan.seed)
        self._pace = AnswerPace(plan.pace, self._random)
        self._plan = plan
        self._selector = selectors.DefaultSelector()
        self._thinking: deque[tuple[BellWaiter, Document]] = deque()
        self._sent: dict[str, float] = {}
        self._accepted: dict[str, float] = {}
        self._told: dict[str, Told] = {}
        for waiter in waiters:
            for line in (waiter.waiting, waiter.answering):
                self._selector.register(line.sock, selectors.EVENT_READ, (waiter, line))
            waiter.wait()

    def play(self) -> None:
        """Play for as long as the plan says."""
        began_s = time.perf_counter()
        while (now_s := time.perf_counter()) < began_s + BURST_S + self._plan.seconds:
            counts = now_s >= began_s + BURST_S
            for key, _ in self._selector.select(self._answer_due()):
                waiter, line = key.data
                came = line.receive()
                if came is not None:
                    self._hear(waiter, line, *came, counts=counts)

    def _answer_due(self) -> float:
        """Send what is due; how long to wait for what comes, in seconds."""
        while self._thinking:
            now_s = time.perf_counter()
            left_s = self._pace.left_s(now_s)
            if left_s:
                return left_s
            waiter, turn = self._thinking.popleft()
            self._pace.spend(1, now_s)
            choice = self._random.randrange(len(turn["legal"]))
            waiter.hand = turn["hand"]
            self._sent[waiter.hand] = time.perf_counter()
            target = b"/api/v1/turns/" + turn["turn"].encode()
            waiter.answering.ask(target, b'{"choice":%d}' % choice)
        return 0.05

    def _hear(
        self, waiter: BellWaiter, line: PlayerBot, status: int, body: bytes, *, counts: bool
    ) -> None:
        now_s = time.perf_counter()
        document: Document = orjson.loads(body)
        if line is waiter.waiting:
            turns = document.get("turns") or []
            for turn in turns:
                self._note(turn["hand"], Told(now_s, waiter.since_s, waiter.where), counts=counts)
                self._thinking.append((waiter, turn))
            if not turns:
                waiter.wait()
            return
        if status == 200:
            self._accepted[waiter.hand] = now_s
            self._settle(waiter.hand, counts=counts)
        waiter.wait()

    def _note(self, hand: str, told: Told, *, counts: bool) -> None:
        self._told[hand] = told
        self._settle(hand, counts=counts)

    def _settle(self, hand: str, *, counts: bool) -> None:
        """Count a turn once it has arrived and the answer before it is known to be accepted."""
        sent_s = self._sent.get(hand)
        accepted_s = self._accepted.get(hand)
        told = self._told.get(hand)
        if sent_s is None or accepted_s is None or told is None or told.at_s < sent_s:
            return
        for known in (self._sent, self._accepted, self._told):
            del known[hand]
        if counts and told.since_s < sent_s:  # it did wait
            self.samples[told.where].append(max(0.0, told.at_s - accepted_s))


def measure(plan: BellPlan, database: PostgresServer | str) -> list[Waits]:
    """Play on two referees. Raises Unavailable where a session has no home."""
    url = database if isinstance(database, str) else database.create()
    load = LoadPlan(AT_A_TABLE * plan.sessions, plan.sessions, MOST_HANDS, plan.ruleset, workers=2)
    with tempfile.TemporaryDirectory() as name, Processes(Path(name)) as processes:
        enrolled = enrol(url, load)
        servers = serve(processes, url, load)
        with Client(servers.urls[0], enrolled.admin, patience_s=30) as client:
            sessions = list(_started(client, plan, load, enrolled))
            try:
                run = BellRun(list(_waiters(client, sessions, servers, enrolled)), plan)
                run.play()
            finally:
                for session in sessions:
                    with suppress(KitError):
                        client.request("POST", session_path(session, "cancel"))
    return [_waits(where, run.samples[where]) for where in (ELSEWHERE, AT_HOME)]


def _started(client: Client, plan: BellPlan, load: LoadPlan, enrolled: Enrolled) -> Iterator[str]:
    for number in range(plan.sessions):
        bots = enrolled.names[AT_A_TABLE * number : AT_A_TABLE * (number + 1)]
        session = create(client, load, 1, bots)
        client.request("POST", session_path(session, "start"))
        yield session


def _waiters(
    client: Client, sessions: Sequence[str], servers: Servers, enrolled: Enrolled
) -> Iterator[BellWaiter]:
    """The bots of all sessions; those of every other one at a home wait elsewhere."""
    urls = dict(zip(servers.names, servers.urls, strict=True))
    listed = client.request("GET", "/cluster")["sessions"]
    homes = {each["session"]: each["home"] for each in listed}
    elsewhere: dict[str, bool] = {}
    for number, session in enumerate(sessions):
        home = homes.get(session)
        if home not in urls:
            raise Unavailable(f"session {session} has no home: {home}")
        other = next(name for name in urls if name != home)
        elsewhere[home] = away = not elsewhere.get(home, False)
        for token in enrolled.tokens[AT_A_TABLE * number : AT_A_TABLE * (number + 1)]:
            yield BellWaiter(token, home=urls[home], waits_at=urls[other if away else home])


def _waits(where: str, samples: Sequence[float]) -> Waits:
    if len(samples) < 2:
        return Waits(where, (None, None), len(samples))
    cuts = statistics.quantiles(samples, n=100)
    return Waits(where, (cuts[49] * 1e3, cuts[98] * 1e3), len(samples))


def _address(url: str) -> tuple[str, int]:
    parts = urlsplit(url)
    return parts.hostname or "", parts.port or 80
