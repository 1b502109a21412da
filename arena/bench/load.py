"""Referees under load: servers, players and baselines as processes of their own.

The players cost as little as possible (`arena.bench.players`), so that the server is what is
measured; what they cost is reported too. All figures are those of the middle of a run, when all
tables play and the burst of its start is over. With a pace the server is not kept busy: then waking
up is measured, not queueing.
"""

from __future__ import annotations

import json
import math
import secrets
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from arena.bench.baselines import Baselines, loopback_us
from arena.bench.crew import Crew
from arena.bench.parts import bare_commit_us
from arena.bench.players import PlayerFigures
from arena.bench.watching import Shares, Usage, Wakes, get, look, wakes, woken_ms
from arena.client import Client
from arena.client.endpoints import session_path
from arena.client.problems import KitError
from arena.documents import Document
from arena.errors import BadInput
from arena.processes import Processes, start_referee
from arena.statuses import OVER

LOOK_S = 0.25
"""How often the servers' use is sampled."""
ASK_S = 1.0
"""How often they are asked how far things are; that is a request among the others."""
MIDDLE = (0.15, 0.75)
"""The part of a run that counts, as shares of its time."""
SHORT_S = 4 * LOOK_S
"""Of less than this the CPU is not reported: the samples are too coarse."""
BARE_S = 2.0
MOST_AT_ONCE = 64
"""Rounds of a session that are played at once, at the most."""
LEAST_HANDS = 30
"""Of a run of which the growth is reported."""
QUIET = {"ARENA_LOG_LEVEL": "warning", "ARENA_REQUESTS_PER_S": "0"}
LOGGED = {"ARENA_LOG_LEVEL": "info", "ARENA_ACCESS_LOG": "on"}


class LoadPlan(NamedTuple):
    """What to play.

    tables: at the same time, in as many sessions as it takes. hands: at each. most: turns in a
    request of a batch. players: processes that hold the bots. waiters: more bots, that only wait.
    log: with the log of all requests. pace: decisions in a second over all tables, 0 for as many as
    there can be. workers: referees, on one database; None: a file that is gone afterwards. route:
    to which referee bots go, see `arena.bench.players`.
    """

    bots: int
    tables: int
    hands: int
    ruleset: Document
    mode: str = "batch"
    most: int = 16
    players: int = 1
    waiters: int = 0
    log: bool = False
    pace: float = 0.0
    workers: int = 1
    database: str | None = None
    route: str = "stay"

    @property
    def rounds(self) -> list[int]:
        """The rounds of each session, all of them played at once.

        A session has fewer than would seat each four bots together once: with more, its schedule
        would have each of them equally often, and so another number of tables.
        """
        rounds = -(-self.tables // self.in_round)
        fours = math.comb(self.bots, 4)
        most = MOST_AT_ONCE if fours == 1 else min(MOST_AT_ONCE, (fours - 1) // self.in_round)
        sessions = -(-rounds // most)
        return [rounds // sessions + (number < rounds % sessions) for number in range(sessions)]

    @property
    def in_round(self) -> int:
        """The tables of a round."""
        return self.bots // 4


class LoadFigures(NamedTuple):
    """How it went; CPU is None where the system does not report it, or where it took too short a
    time.

    per_s: accepted and durable decisions. server_share: how much of a core the servers used.
    reached_ms: from sending an answer until the next turn is with a bot that waited for it, median
    and 99 %, with the number of samples. woken_ms: from the bell to the waiter, likewise.
    server_bytes: the memory of the servers at its fullest.
    """

    decisions: int
    requests: int
    seconds: float
    per_s: float
    server_cpu_us: float | None
    players_cpu_us: float
    refused: int
    hands: int
    reached_ms: Shares
    samples: int
    woken_ms: Shares
    server_share: float | None
    server_bytes: int | None


class Load(NamedTuple):
    """What a load run came to. database_bytes: None of a database that was given."""

    tables: int
    played: LoadFigures
    database_bytes: int | None
    waiter_bytes: float | None
    baselines: Baselines


class Servers(NamedTuple):
    """The referees, the processes that they are, and their names."""

    urls: Sequence[str]
    pids: Sequence[int]
    names: Sequence[str]


class Enrolled(NamedTuple):
    """Tokens: of an organiser, of the bots of the sessions, of those that only wait. names: of the
    bots."""

    admin: str
    names: Sequence[str]
    tokens: Sequence[str]
    idle: Sequence[str]


def run(plan: LoadPlan) -> Load:
    """Play sessions with this plan, baselines first, and count. Raises BadInput."""
    kind = (plan.database or "").partition(":")[0]
    if plan.workers > 1 and kind not in ("postgresql", "postgres"):
        raise BadInput("workers", plan.workers, "1, or --database postgresql://...")
    if kind == "memory":
        raise BadInput("database", plan.database, "one that other processes can open")
    with tempfile.TemporaryDirectory() as name, Processes(Path(name)) as processes:
        folder = Path(name)
        file = folder / "load.db"
        database = plan.database or f"sqlite:///{file.as_posix()}"
        enrolled = enrol(database, plan)
        baselines = Baselines(*_bare_route(folder, plan), bare_commit_us(), loopback_us())
        servers = serve(processes, database, plan)
        with Client(servers.urls[0], enrolled.admin, patience_s=30) as client:
            sessions = [create(client, plan, rounds, enrolled.names) for rounds in plan.rounds]
            before = look(servers.pids).memory_bytes
            with _waiting(servers.urls, enrolled.idle):
                after = look(servers.pids).memory_bytes
                played = play(client, sessions, servers, enrolled.tokens, plan=plan)
        held = _more(before, after) if enrolled.idle else None
        return Load(
            played.hands // plan.hands,
            played,
            None if plan.database else sum(x.stat().st_size for x in folder.glob("load.db*")),
            None if held is None else held / len(enrolled.idle),
            baselines=baselines,
        )


def growing(plan: LoadPlan, tables: Sequence[int]) -> Iterator[LoadPlan]:
    """The plan with other numbers of tables, and with fewer bots where they would fill more.

    Few tables play more hands, so that every run is long enough to be measured.
    """
    for number in tables:
        in_round = max(size for size in range(1, plan.in_round + 1) if number % size == 0)
        hands = max(plan.hands, LEAST_HANDS // number)
        yield plan._replace(bots=4 * in_round, tables=number, hands=hands)


def enrol(database: str, plan: LoadPlan) -> Enrolled:
    """All who take part, before there is a server; under names that the database does not have."""
    from arena.application import Referee
    from arena.store import open_store

    mark = secrets.token_hex(4)
    names = [f"load-{mark}-{n}" for n in range(plan.bots)]
    with open_store(database) as store:
        referee = Referee(store)
        admin = referee.registry.create_admin(f"organiser-{mark}")
        bots = [referee.register(name, f"owner-{name}")[1] for name in names]
        idle = [referee.register(f"idle-{mark}-{n}")[1] for n in range(plan.waiters)]
    return Enrolled(admin, names, bots, idle)


def serve(
    processes: Processes, database: str, plan: LoadPlan, *, more: Mapping[str, str] | None = None
) -> Servers:
    """The referees of a plan. more: settings."""
    names = [f"referee-{number}" for number in range(1, plan.workers + 1)]
    environ = {**QUIET, **(LOGGED if plan.log else {}), **(more or {})}
    urls = [
        start_referee(
            processes, database, name=name, environ={**environ, "ARENA_CLUSTER_NAME": name}
        )
        for name in names
    ]
    return Servers(urls, [processes.pid(name) for name in names], names)


def create(client: Client, plan: LoadPlan, rounds: int, bots: Sequence[str]) -> str:
    """A session that all bots have entered."""
    document = {
        "name": "load",
        "ruleset": plan.ruleset,
        "hands_per_table": plan.hands,
        "schedule": {"kind": "round_robin", "rounds": rounds, "rounds_at_once": rounds},
        "roster": {"max_bots": max(plan.bots, 4)},
        "clock": {"move_ms": 60_000},
        "seed": "00",
    }
    session: str = client.request("POST", "/sessions", body=document)["session"]
    for bot in bots:
        client.request("PUT", session_path(session, "entries", bot))
    return session


def _bare_route(folder: Path, plan: LoadPlan) -> tuple[float, float | None]:
    """Requests in a second, and CPU for each, of a route that does nothing."""
    with Processes(folder) as processes:
        command = [sys.executable, "-P", "-m", "arena.bench.baselines"]
        child = processes.start("bare", command, piped=True)
        assert child.stdout is not None
        url = child.stdout.readline().decode().strip()
        crew = Crew([url], "bare", ["-"] * min(plan.bots, 32), size=plan.players, most=1)
        time.sleep(BARE_S / 4)
        before = look([child.pid])
        time.sleep(BARE_S)
        after = look([child.pid])
        answered = sum(between(one.samples, before.at_s, after.at_s) for one in crew.stop())
    cpu_s = _more(before.cpu_s, after.cpu_s)
    cpu_us = None if cpu_s is None else cpu_s / answered * 1e6
    return answered / (after.at_s - before.at_s), cpu_us


@contextmanager
def _waiting(urls: Sequence[str], tokens: Sequence[str]) -> Iterator[None]:
    """Bots that do nothing but wait, while this lasts."""
    if not tokens:
        yield
        return
    crew = Crew(urls, "idle", tokens, size=1, most=1)
    try:
        while sum(json.loads(get(url, "/readyz"))["waiting"] for url in urls) < len(tokens):
            time.sleep(LOOK_S)
        yield
    finally:
        crew.kill()


def play(
    client: Client,
    sessions: Sequence[str],
    servers: Servers,
    tokens: Sequence[str],
    *,
    plan: LoadPlan,
) -> LoadFigures:
    """Start, look until all sessions are over, and count. Nothing is left in play."""
    left = list(sessions)
    try:
        return _watched(client, left, servers, tokens, plan=plan)
    finally:
        for session in left:  # there are some only if something went wrong
            with suppress(KitError):
                client.request("POST", session_path(session, "cancel"))


def _watched(
    client: Client, left: list[str], servers: Servers, tokens: Sequence[str], *, plan: LoadPlan
) -> LoadFigures:
    """left: sessions that are not over; in the end there are none."""
    for session in left:  # the schedules are drawn now, which is not play
        client.request("POST", session_path(session, "start"))
    urls, mode = servers.urls, plan.mode
    crew = Crew(
        urls,
        mode,
        tokens,
        size=plan.players,
        most=plan.most,
        pace=plan.pace,
        route=plan.route,
        names=servers.names,
    )
    usages, counts = [look(servers.pids)], [wakes(urls)]
    hands = 0
    try:
        while left:
            time.sleep(LOOK_S)
            usages.append(look(servers.pids))
            if usages[-1].at_s - counts[-1].at_s >= ASK_S:
                counts.append(wakes(urls))
                hands += _finished(client, left)
        players = crew.stop()
    finally:
        crew.kill()
    return _counted(players, usages, counts, hands=hands)


def _finished(client: Client, left: list[str]) -> int:
    """Take the sessions that are over from the front of what is left; the hands that they had.

    One that is not over stands for those behind it, so that asking costs little beside the play.
    """
    hands = 0
    while left and (view := client.session(left[0]))["status"] in OVER:
        hands += view["progress"]["hands_finished"]
        left.pop(0)
    return hands


def _counted(
    players: Sequence[PlayerFigures],
    usages: Sequence[Usage],
    counts: Sequence[Wakes],
    *,
    hands: int,
) -> LoadFigures:
    """What was measured from the beginning until nothing was decided any more."""
    began_s = min(one.samples[0][0] for one in players)
    ended_s = max(map(_done_s, players))
    first, last = (began_s + share * (ended_s - began_s) for share in MIDDLE)
    made = sum(between(one.samples, first, last) for one in players)
    cpu_s = between([(each.at_s, each.cpu_s or 0.0) for each in usages], first, last)
    if last - first < SHORT_S:
        cpu_s = 0.0  # as good as not known
    decisions = sum(one.decisions for one in players)
    late_s = [late_s for one in players for at_s, late_s in one.reached_s if first <= at_s <= last]
    return LoadFigures(
        decisions,
        sum(one.requests for one in players),
        ended_s - began_s,
        made / (last - first),
        cpu_s / made * 1e6 if cpu_s and made else None,
        sum(one.cpu_s for one in players) / max(1, decisions) * 1e6,
        sum(one.refused for one in players),
        hands,
        reached_ms_of(late_s),
        len(late_s),
        woken_ms(counts, first, last),
        cpu_s / (last - first) if cpu_s else None,
        max((each.memory_bytes for each in usages if each.memory_bytes), default=None),
    )


def _done_s(figures: PlayerFigures) -> float:
    """When the last decision was accepted."""
    return next(
        (at_s for at_s, decisions in figures.samples if decisions == figures.decisions),
        figures.samples[-1][0],
    )


def reached_ms_of(late_s: Sequence[float]) -> Shares:
    """Median and 99 % of some delays in seconds, in milliseconds."""
    if len(late_s) < 2:
        return None, None
    cuts = statistics.quantiles(late_s, n=100)
    return cuts[49] * 1e3, cuts[98] * 1e3


def _more(before: float | None, after: float | None) -> float | None:
    """By how much something is more, None if it is not known."""
    return None if before is None or after is None else after - before


def between(samples: Sequence[tuple[float, float]], first: float, last: float) -> float:
    """By how much a growing number grew between two instants, from its samples."""
    return _at(samples, last) - _at(samples, first)


def _at(samples: Sequence[tuple[float, float]], when: float) -> float:
    before = (0.0, 0.0)
    for sample in samples:
        if sample[0] >= when:
            if not before[0]:
                return sample[1]
            share = (when - before[0]) / (sample[0] - before[0])
            return before[1] + share * (sample[1] - before[1])
        before = (sample[0], sample[1])
    return before[1]
