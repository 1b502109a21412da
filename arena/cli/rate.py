"""`arena rate`: ratings recomputed from record files, of any number of sessions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.boards import Masks, pseudonym_options
from arena.cli.documents import opened
from arena.cli.remote import json_option, terminal_width
from arena.cli.views import View, print_views, view_options
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.records.pooling import Pool
    from arena.tournament.alerts import Alerts
    from arena.tournament.standings import Entrant, Standings

MODELS = {"bt": "bradley_terry", "pl": "plackett_luce"}

season_option = click.option(
    "--season", is_flag=True, help="Bots of one name and owner are one, whatever the database."
)


@click.command(
    epilog="""Examples:

    arena rate arena-data/demo-1/demo.jsonl

    arena rate --layout wide --format github monday.jsonl tuesday.jsonl

    arena rate --season monday/cup.jsonl tuesday/cup.jsonl

    arena rate --alerts --separation --plot ratings.svg cup.jsonl

    arena rate --pseudonyms --keep heuristic --key "$CLASS_KEY" cup.jsonl
"""
)
@click.argument(
    "files",
    nargs=-1,
    required=True,
    type=click.Path(path_type=Path),
)
@click.option("--layout", default="full", show_default=True, help="full, concise or wide.")
@click.option("--format", "form", default="plain", show_default=True, help="As in standings.")
@click.option("--anchor", default=None, help="The bot put at 1500.  [the session's, or the mean]")
@click.option("--model", type=click.Choice(tuple(MODELS)), default="bt", show_default=True)
@click.option("--pools", is_flag=True, help="Rate each ruleset and table size by itself.")
@season_option
@view_options
@pseudonym_options
@click.option(
    "--alerts", is_flag=True, help="Collusion by results and by moves, seats, cut blocks."
)
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
    season: bool,
    views: frozenset[View],
    masks: Masks | None,
    alerts: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Rate bots from record files.

    Files of different rulesets or table sizes are refused, unless each pool is asked for by itself.
    Bradley-Terry (bt) is the official model; Plackett-Luce (pl) is for those who ask. Neither the
    order of files nor that of their lines changes a byte; a hand that is there twice is refused.
    In files of several databases, such as two runs of `arena run`, every bot has another id: with
    --season bots of one name and one owner are one.
    Results are taken as they are recorded; `arena verify` checks them.

    With --json: the standings; with --alerts an object of standings and alerts; with --pools a
    list.
    """
    pools_found = read_files(files, season=season, moves=alerts)
    names = ", ".join(pool.name for pool in pools_found)
    if len(pools_found) > 1 and not pools:
        raise BadInput("files", names, "records of one ruleset and table size (or --pools)")
    if alerts and masks is not None:
        raise BadInput("--alerts", "--pseudonyms", "the board with names: alerts are for staff")
    if len(pools_found) > 1 and plot is not None:
        raise BadInput("plot", str(plot), "records of one pool")
    documents = []
    for pool in pools_found:
        standings = rated(pool, anchor=anchor, model=MODELS[model])
        if masks is not None:
            everybody = {e.bot: e.name for each in pools_found for e in each.entrants}
            standings = masks.over(standings, everybody)
        if plot is not None:
            from arena.cli.plots import write_plot

            write_plot(standings, plot)
        if as_json:
            documents.append(_document(pool, standings, alerts=alerts))
            continue
        if len(pools_found) > 1:
            click.echo(f"pool {pool.name}\n")
        _print(standings, layout=layout, form=form, views=views)
        if alerts:
            click.echo("\n" + _alerts_text(pool, standings, form=form), nl=False)
    if as_json:
        output = documents if pools else documents[0]
        click.echo(json.dumps(output, ensure_ascii=False, indent=2))


def read_files(
    files: Sequence[Path], *, season: bool = False, moves: bool = False
) -> tuple[Pool, ...]:
    """The pools of all files; `season` and `moves` as in `Records`. Raises `BadInput` that names
    file and line. Notes on standard error where bots are probably the same and count as several."""
    from arena.records.pooling import Records
    from arena.records.reading import lines_of

    records = Records(season=season, moves=moves)
    for file in files:
        with opened(file) as lines:
            records.read(lines_of(lines), str(file))
    pools = records.pools()
    same = 0 if season else len(set(records.strangers().values()))
    if same:
        number = "1 name" if same == 1 else f"{same} names"
        note = f"Note: {number} with the same owner stand for several bots, of several databases"
        click.echo(f"{note}; with --season each is one bot.", err=True)
    return pools


def rated(pool: Pool, *, anchor: str | None, model: str) -> Standings:
    """The standings of a pool; `anchor` is a bot's name or id, else that of the session."""
    from arena.tournament.standings import compile_standings

    entrants = told_apart(pool.entrants)
    wanted = pool.anchor if anchor is None else _anchor(pool, anchor)
    return compile_standings(pool.results, entrants, facts=pool.facts, anchor=wanted, model=model)


def told_apart(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Entrants in whose names is their id where several have the same one."""
    names = Counter(entrant.name for entrant in entrants)
    return [e._replace(name=f"{e.name} {e.bot}") if names[e.name] > 1 else e for e in entrants]


def _anchor(pool: Pool, wanted: str) -> str:
    matches = [e.bot for e in pool.entrants if e.bot == wanted]
    matches = matches or [e.bot for e in pool.entrants if e.name == wanted]
    if len(matches) != 1:
        raise BadInput("anchor", wanted, "an id, several have this name" if matches else "a bot")
    return matches[0]


def _print(standings: Standings, *, layout: str, form: str, views: frozenset[View]) -> None:
    from arena.tournament.reporting.layouts import render

    width = terminal_width() if form == "plain" else None
    click.echo(render(standings, layout=layout, form=form, width=width), nl=False)
    print_views(standings, views, form=form)


def _alerts_text(pool: Pool, standings: Standings, *, form: str) -> str:
    from arena.tournament.reporting.alert_reports import alerts_text

    names = {entrant.bot: entrant.name for entrant in told_apart(pool.entrants)}
    alerts = _alerts(pool, standings)
    return alerts_text(alerts, names, form=form, ratings=standings.ratings)


def _alerts(pool: Pool, standings: Standings) -> Alerts:
    from arena.tournament.alerts import alerts

    return alerts(pool.results, standings.ratings, seated=pool.seated, moves=pool.moves)


def _document(pool: Pool, standings: Standings, *, alerts: bool) -> dict[str, object]:
    from arena.tournament.reporting.alert_reports import alerts_document
    from arena.tournament.reporting.documents import standings_document

    document = standings_document(standings)
    if not alerts:
        return document
    found = alerts_document(_alerts(pool, standings), standings.ratings)
    names = {entrant.bot: entrant.name for entrant in told_apart(pool.entrants)}
    named = {"session": standings.facts.session, "names": names, **found}
    return {"standings": document, "alerts": named}
