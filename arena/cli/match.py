"""`arena match`: is A better than B, at tables with others? With an exit code for programs."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

import click

from arena.cli.remote import json_option
from arena.cli.rulesets import RULESET, RULESET_HELP
from arena.errors import BadInput
from arena.processes import leave
from arena.tournament import sprt
from arena.tournament.sprt import Bounds, Sprt

MOST_WORKERS = 60
EXIT_CODES = {sprt.BETTER: 0, sprt.NOT_SHOWN: 1, sprt.WORSE: 3}


@click.command(
    epilog="""Examples:

    arena match "python new.py" "python old.py" --sprt 0 20

    arena match --local mybot:New mybot:Old --sprt 0 20 --others sample_bots.lowest:Lowest

    arena match --local mybot:New sample_bots.heuristic:Heuristic --hands 4000

Exit codes: 0 A is better, 1 not shown, 3 B is better, 2 the command was called wrongly.
"""
)
@click.argument("first", metavar="A")
@click.argument("second", metavar="B")
@click.option("--local", is_flag=True, help="A, B and the others are module:Class, without HTTP.")
@click.option("--others", multiple=True, help="Who takes the other seats, in turn.  [heuristic]")
@click.option("--sprt", "elos", nargs=2, type=float, default=None, metavar="ELO0 ELO1")
@click.option("--hands", default=2000, show_default=True, help="All of them, or with --sprt most.")
@click.option("--hands-per-table", default=10, show_default=True, help="Hands in a row.")
@click.option("--ruleset", type=RULESET, default="pagat", show_default=True, help=RULESET_HELP)
@click.option("--seats", type=int, default=None, help="Bots at a table.  [as the ruleset says]")
@click.option("--deals", type=click.Choice(("rotate", "fresh")), default=None)
@click.option("--seed", type=int, default=1, show_default=True, help="Deals and seats follow.")
@click.option("--workers", type=int, default=None, help="Processes, or tables at once.  [cores]")
@click.option(
    "--folder",
    type=click.Path(file_okay=False, path_type=Path),
    default=None,
    help="Keep database and logs there (not with --local).",
)
@json_option
def command(
    first: str,
    second: str,
    local: bool,
    others: tuple[str, ...],
    elos: tuple[float, float] | None,
    hands: int,
    hands_per_table: int,
    ruleset: Mapping[str, Any],
    seats: int | None,
    deals: str | None,
    seed: int,
    workers: int | None,
    folder: Path | None,
    as_json: bool,
) -> int:
    """Is bot A better than bot B, at tables with others?

    A and B are commands, started as processes that play over HTTP, or with --local Python classes.
    With --sprt the match ends as soon as it is clear whether A is better by ELO1 rather than
    ELO0 (or B, the same test the other way round); without it all hands are played and the 95 %
    interval decides. A block, one table or with `rotate` its replays from every seat, counts as one
    observation. Local bots replay the same shuffles from every seat (`rotate`) unless told not to.
    """
    from arena.rules.short_form import seated

    if hands < 1:
        raise BadInput("hands", hands, "1 or more")
    if workers is not None and not 1 <= workers <= MOST_WORKERS:
        raise BadInput("workers", workers, f"1 to {MOST_WORKERS}")
    if deals == "rotate" and not local:
        raise BadInput("deals", deals, "fresh: over HTTP a bot would know a deal again")
    asked = MatchRequest(
        (first, second, others),
        {"ruleset": seated(ruleset, seats), "hands_per_table": hands_per_table},
        hands=hands,
        bounds=None if elos is None else sprt.sprt(Bounds(*elos)).bounds,
        deals=deals or "rotate",
        seed=seed,
        workers=workers or os.cpu_count() or 1,
        faults=Counter(),
        errors=Counter(),
    )
    test = _local(asked) if local else _over_http(asked, folder)
    verdict = _verdict(test, asked.bounds)
    _tell(test, verdict, asked, as_json=as_json)
    return EXIT_CODES[verdict]


class MatchRequest(NamedTuple):
    """What is to be played. bots: A, B and the others; terms: members of a session's document.

    faults: faulty hands by bot, and errors: of its own code that it survived, counted while the
    match is played (errors only where the bots are in this process's hands).
    """

    bots: tuple[str, str, tuple[str, ...]]
    terms: Mapping[str, Any]
    hands: int
    bounds: Bounds | None
    deals: str
    seed: int
    workers: int
    faults: Counter[str]
    errors: Counter[str]


def _show(test: Sprt, bounds: Bounds | None) -> None:
    """The test on a terminal, on one line that is written over; elsewhere nothing."""
    if sys.stderr.isatty():
        click.echo(f"\r\x1b[K{_line(test, bounds)}", nl=False, err=True)


def _line(test: Sprt, bounds: Bounds | None) -> str:
    return sprt.summary(test, "A", "B") if bounds is None else sprt.line(test, "A", "B")


def _local(asked: MatchRequest) -> Sprt:
    """The match in processes of this machine."""
    from arena.match.local import Block, Match, MatchTerms, play_match
    from arena.match.workers import Workers

    def watch(test: Sprt, block: Block) -> None:
        asked.faults.update(block.faults)
        asked.errors.update(block.errors)
        _show(test, asked.bounds)

    sys.path.insert(0, os.getcwd())
    signal.signal(signal.SIGTERM, leave)
    match = Match(*asked.bots, MatchTerms(**asked.terms, deals=asked.deals, seed=asked.seed))
    with Workers(asked.workers) as pool:
        return play_match(
            match,
            pool,
            hands=asked.hands,
            bounds=asked.bounds,
            window=2 * asked.workers,
            watch=watch,
        )


def _over_http(asked: MatchRequest, folder: Path | None) -> Sprt:
    """The match as a session of a referee of its own."""
    from arena.cli.duel import Duel, play_duel

    with tempfile.TemporaryDirectory() as scratch:
        duel = Duel(
            *asked.bots,
            {**asked.terms, "seed": f"{asked.seed % 2**64:016x}"},
            hands=asked.hands,
            bounds=asked.bounds,
            at_once=asked.workers,
        )
        return play_duel(
            duel,
            folder or Path(scratch),
            live=lambda test: _show(test, asked.bounds),
            faults=asked.faults,
        )


def _verdict(test: Sprt, bounds: Bounds | None) -> str:
    if bounds is None:
        return sprt.fixed_verdict(test)
    return sprt.NOT_SHOWN if test.verdict == sprt.OPEN else test.verdict


def _tell(test: Sprt, verdict: str, asked: MatchRequest, *, as_json: bool) -> None:
    """What came out, for people or for a program."""
    if as_json:
        click.echo(json.dumps(document(test, verdict, asked), ensure_ascii=False))
        return
    if sys.stderr.isatty():
        click.echo(err=True)
    click.echo(f"A  {asked.bots[0]}\nB  {asked.bots[1]}")
    click.echo(_line(test, asked.bounds))
    for bot, count in sorted(asked.faults.items()):
        click.echo(f"Note: {bot} failed in {count} hands, which it lost for that", err=True)
    for bot, count in sorted(asked.errors.items()):
        note = f"Note: {bot} made {count} errors in its own code; a plain answer went out instead"
        click.echo(note, err=True)
    words = {sprt.BETTER: "A is better.", sprt.WORSE: "B is better."}
    undecided = asked.bounds is not None and test.verdict == sprt.OPEN
    click.echo(words.get(verdict, "Not decided yet." if undecided else "No difference is shown."))


def document(test: Sprt, verdict: str, asked: MatchRequest) -> dict[str, Any]:
    """The outcome as plain data."""
    bounds = asked.bounds
    tested = None
    if bounds is not None:
        tested = {
            **bounds._asdict(),
            "lower": round(bounds.lower, 4),
            "upper": round(bounds.upper, 4),
            "llr": round(test.llr, 4),
            "llr_behind": round(test.llr_behind, 4),
            "decided": test.verdict != sprt.OPEN,
        }
    return {
        "a": asked.bots[0],
        "b": asked.bots[1],
        "verdict": verdict.replace(" ", "_"),
        "hands": test.meetings,
        "blocks": test.blocks,
        "ahead_percent": round(100 * test.share, 2),
        "elo": round(test.elo, 2),
        "elo_error": round(test.elo_error, 2) if math.isfinite(test.elo_error) else None,
        "sprt": tested,
        "faults": dict(sorted(asked.faults.items())),
        "errors": dict(sorted(asked.errors.items())),
    }
