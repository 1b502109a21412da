"""`arena bench`: figures, each beside a baseline measured in the same run."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click
from tabulate import tabulate

from arena.cli.organiser import json_option


@click.group("bench", epilog="Example:  arena bench engine")
def command() -> None:
    """Measure the engine, the parts of a move, and a referee under load."""


@command.command(epilog="Example:  arena bench engine --hands 500 --ruleset uecda")
@click.option("--hands", default=1000, show_default=True, help="Hands for each ruleset.")
@click.option("--ruleset", "rulesets", multiple=True, help="preset+patch+...; any number of them.")
@json_option
def engine(hands: int, rulesets: tuple[str, ...], as_json: bool) -> None:
    """Play hands at random through legal, decide and evolve, on one core."""
    from arena.bench.engine import ASLEEP, SPINE, Spec, play_out

    named: dict[str, Spec] = {name: name for name in rulesets} or {
        "pagat": "pagat",
        "pagat, 30 more options asleep": ASLEEP,
        "the options of the spine": SPINE,
        "uecda": "uecda",
        "japan_league": "japan_league",
    }
    rows = []
    for name, spec in named.items():
        run = play_out(spec, hands)
        each = run.seconds / run.decisions * 1e6
        rows.append((name, run.hands_per_s, run.decisions / run.hands, each, 1000 * run.ratio))
    heads = ("ruleset", "hands/s", "decisions/hand", "us/decision", "hands/1000 rounds")
    _show(heads, rows, as_json=as_json)
    _note("a round: 1,000 integers through a dictionary, in plain Python, in the same run", as_json)


@command.command(epilog="Example:  arena bench parts")
@click.option("--hands", default=20, show_default=True, help="Recorded hands to measure on.")
@click.option("--ruleset", default="pagat+kakumei+hachi_giri+shibari", show_default=True)
@json_option
def parts(hands: int, ruleset: str, as_json: bool) -> None:
    """Measure what each part of a move costs in the referee's process."""
    from arena.bench.parts import measure

    found, size, decisions = measure(ruleset, hands=hands)
    route, commit = found[0].us, found[1].us
    rows = [(part.name, part.us, part.us / route, part.us / commit) for part in found]
    _show(("part", "us", "of a bare route", "of a bare commit"), rows, as_json=as_json)
    _note(f"log: {size} bytes a hand of {decisions} decisions, without indexes", as_json)


@command.command(epilog="Example:  arena bench load --bots 16 --rounds 15 --hands 5")
@click.option("--bots", default=8, show_default=True, help="Bots, each with one connection.")
@click.option("--rounds", default=7, show_default=True, help="Rounds, all played at once.")
@click.option("--hands", default=5, show_default=True, help="Hands at each table.")
@click.option("--ruleset", default="pagat+kakumei+hachi_giri+shibari", show_default=True)
@json_option
def load(bots: int, rounds: int, hands: int, ruleset: str, as_json: bool) -> None:
    """Play a session of bots that cost nothing against a referee in its own process."""
    from arena.bench.load import run

    preset, *patches = ruleset.split("+")
    found = run(
        bots=bots, rounds=rounds, hands=hands, ruleset={"preset": preset, "patches": patches}
    )
    cpu = None if found.cpu_s is None else found.cpu_s / found.decisions * 1e6
    rows = [
        ("decisions accepted and durable", found.decisions),
        ("decisions/s", found.decisions_per_s),
        ("requests/s of a bare route, one connection", found.bare_per_s),
        ("decisions for each such request", found.decisions_per_s / found.bare_per_s),
        ("server CPU, us a decision", cpu),
        ("hands", found.hands),
        ("database, bytes a hand", found.database_bytes / max(1, found.hands)),
    ]
    _show(("what", "figure"), rows, as_json=as_json)


def _show(heads: tuple[str, ...], rows: Sequence[tuple[object, ...]], *, as_json: bool) -> None:
    """A table, or a list of objects."""
    if as_json:
        click.echo(json.dumps([dict(zip(heads, row, strict=True)) for row in rows], indent=2))
    else:
        click.echo(tabulate(rows, headers=heads, floatfmt=",.2f", intfmt=","))


def _note(text: str, as_json: bool) -> None:
    """A line below a table."""
    if not as_json:
        click.echo(text)
