"""Campaigns of faults: sessions under load on several referees, and a fault struck again and again.

The same sessions are played once more in peace, by one process on a file. What both have left
behind is held against each other in `arena.bench.cluster.verdict`.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from random import Random
from types import MappingProxyType
from typing import NamedTuple

from arena.bench.audit import SessionLog, read_log
from arena.bench.cluster import faults
from arena.bench.cluster.faults import Fault, FaultScene, Strike
from arena.bench.cluster.field import FaultField, FieldPlan, set_up
from arena.bench.cluster.postgres import PostgresServer
from arena.bench.cluster.referees import Links, RefereeLaunch, Referees, linked
from arena.bench.cluster.witness import Move, StaleStep, Witness
from arena.bench.crash import see_out
from arena.bench.load import QUIET
from arena.bench.recording_bots import Diary, wall_ms
from arena.client import Client
from arena.documents import Document
from arena.processes import REFEREE, Processes, new_admin

PER_S = 25
"""Decisions a second that are due, over all sessions; the bots make more if they can be held up no
longer."""
LINGER_S = 0.5
"""How long after an answer a fault comes at the most."""
PATIENCE_S = 120.0
CLOCK_S = 3_600
"""By how much a referee's clock is wrong."""
PEACE = "in-peace"


class FaultKind(NamedTuple):
    """A kind of campaign. seconds: what one fault takes, about, besides the silence, if it has one.
    linked: its referees talk through proxies that can be cut."""

    fault: Fault
    seconds: float
    silent: bool = False
    linked: bool = False


KINDS: Mapping[str, FaultKind] = MappingProxyType(
    {
        "kill": FaultKind(faults.kill, 6),
        "stop": FaultKind(faults.stop, 2, silent=True),
        "database": FaultKind(faults.restart_database, 4),
        "cut-database": FaultKind(faults.cut_database, 2, silent=True, linked=True),
        "cut-peers": FaultKind(faults.cut_peers, 2, silent=True, linked=True),
        "clock": FaultKind(faults.kill, 6),
        "versions": FaultKind(faults.kill, 6),
    }
)
"""`clock`: every other referee's clock is an hour fast. `versions`: every other one is of another
installation."""


class CampaignPlan(NamedTuple):
    """What to do. kind: of KINDS. times: how often the fault is struck. silence_s: how long a
    referee is stopped, or a network cut. python: the interpreter of another installation. limit_s:
    how long the sessions may go on after the last fault."""

    kind: str
    times: int
    referees: int = 3
    sessions: int = 4
    tables: int = 8
    move_ms: int = 60_000
    seed: int = 1
    silence_s: float = 10.0
    python: str | None = None
    limit_s: float = 1_800.0

    @property
    def field(self) -> FieldPlan:
        """What is played."""
        kind = KINDS[self.kind]
        seconds = kind.seconds + (self.silence_s if kind.silent else 0.0)
        a_fault = int(PER_S * seconds)
        return FieldPlan(self.sessions, self.tables, self.times, a_fault, self.move_ms, self.seed)

    @property
    def names(self) -> list[str]:
        """Of the referees."""
        return [f"referee-{number}" for number in range(1, self.referees + 1)]

    def program(self, name: str) -> Sequence[str]:
        """What starts a referee of this campaign."""
        if self.names.index(name) % 2 == 0:
            return REFEREE
        if self.kind == "clock":
            module = "arena.bench.cluster.wrong_clock"
            return (sys.executable, "-P", "-m", module, str(CLOCK_S))
        if self.kind == "versions":
            return (self.python or sys.executable, "-P", "-m", "arena.web")
        return REFEREE


class CampaignRun(NamedTuple):
    """What a run has left behind, by session and by bot. in_time: the bots saw the sessions to
    their end. reread: what was answered otherwise when all answers were sent again."""

    began_ms: int
    ended_ms: int
    logs: Mapping[str, SessionLog]
    diaries: Mapping[str, Diary]
    in_time: bool
    reread: tuple[str, ...]
    records: Mapping[str, Sequence[str]]
    standings: Mapping[str, Document]
    strikes: Sequence[Strike] = ()
    moves: Sequence[Move] = ()
    stale: Sequence[StaleStep] = ()


Tell = Callable[[str], None]


def play(plan: CampaignPlan, folder: Path, server: PostgresServer, *, tell: Tell) -> CampaignRun:
    """Play with faults. folder: new; logs of the referees go there. Raises Unavailable."""
    folder.mkdir(parents=True)
    schema = server.new_schema()
    url = server.url(schema)
    with ExitStack() as stack:
        links = None
        if KINDS[plan.kind].linked:
            links = stack.enter_context(linked(plan.names, server.socket))
        processes = stack.enter_context(Processes(folder))
        token = new_admin(url)
        witness = Witness(server, url)
        launches = {
            name: _launch(plan, server, schema, name=name, links=links) for name in plan.names
        }
        referees = Referees(processes, launches)
        for name in plan.names:
            referees.start(name)

        def strike(field: FaultField) -> Iterator[Strike]:
            random = Random(plan.seed)
            tokens = field.tokens
            scene = FaultScene(referees, server, witness, tokens, links, plan.silence_s, random)
            yield from _strikes(plan, scene, field, tell=tell)

        played = _played(plan, referees, token, url, strike=strike)
        return played._replace(moves=witness.moves(), stale=witness.stale())


def play_in_peace(plan: CampaignPlan, folder: Path) -> CampaignRun:
    """Play the same with one process on a file and without faults."""
    folder.mkdir(parents=True)
    url = f"sqlite:///{(folder / 'arena.db').as_posix()}"
    with Processes(folder) as processes:
        token = new_admin(url)
        referees = Referees(processes, {PEACE: RefereeLaunch(url, QUIET)})
        referees.start(PEACE)
        return _played(plan, referees, token, url, strike=None)


def _launch(
    plan: CampaignPlan, server: PostgresServer, schema: str, *, name: str, links: Links | None
) -> RefereeLaunch:
    port = None if links is None else links.to_database[name].port
    environ = dict(QUIET)
    if links is not None:
        environ["ARENA_CLUSTER_PORT"] = str(links.ports[name])
        environ["ARENA_CLUSTER_ADDRESS"] = f"http://127.0.0.1:{links.to_peer[name].port}"
    return RefereeLaunch(server.url(schema, port=port, name=name), environ, plan.program(name))


def _strikes(
    plan: CampaignPlan, scene: FaultScene, field: FaultField, *, tell: Tell
) -> Iterator[Strike]:
    """Strike, as often as it was asked for and while the bots play."""
    kind = KINDS[plan.kind]
    for number in range(1, plan.times + 1):
        if not any(bot.is_alive() for bot in field.bots):
            return
        field.paces.wait()
        time.sleep(scene.random.uniform(0, LINGER_S))
        struck = kind.fault(scene, number)
        field.paces.struck()
        tell(f"{number} of {plan.times}: {struck.what}, turns again: {_shown(struck)}")
        yield struck


def _shown(struck: Strike) -> str:
    return ", ".join(
        f"{session} {'never' if ms is None else f'{ms / 1_000:.2f} s'}"
        for session, ms in struck.offered_ms.items()
    )


def _played(
    plan: CampaignPlan,
    referees: Referees,
    token: str,
    url: str,
    *,
    strike: Callable[[FaultField], Iterator[Strike]] | None,
) -> CampaignRun:
    """Play all sessions to their end; strike: what happens meanwhile."""
    began_ms, ended = wall_ms(), threading.Event()
    balancer = referees.balancer
    first = balancer.url(referees.names[0])
    with Client(first, token, patience_s=PATIENCE_S) as organiser:
        faulted = plan.times if strike else 0
        field = set_up(organiser, balancer, plan.field, ended, faults=faulted)
        for session in field.sessions:
            organiser.request("POST", f"/sessions/{session}/start")
    strikes: list[Strike] = []
    try:
        for bot in field.bots:
            bot.start()
        if strike is not None:
            strikes += strike(field)
        in_time = see_out(field.bots, ended, plan.limit_s)
    finally:
        ended.set()
    last = balancer.url(balancer.pick(referees.names[0]))
    with Client(last, token, patience_s=PATIENCE_S) as organiser:
        return CampaignRun(
            began_ms,
            wall_ms(),
            {session: read_log(url, session) for session in field.sessions},
            {diary.bot: diary for diary in (bot.diary() for bot in field.bots)},
            in_time,
            tuple(wrong for bot in field.bots for wrong in bot.reread()),
            {name: organiser.records(name).decode().splitlines() for name in field.sessions},
            {
                name: organiser.request("GET", f"/sessions/{name}/standings")
                for name in field.sessions
            },
            strikes,
        )
