"""`arena demo`: a whole round-robin of the sample bots, from nothing to the standings."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.event import BotSpec, play
from arena.client.http import Document

BOTS = (
    ("heuristic-1", "heuristic"),
    ("heuristic-2", "heuristic"),
    ("lowest-1", "lowest"),
    ("lowest-2", "lowest"),
    ("plain", "plain_requests"),
    ("choice", "choice_only"),
    ("random-1", "random_bot"),
    ("random-2", "random_bot"),
)


def document(*, hands: int, rounds: int, seed: str | None) -> Document:
    """The demo's session."""
    return {
        "name": "Demo",
        "slug": "demo",
        "ruleset": {"preset": "pagat", "patches": ["kakumei", "hachi_giri", "shibari"]},
        "seats": 4,
        "hands_per_table": hands,
        "schedule": {"kind": "round_robin", "rounds": rounds, "rounds_at_once": rounds},
        "seed": seed,
    }


@click.command(
    epilog="""Examples:

    arena demo

    arena demo --hands 5 --folder /tmp/my-demo --seed 00
"""
)
@click.option("--hands", default=10, show_default=True, help="Hands at each table.")
@click.option("--rounds", default=7, show_default=True, help="Rounds of two tables each.")
@click.option("--seed", default=None, help="Hex digits: the same deals every time.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where database, records and logs go.  [arena-data/demo-N]",
)
def command(hands: int, rounds: int, seed: str | None, folder: Path | None) -> None:
    """Play a whole tournament of sample bots and print the standings.

    Starts a referee on a free port of this machine and eight sample bots as processes of their own,
    which talk to it by nothing but HTTP. Nothing keeps running afterwards.
    """
    folder = folder or next_folder(Path("arena-data"), "demo")
    bots = [BotSpec(name, name, f"python -m sample_bots.{module}") for name, module in BOTS]
    click.echo(f"Eight bots, {rounds} rounds, {hands} hands a table; all files in {folder}")
    outcome = play(document(hands=hands, rounds=rounds, seed=seed), bots, folder=folder)
    click.echo()
    click.echo(outcome.standings, nl=False)
    click.echo()
    click.echo(f"Database  {folder / 'arena.db'}")
    click.echo(f"Records   {outcome.records}")
    click.echo("Go on     arena serve --database sqlite:///" + str(folder / "arena.db"))
    click.echo(f"Check     arena verify {outcome.records}")
    for name, code in outcome.silent.items():
        click.echo(f"Note: {name} ended with code {code}; see {folder / name}.log", err=True)


def next_folder(base: Path, stem: str) -> Path:
    """The first of base/stem-1, base/stem-2 ... that does not exist."""
    number = 1
    while (base / f"{stem}-{number}").exists():
        number += 1
    return base / f"{stem}-{number}"
