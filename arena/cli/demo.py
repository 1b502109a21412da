"""`arena demo`: a whole round-robin of the sample bots, from nothing to the standings."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import click

from arena.cli.colours import WARNING, coloured
from arena.cli.event import DATABASE, BotSpec, Outcome, play
from arena.cli.launching import Confinement
from arena.cli.remote import json_option, print_json
from arena.cli.terminal.opening import show_address, stay, watch_option
from arena.confinement.limits import Limits
from arena.documents import Document
from arena.session.config import read_seed
from arena.statuses import SessionStatus

FAILED = 1
MOST_HANDS, MOST_ROUNDS = 1000, 64
"""Of a table; of those that are played at the same time: what a session may have."""
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

    arena demo --watch
"""
)
@click.option(
    "--hands",
    type=click.IntRange(1, MOST_HANDS),
    default=10,
    show_default=True,
    help="Hands at each table.",
)
@click.option(
    "--rounds",
    type=click.IntRange(1, MOST_ROUNDS),
    default=7,
    show_default=True,
    help="Rounds of two tables each, all at once.",
)
@click.option("--seed", default=None, help="Hex digits: the same deals every time.")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Where database, records and logs go.  [arena-data/demo-N]",
)
@watch_option
@json_option
def command(
    hands: int,
    rounds: int,
    seed: str | None,
    folder: Path | None,
    watch: bool,
    opens: bool,
    as_json: bool,
) -> None:
    """Play a whole tournament of sample bots and print the standings.

    Starts a referee on a free port of this machine and eight sample bots as processes of their own,
    which talk to it by nothing but HTTP. Nothing keeps running afterwards; with --watch the pages
    of the tournament stay until Ctrl-C.
    """
    asked = document(hands=hands, rounds=rounds, seed=seed)
    read_seed(asked)
    folder = folder or next_folder(Path("arena-data"), "demo")
    bots = [BotSpec(name, name, f"python -m sample_bots.{module}") for name, module in BOTS]
    opening = f"Eight bots, {rounds} rounds, {hands} hands a table; all files in {folder}"
    click.echo(opening, err=as_json)

    def ended(outcome: Outcome, page: str) -> None:
        further = (
            f"Go on     arena serve --database sqlite:///{folder / DATABASE}",
            f"Check     arena verify {outcome.records}",
        )
        show_outcome(outcome, folder, further, as_json=as_json)
        if watch:
            stay(page)

    outcome = play(
        asked,
        bots,
        folder=folder,
        chosen=Confinement(Limits()),
        warn=warn,
        begun=partial(show_address, opens=opens) if watch else _nothing,
        ended=ended,
    )
    if not outcome.good:
        sys.exit(FAILED)


def _nothing(page: str) -> None:
    """Nobody watches."""


def warn(line: str) -> None:
    """A line for the person at the terminal, beside the output."""
    click.echo(f"{coloured('Warning:', WARNING)} {line}", err=True)


def show_outcome(
    outcome: Outcome, folder: Path, further: Sequence[str] = (), *, as_json: bool
) -> None:
    """Standings, files, and what went wrong with bots."""
    if as_json:
        print_json(_outcome_document(outcome, folder))
    else:
        click.echo()
        click.echo(outcome.standings, nl=False)
        click.echo()
        for line in (f"Database  {folder / DATABASE}", f"Records   {outcome.records}", *further):
            click.echo(line)
    for name, mistakes in outcome.mistakes.items():
        click.echo(f"{name}: {mistakes}", err=True)
    for name, why in outcome.limits.items():
        click.echo(f"{name}: {why}", err=True)
    for name, code in outcome.ended.items():
        log = folder / f"bot-{name}.log"
        click.echo(f"{name}: its process ended with code {code}; see {log}", err=True)
    if outcome.status != SessionStatus.FINISHED:
        click.echo(f"The session is {outcome.status}.", err=True)


def _outcome_document(outcome: Outcome, folder: Path) -> Document:
    """The outcome for a program."""
    return {
        "session": outcome.session,
        "status": outcome.status,
        "folder": str(folder),
        "database": str(folder / DATABASE),
        "records": str(outcome.records),
        "standings": outcome.document,
        "failed": outcome.ended,
        "limits": outcome.limits,
        "mistakes": {
            name: {**mistakes._asdict(), "log": str(mistakes.log)}
            for name, mistakes in outcome.mistakes.items()
        },
    }


def next_folder(base: Path, stem: str) -> Path:
    """The first of base/stem-1, base/stem-2 ... that does not exist."""
    number = 1
    while (base / f"{stem}-{number}").exists():
        number += 1
    return base / f"{stem}-{number}"
