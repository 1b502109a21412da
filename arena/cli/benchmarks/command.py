"""`arena bench`: figures, each beside a baseline measured in the same run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from arena.cli.benchmarks import referee
from arena.cli.benchmarks.cluster import cluster
from arena.cli.benchmarks.printing import PATCHED, note, show
from arena.cli.remote import json_option
from arena.cli.rulesets import RulesetDocument, ruleset_option, rulesets_option
from arena.errors import BadInput


@click.group("bench", epilog="Example:  arena bench engine")
def command() -> None:
    """Measure the engine, the parts of a move, a referee under load or abuse, the statistics."""


@command.command(epilog="Example:  arena bench engine --hands 500 --ruleset uecda")
@click.option(
    "--hands",
    type=click.IntRange(1),
    default=2000,
    show_default=True,
    help="Hands for each ruleset.",
)
@rulesets_option
@json_option
def engine(hands: int, rulesets: tuple[RulesetDocument, ...], as_json: bool) -> None:
    """Play hands at random through legal, decide and evolve, and arena.game, on one core."""
    from arena.bench.engine import ASLEEP, SPINE, Spec, play_out
    from arena.rules.short_form import short_form

    named: dict[str, Spec] = {short_form(ruleset): ruleset for ruleset in rulesets} or {
        "pagat": "pagat",
        "pagat, 30 options seldom awake": ASLEEP,
        "the options of the spine": SPINE,
        "uecda": "uecda",
        "japan_league": "japan_league",
    }
    rows = []
    for name, spec in named.items():
        run = play_out(spec, hands)
        paces = (
            run.hands_per_s,
            run.middle_hands_per_s,
            run.states_hands_per_s,
            1e6 * run.quickest,
        )
        rows.append((name, *paces, run.decisions, 1000 * run.ratio))
    times = ("hands/s", "median", "arena.game hands/s", "us/decision")
    heads = ("ruleset", *times, "decisions/hand", "hands/1000 rounds")
    show(heads, rows, as_json=as_json)
    note(
        "hands/s: in the quickest of 20 parts, the others being disturbed; and in the median one",
        as_json,
    )
    note("arena.game hands/s: other deals, played out through states as bots have them", as_json)
    note("a round: 1,000 integers through a dictionary, in plain Python, in the same run", as_json)


@command.command(epilog="Example:  arena bench envs --seconds 5 --ruleset uecda")
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=5.0,
    show_default=True,
    help="CPU time for each environment.",
)
@rulesets_option
@json_option
def envs(seconds: float, rulesets: tuple[RulesetDocument, ...], as_json: bool) -> None:
    """Play arena.envs at random, beside the card games of PettingZoo and RLCard.

    One process, all by the same policy and by turns. What is not installed is named below the
    table: pip install rlcard pygame-ce.
    """
    try:
        from arena.bench.environments import ROUNDS, compare
    except ImportError as error:
        raise click.ClickException(str(error)) from error
    from arena.rules.short_form import short_form

    named = [(short_form(ruleset), ruleset) for ruleset in rulesets]
    found = compare(named or [("pagat", "pagat"), ("house", "house")], seconds=seconds)
    ours = [pace for pace in found.paces if pace.ours]
    ratios = [f"{pace.name.removeprefix('arena.envs ')} / this" for pace in ours]
    rows = [
        (pace.name, pace.best, pace.middle, pace.length, *(own.best / pace.best for own in ours))
        for pace in found.paces
    ]
    heads = ("environment", "decisions/s", "median", "decisions/hand", *ratios)
    show(heads, rows, as_json=as_json)
    note(f"decisions/s: in the quickest of {ROUNDS} slices of CPU time; and in the median", as_json)
    for each in found.missing:
        click.echo(f"not measured: {each}", err=as_json)


@command.command(epilog="Example:  arena bench parts")
@click.option(
    "--hands",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    help="Recorded hands to measure on.",
)
@ruleset_option(PATCHED)
@json_option
def parts(hands: int, ruleset: RulesetDocument, as_json: bool) -> None:
    """Measure what each part of a move costs in the referee's process."""
    from arena.bench.parts import measure

    measured, size, decisions = measure(ruleset, hands=hands)
    route, commit = measured[0].us, measured[1].us
    rows = [(part.name, part.us, part.us / route, part.us / commit) for part in measured]
    show(("part", "us", "of a bare route", "of a bare commit"), rows, as_json=as_json)
    note(f"log: {size} bytes a hand of {decisions} decisions, without indexes", as_json)


STARVE_EXAMPLES = """Examples:

    arena bench starve

    arena bench starve --attack exports --clients 8 --seconds 10

    arena bench starve --hands 2000 --attack standings --attack page --rounds 5

    arena bench starve --hands 200 --attack junk --attack slow-heads --attack never-read
"""


@command.command(epilog=STARVE_EXAMPLES)
@click.option(
    "--attack",
    "attacks",
    multiple=True,
    help="What the hostile clients do; any number of them.  [all]",
)
@click.option(
    "--hands",
    type=click.IntRange(200),
    default=10_000,
    show_default=True,
    help="Hands of the big session that is over; 46 KB of disk each.",
)
@click.option(
    "--clients",
    type=click.IntRange(1, 64),
    default=4,
    show_default=True,
    help="Hostile clients; every other one has a token. Floods have connections of their own.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(1),
    default=6.0,
    show_default=True,
    help="Of each stretch of peace, and of attack.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1),
    default=2,
    show_default=True,
    help="How often peace and attack take turns; the medians are shown.",
)
@json_option
def starve(attacks: tuple[str, ...], as_json: bool, **plan: Any) -> None:
    """Measure what honest bots keep while others ask for too much.

    Eight bots play as fast as it goes; by turns they are alone, and some clients do the same
    hostile thing in a loop. It shows the honest answers in a second in peace and under attack, the
    share that is kept, what honest bots were charged in a second, and what the clients got. An
    outage is what holds the process for more than a tenth of a second; it is charged to nobody.
    """
    from arena.bench.starvation import ATTACKS, StarvationPlan, run

    wanted = StarvationPlan(attacks or tuple(ATTACKS), **plan)
    starved = run(wanted, tell=lambda line: click.echo(line, err=True))
    heads = (
        "attack",
        "peace/s",
        "attacked/s",
        "kept",
        "charged ms/s in peace",
        "charged ms/s",
        "served/s",
        "refused/s",
        "MB/s",
        "standstills",
    )
    show(heads, starved, as_json=as_json)


CRASH_EXAMPLES = """Examples:

    arena bench crash --kills 500

    arena bench crash --kills 100 --move-ms 3000 --folder /var/tmp

    arena bench crash --kills 100 --move-ms 1000 --late 4
"""


@command.command(epilog=CRASH_EXAMPLES)
@click.option(
    "--kills",
    type=click.IntRange(1),
    default=50,
    show_default=True,
    help="How often the referee is killed.",
)
@click.option(
    "--move-ms",
    type=click.IntRange(100),
    default=10_000,
    show_default=True,
    help="Time for a move, in ms. Where it is short, bots on a busy machine are too slow.",
)
@click.option("--seed", default=1, show_default=True, help="Other deals and other instants.")
@click.option(
    "--late",
    type=click.IntRange(0),
    default=0,
    help="Hold every N-th answer back until it is too late; 0: none.",
)
@click.option(
    "--limit",
    "limit_s",
    type=click.FloatRange(0),
    default=3_600,
    show_default=True,
    help="Seconds after the last kill in which the session should end.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    help="Where databases and logs stay; nowhere if left out.",
)
@json_option
def crash(folder: Path | None, as_json: bool, **given: Any) -> None:
    """Kill a referee under load, again and again, and see whether anything was lost.

    Every difference is explained by what the log, the bots' diaries and the times of the kills say,
    or it is a finding: an accepted answer that is not in the log exactly once, a bot that was
    charged time while no referee took its requests, a turn that the referee answered though its bot
    was in time. Turns that bots were too slow for are counted with their reasons; from there on a
    table, and then the standings, cannot be compared with the run in peace.

    Leaves with code 1 if anything is not as it must be.
    """
    import tempfile

    from arena.bench.crash import CrashPlan, new_folder, run

    with tempfile.TemporaryDirectory() as nowhere:
        place = new_folder(folder or Path(nowhere))
        verdict = run(CrashPlan(**given), place, tell=lambda line: note(line, as_json))
    facts = verdict._asdict()
    wrong, expired = facts.pop("findings"), facts.pop("expired")
    if as_json:
        click.echo(json.dumps({**facts, "expired": expired, "findings": wrong}, indent=2))
    else:
        rows = [*facts.items(), *((f"turns: {why}", turns) for why, turns in expired.items())]
        show(("what", "figure"), rows, as_json=False)
        click.echo("\n".join(wrong[:20]) or "nothing lost, nothing doubled, nothing unexplained")
    if wrong:
        raise click.exceptions.Exit(1)


@command.command(epilog="Example:  arena bench abuse --repeat 50")
@click.option(
    "--repeat",
    type=click.IntRange(1, 10_000),
    default=20,
    show_default=True,
    help="Requests of each kind that are measured.",
)
@json_option
def abuse(repeat: int, as_json: bool) -> None:
    """Measure the CPU that hostile requests cost, beside honest ones.

    Each kind is put to a whole arena in this process, without sockets and limits. The budget is 5
    ms of CPU in one piece for any request, refused or accepted; what takes more is marked. On a
    machine that is busy with other things the worst ones are theirs.
    """
    from arena.bench.abuse import BUDGET_MS, measure

    costs = measure(repeat=repeat)
    poll_ms = costs[0].median_ms
    rows = [
        (
            cost.group,
            cost.name,
            cost.status,
            cost.sent_bytes,
            cost.median_ms,
            cost.worst_ms,
            cost.piece_ms,
            cost.median_ms / poll_ms,
            "over" if cost.piece_ms > BUDGET_MS else "",
        )
        for cost in costs
    ]
    times = ("ms median", "ms worst", "in one piece", "of a poll")
    heads = ("kind", "request", "status", "bytes", *times, "budget")
    show(heads, rows, as_json=as_json)
    note(
        f"ms: CPU of the process; the budget of a request is {BUDGET_MS:g} ms in one piece", as_json
    )


@command.command(epilog="Example:  arena bench statistics --ruleset uecda --seats 5 --scale 0.2")
@rulesets_option
@click.option("--seats", "sizes", type=int, multiple=True, help="Bots at a table.  [4 and 5]")
@click.option(
    "--scale",
    type=click.FloatRange(min=0, min_open=True),
    default=1.0,
    show_default=True,
    help="Less takes less time, and is less exact.",
)
@click.option("--seed", default=1, show_default=True)
@click.option("--only", "only", multiple=True, metavar="EXPERIMENT", help="Only this experiment.")
@json_option
def statistics(
    rulesets: tuple[RulesetDocument, ...],
    sizes: tuple[int, ...],
    scale: float,
    seed: int,
    only: tuple[str, ...],
    as_json: bool,
) -> None:
    """Measure on the real engine what the tournament's statistics rest on.

    Who sits before whom, replayed shuffles, coverage of intervals, false alarms of collusion, hands
    in a row; and whether intervals hold and twins are left undecided in sessions of 5 and 8 blocks
    a bot. EXPERIMENT: seat_order, replayed, sessions, common, long_tables or small_sessions; any
    number of them. The figures of the manual's page on ratings are those of this command without
    options, but those of small_sessions are from 3, 4 and 5 seats, most at half the scale; the same
    seed and scale give the same figures. One process; at full scale some fifteen minutes for each
    ruleset and size.
    """
    from arena.bench.statistics import EXPERIMENTS, RULESETS, SEATS, ground, measure
    from arena.rules.short_form import short_form

    for name in only:
        if name not in EXPERIMENTS:
            raise BadInput("--only", name, f"one of {', '.join(EXPERIMENTS)}")

    rows: list[tuple[object, ...]] = []
    for name in map(short_form, rulesets) if rulesets else RULESETS:
        for seats in sizes or SEATS:
            on = ground(name, seats, seed=seed, scale=scale)
            rows += [(name, seats, *figure) for figure in measure(on, only=only)]
    show(("ruleset", "seats", "what", "figure", "standard error"), rows, as_json=as_json)


for each in (referee.load, referee.followers, referee.growth, cluster):
    command.add_command(each)
