"""`arena rate`: ratings recomputed from record files, of any number of sessions."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.boards import Masks, pseudonym_options
from arena.cli.organiser import json_option, terminal_width
from arena.cli.views import View, print_views, view_options
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.referee.imports import Imported
    from arena.tournament.alerts import Alerts
    from arena.tournament.standings import Standings

MODELS = {"bt": "bradley_terry", "pl": "plackett_luce"}


@click.command(
    epilog="""Examples:

    arena rate arena-data/demo-1/demo.jsonl

    arena rate --layout wide --format github monday.jsonl tuesday.jsonl

    arena rate --alerts --separation --plot ratings.svg cup.jsonl

    arena rate --pseudonyms --keep heuristic --key "$CLASS_KEY" cup.jsonl
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
@click.option("--model", type=click.Choice(tuple(MODELS)), default="bt", show_default=True)
@click.option("--pools", is_flag=True, help="Rate each ruleset and table size by itself.")
@view_options
@pseudonym_options
@click.option("--alerts", is_flag=True, help="Collusion, seats, cut blocks, with statistics.")
@click.option(
    "--plot",
    type=click.Path(dir_okay=False, path_type=Path),
    default=None,
    help="Ratings with intervals as a picture: a file ending in .svg or .png.",
)
@json_option
def command(
    files: tuple[Path, ...],
    layout: str,
    form: str,
    anchor: str | None,
    model: str,
    pools: bool,
    views: frozenset[View],
    masks: Masks | None,
    alerts: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Rate bots from record files.

    Files of different rulesets or table sizes are refused, unless each pool is asked for by itself.
    Bradley-Terry (bt) is the official model; Plackett-Luce (pl) is for those who ask.
    """
    found = read_files(files)
    names = sorted({result.pool for result in found.results})
    if len(names) > 1 and not pools:
        wanted = "records of one ruleset and table size (or --pools)"
        raise BadInput("files", ", ".join(names), wanted)
    if alerts and masks is not None:
        raise BadInput("--alerts", "--pseudonyms", "the board with names: alerts are for staff")
    if len(names) > 1 and plot is not None:
        raise BadInput("plot", str(plot), "records of one pool")
    documents = []
    for pool in names or [""]:
        standings = rated(found, pool, anchor=anchor, model=MODELS[model])
        if masks is not None:
            standings = masks.over(standings, {e.bot: e.name for e in found.entrants})
        if plot is not None:
            from arena.cli.plots import write_plot

            write_plot(standings, plot)
        if as_json:
            documents.append(_document(found, standings, pool, alerts=alerts))
            continue
        if len(names) > 1:
            click.echo(f"pool {pool}\n")
        _print(standings, layout=layout, form=form, views=views)
        if alerts:
            click.echo("\n" + _alerts_text(found, standings, pool, form=form), nl=False)
    if as_json:
        told = documents if pools else documents[0]
        click.echo(json.dumps(told, ensure_ascii=False, indent=2))


def read_files(files: Sequence[Path]) -> Imported:
    """The results of all files. Raises `BadInput` that names file and line."""
    from arena.referee.imports import Imported, read_results
    from arena.tournament.standings import Entrant

    read: list[Imported] = []
    entrants: dict[str, Entrant] = {}
    for file in files:
        with file.open("rb") as lines:
            try:
                read.append(read_results(lines))
            except BadInput as error:
                raise BadInput(f"{file}, {error.thing}", error.value, error.expected) from error
        for entrant in read[-1].entrants:
            entrants.setdefault(entrant.bot, entrant)
    return Imported(
        tuple(result for each in read for result in each.results),
        tuple(entrants.values()),
        tuple(seated for each in read for seated in each.seated),
    )


def rated(found: Imported, pool: str, *, anchor: str | None, model: str) -> Standings:
    """The standings of one pool."""
    from arena.tournament.standings import compile_standings

    results = [result for result in found.results if result.pool == pool]
    bots = {bot for result in results for bot in result.bots}
    entrants = [e for e in found.entrants if e.bot in bots or not results]
    by_name = {e.name: e.bot for e in entrants}
    return compile_standings(
        results, entrants, anchor=by_name.get(anchor or "", anchor), model=model
    )


def _print(standings: Standings, *, layout: str, form: str, views: frozenset[View]) -> None:
    from arena.tournament.layouts import render

    width = terminal_width() if form == "plain" else None
    click.echo(render(standings, layout=layout, form=form, width=width), nl=False)
    print_views(standings, views, form=form)


def _alerts_text(found: Imported, standings: Standings, pool: str, *, form: str) -> str:
    from arena.tournament.alert_reports import alerts_text

    names = {entrant.bot: entrant.name for entrant in found.entrants}
    return alerts_text(_alerts(found, standings, pool), names, form=form)


def _alerts(found: Imported, standings: Standings, pool: str) -> Alerts:
    from arena.tournament.alerts import alerts

    results = [result for result in found.results if result.pool == pool]
    seated = [hand for hand in found.seated if hand.result.pool == pool]
    return alerts(results, standings.ratings, seated=seated)


def _document(
    found: Imported, standings: Standings, pool: str, *, alerts: bool
) -> dict[str, object]:
    from arena.tournament.alert_reports import alerts_document
    from arena.tournament.documents import standings_document

    document = standings_document(standings)
    if alerts:
        document["alerts"] = alerts_document(_alerts(found, standings, pool))
    return document
