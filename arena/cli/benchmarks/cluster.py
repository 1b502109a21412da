"""`arena bench cluster`: what referees that share a database cost, and what a fault costs."""

from __future__ import annotations

import json
import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena import CORE
from arena.cli.benchmarks.printing import PATCHED, numbers, show
from arena.cli.remote import json_option
from arena.cli.rulesets import RulesetDocument, ruleset_option
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.bench.cluster.rows import Measured
    from arena.bench.cluster.simulation import Simulated

EXAMPLES = """Examples:

    arena bench cluster

    arena bench cluster --row routed --row unrouted --repeat 3

    arena bench cluster --row kill --times 100 --folder /var/tmp/kills

    arena bench cluster --row versions --python /opt/older/bin/python

    arena bench cluster --row routed --database postgresql://arena@db/arena

    arena bench cluster --simulate --simulated 64,10000
"""
MOST_FINDINGS = 20
"""That are printed one by one."""
MOST_REFEREES = 99
HEADS = ("row", "what", "figure", "goal", "met", "remark")


@click.command("cluster", epilog=EXAMPLES)
@click.option(
    "--row",
    "rows",
    multiple=True,
    help="What to measure: routed, unrouted, bell, kill, stop, database; and cut-database,"
    " cut-peers, clock, versions. Any number of them.  [the first six]",
)
@click.option(
    "--times",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="How often a fault is struck.",
)
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs of each number of referees, by turns; the medians are shown.",
)
@click.option(
    "--referees",
    default="1,2,4",
    show_default=True,
    help="Numbers of referees that share the work.",
)
@click.option(
    "--sessions",
    type=click.IntRange(1, 200),
    default=16,
    show_default=True,
    help="Sessions that they share, of four bots each.",
)
@click.option(
    "--tables",
    type=click.IntRange(1, 64),
    default=24,
    show_default=True,
    help="Tables of each of these, all in play at the same time.",
)
@click.option(
    "--shared",
    is_flag=True,
    help="All bots are in all of these sessions, so that their turns come from all referees.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=20.0,
    show_default=True,
    help="For how long the bell is rung, or PostgreSQL measured in a simulation.",
)
@click.option(
    "--silence",
    "silence_s",
    type=click.FloatRange(1),
    default=10.0,
    show_default=True,
    help="Seconds for which a referee is stopped, or a network cut.",
)
@click.option("--seed", default=1, show_default=True, help="Other deals and other instants.")
@click.option(
    "--simulate",
    is_flag=True,
    help="Instead of the rows: many referees and paused sessions, and no play.",
)
@click.option(
    "--simulated",
    default="64,10000",
    show_default=True,
    metavar="REFEREES,SESSIONS",
    help="How many of each.",
)
@click.option("--python", help="The Python of another installation, for the row versions.")
@click.option(
    "--database",
    help="Where to play the rows routed, unrouted and bell; what was played stays there. A server"
    " of our own that is gone afterwards if left out.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where logs of the referees stay; nowhere if left out.",
)
@ruleset_option(PATCHED)
@json_option
def cluster(
    rows: tuple[str, ...],
    referees: str,
    times: int,
    repeat: int,
    sessions: int,
    tables: int,
    shared: bool,
    seconds: float,
    silence_s: float,
    seed: int,
    simulate: bool,
    simulated: str,
    python: str | None,
    database: str | None,
    folder: Path | None,
    ruleset: RulesetDocument,
    as_json: bool,
) -> None:
    """Measure referees that share a database: what it costs, and what a fault costs.

    routed, unrouted: server CPU per decision, all referees together, beside one referee; with bots
    that follow the route that answers name, and with bots whose requests each go to another
    referee. bell: from the bell to a bot that waits at another referee.

    kill, stop, database: a home is killed, or stopped for a while, or PostgreSQL is stopped and
    started again, under load and as often as it is asked for. Afterwards log, diaries of the bots,
    records and standings are held against each other and against the same sessions in one process.
    cut-database, cut-peers: the network is cut between a home and the database, or its peers.
    clock: every other referee's clock is an hour fast, while homes are killed. versions: every
    other referee is of another installation.

    --simulate: what leases, routes and notifications of many referees cost PostgreSQL, and how long
    it takes until the sessions of a killed one are taken over.

    PostgreSQL's programs are needed. Leaves with code 1 if anything was lost, doubled or
    unexplained; a goal that was missed is marked and no error.
    """
    from arena.bench.cluster.bell import BellPlan
    from arena.bench.cluster.campaign import CampaignPlan
    from arena.bench.cluster.postgres import private_server
    from arena.bench.cluster.rows import USUAL, Measured, WantedRows, check, run, simulated_rows
    from arena.bench.cluster.sharing import SharingPlan

    document = dict(ruleset)
    wanted = WantedRows(
        rows or USUAL,
        SharingPlan(
            document,
            tuple(numbers("--referees", referees)),
            sessions=sessions,
            tables=tables,
            turns=repeat,
            shared=shared,
        ),
        BellPlan(document, seconds=seconds, seed=seed),
        CampaignPlan("kill", times, seed=seed, silence_s=silence_s, python=python),
        database,
    )
    check(wanted)
    if simulate:
        _show(simulated_rows(_simulation(simulated, seconds)), as_json=as_json)
        return
    with ExitStack() as stack:
        place = folder or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        server = None if database else stack.enter_context(private_server())
        measured = []
        for row in run(wanted, server, place, tell=_tell):
            measured.append(row)
            if not as_json:  # each as soon as it is there: whoever stops it keeps what was measured
                _show(row, as_json=False)
    findings = [finding for row in measured for finding in row.findings]
    if as_json:
        figures = [figure for row in measured for figure in row.figures]
        _show(Measured(figures, tuple(findings)), as_json=True)
    if findings:
        raise click.exceptions.Exit(1)


def _simulation(simulated: str, seconds: float) -> Simulated:
    from arena.bench.cluster.simulation import SimulationPlan, simulate

    counts = [int(each) for each in simulated.split(",") if each.strip().isdecimal()]
    if len(counts) != 2 or not 2 <= counts[0] <= MOST_REFEREES or counts[1] < 1:
        expected = f"2 to {MOST_REFEREES} referees, a comma, and sessions: 64,10000"
        raise BadInput("--simulated", simulated, expected)
    return simulate(SimulationPlan(counts[0], counts[1], seconds=seconds), tell=_tell)


def _tell(line: str) -> None:
    click.echo(line, err=True)


def _show(measured: Measured, *, as_json: bool) -> None:
    """The table, and what was not as it must be; or both as one object."""
    if as_json:
        objects = [dict(zip(HEADS, figure, strict=True)) for figure in measured.figures]
        document = {"core": CORE.name, "figures": objects, "findings": measured.findings}
        click.echo(json.dumps(document, indent=2))
        return
    rows = [(*each[:4], _met(each.met), each.remark) for each in measured.figures]
    show(HEADS, rows, as_json=False)
    for finding in measured.findings:
        click.echo(finding)


def _met(met: bool | None) -> str:
    return "" if met is None else "yes" if met else "no"
