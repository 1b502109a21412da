"""A referee under load: server, players and baselines as processes of their own.

The players cost as little as possible (`arena.bench.players`), so that the server is what is
measured; what they cost is told too. All figures are those of the middle of a run, when all tables
play and the burst of its start is over. With a pace the server is not kept busy: then waking up is
measured, not queueing.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from arena.bench.baselines import Baselines, loopback_us
from arena.bench.parts import bare_commit_us
from arena.bench.players import Orders, Seen
from arena.bench.watching import cpu_seconds, get, look, memory_bytes, woken_ms
from arena.cli.organiser import session_path
from arena.cli.processes import Processes, start_referee
from arena.client import Client

Document = dict[str, Any]
OVER = ("finished", "cancelled")
LOOK_S = 0.25
LOOK_PACED_S = 1.0
"""How often it is looked how far things are; the server has to answer that too."""
MIDDLE = (0.15, 0.75)
"""The part of a run that counts, as shares of its time."""
BARE_S = 2.0
MOST_AT_ONCE = 64
LEAST_HANDS = 30
"""Of a run of which the growth is told."""
QUIET = {"ARENA_LOG_LEVEL": "warning", "ARENA_REQUESTS_PER_S": "0"}


class Plan(NamedTuple):
    """What to play. rounds: all at once. players: processes that hold the bots. pace: decisions in
    a second over all tables, 0 for as many as there can be."""

    bots: int
    rounds: int
    hands: int
    ruleset: Document
    mode: str = "batch"
    most: int = 16
    players: int = 1
    waiters: int = 0
    log: bool = False
    pace: float = 0.0

    @property
    def tables(self) -> int:
        """Tables in play at the same time, at the start."""
        return self.bots // 4 * min(self.rounds, MOST_AT_ONCE)


class Played(NamedTuple):
    """How a session went; CPU is None where the system does not tell.

    per_s: accepted and durable decisions. server_share: how much of a core the server used.
    reached_ms: from sending an answer until the next turn is with a bot that waited for it, median
    and 99 %, of so many samples. woken_ms: from the bell to the waiter, likewise. server_bytes: its
    memory at its fullest.
    """

    decisions: int
    requests: int
    seconds: float
    per_s: float
    server_cpu_us: float | None
    players_cpu_us: float
    refused: int
    hands: int
    reached_ms: tuple[float, float]
    samples: int
    woken_ms: tuple[float, float]
    server_share: float | None
    server_bytes: int | None


class Load(NamedTuple):
    """What a load run came to."""

    tables: int
    played: Played
    database_bytes: int
    waiter_bytes: float | None
    baselines: Baselines


def run(plan: Plan) -> Load:
    """Play a session with this plan, baselines first, and count."""
    with tempfile.TemporaryDirectory() as name, Processes(Path(name)) as processes:
        folder = Path(name)
        file = folder / "load.db"
        database = f"sqlite:///{file.as_posix()}"
        admin, tokens, idle = _enrol(database, plan)
        baselines = Baselines(*_bare_route(folder, plan), bare_commit_us(), loopback_us())
        os.environ.update(QUIET | ({"ARENA_LOG_LEVEL": "info"} if plan.log else {}))
        url = start_referee(processes, database)
        pid = processes.pid("referee")
        with Client(url, admin, patience_s=30) as client:
            session = _create(client, plan)
            for number in range(plan.bots):
                client.request("PUT", session_path(session, "entries", f"load-{number}"))
            before = memory_bytes(pid)
            with _waiting(url, idle):
                after = memory_bytes(pid)
                each = None if not idle or before is None or after is None else after - before
                played = _play(client, session, url, tokens, plan=plan, pid=pid)
        size = sum(part.stat().st_size for part in folder.glob("load.db*"))
        return Load(
            plan.tables,
            played,
            database_bytes=size,
            waiter_bytes=None if each is None else each / len(idle),
            baselines=baselines,
        )


def growing(plan: Plan, tables: Sequence[int]) -> Iterator[Plan]:
    """The plan with other numbers of tables, all in play at the same time.

    Few tables play more hands, so that every run is long enough to be measured.
    """
    for number in tables:
        bots = next(n for n in (4, 8, 16, 32, 64) if n // 4 * MOST_AT_ONCE >= number or n == 64)
        rounds = max(1, round(number / (bots // 4)))
        hands = max(plan.hands, LEAST_HANDS // number)
        yield plan._replace(bots=bots, rounds=min(rounds, MOST_AT_ONCE), hands=hands)


def _enrol(database: str, plan: Plan) -> tuple[str, list[str], list[str]]:
    """An organiser, the bots of the session and those that only wait; before there is a server."""
    from arena.referee.service import Referee
    from arena.store import open_store

    with open_store(database) as store:
        referee = Referee(store)
        admin = referee.create_admin("organiser")
        bots = [referee.register(f"load-{n}", f"owner-{n}")[1] for n in range(plan.bots)]
        idle = [referee.register(f"idle-{n}", "nobody")[1] for n in range(plan.waiters)]
    return admin, bots, idle


def _create(client: Client, plan: Plan) -> str:
    rounds = {"rounds": plan.rounds, "rounds_at_once": min(plan.rounds, MOST_AT_ONCE)}
    document = {
        "name": "load",
        "ruleset": plan.ruleset,
        "hands_per_table": plan.hands,
        "schedule": {"kind": "round_robin", **rounds},
        "roster": {"max_bots": max(plan.bots, 4)},
        "clock": {"move_ms": 60_000},
        "seed": "00",
    }
    session: str = client.request("POST", "/sessions", body=document)["session"]
    return session


class _Crew:
    """Processes of players with their orders."""

    def __init__(
        self,
        url: str,
        mode: str,
        tokens: Sequence[str],
        *,
        size: int,
        most: int,
        pace: float = 0.0,
    ) -> None:
        self._processes = []
        for number in range(size):
            orders = Orders(url, mode, tokens[number::size], most, number, pace / size)
            process = subprocess.Popen(
                [sys.executable, "-P", "-m", "arena.bench.players"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
            )
            assert process.stdin is not None
            process.stdin.write(orjson.dumps(orders._asdict()) + b"\n")
            process.stdin.flush()
            self._processes.append(process)
        for process in self._processes:
            assert process.stdout is not None
            if process.stdout.readline() != b"playing\n":
                raise RuntimeError("the players did not start")

    def stop(self) -> list[Seen]:
        """Tell them to stop, and what they saw."""
        seen = []
        for process in self._processes:
            told, _ = process.communicate(b"stop\n", timeout=60)
            seen.append(Seen(**json.loads(told)))
        return seen

    def kill(self) -> None:
        """End them; harmless if they have ended."""
        for process in self._processes:
            process.kill()


def _bare_route(folder: Path, plan: Plan) -> tuple[float, float | None]:
    """Requests in a second, and CPU for each, of a route that does nothing."""
    with Processes(folder) as processes:
        command = [sys.executable, "-P", "-m", "arena.bench.baselines"]
        child = processes.start("bare", command, piped=True)
        assert child.stdout is not None
        url = child.stdout.readline().decode().strip()
        crew = _Crew(url, "bare", ["-"] * min(plan.bots, 32), size=plan.players, most=1)
        time.sleep(BARE_S / 4)
        before, began = cpu_seconds(child.pid), time.monotonic()
        time.sleep(BARE_S)
        after, ended = cpu_seconds(child.pid), time.monotonic()
        made = sum(_between(one.samples, began, ended) for one in crew.stop())
    cpu_us = None if before is None or after is None else (after - before) / made * 1e6
    return made / (ended - began), cpu_us


@contextmanager
def _waiting(url: str, tokens: Sequence[str]) -> Iterator[None]:
    """Bots that do nothing but wait, while this lasts."""
    if not tokens:
        yield
        return
    crew = _Crew(url, "idle", tokens, size=1, most=1)
    try:
        while json.loads(get(url, "/readyz"))["waiting"] < len(tokens):
            time.sleep(LOOK_S)
        yield
    finally:
        crew.kill()


def _play(
    client: Client, session: str, url: str, tokens: Sequence[str], *, plan: Plan, pid: int
) -> Played:
    """Start, look until the session is over, and count."""
    crew = _Crew(url, plan.mode, tokens, size=plan.players, most=plan.most, pace=plan.pace)
    client.request("POST", session_path(session, "start"))  # draws the schedule, which is not play
    began = time.monotonic()
    looks = [look(url, pid)]
    view = client.session(session)
    try:
        while view["status"] not in OVER:
            time.sleep(LOOK_PACED_S if plan.pace else LOOK_S)
            looks.append(look(url, pid))
            view = client.session(session)
        ended = time.monotonic()
        seen = crew.stop()
    finally:
        crew.kill()
    first, last = (began + share * (ended - began) for share in MIDDLE)
    made = sum(_between(one.samples, first, last) for one in seen)
    cpu_s = _between([(each.at_s, each.cpu_s or 0.0) for each in looks], first, last)
    decisions = sum(one.decisions for one in seen)
    late_s = [late_s for one in seen for at_s, late_s in one.reached_s if first <= at_s <= last]
    return Played(
        decisions,
        sum(one.requests for one in seen),
        ended - began,
        made / (last - first),
        cpu_s / made * 1e6 if cpu_s and made else None,
        sum(one.cpu_s for one in seen) / max(1, decisions) * 1e6,
        sum(one.refused for one in seen),
        view["progress"]["hands_finished"],
        _reached_ms(late_s),
        len(late_s),
        woken_ms(looks, first, last),
        cpu_s / (last - first) if cpu_s else None,
        max((each.memory_bytes for each in looks if each.memory_bytes), default=None),
    )


def _reached_ms(late_s: list[float]) -> tuple[float, float]:
    if len(late_s) < 2:
        return 0.0, 0.0
    cuts = statistics.quantiles(late_s, n=100)
    return cuts[49] * 1e3, cuts[98] * 1e3


def _between(samples: Sequence[tuple[float, float]], first: float, last: float) -> float:
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
