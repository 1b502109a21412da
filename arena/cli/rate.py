"""`arena rate`: ratings recomputed from record files, of any number of sessions."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from arena.cli.boards import PseudonymOptions, pseudonym_options
from arena.cli.documents import opened
from arena.cli.rate_parts import (
    Part,
    alerts_part,
    history_of_pool,
    history_part,
    luck_part,
    versions_part,
)
from arena.cli.remote import json_option, terminal_width
from arena.cli.views import View, print_views, view_options
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.records.pooling import Pool
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

    arena rate --history --format csv cup.jsonl

    arena rate --luck cup.jsonl

    arena rate --season --versions spring.jsonl summer.jsonl

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
@click.option("--layout", default="full", show_default=True, help="full, concise, wide or points.")
@click.option("--format", "form", default="plain", show_default=True, help="As in standings.")
@click.option("--anchor", default=None, help="The bot put at 1500.  [the session's, or the mean]")
@click.option("--model", type=click.Choice(tuple(MODELS)), default="bt", show_default=True)
@click.option("--division", metavar="ID", help="Only the bots of a division, from the same fit.")
@click.option("--pools", is_flag=True, help="Rate each ruleset and table size by itself.")
@season_option
@view_options
@pseudonym_options
@click.option(
    "--alerts", is_flag=True, help="Collusion by results and by moves, seats, cut blocks."
)
@click.option("--versions", is_flag=True, help="Versions of bots, and what each has gained.")
@click.option("--luck", is_flag=True, help="Results without what dealt cards explain.")
@click.option("--history", is_flag=True, help="Ratings after each round; of one session.")
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
    division: str | None,
    pools: bool,
    season: bool,
    views: frozenset[View],
    pseudonyms: PseudonymOptions | None,
    alerts: bool,
    versions: bool,
    luck: bool,
    history: bool,
    plot: Path | None,
    as_json: bool,
) -> None:
    """Rate bots from record files.

    Files of different rulesets or table sizes are refused, unless each pool is asked for by itself.
    Bradley-Terry (bt) is the official model; Plackett-Luce (pl) is for those who ask. Neither the
    order of files nor that of their lines changes a byte; a hand that is there twice is refused.
    In files of several databases, such as two runs of `arena run`, every bot has another id: with
    --season bots of one name and one owner are one.
    Casual play is never rated: its hands are left out, and a note says how many. Results are taken
    as they are recorded; `arena verify` checks them.

    A bot has its version in its name, behind an @, as otter@2: --versions lists what each version
    has gained on the one before. --luck takes from each result what the bot's cards, as they were
    dealt, explain: the mean stays, the spread shrinks; it is no official number, and not to be had
    where line-ups follow from results or tables share their shuffles. With --history the ratings
    after each round that is complete follow. With --json: the standings; with --alerts, --versions,
    --luck or --history an object of standings and these; with --pools a list.
    """
    pools_found = read_files(files, season=season, moves=alerts, luck=luck)
    if len(pools_found) > 1 and not pools:
        names = ", ".join(pool.name for pool in pools_found)
        raise BadInput("files", names, "records of one ruleset and table size (or --pools)")
    if alerts and pseudonyms is not None:
        raise BadInput("--alerts", "--pseudonyms", "the board with names: alerts are for staff")
    if versions and pseudonyms is not None:
        raise BadInput("--versions", "--pseudonyms", "the board with names: they say what is one")
    if division is not None and (alerts or versions or luck or history):
        alone = "ratings without --alerts, --versions, --luck and --history"
        raise BadInput("--division", division, alone)
    if luck and pseudonyms is not None:
        raise BadInput("--luck", "--pseudonyms", "the board with names")
    if len(pools_found) > 1 and plot is not None:
        raise BadInput("plot", str(plot), "records of one pool")
    documents = []
    for pool in pools_found:
        standings = rated(pool, anchor=anchor, model=MODELS[model])
        parts = [alerts_part(pool, standings)] if alerts else []
        if versions:
            parts.append(versions_part(standings))
        if luck:
            parts.append(luck_part(pool, names_of([pool])))
        if history:
            wanted = anchor_of(pool, anchor)
            series = history_of_pool(pool, standings, anchor=wanted, model=MODELS[model])
            if pseudonyms is not None:
                series = pseudonyms.over_history(series, names_of(pools_found))
            parts.append(history_part(series))
        if pseudonyms is not None:
            standings = pseudonyms.over(standings, names_of(pools_found))
        if division is not None:
            standings = _of_division(standings, division)
        if plot is not None:
            from arena.cli.plots import write_plot

            write_plot(standings, plot)
        if as_json:
            documents.append(_document(standings, parts))
            continue
        if len(pools_found) > 1:
            click.echo(f"pool {pool.name}\n")
        _print(standings, layout=layout, form=form, views=views)
        for part in parts:
            click.echo("\n" + part.text(form), nl=False)
    if as_json:
        output = documents if pools else documents[0]
        click.echo(json.dumps(output, ensure_ascii=False, indent=2))


def _of_division(standings: Standings, division: str) -> Standings:
    from arena.tournament.divisions import in_division

    return in_division(standings, division)


def read_files(
    files: Sequence[Path], *, season: bool = False, moves: bool = False, luck: bool = False
) -> tuple[Pool, ...]:
    """The pools of all files; `season`, `moves` and `luck` as in `Records`. Raises `BadInput` that
    names file and line, and if there is casual play only. Notes on standard error if there is
    some, and where bots are probably the same and count as several."""
    from arena.records.pooling import Records
    from arena.records.reading import lines_of

    records = Records(season=season, moves=moves, luck=luck)
    for file in files:
        with opened(file) as lines:
            records.read(lines_of(lines), str(file))
    pools = records.pools()
    _note_casual(records.casual(), any(pool.seated for pool in pools))
    same = 0 if season else len(set(records.strangers().values()))
    if same:
        number = "1 name" if same == 1 else f"{same} names"
        note = f"Note: {number} with the same owner stand for several bots, of several databases"
        click.echo(f"{note}; with --season each is one bot.", err=True)
    return pools


def _note_casual(hands: int, others: bool) -> None:
    """Say how many hands are left out. Raises BadInput if there are no others."""
    if not hands:
        return
    number = "1 hand" if hands == 1 else f"{hands} hands"
    if not others:
        raise BadInput("files", f"{number} of casual play", "hands that are rated")
    click.echo(f"Note: {number} of casual play left out; it is never rated.", err=True)


def rated(pool: Pool, *, anchor: str | None, model: str) -> Standings:
    """The standings of a pool; `anchor` is a bot's name or id, else that of the session."""
    from arena.tournament.standings import compile_standings

    entrants = with_distinct_names(pool.entrants)
    wanted = anchor_of(pool, anchor)
    return compile_standings(pool.results, entrants, facts=pool.facts, anchor=wanted, model=model)


def names_of(pools: Sequence[Pool]) -> dict[str, str]:
    """The names of the bots of all pools, by id."""
    return {entrant.bot: entrant.name for pool in pools for entrant in pool.entrants}


def with_distinct_names(entrants: Sequence[Entrant]) -> list[Entrant]:
    """Entrants in whose names is their id where several have the same one."""
    names = Counter(entrant.name for entrant in entrants)
    return [e._replace(name=f"{e.name} {e.bot}") if names[e.name] > 1 else e for e in entrants]


def anchor_of(pool: Pool, wanted: str | None) -> str | None:
    """The id of the bot at 1500: that which is wanted, by id or name, else the session's."""
    if wanted is None:
        return pool.anchor
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


def _document(standings: Standings, parts: Sequence[Part]) -> dict[str, object]:
    from arena.tournament.reporting.documents import standings_document

    document = standings_document(standings)
    if not parts:
        return document
    return {"standings": document, **{part.name: part.document() for part in parts}}
