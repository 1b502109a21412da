"""`arena bench`: a referee under load, with spectators, and beside a growing database."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.benchmarks.printing import PATCHED, numbers, show
from arena.cli.remote import json_option
from arena.cli.rulesets import RulesetDocument, ruleset_option

MOST_HANDS = 1_000
"""Of a table that is to go on for as long as something is measured."""
LOAD_EXAMPLES = """Examples:

    arena bench load

    arena bench load --mode single --tables 80 --waiters 2000

    arena bench load --mode wait --bots 800 --tables 200 --pace 300 --waiters 2000

    arena bench load --mode wait --growth 1,10,100,1000

    arena bench load --database postgresql://arena@db/arena --workers 2 --players 2
"""


@click.command(epilog=LOAD_EXAMPLES)
@click.option(
    "--mode",
    type=click.Choice(["single", "wait", "batch"]),
    default="batch",
    show_default=True,
    help="One request to ask and one to answer; both in one; or that with many turns.",
)
@click.option(
    "--bots",
    type=click.IntRange(4, 1000),
    default=16,
    show_default=True,
    help="Bots, each with one connection.",
)
@click.option(
    "--tables",
    type=click.IntRange(1),
    default=512,
    show_default=True,
    help="Tables, all in play at the same time; as many more as fill a round.",
)
@click.option(
    "--hands", type=click.IntRange(1), default=1, show_default=True, help="Hands at each table."
)
@click.option(
    "--most",
    type=click.IntRange(1, 64),
    default=16,
    show_default=True,
    help="Turns in one request of a batch.",
)
@click.option(
    "--workers",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Referees on one database; the bots share them out. More than one need PostgreSQL.",
)
@click.option(
    "--database",
    help="Where to play; what was played stays there. What PostgreSQL's own processes use is not in"
    " the figures. A file that is gone afterwards if left out.",
)
@click.option(
    "--waiters",
    type=click.IntRange(0),
    default=0,
    show_default=True,
    help="More bots, that only wait.",
)
@click.option(
    "--pace",
    type=click.FloatRange(0),
    default=0.0,
    help="Decisions a second over all tables; as many as there can be if left out.",
)
@click.option(
    "--players",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Processes that hold the bots.",
)
@click.option("--growth", help="Numbers of tables, 1,10,100: runs of each, as ratios to the first.")
@click.option(
    "--repeat",
    type=click.IntRange(1),
    default=1,
    show_default=True,
    help="Runs of each kind, by turns; the medians are shown.",
)
@click.option("--log", is_flag=True, help="With the log of all requests, as it is by default.")
@ruleset_option(PATCHED)
@json_option
def load(
    ruleset: RulesetDocument, growth: str | None, repeat: int, as_json: bool, **plan: Any
) -> None:
    """Play sessions of cheap bots against a referee in its own process, beside baselines.

    As fast as it goes, the server's core is busy, and a bot that waits is woken when the server
    gets to it. How quickly it wakes bots is shown by a run at a pace that leaves the core idle most
    of the time, with four bots for each table, so that they wait for their turns. How full the
    requests of a batch are is up to the tables: a bot that sits at 128 has 32 turns at a time.
    """
    from arena.bench.figures import figures, medians, ratio
    from arena.bench.load import LoadPlan, growing, run

    wanted = LoadPlan(ruleset=dict(ruleset), **plan)
    load_plans = [wanted] if growth is None else [*growing(wanted, numbers("--growth", growth))]
    turns = [[figures(run(each)) for each in load_plans] for _ in range(repeat)]
    rows_by_plan = [medians(runs) for runs in zip(*turns, strict=True)]
    if growth is None:
        show(("what", "figure", "for comparison"), rows_by_plan[0], as_json=as_json)
        return
    by_name = [{name: figure for name, figure, _ in rows} for rows in rows_by_plan]
    cpu = "server CPU, us a decision"
    growth_rows = [
        (
            *(
                rows[name]
                for name in ("tables", "decisions accepted and durable", "decisions/s", cpu)
            ),
            ratio(rows[cpu], by_name[0][cpu]),
            *(rows[f"answer to next turn, ms {share}"] for share in ("p50", "p99")),
        )
        for rows in by_name
    ]
    heads = ("tables", "decisions", "decisions/s", "CPU us", "to the first", "ms p50", "ms p99")
    show(heads, growth_rows, as_json=as_json)


FOLLOWERS_EXAMPLES = """Examples:

    arena bench followers

    arena bench followers --spectators 500 --tables 100 --bots 400 --pace 200 --turns 5
"""


@click.command(epilog=FOLLOWERS_EXAMPLES)
@click.option(
    "--spectators",
    type=click.IntRange(1, 10_000),
    default=500,
    show_default=True,
    help="Followers of one table, in every other phase.",
)
@click.option(
    "--form",
    type=click.Choice(["events", "moments"]),
    default="moments",
    show_default=True,
    help="What they are sent: events, or what the viewer draws.",
)
@click.option(
    "--bots", type=click.IntRange(4, 1000), default=200, show_default=True, help="Bots that play."
)
@click.option(
    "--tables",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="Tables, all in play at the same time.",
)
@click.option(
    "--pace",
    type=click.FloatRange(0, min_open=True),
    default=100.0,
    show_default=True,
    help="Decisions a second over all tables.",
)
@click.option(
    "--phase",
    "phase_s",
    type=click.FloatRange(1),
    default=10.0,
    show_default=True,
    help="Seconds of each phase.",
)
@click.option(
    "--turns",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Phases of each kind, without and with spectators by turns.",
)
@ruleset_option(PATCHED)
@json_option
def followers(
    spectators: int,
    form: str,
    phase_s: float,
    turns: int,
    ruleset: RulesetDocument,
    as_json: bool,
    **plan: Any,
) -> None:
    """Measure what spectators of a table cost the bots and the server.

    Bots play at a pace against a referee in its own process; in every other phase a number of
    spectators follows one of the tables by server-sent events. Shown are the figures of both kinds
    of phases, and how many times as much it is with spectators.
    """
    from arena.bench.figures import ratio
    from arena.bench.followers import FollowPlan, run
    from arena.bench.load import LoadPlan

    load_plan = LoadPlan(ruleset=dict(ruleset), hands=MOST_HANDS, mode="wait", **plan)
    without, with_ = run(FollowPlan(load_plan, spectators, form, phase_s, turns))
    names = (
        ("decisions/s", without.per_s, with_.per_s),
        ("bell to waiter, ms p50 at most", without.woken_ms[0], with_.woken_ms[0]),
        ("bell to waiter, ms p99 at most", without.woken_ms[1], with_.woken_ms[1]),
        ("answer to next turn, ms p50", without.reached_ms[0], with_.reached_ms[0]),
        ("answer to next turn, ms p99", without.reached_ms[1], with_.reached_ms[1]),
        ("server CPU, share of a core", without.share, with_.share),
        ("pieces sent to spectators/s", without.pieces, with_.pieces),
        ("server CPU, us a piece and spectator", without.delivery_us, with_.delivery_us),
    )
    rows = [(name, here, there, ratio(there, here)) for name, here, there in names]
    heads = ("what", "without", f"with {spectators}", "times")
    show(heads, rows, as_json=as_json)


GROWTH_EXAMPLES = """Examples:

    arena bench growth --hands 1000,10000

    arena bench growth --hands 1000,10000,100000,1000000 --steps 10 --folder /var/tmp
"""


@click.command(epilog=GROWTH_EXAMPLES)
@click.option(
    "--hands",
    default="1000,10000",
    show_default=True,
    help="Numbers of ended hands in the database, one measuring each.",
)
@click.option(
    "--steps",
    type=click.IntRange(0),
    default=0,
    help="Keep only this many steps of each hand's log; 0: all.",
)
@click.option(
    "--folder",
    type=click.Path(exists=True, file_okay=False, path_type=Path),
    help="Where the database lies meanwhile; the system's folder for such if left out.",
)
@json_option
def growth(hands: str, steps: int, folder: Path | None, as_json: bool) -> None:
    """Measure what the same things cost beside more and more stored hands.

    A whole hand takes about 50 KB of disk, and there is a file for each number. All of them are
    measured by turns. Each thing is shown in microseconds by the clock, its CPU in rounds of plain
    Python that were measured around it, and both as ratios to the first number. What is called cold
    was read after the system had been told to forget the file: that is the disk's time.
    """
    from arena.bench.growth import grow

    rows: list[tuple[object, ...]] = [
        (
            each.hands,
            each.database_bytes,
            cost.name,
            cost.us,
            cost.us_to_first,
            cost.rounds,
            cost.rounds_to_first,
        )
        for each in grow(numbers("--hands", hands), steps=steps, folder=folder)
        for cost in each.costs
    ]
    heads = ("hands", "bytes", "what", "us", "to the first", "CPU, round/1000", "CPU to the first")
    show(heads, rows, as_json=as_json)
