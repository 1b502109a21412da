"""The goals of the design, row by row, and what was measured of each.

A row measures one thing by itself. Those that stop PostgreSQL need a server of our own, so all rows
run on one unless another database is given, which only those take that leave it alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from arena.bench.cluster import bell
from arena.bench.cluster.campaign import KINDS, CampaignPlan, play, play_in_peace
from arena.bench.cluster.postgres import PostgresServer
from arena.bench.cluster.sharing import Sharing, SharingPlan, measure
from arena.bench.cluster.simulation import Simulated
from arena.bench.cluster.verdict import CampaignVerdict, verdict
from arena.errors import BadInput

SHARED_ROWS = ("routed", "unrouted", "bell")
"""These leave the database alone."""
ROWS = (*SHARED_ROWS, *KINDS)
USUAL = ("routed", "unrouted", "bell", "kill", "stop", "database")
"""The rows of the design's table."""
MOST = {"routed": {"batch": 1.2, "single": 1.2}, "unrouted": {"batch": 2.0, "single": 2.5}}
"""How many times the CPU of one referee a decision may take."""
ROUTES = {"routed": "follow", "unrouted": "never"}
BELL_MS = 20.0
TURNS_AGAIN_MS = 2_000.0
DATABASE_CORES = 0.5
TAKEN_OVER_S = 5.0


class RowFigure(NamedTuple):
    """A line of the table. goal, met: None where the design has no goal for it."""

    row: str
    what: str
    figure: float | None
    goal: float | None = None
    met: bool | None = None
    remark: str = ""


class Measured(NamedTuple):
    """What a row came to. findings: what was not as it must be."""

    figures: list[RowFigure]
    findings: tuple[str, ...] = ()


class WantedRows(NamedTuple):
    """What to measure, and how. database: one that was given, for the rows that leave it alone."""

    rows: Sequence[str]
    sharing: SharingPlan
    bell: bell.BellPlan
    campaign: CampaignPlan
    database: str | None = None


Tell = Callable[[str], None]


def check(wanted: WantedRows) -> None:
    """Raises BadInput for what cannot be measured like this."""
    for row in wanted.rows:
        if row not in ROWS:
            raise BadInput("--row", row, f"one of {', '.join(ROWS)}")
        if wanted.database is not None and row not in SHARED_ROWS:
            expected = f"left out: {row} needs a server of its own, which it stops or watches"
            raise BadInput("--database", "given", expected)
    scheme = (wanted.database or "postgresql:").partition(":")[0]
    if scheme not in ("postgresql", "postgres"):
        raise BadInput("--database", wanted.database, "postgresql://...")
    if "versions" in wanted.rows and wanted.campaign.python is None:
        raise BadInput("--python", None, "the Python of another installation, for the row versions")


def run(
    wanted: WantedRows, server: PostgresServer | None, folder: Path, *, tell: Tell
) -> Iterator[Measured]:
    """Measure row after row. server: our own, where no database was given."""
    database = server or wanted.database
    assert database is not None
    for row in wanted.rows:
        tell(f"row {row}")
        if row in ROUTES:
            yield _sharing(row, measure(wanted.sharing, ROUTES[row], database, tell=tell))
        elif row == "bell":
            yield _bell(bell.measure(wanted.bell, database))
        else:
            assert server is not None
            plan = wanted.campaign._replace(kind=row)
            struck = play(plan, folder / row / "struck", server, tell=tell)
            tell(f"{row}: the same in peace")
            yield _campaign(row, verdict(plan, struck, play_in_peace(plan, folder / row / "peace")))


def _sharing(row: str, runs: Sequence[Sharing]) -> Measured:
    """CPU of each run, and as a ratio to that of one referee."""
    figures = []
    alone = {run.mode: run.cpu_us for run in runs if run.referees == 1}
    for run in runs:
        name = f"{run.mode}, referees: {run.referees}"
        remark = f"{run.in_request:.1f} answers in a request, {run.refused} requests refused"
        figures.append(
            RowFigure(row, f"{name}, server CPU us a decision", run.cpu_us, remark=remark)
        )
        base = alone.get(run.mode)
        if run.referees > 1 and base and run.cpu_us:
            ratio, most = run.cpu_us / base, MOST[row][run.mode]
            figures.append(_at_most(row, f"{name}, times that of one", ratio, most))
        figures.append(RowFigure(row, f"{name}, PostgreSQL's CPU us a decision", run.database_us))
        figures.append(RowFigure(row, f"{name}, decisions/s", run.per_s))
    return Measured(figures)


def _bell(waits: Sequence[bell.Waits]) -> Measured:
    """Median and 99 % for waiters at another referee, and at home beside them."""
    figures = []
    for each in waits:
        p50_ms, p99_ms = each.told_ms
        remark = f"{each.samples} samples"
        figures.append(RowFigure("bell", f"{each.where}, ms p50", p50_ms, remark=remark))
        goal = each.where == bell.ELSEWHERE
        figures.append(
            _at_most("bell", f"{each.where}, ms p99", p99_ms, BELL_MS)
            if goal
            else RowFigure("bell", f"{each.where}, ms p99", p99_ms)
        )
    return Measured(figures)


def _campaign(row: str, found: CampaignVerdict) -> Measured:
    p50_ms, most_ms = found.offered_ms
    expired = "; ".join(f"{why}: {turns}" for why, turns in found.expired.items())
    again = "turns again, ms, the longest"
    figures = [
        RowFigure(row, "times", found.faults),
        RowFigure(row, "sessions that changed their home", found.moves),
        RowFigure(row, "turns again, ms p50", p50_ms),
        _at_most(row, again, most_ms, TURNS_AGAIN_MS),
        _at_most(row, "steps accepted of a referee that was not home", found.stale, 0),
        RowFigure(
            row, "turns that the referee answered", sum(found.expired.values()), remark=expired
        ),
        RowFigure(row, "decisions", found.decisions, remark=f"{found.replayed} answered once more"),
        RowFigure(row, "requests without an answer", found.broken),
        RowFigure(row, "hands", found.hands, remark=f"{found.compared} compared with one process"),
        _at_least(
            row, "sessions with the standings of one process", found.standings, found.sessions
        ),
        RowFigure(row, "seconds", found.seconds),
        _at_most(row, "findings", len(found.findings), 0),
    ]
    return Measured(figures, tuple(f"{row}: {finding}" for finding in found.findings))


def simulated_rows(found: Simulated) -> Measured:
    """What a simulation came to."""
    row, plan = "simulate", found.plan
    figures = [
        RowFigure(row, "referees", plan.referees, remark=f"{found.connections} connections"),
        RowFigure(row, "sessions", plan.sessions, remark=f"{found.joined_s:.1f} s to begin with"),
        _at_most(row, "PostgreSQL, cores", found.database_cores, DATABASE_CORES),
        RowFigure(row, "all referees together, cores", found.referees_cores),
        RowFigure(row, "PostgreSQL, transactions/s", found.transactions_per_s),
        RowFigure(row, "sessions given to another referee", found.moved),
    ]
    for killed in found.killed:
        what = f"{killed.sessions} sessions of a killed referee"
        figures.append(RowFigure(row, f"{what}: s until others have their leases", killed.leased_s))
        played = f"{what}: s until others play them"
        met = killed.played_s is not None and killed.played_s <= TAKEN_OVER_S
        figures.append(RowFigure(row, played, killed.played_s, TAKEN_OVER_S, met))
    return Measured(figures)


def _at_most(row: str, what: str, figure: float | None, goal: float) -> RowFigure:
    return RowFigure(row, what, figure, goal, None if figure is None else figure <= goal)


def _at_least(row: str, what: str, figure: float, goal: float) -> RowFigure:
    return RowFigure(row, what, figure, goal, figure >= goal)
