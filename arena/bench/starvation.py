"""Honest bots beside clients that ask for too much: peace and attack by turns, side by side.

A referee in a process of its own serves a session that is played as fast as it goes, and holds a
big one that is over. In turn nothing else happens, and some clients do the same hostile thing again
and again. What counts is how many answers of honest bots are taken in a second, which share of the
peace that is, and how much time honest bots are charged, as the log has it. Where the machine is
busy with other things, only the share means something.
"""

from __future__ import annotations

import socket
import statistics
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from http.client import HTTPConnection, HTTPException
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import orjson

from arena.application import Referee
from arena.bench.attackers import Attackers, AttackOrders
from arena.bench.crew import Crew
from arena.bench.players import PlayerFigures
from arena.bench.stored import fill_one
from arena.bench.watching import get
from arena.errors import BadInput
from arena.processes import Processes, start_referee
from arena.store import open_store

BIG = "big"
HONEST = "honest"
ENVIRON = MappingProxyType({"ARENA_LOG_LEVEL": "warning"})
"""Of the referee: a quiet log, and all limits as they are by default."""
API = "/api/v1"
BOTS, TABLES = 8, 2
SETTLE_S = 1.0
"""What passes between two phases and is not counted."""
PIECE = 1 << 20
AGAIN_S = 0.01
"""How long a client rests that was hung up on."""
STANDSTILLS = b"arena_standstills_total "


class AttackTarget(NamedTuple):
    """What a hostile client does it to. token: its own; None: it has none."""

    address: tuple[str, int]
    token: str | None

    @property
    def headers(self) -> dict[str, str]:
        """What goes with each request."""
        return {} if self.token is None else {"Authorization": f"Bearer {self.token}"}


Once = Callable[[HTTPConnection, AttackTarget, Callable[[int], None]], int]
"""Does a hostile thing one time over a connection, reports bytes as they come; the status."""


class Attack(NamedTuple):
    """A hostile thing, and how it is done."""

    says: str
    once: Once


def ask(path: str) -> Once:
    """Ask for something and read all of it."""

    def once(connection: HTTPConnection, target: AttackTarget, came: Callable[[int], None]) -> int:
        connection.request("GET", path, headers=target.headers)
        answer = connection.getresponse()
        while piece := answer.read1(PIECE):
            came(len(piece))
        return answer.status

    return once


def send(path: str, body: bytes) -> Once:
    """Post a body and read the answer."""

    def once(connection: HTTPConnection, target: AttackTarget, came: Callable[[int], None]) -> int:
        headers = {**target.headers, "Content-Type": "application/json"}
        connection.request("POST", path, body, headers)
        answer = connection.getresponse()
        came(len(answer.read()))
        return answer.status

    return once


class Flood(NamedTuple):
    """A hostile thing that takes many connections: a kind of `attackers`, and how many."""

    says: str
    kind: str
    connections: int


SESSION = f"{API}/sessions/{BIG}"
EMPTIES = b'{"answers":[' + b",".join([b"{}"] * 21_001) + b"]}"
ATTACKS: Mapping[str, Attack | Flood] = MappingProxyType(
    {
        "exports": Attack("export the big session", ask(f"{SESSION}/records")),
        "standings": Attack("ask for its standings", ask(f"{SESSION}/standings")),
        "alerts": Attack("ask for its separations", ask(f"{SESSION}/separations?format=text")),
        "session": Attack("ask for the big session", ask(SESSION)),
        "tables": Attack("ask for its tables", ask(f"{SESSION}/tables?limit=500")),
        "page": Attack("ask for its page", ask(f"/sessions/{BIG}")),
        "junk": Attack("post 21,001 empty answers", send(f"{API}/turns", EMPTIES)),
        "names": Attack("register bots", send(f"{API}/bots", b'{"name": "../junk"}')),
        "slow-heads": Flood("send their heads slowly", "slow-heads", 5_000),
        "slow-bodies": Flood("send their bodies slowly", "slow-bodies", 5_000),
        "never-read": Flood("never read what they asked for", "never-read", 200),
        "garbage": Flood("send what is no HTTP", "garbage", 200),
        "hasty": Flood("connect, ask and go", "hasty", 200),
    }
)
"""By name. Another one is one line here."""


class StarvationPlan(NamedTuple):
    """What to do. hands: of the big session. clients: hostile ones, every other with a token (a
    flood has connections of its own number). seconds: of each phase. rounds: how often peace and
    attack take turns."""

    attacks: Sequence[str]
    hands: int = 10_000
    clients: int = 4
    seconds: float = 6.0
    rounds: int = 2


class Phase(NamedTuple):
    """A stretch of time: monotonic seconds, and milliseconds of the wall clock."""

    first_s: float
    last_s: float
    first_ms: int
    last_ms: int


class Starved(NamedTuple):
    """What an attack did: medians over its rounds.

    peace, attacked: honest answers in a second. kept: the second as a share of the first.
    charged_peace_ms, charged_ms: charged to all honest bots, in a second. served, refused: requests
    of the hostile clients, in a second; mb: what they got, likewise. standstills: in all.
    """

    attack: str
    peace: float
    attacked: float
    kept: float
    charged_peace_ms: float
    charged_ms: float
    served: float
    refused: float
    mb: float
    standstills: int


class Came(NamedTuple):
    """What came to hostile clients: requests that were served and refused, bytes."""

    served: int
    refused: int
    size: int


class Pair(NamedTuple):
    """One round of one attack: a phase of peace, one of attack, what the hostile clients saw."""

    peace: Phase
    attacked: Phase
    served: int
    refused: int
    size: int
    standstills: int


class Hostile:
    """Clients that do the same thing again and again until they are stopped."""

    def __init__(self, attack: Attack, targets: Sequence[AttackTarget]) -> None:
        self._served = self._refused = self._size = 0
        self._attack = attack
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._connections: set[HTTPConnection] = set()
        self._threads = [
            threading.Thread(target=self._run, args=(target,), daemon=True) for target in targets
        ]
        for thread in self._threads:
            thread.start()

    def count_from_now(self) -> None:
        """What came until now is forgotten."""
        with self._lock:
            self._served = self._refused = self._size = 0

    def stop(self) -> Came:
        """Hang up, whatever they are doing; what came to them."""
        with self._lock:
            came = Came(self._served, self._refused, self._size)
        self._stopped.set()
        with self._lock:
            for connection in self._connections:
                if connection.sock is not None:
                    with suppress(OSError):
                        connection.sock.shutdown(socket.SHUT_RDWR)
        for thread in self._threads:
            thread.join()
        return came

    def _run(self, target: AttackTarget) -> None:
        while not self._stopped.is_set():
            connection = HTTPConnection(*target.address, timeout=60)
            with self._lock:
                self._connections.add(connection)
            try:
                while not self._stopped.is_set():
                    self._count(self._attack.once(connection, target, self._came))
            except (OSError, HTTPException):
                self._stopped.wait(AGAIN_S)
            finally:
                connection.close()
                with self._lock:
                    self._connections.discard(connection)

    def _came(self, size: int) -> None:
        with self._lock:
            self._size += size

    def _count(self, status: int) -> None:
        with self._lock:
            if status < 400:
                self._served += 1
            else:
                self._refused += 1


class Flooding:
    """A flood in a process of its own. It counts from its beginning, the moment to settle too."""

    def __init__(self, flood: Flood, target: AttackTarget, *, seconds: float) -> None:
        host, port = target.address
        url, token = f"http://{host}:{port}", target.token or ""
        self._attackers = Attackers(
            AttackOrders(flood.kind, url, flood.connections, seconds, token)
        )

    def count_from_now(self) -> None:
        """A flood reports what it met when it is over, and not of parts of it."""

    def stop(self) -> Came:
        """Wait for its end: connections that came about, that were refused or hung up on, bytes."""
        met = self._attackers.met()
        return Came(met.opened, met.refused + met.closed, met.read)


def _begin(
    attack: Attack | Flood, targets: Sequence[AttackTarget], *, seconds: float
) -> Hostile | Flooding:
    if isinstance(attack, Attack):
        return Hostile(attack, targets)
    return Flooding(attack, targets[-1], seconds=seconds)


def run(plan: StarvationPlan, *, tell: Callable[[str], None] = lambda line: None) -> list[Starved]:
    """Measure each attack of the plan. Raises BadInput for one that is not known."""
    for name in plan.attacks:
        if name not in ATTACKS:
            raise BadInput("attack", name, f"one of {', '.join(ATTACKS)}")
    with tempfile.TemporaryDirectory() as name, Processes(Path(name)) as processes:
        file = Path(name) / "starve.db"
        tell(f"writing a session of {plan.hands} hands ...")
        fill_one(file, BIG, plan.hands)
        database = f"sqlite:///{file.as_posix()}"
        tokens = _prepare(database, plan.clients)
        url = start_referee(processes, database, environ=ENVIRON)
        crew = Crew([url], "single", tokens[:BOTS], size=1, most=1)
        try:
            time.sleep(SETTLE_S)
            pairs = _rounds(plan, url, tokens[BOTS:-1], watcher=tokens[-1], tell=tell)
            players = crew.stop()
        finally:
            crew.kill()
        processes.stop()
        charged = _charged(database)
    return [_starved(attack, pairs[attack], players, charged) for attack in plan.attacks]


def _prepare(database: str, clients: int) -> list[str]:
    """The honest session, begun, and tokens: of its bots, of hostile bots, of one that watches."""
    document = {
        "name": HONEST,
        "slug": HONEST,
        "hands_per_table": 1_000,
        "schedule": {"kind": "round_robin", "rounds": TABLES, "rounds_at_once": TABLES},
        "clock": {"move_ms": 60_000},
        "seed": "00",
    }
    with open_store(database) as store:
        referee = Referee(store)
        referee.start(threads=False)
        referee.create_session(document, "bench")
        registered = [referee.register(f"{HONEST}-{n}", f"{HONEST}-{n}") for n in range(BOTS)]
        for bot, _ in registered:
            referee.add_bot(HONEST, bot["id"], "bench")
        referee.set_session(HONEST, "start", "bench")
        others = [*(f"hostile-{n}" for n in range(clients)), "watcher"]
        registered += [referee.register(name, name) for name in others]
        referee.stop()
    return [token for _, token in registered]


def _rounds(
    plan: StarvationPlan,
    url: str,
    tokens: Sequence[str],
    *,
    watcher: str,
    tell: Callable[[str], None],
) -> dict[str, list[Pair]]:
    """Peace and attack by turns."""
    host, port = url.removeprefix("http://").split(":")
    targets = [
        AttackTarget((host, int(port)), token if number % 2 else None)
        for number, token in enumerate(tokens)
    ]
    pairs: dict[str, list[Pair]] = {name: [] for name in plan.attacks}
    for number in range(plan.rounds):
        for name in plan.attacks:
            tell(f"{name}, round {number + 1} of {plan.rounds} ...")
            peace = _phase(plan.seconds)
            before = _standstills(url, watcher)
            hostile = _begin(ATTACKS[name], targets, seconds=plan.seconds + 2 * SETTLE_S)
            time.sleep(SETTLE_S)
            hostile.count_from_now()
            attacked = _phase(plan.seconds)
            came = hostile.stop()
            time.sleep(SETTLE_S)
            pairs[name].append(Pair(peace, attacked, *came, _standstills(url, watcher) - before))
    return pairs


def _phase(seconds: float) -> Phase:
    first = time.monotonic(), time.time_ns() // 1_000_000
    time.sleep(seconds)
    last = time.monotonic(), time.time_ns() // 1_000_000
    return Phase(first[0], last[0], first[1], last[1])


def _standstills(url: str, token: str) -> int:
    lines = get(url, "/metrics", token=token).splitlines()
    sample = next((line for line in lines if line.startswith(STANDSTILLS)), STANDSTILLS + b"0")
    return round(float(sample.removeprefix(STANDSTILLS)))


def _charged(database: str) -> list[tuple[int, int]]:
    """All answers of honest bots: when they came (ms), and what was charged for them (ms)."""
    with open_store(database, readonly=True) as store:
        hands = [hand.id for table in store.tables(HONEST) for hand in _hands(store, table.id)]
        return [
            (step.at_ms, orjson.loads(step.meta).get("charged_ms", 0))
            for hand in hands
            for step in store.steps(hand)
        ]


def _hands(store: Any, table: str) -> Sequence[Any]:
    rows: Sequence[Any] = store.hands(table, limit=10_000)
    return rows


def _starved(
    name: str,
    pairs: Sequence[Pair],
    players: Sequence[PlayerFigures],
    charged: Sequence[tuple[int, int]],
) -> Starved:
    def per_s(phase: Phase) -> float:
        return _made(players, phase) / (phase.last_s - phase.first_s)

    def charged_ms(phase: Phase) -> float:
        whole = sum(ms for at, ms in charged if phase.first_ms <= at < phase.last_ms)
        return whole / (phase.last_s - phase.first_s)

    def median(of: Callable[[Pair], float]) -> float:
        return statistics.median(map(of, pairs))

    return Starved(
        name,
        median(lambda pair: per_s(pair.peace)),
        median(lambda pair: per_s(pair.attacked)),
        median(lambda pair: per_s(pair.attacked) / max(1e-9, per_s(pair.peace))),
        median(lambda pair: charged_ms(pair.peace)),
        median(lambda pair: charged_ms(pair.attacked)),
        median(lambda pair: pair.served / _seconds(pair.attacked)),
        median(lambda pair: pair.refused / _seconds(pair.attacked)),
        median(lambda pair: pair.size / 1e6 / _seconds(pair.attacked)),
        sum(pair.standstills for pair in pairs),
    )


def _seconds(phase: Phase) -> float:
    return phase.last_s - phase.first_s


def _made(players: Sequence[PlayerFigures], phase: Phase) -> int:
    """Decisions of all players in a phase, to the nearest of their samples."""
    return sum(_until(each, phase.last_s) - _until(each, phase.first_s) for each in players)


def _until(figures: PlayerFigures, at_s: float) -> int:
    return max((made for sampled_s, made in figures.samples if sampled_s <= at_s), default=0)
