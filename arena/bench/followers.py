"""Spectators beside a load of bots: one server, with and without them by turns.

Bots play at many tables at a pace that leaves the server idle most of the time, so that waking them
is measured and not queueing. In every other phase a number of spectators follows one of the tables.
What differs between the two kinds of phases is what spectators cost.
"""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from arena.bench.crew import Crew
from arena.bench.load import LoadPlan, Servers, between, create, enrol, reached_ms_of, serve
from arena.bench.players import PlayerFigures
from arena.bench.spectators import SpectatorFigures, Spectators
from arena.bench.watching import Shares, Usage, Wakes, look, wakes, woken_ms
from arena.client import Client
from arena.client.endpoints import session_path
from arena.client.problems import KitError
from arena.errors import BadInput
from arena.processes import Processes
from arena.session.names import table_id

SETTLE_S = 1.0
"""What passes before a phase counts: connections are opened and closed then."""
ROOM = {"ARENA_STREAMS": "100000", "ARENA_STREAMS_PER_ADDRESS": "0"}


class FollowPlan(NamedTuple):
    """load: what is played meanwhile; spectators: of one of its tables, in every other phase; form:
    of what they get; phase_s: how long each lasts; turns: phases of each kind."""

    load: LoadPlan
    spectators: int
    form: str
    phase_s: float
    turns: int


class WatchedPhase(NamedTuple):
    """What was measured in one phase. watched: None without spectators."""

    usages: tuple[Usage, Usage]
    counts: tuple[Wakes, Wakes]
    watched: SpectatorFigures | None

    @property
    def span_s(self) -> tuple[float, float]:
        """When it began and ended."""
        return self.usages[0].at_s, self.usages[1].at_s

    @property
    def cpu_s(self) -> float:
        """What the server used of a core; nothing where the system does not tell."""
        before, after = (usage.cpu_s for usage in self.usages)
        return 0.0 if before is None or after is None else after - before


class FollowFigures(NamedTuple):
    """Phases of one kind together. per_s: decisions in a second; share: of a core; woken_ms: from
    the bell to a bot that waits; reached_ms: from an answer until the next turn is with its bot;
    pieces: that reached spectators in a second, all together; delivery_us: of CPU for each of them
    beyond what was used without spectators; None where there are none."""

    per_s: float
    share: float
    woken_ms: Shares
    reached_ms: Shares
    pieces: float
    delivery_us: float | None


def run(plan: FollowPlan) -> tuple[FollowFigures, FollowFigures]:
    """Play, and measure without and with spectators by turns. Raises BadInput."""
    if plan.load.workers != 1:
        raise BadInput("workers", plan.load.workers, "1: spectators follow one referee")
    with tempfile.TemporaryDirectory() as name, Processes(Path(name)) as processes:
        database = f"sqlite:///{(Path(name) / 'load.db').as_posix()}"
        enrolled = enrol(database, plan.load)
        servers = serve(processes, database, plan.load, more=ROOM)
        with Client(servers.urls[0], enrolled.admin, patience_s=30) as client:
            sessions = [create(client, plan.load, n, enrolled.names) for n in plan.load.rounds]
            try:
                for session in sessions:
                    client.request("POST", session_path(session, "start"))
                players, phases = _phases(
                    plan, servers, enrolled.tokens, table_id(sessions[0], 1, 1)
                )
            finally:
                for session in sessions:
                    with suppress(KitError):
                        client.request("POST", session_path(session, "cancel"))
    without = [phase for phase in phases if phase.watched is None]
    with_ = [phase for phase in phases if phase.watched is not None]
    base = _figures(without, players, None)
    return base, _figures(with_, players, base)


def _phases(
    plan: FollowPlan, servers: Servers, tokens: Sequence[str], table: str
) -> tuple[list[PlayerFigures], list[WatchedPhase]]:
    load = plan.load
    crew = Crew(servers.urls, load.mode, tokens, size=load.players, most=load.most, pace=load.pace)
    try:
        time.sleep(2 * SETTLE_S)
        phases = []
        for _ in range(plan.turns):
            phases.append(_phase(servers, plan.phase_s))
            spectators = Spectators(
                servers.urls[0], f"table={table}&form={plan.form}", plan.spectators
            )
            try:
                phases.append(_phase(servers, plan.phase_s, spectators))
            finally:
                spectators.kill()
        return crew.stop(), phases
    finally:
        crew.kill()


def _phase(servers: Servers, seconds: float, spectators: Spectators | None = None) -> WatchedPhase:
    time.sleep(SETTLE_S)
    counts, usage = wakes(servers.urls), look(servers.pids)
    time.sleep(seconds)
    end = look(servers.pids)
    watched = None if spectators is None else spectators.stop()
    return WatchedPhase((usage, end), (counts, wakes(servers.urls)), watched)


def _figures(
    phases: Sequence[WatchedPhase], players: Sequence[PlayerFigures], base: FollowFigures | None
) -> FollowFigures:
    """base: the figures without spectators; None for those themselves."""
    seconds = sum(last - first for first, last in (phase.span_s for phase in phases))
    decisions = sum(between(one.samples, *phase.span_s) for phase in phases for one in players)
    watched = [phase.watched for phase in phases if phase.watched is not None]
    pieces = sum(each.pieces for each in watched)
    share = sum(phase.cpu_s for phase in phases) / seconds
    # Bots may have decided more or less in these phases: only what each decision cost compares.
    expected = None if base is None else base.share / base.per_s * decisions / seconds
    more_s = None if expected is None else (share - expected) * seconds
    # What spectators counted began SETTLE_S before the phase.
    counted = pieces * seconds / (seconds + SETTLE_S * len(phases)) if pieces else 0.0
    return FollowFigures(
        decisions / seconds,
        share,
        _median_shares(woken_ms(phase.counts, *phase.span_s) for phase in phases),
        _reached_ms(phases, players),
        counted / seconds,
        more_s / counted * 1e6 if more_s is not None and counted else None,
    )


def _median_shares(shares: Iterable[Shares]) -> Shares:
    known = [each for each in shares if each[0] is not None and each[1] is not None]
    if not known:
        return None, None
    first, second = zip(*known, strict=True)
    return statistics.median(first), statistics.median(second)


def _reached_ms(phases: Sequence[WatchedPhase], players: Sequence[PlayerFigures]) -> Shares:
    late_s = [
        late_s
        for phase in phases
        for one in players
        for at_s, late_s in one.reached_s
        if phase.span_s[0] <= at_s <= phase.span_s[1]
    ]
    return reached_ms_of(late_s)
