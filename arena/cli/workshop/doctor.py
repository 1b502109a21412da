"""`arena doctor COMMAND`: try a bot in any language, and say what to change."""

from __future__ import annotations

import signal
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.colours import ERROR, NEXT_STEP, WARNING, coloured
from arena.cli.remote import json_option, print_json
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.doctor.verdicts import CheckOutcome

FAILED = 1
LINE_WIDTH = 60


@click.command(
    epilog="""Examples:

    arena doctor "python -m sample_bots.lowest"

    arena doctor ./mybot --layer L0 --layer L1

    arena doctor "node bot.js" --check retry-after --json
"""
)
@click.argument("bot", metavar="COMMAND")
@click.option("--layer", "layers", multiple=True, metavar="L0-L5", help="Only these layers.")
@click.option("--check", "names", multiple=True, metavar="NAME", help="Only these checks.")
@click.option(
    "--junit",
    "junit_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the report as JUnit XML as well.",
)
@click.option(
    "--move-ms",
    type=click.IntRange(50, 60_000),
    default=2_000,
    show_default=True,
    help="Time for each move.",
)
@click.option(
    "--bank-ms",
    type=click.IntRange(0, 600_000),
    default=8_000,
    show_default=True,
    help="Time for all moves at a table that take longer.",
)
@click.option(
    "--start-s",
    type=click.FloatRange(0.1, 600),
    default=30.0,
    show_default=True,
    help="How long the command may take to its first request.",
)
@click.option(
    "--jobs",
    type=click.IntRange(1, 16),
    default=2,
    show_default=True,
    help="Processes of the bot at the same time.",
)
@json_option
def command(
    bot: str,
    layers: tuple[str, ...],
    names: tuple[str, ...],
    junit_file: Path | None,
    move_ms: int,
    bank_ms: int,
    start_s: float,
    jobs: int,
    as_json: bool,
) -> None:
    """Try a bot in any language against a referee of its own, and say what to change.

    COMMAND is started in this folder, once for each session, with ARENA_URL, ARENA_TOKEN,
    ARENA_SESSION and ARENA_NAME in its environment, as `arena run` starts bots. It is judged by its
    requests alone, in layers from L0 (it starts and ends) to L5 (rough weather), and a check that
    fails does not keep the others from being tried.

    Exit code 0: no check failed; 1: one did; 2: the call was wrong.
    """
    from arena.doctor.checks import chosen_checks
    from arena.doctor.examination import examine
    from arena.doctor.playing import Terms
    from arena.doctor.report import json_document, junit, text_lines
    from arena.processes import leave

    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, leave)
    checks = chosen_checks(layers, names)
    terms = Terms(move_ms=move_ms, bank_ms=bank_ms, start_s=start_s)
    progress, clear = _progress()
    try:
        examined = examine(bot, checks, terms=terms, cwd=Path.cwd(), jobs=jobs, progress=progress)
    finally:
        clear()
    if junit_file is not None:
        _write(junit_file, junit(examined))
    if as_json:
        print_json(json_document(examined))
    else:
        click.echo("\n".join(text_lines(examined, _painted)))
    if not examined.healthy:
        sys.exit(FAILED)


def _painted(text: str, outcome: CheckOutcome) -> str:
    """A line in the colour of its outcome."""
    from arena.doctor.verdicts import CheckOutcome

    colours = {
        CheckOutcome.FAILED: ERROR,
        CheckOutcome.SKIPPED: WARNING,
        CheckOutcome.PASSED: NEXT_STEP,
    }
    return coloured(text, colours[outcome])


def _progress() -> tuple[Callable[[str], None], Callable[[], None]]:
    """What shows a line in place of the one before, on a terminal; and what takes the last away."""
    if not sys.stderr.isatty():
        return (lambda line: None), (lambda: None)

    def show(line: str) -> None:
        click.echo(f"\r{line[:LINE_WIDTH]:<{LINE_WIDTH}}", nl=False, err=True)

    def clear() -> None:
        click.echo(f"\r{'':<{LINE_WIDTH}}\r", nl=False, err=True)

    return show, clear


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError as error:
        raise BadInput("--junit", str(file), f"a file to write to ({error})") from error
