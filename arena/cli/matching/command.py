"""`arena match`: is A better than B, at tables with others? With an exit code for programs."""

from __future__ import annotations

import json
import os
import sys
import tempfile
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import click

from arena.cli.launching import Confinement, confinement, sandbox_option
from arena.cli.matching.report import (
    MatchOutcome,
    conclusion,
    document,
    notes,
    result_lines,
)
from arena.cli.matching.request import MatchRequest, read_serving, show_progress
from arena.cli.remote import json_option
from arena.cli.rulesets import ruleset_option
from arena.cli.terminal.opening import show_address, watch_option
from arena.confinement.limits import Limits
from arena.errors import BadInput
from arena.tournament import sprt
from arena.tournament.sprt import Bounds

MOST_WORKERS = 60
MOST_AT_ONCE = 10_000
AT_ONCE = 100
"""Blocks under way at a time with an executor, if nobody says how many."""
EXIT_CODES = {sprt.BETTER: 0, sprt.NOT_SHOWN: 1, sprt.WORSE: 3}


@click.command(
    epilog="""Examples:

    arena match "python new.py" "python old.py" --sprt 0 20

    arena match --local mybot:New mybot:Old --sprt 0 20 --others sample_bots.lowest:Lowest

    python -m cProfile -s tottime -m arena.cli match --local mybot:New mybot:Old --workers 0

    arena match --local mybot:New sample_bots.heuristic:Heuristic --hands 4000

    arena match "python new.py" "python old.py" --watch

    arena match --local mybot:New mybot:Old --resume match.journal --executor cluster:dask

    arena match --local mybot:New mybot:Old --serve-work 192.168.1.7:8700

Exit codes: 0 A is better, 1 not shown, 3 B is better, 2 the command was called wrongly.
"""
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--local", is_flag=True, help="A, B and the others are module:Class, without HTTP.")
@click.option("--others", multiple=True, help="Who takes the other seats, in turn.  [heuristic]")
@click.option("--sprt", "elos", nargs=2, type=float, default=None, metavar="ELO0 ELO1")
@click.option("--hands", default=2000, show_default=True, help="All of them, or with --sprt most.")
@click.option(
    "--hands-per-table",
    type=int,
    default=None,
    help="Hands in a row.  [the ruleset says, or 10]",
)
@ruleset_option("pagat")
@click.option("--seats", type=int, default=None, help="Bots at a table.  [as the ruleset says]")
@click.option("--deals", type=click.Choice(("rotate", "fresh")), default=None)
@click.option("--seed", type=int, default=1, show_default=True, help="Deals and seats follow.")
@click.option(
    "--workers",
    type=int,
    default=None,
    help="Processes, or tables at once. 0, with --local: in this process, for breakpoint() and"
    " cProfile.  [cores]",
)
@click.option(
    "--executor",
    default=None,
    metavar="MODULE:FACTORY",
    help="What plays the blocks instead of processes of this machine: the factory returns a"
    " concurrent.futures executor, such as Dask's. --workers: blocks under way at once.  [100]",
)
@click.option(
    "--serve-work",
    "address",
    default=None,
    metavar="[HOST:]PORT",
    help="Listen there for `arena work`, which plays the blocks, on this machine or others; port 0"
    " for a free one. --workers as with --executor.",
)
@click.option(
    "--work-token",
    envvar="ARENA_WORK_TOKEN",
    show_envvar=True,
    help="What workers have to send.  [a new one, which is printed]",
)
@click.option(
    "--resume",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Keep every block in this file, with --local; if it is there, go on behind its last.",
)
@click.option(
    "--record",
    type=click.File("wb", lazy=False),
    default=None,
    help="Write the hands there, for arena verify and arena rate.",
)
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Keep database and logs there (not with --local).",
)
@sandbox_option
@watch_option
@json_option
def command(
    first: str,
    second: str,
    local: bool,
    others: tuple[str, ...],
    elos: tuple[float, float] | None,
    hands: int,
    hands_per_table: int | None,
    ruleset: Mapping[str, Any],
    seats: int | None,
    deals: str | None,
    seed: int,
    workers: int | None,
    executor: str | None,
    address: str | None,
    work_token: str | None,
    resume: Path | None,
    record: BinaryIO | None,
    folder: Path | None,
    sandbox: str,
    watch: bool,
    opens: bool,
    as_json: bool,
) -> int:
    """Is bot A better than bot B, at tables with others?

    A and B are commands, started as processes that play over HTTP, or with --local Python classes.
    With --sprt the match ends as soon as it is clear whether A is better by ELO1 rather than
    ELO0 (or B, the same test the other way round); without it all hands are played and the 95 %
    interval decides. A block, one table or with `rotate` its replays from every seat, counts as one
    observation. Local bots replay the same shuffles from every seat (`rotate`); --deals fresh does
    without.
    """
    if hands < 1:
        raise BadInput("hands", hands, "1 or more")
    if not local:
        _refuse_without_local(
            ("--executor", executor), ("--serve-work", address), ("--resume", resume)
        )
    if address is not None and executor is not None:
        raise BadInput("--executor", executor, "nothing beside --serve-work")
    if deals == "rotate" and not local:
        raise BadInput("deals", deals, "fresh: over HTTP a bot would know a deal again")
    asked = MatchRequest(
        (first, second, others),
        _terms(ruleset, seats, hands_per_table),
        hands=hands,
        bounds=None if elos is None else sprt.sprt(Bounds(*elos)).bounds,
        deals=deals or "rotate",
        seed=seed,
        workers=_workers(workers, local=local, elsewhere=bool(executor or address)),
        executor=executor,
        serving=None if address is None else read_serving(address, work_token),
        resume=resume,
        record=record,
    )
    if watch and local:
        expected = "nothing beside --local, which has no pages: --record, then arena replay"
        raise BadInput("--watch", watch, expected)
    _tell_plan(asked, local=local)
    chosen = confinement(Limits(), sandbox)
    begun = partial(show_address, opens=opens) if watch else _unwatched
    outcome = _local(asked) if local else _over_http(asked, folder, chosen, begun)
    _tell(outcome, as_json=as_json)
    return EXIT_CODES[outcome.verdict]


def _terms(
    ruleset: Mapping[str, Any], seats: int | None, hands_per_table: int | None
) -> Mapping[str, Any]:
    """Ruleset and hands per table, which win over the ruleset's own stop (OR-75)."""
    from arena.rules.short_form import seated
    from arena.session.config import read_config, settled

    document = settled(
        {"name": "match", "ruleset": seated(ruleset, seats), "hands_per_table": hands_per_table}
    )
    config = read_config(document)
    stop = config.rules.table.session_end
    if stop.startswith(("minutes", "points")):
        raise BadInput("hands-per-table", None, f"a number, for the ruleset stops at {stop}")
    return {"ruleset": document["ruleset"], "hands_per_table": config.hands_per_table}


def _tell_plan(asked: MatchRequest, *, local: bool) -> None:
    """Say how many hands will be played, where whole blocks are not what was asked for."""
    from arena.rules import compile_ruleset

    each, seats = asked.terms["hands_per_table"], compile_ruleset(asked.terms["ruleset"]).players
    replays = seats if local and asked.deals == "rotate" else 1
    planned = max(1, asked.hands // (each * replays)) * each * replays
    if planned != asked.hands:
        size = f"{replays} x {each}" if replays > 1 else f"{each}"
        most = "" if asked.bounds is None else "at most "
        note = f"{most}{planned} hands are played, not {asked.hands}: whole blocks of {size} hands"
        click.echo(f"Note: {note}", err=True)


def _refuse_without_local(*given: tuple[str, object]) -> None:
    """Over HTTP a match is one session of one referee, whose tables nobody else can play."""
    for option, value in given:
        if value is not None:
            raise BadInput(option, str(value), "nothing without --local")


def _workers(asked: int | None, *, local: bool, elsewhere: bool) -> int:
    """Processes, or tables or blocks at once. elsewhere: blocks are played by an executor."""
    least, most = 0 if local and not elsewhere else 1, MOST_AT_ONCE if elsewhere else MOST_WORKERS
    if asked is not None and not least <= asked <= most:
        raise BadInput("workers", asked, f"{least} to {most}")
    return (AT_ONCE if elsewhere else os.cpu_count() or 1) if asked is None else asked


def _local(asked: MatchRequest) -> MatchOutcome:
    """The match with Python classes."""
    from arena.cli.matching.local import play_local

    return play_local(asked)


def _unwatched(page: str) -> None:
    """Nobody watches."""


def _over_http(
    asked: MatchRequest,
    folder: Path | None,
    chosen: Confinement,
    begun: Callable[[str], None],
) -> MatchOutcome:
    """The match as a session of a referee of its own."""
    from arena.cli.matching.duel import Duel, play_duel

    with tempfile.TemporaryDirectory() as scratch:
        duel = Duel(
            *asked.bots,
            {**asked.terms, "seed": f"{asked.seed % 2**64:016x}"},
            hands=asked.hands,
            bounds=asked.bounds,
            at_once=asked.workers,
            chosen=chosen,
        )
        live = partial(show_progress, bounds=asked.bounds)
        place = folder or Path(scratch)
        return play_duel(duel, place, live=live, record=asked.record, begun=begun)


def _tell(outcome: MatchOutcome, *, as_json: bool) -> None:
    """What came out, for people or for a program."""
    if as_json:
        click.echo(json.dumps(document(outcome), ensure_ascii=False))
        return
    if sys.stderr.isatty():
        click.echo(err=True)
    for text in result_lines(outcome):
        click.echo(text)
    for text in notes(outcome):
        click.echo(f"Note: {text}", err=True)
    click.echo(conclusion(outcome))
