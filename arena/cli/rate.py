"""`arena rate`: ratings recomputed from record files, of any number of sessions."""

from __future__ import annotations

import json
from pathlib import Path

import click

from arena.cli.organiser import json_option, terminal_width
from arena.errors import BadInput


@click.command(
    epilog="""Examples:

    arena rate arena-data/demo-1/demo.jsonl

    arena rate --layout wide --format github monday.jsonl tuesday.jsonl
"""
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
)
@click.option("--layout", default="full", show_default=True, help="full, concise or wide.")
@click.option("--format", "form", default="plain", show_default=True, help="As in standings.")
@click.option("--anchor", default=None, help="The bot that is put at 1500; the mean if left out.")
@json_option
def command(
    files: tuple[Path, ...], layout: str, form: str, anchor: str | None, as_json: bool
) -> None:
    """Rate bots from record files; files of different rulesets are refused."""
    from arena.referee.imports import read_results
    from arena.tournament.documents import standings_document
    from arena.tournament.layouts import render
    from arena.tournament.results import HandResult
    from arena.tournament.standings import Entrant, compile_standings

    results: list[HandResult] = []
    entrants: dict[str, Entrant] = {}
    for file in files:
        with file.open("rb") as lines:
            try:
                found = read_results(lines)
            except BadInput as error:
                raise BadInput(f"{file}, {error.thing}", error.value, error.expected) from error
        results += found.results
        for entrant in found.entrants:
            entrants.setdefault(entrant.bot, entrant)
    pools = sorted({result.pool for result in results})
    if len(pools) > 1:
        raise BadInput("files", ", ".join(pools), "records of one ruleset and table size")
    by_name = {e.name: e.bot for e in entrants.values()}
    standings = compile_standings(
        results, tuple(entrants.values()), anchor=by_name.get(anchor or "", anchor)
    )
    if as_json:
        click.echo(json.dumps(standings_document(standings), ensure_ascii=False, indent=2))
        return
    width = terminal_width() if form == "plain" else None
    click.echo(render(standings, layout=layout, form=form, width=width), nl=False)
