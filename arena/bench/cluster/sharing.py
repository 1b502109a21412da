"""What it costs that several referees share the work: server CPU per decision, by how many there
are.

Sessions of cheap bots as in `arena.bench.load`, as fast as it goes. What counts is the CPU of all
referees together, since the cores of one machine are shared with players and PostgreSQL. Each run
has new sessions in a new schema, or in the database that was given.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import median
from typing import NamedTuple

from arena.bench.cluster.postgres import PostgresServer
from arena.bench.cluster.processes import cpu_of_tree_s
from arena.bench.load import Enrolled, LoadFigures, LoadPlan, create, enrol, play, serve
from arena.client import Client
from arena.documents import Document
from arena.processes import Processes

AT_A_TABLE = 4


class SharingPlan(NamedTuple):
    """What to play: sessions of four bots of their own, each at all tables of its session.

    referees: how many, one run each. tables: of each session. shared: the bots play in all
    sessions instead, so that their turns come from all referees.
    """

    ruleset: Document
    referees: tuple[int, ...] = (1, 2, 4)
    modes: tuple[str, ...] = ("batch", "single")
    sessions: int = 16
    tables: int = 24
    hands: int = 1
    most: int = 16
    players: int = 2
    turns: int = 1
    shared: bool = False

    def load(self, referees: int, mode: str, route: str) -> LoadPlan:
        """One run of it."""
        bots = AT_A_TABLE * self.sessions
        return LoadPlan(
            bots,
            self.sessions * self.tables,
            self.hands,
            self.ruleset,
            mode,
            self.most,
            self.players,
            workers=referees,
            route=route,
        )


class Sharing(NamedTuple):
    """One run. cpu_us: of all referees, for a decision; database_us: of PostgreSQL's processes;
    None where it is not known. in_request: decisions in a request."""

    referees: int
    mode: str
    route: str
    per_s: float
    cpu_us: float | None
    database_us: float | None
    in_request: float
    refused: int


def measure(
    plan: SharingPlan,
    route: str,
    database: PostgresServer | str,
    *,
    tell: Callable[[str], None],
) -> list[Sharing]:
    """Medians of the runs of a plan, by mode and number of referees, measured by turns."""
    runs: dict[tuple[str, int], list[Sharing]] = {}
    for turn in range(plan.turns):
        for mode in plan.modes:
            for number in plan.referees:
                tell(f"{route}, {mode}, referees: {number}, turn {turn + 1} of {plan.turns}")
                played = _run(plan, plan.load(number, mode, route), database)
                tell(f"{played.cpu_us or 0:.0f} us of server CPU a decision")
                runs.setdefault((mode, number), []).append(played)
    return [_median(same) for same in runs.values()]


def _run(plan: SharingPlan, load: LoadPlan, database: PostgresServer | str) -> Sharing:
    """Play once."""
    own = database if isinstance(database, PostgresServer) else None
    url = database if isinstance(database, str) else database.create()
    with tempfile.TemporaryDirectory() as name, Processes(Path(name)) as processes:
        enrolled = enrol(url, load)
        servers = serve(processes, url, load)
        with Client(servers.urls[0], enrolled.admin, patience_s=30) as client:
            sessions = list(_sessions(client, plan, load, enrolled))
            before = None if own is None else cpu_of_tree_s(own.pid)
            played = play(client, sessions, servers, enrolled.tokens, plan=load)
            after = None if own is None else cpu_of_tree_s(own.pid)
    spent_s = None if before is None or after is None else after - before
    return _figures(load, played, spent_s)


def _sessions(
    client: Client, plan: SharingPlan, load: LoadPlan, enrolled: Enrolled
) -> Iterator[str]:
    """Sessions that their bots have entered."""
    for number in range(plan.sessions):
        own = slice(AT_A_TABLE * number, AT_A_TABLE * (number + 1))
        bots = enrolled.names if plan.shared else enrolled.names[own]
        rounds = -(-plan.tables // (len(bots) // AT_A_TABLE))
        yield create(client, load, rounds, bots)


def _figures(load: LoadPlan, played: LoadFigures, database_s: float | None) -> Sharing:
    decisions = max(1, played.decisions)
    return Sharing(
        load.workers,
        load.mode,
        load.route,
        played.per_s,
        played.server_cpu_us,
        None if database_s is None else database_s / decisions * 1e6,
        played.decisions / max(1, played.requests),
        played.refused,
    )


def _median(same: list[Sharing]) -> Sharing:
    """Of several runs of one kind."""
    first = same[0]
    return first._replace(
        per_s=median(each.per_s for each in same),
        cpu_us=_known([each.cpu_us for each in same]),
        database_us=_known([each.database_us for each in same]),
        in_request=median(each.in_request for each in same),
        refused=sum(each.refused for each in same),
    )


def _known(figures: list[float | None]) -> float | None:
    known = [figure for figure in figures if figure is not None]
    return median(known) if known else None
