"""Many referees and sessions without play: what their leases, routes and notifications cost
PostgreSQL, and how long it takes until the sessions of one that was killed are taken over.

The sessions are paused, so nothing is dealt; each referee is a process with its real connections
(`arena.bench.cluster.simulated_referees`). The rows are written straight into the database.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.bench.cluster.postgres import PostgresServer, private_server
from arena.bench.cluster.processes import cpu_of_tree_s
from arena.errors import Unavailable
from arena.processes import Processes

CONNECTIONS = 16
"""Of each referee, at the most."""
PREFIX = "referee-"
BOT = "simulated"
LOOK_S = 0.05
PIECE = 1_000
"""Sessions that come into play at once, to begin with."""
JOIN_S = 600.0
TAKEN_S = 120.0
BOTS = """
INSERT INTO bots SELECT (jsonb_populate_record(b, jsonb_build_object(
        'id', 'simulated-' || n, 'name', 'simulated-' || n, 'name_key', 'simulated-' || n,
        'token_hash', 'none-' || n, 'founder', false))).*
    FROM bots b, generate_series(0, {bots} - 1) n WHERE b.name = '{bot}';
"""
PAUSED = """
INSERT INTO sessions SELECT (jsonb_populate_record(s, jsonb_build_object(
        'id', 'simulated-' || n, 'status', 'paused', 'created_ms', s.created_ms + n))).*
    FROM sessions s, generate_series({first}, {last} - 1) n WHERE s.id = '{session}';
INSERT INTO entries (session_id, bot_id, number, status, entered_ms)
    SELECT 'simulated-' || n, 'simulated-' || (4 * n + k) % {bots}, k, 'entered', 0
    FROM generate_series({first}, {last} - 1) n, generate_series(0, 3) k;
INSERT INTO leases (session_id, home, epoch)
    SELECT 'simulated-' || n, '{prefix}' || lpad((n % {referees} + 1)::text, 2, '0'), 1
    FROM generate_series({first}, {last} - 1) n;
"""
"""Sessions with entries and leases, like the one that is there. They come into play when all
referees are there, who notice it as they notice whatever they have not heard."""
SEATS = 4


class SimulationPlan(NamedTuple):
    """What to simulate. seconds: for how long PostgreSQL is measured. moves, routes: in a second,
    of all referees together: sessions that get another home, bots whose homes are asked for. kills:
    how many referees are killed, one after the other."""

    referees: int = 64
    sessions: int = 10_000
    seconds: float = 30.0
    moves: float = 5.0
    routes: float = 200.0
    kills: int = 3
    lease_ms: int = 1_500

    @property
    def bots(self) -> int:
        """As many as play in four sessions each."""
        return max(SEATS, self.sessions)

    @property
    def names(self) -> list[str]:
        """Of the referees."""
        return [f"{PREFIX}{number:02}" for number in range(1, self.referees + 1)]


class Killed(NamedTuple):
    """A referee that was killed: how many sessions it had, and how long it took until others had
    their leases, and until these said that they play them; None: not within two minutes."""

    sessions: int
    leased_s: float | None
    played_s: float | None


class Simulated(NamedTuple):
    """What a simulation came to. cores: of PostgreSQL's processes, of all referees' ones; None
    where they are not known. transactions_per_s: as PostgreSQL counts them.
    moved: sessions that were given to another referee while that was measured."""

    plan: SimulationPlan
    connections: int
    joined_s: float
    database_cores: float | None
    referees_cores: float | None
    transactions_per_s: float
    moved: int
    killed: Sequence[Killed]


class _Look(NamedTuple):
    """What had been used and done by an instant of the monotonic clock."""

    at_s: float
    database_s: float | None
    referees_s: float | None
    transactions: int
    moves: int


def simulate(plan: SimulationPlan, *, tell: Callable[[str], None]) -> Simulated:
    """Simulate on a server of our own. Raises BadInput where there can be none, Unavailable when
    the referees do not join."""
    settings = (f"max_connections={CONNECTIONS * (plan.referees + 1)}",)
    with private_server(settings=settings) as server, tempfile.TemporaryDirectory() as folder:
        url = server.create()
        session = _fill(server, url, plan)
        with Processes(Path(folder)) as processes:
            run = _Simulation(plan, server, url, Path(folder), tell=tell)
            return run.run(processes, session)


def _fill(server: PostgresServer, url: str, plan: SimulationPlan) -> str:
    """Bots, and one session that all others are like; its id."""
    from arena.application import Referee
    from arena.store import open_store

    document = {"name": "simulated", "ruleset": "pagat", "hands_per_table": 100}
    with open_store(url) as store:
        referee = Referee(store)
        referee.register(BOT)
        session: str = referee.create_session(document, "simulation")["session"]
    server.execute(BOTS.format(bot=BOT, bots=plan.bots), url)
    return session


class _Simulation:
    """One run."""

    def __init__(
        self,
        plan: SimulationPlan,
        server: PostgresServer,
        url: str,
        folder: Path,
        *,
        tell: Callable[[str], None],
    ) -> None:
        self._plan = plan
        self._server = server
        self._url = url
        self._settled = folder / "settled"
        self._tell = tell
        self._pids: dict[str, int] = {}
        self._parent = 0
        self._dead: list[str] = []

    def run(self, processes: Processes, session: str) -> Simulated:
        """Start, measure, kill."""
        plan = self._plan
        began_s = time.monotonic()
        self._start(processes)
        self._bring_into_play(session)
        joined_s = time.monotonic() - began_s
        self._tell(f"{plan.referees} referees play {plan.sessions} sessions after {joined_s:.1f} s")
        self._settled.touch()
        time.sleep(2.0)
        before = self._look()
        time.sleep(plan.seconds)
        after = self._look()
        seconds = after.at_s - before.at_s
        connections = self._number("SELECT count(*) FROM pg_stat_activity WHERE usename = 'arena'")
        database_cores = _per_s(before.database_s, after.database_s, seconds)
        self._tell(f"PostgreSQL: {database_cores or 0:.2f} cores; killing {plan.kills} referees")
        self._settled.unlink()  # a session that is given away just now is played by nobody
        self._wait(self._played, plan.sessions, "sessions are played")
        return Simulated(
            plan,
            connections,
            joined_s,
            database_cores,
            _per_s(before.referees_s, after.referees_s, seconds),
            (after.transactions - before.transactions) / seconds,
            after.moves - before.moves,
            [self._kill(name) for name in plan.names[: plan.kills]],
        )

    def _start(self, processes: Processes) -> None:
        """Start all, and wait until they play all sessions."""
        plan = self._plan
        orders = {
            "database": self._url,
            "names": plan.names,
            "lease_ms": plan.lease_ms,
            "bots": [f"simulated-{number}" for number in range(plan.bots)],
            "moves_per_s": plan.moves / plan.referees,
            "routes_per_s": plan.routes / plan.referees,
            "settled_file": str(self._settled),
        }
        orders_file = self._settled.with_name("orders.json")
        orders_file.write_text(json.dumps(orders))
        module = "arena.bench.cluster.simulated_referees"
        command = [sys.executable, "-P", "-m", module, str(orders_file)]
        child = processes.start("referees", command, piped=True)
        assert child.stdout is not None
        self._parent = child.pid
        for _ in plan.names:
            name, _, pid = child.stdout.readline().decode().partition(" ")
            if not pid:
                raise Unavailable(f"not all joined: {processes.last_words('referees')}")
            self._pids[name] = int(pid)
        serving = "SELECT count(*) FROM referees WHERE status = 'serving'"
        self._wait(lambda: self._number(serving), plan.referees, "referees serve")

    def _bring_into_play(self, session: str) -> None:
        """All sessions, which are like this one; wait until they are played."""
        plan = self._plan
        numbers = {"referees": plan.referees, "bots": plan.bots}
        for first in range(0, plan.sessions, PIECE):
            last = min(plan.sessions, first + PIECE)
            sql = PAUSED.format(session=session, prefix=PREFIX, first=first, last=last, **numbers)
            self._server.execute(sql, self._url)
            self._wait(self._played, last, "sessions are played")
            self._tell(f"{last} of {plan.sessions} sessions are played")
        self._server.execute("ANALYZE", self._url)

    def _wait(self, count: Callable[[], int], wanted: int, what: str) -> None:
        """Until there are as many. Raises Unavailable if that takes too long."""
        until_s = time.monotonic() + JOIN_S
        while (number := count()) < wanted:
            if time.monotonic() > until_s:
                raise Unavailable(f"only {number} {what}, of {wanted}")
            time.sleep(0.5)

    def _played(self) -> int:
        """Sessions that the referees say they play, those that were killed left out."""
        dead = ", ".join(f"'{name}'" for name in ["", *self._dead])
        sql = f"SELECT coalesce(sum(sessions), 0) FROM referees WHERE name NOT IN ({dead})"
        return self._number(sql)

    def _look(self) -> _Look:
        transactions = "SELECT sum(xact_commit + xact_rollback) FROM pg_stat_database"
        return _Look(
            time.monotonic(),
            cpu_of_tree_s(self._server.pid),
            cpu_of_tree_s(self._parent),
            self._number(transactions),
            self._number("SELECT count(*) FROM audit WHERE action = 'session.move'"),
        )

    def _kill(self, name: str) -> Killed:
        """Kill one and wait until others play its sessions."""
        sessions = self._number(f"SELECT count(*) FROM leases WHERE home = '{name}'")
        os.kill(self._pids[name], signal.SIGKILL)
        self._dead.append(name)
        began_s = time.monotonic()
        leased_s = self._until(
            lambda: not self._number(f"SELECT count(*) FROM leases WHERE home = '{name}'"), began_s
        )
        played_s = self._until(lambda: self._played() >= self._plan.sessions, began_s)
        self._tell(f"{name}: {sessions} sessions, leased after {leased_s} s, played {played_s} s")
        return Killed(sessions, leased_s, played_s)

    def _until(self, is_so: Callable[[], bool], began_s: float) -> float | None:
        while not is_so():
            if time.monotonic() > began_s + TAKEN_S:
                return None
            time.sleep(LOOK_S)
        return round(time.monotonic() - began_s, 3)

    def _number(self, sql: str) -> int:
        return int(self._server.execute(sql, self._url)[0][0])


def _per_s(before: float | None, after: float | None, seconds: float) -> float | None:
    return None if before is None or after is None else (after - before) / seconds
