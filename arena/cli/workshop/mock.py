"""`arena mock`: scripted hands on a port of this machine, for a bot's own tests."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.documents import read_document
from arena.cli.remote import json_option, print_json
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.documents import Document
    from arena.mock import HandReport, MockScript

START_S = 60.0


@click.command(
    epilog="""Examples:

    arena mock --script deal.toml "python mybot.py"

    arena mock --script deal.toml --environment mock.env &

The exit code is 0 if the bot has answered every turn, and as the script expects; 1 if not.
"""
)
@click.argument("bot", required=False, metavar="[COMMAND]")
@click.option(
    "--script",
    type=click.Path(path_type=Path),
    help="The hands, as TOML or JSON; without it one shuffled hand of the default ruleset.",
)
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="0 for a free one.  [0]")
@click.option(
    "--environment",
    "file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write ARENA_URL, ARENA_TOKEN and the rest into this file as soon as they hold.",
)
@click.option(
    "--within",
    "start_s",
    type=click.FloatRange(0.1),
    default=START_S,
    show_default=True,
    metavar="S",
    help="How long to wait for the bot's first request for a turn, in seconds.",
)
@json_option
def command(
    bot: str | None,
    script: Path | None,
    port: int,
    file: Path | None,
    start_s: float,
    as_json: bool,
) -> None:
    """Play scripted hands with one bot: an arena for the bot's own tests.

    COMMAND starts the bot, which finds address, token and session in its environment. Without
    COMMAND they are printed, and the bot is started by somebody else. The script says which cards
    are dealt, what the other players answer, and what the bot is expected to answer; nothing that
    is played here is kept.
    """
    from arena.mock import read_script
    from arena.mock.hosting import open_mock

    wanted = read_script({} if script is None else read_document(script))
    with (
        tempfile.TemporaryDirectory() as folder,
        open_mock(wanted, folder=Path(folder), port=port, command=bot, start_s=start_s) as mock,
    ):
        lines = [f"{name}={value}" for name, value in mock.environ.items()]
        if file is not None:
            _write(file, lines)
        if bot is None and file is None:
            click.echo("\n".join(lines), err=as_json)
        reports = []
        for report in mock.table.play():
            reports.append(report)
            if not as_json:
                click.echo("\n".join(_lines(report, wanted)))
    if as_json:
        print_json({"hands": [_document(report) for report in reports]})
    if not all(report.good for report in reports):
        raise click.exceptions.Exit(1)


def _write(file: Path, lines: list[str]) -> None:
    """Write a file that is whole as soon as it is there."""
    beside = file.with_name(f"{file.name}.part")
    try:
        beside.write_text("\n".join(lines) + "\n", encoding="utf-8")
        beside.replace(file)
    except OSError as error:
        raise BadInput("--environment", str(file), f"a file to write ({error})") from error


def _lines(report: HandReport, script: MockScript) -> list[str]:
    """A hand for people."""
    places = ", ".join(report.places)
    lines = [f"hand {report.number} of {len(script.hands)}: {places}"]
    for turn in report.turns:
        time = "" if turn.ms is None else f"  {turn.ms:.0f} ms"
        refused = f"  after {turn.refused} refused" if turn.refused else ""
        wrong = "" if turn.as_expected else f"  EXPECTED {turn.expected}"
        lines.append(f"  turn {turn.turn:>2}  {turn.given}{time}{refused}{wrong}")
    lines += [f"  never asked; expected {answer}" for answer in report.missing]
    return lines


def _document(report: HandReport) -> Document:
    """A hand for programs."""
    return {
        "hand": report.number,
        "good": report.good,
        "places": list(report.places),
        "turns": [{**turn._asdict(), "as_expected": turn.as_expected} for turn in report.turns],
        "missing": list(report.missing),
    }
