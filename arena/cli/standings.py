"""`arena standings`: the table, from a running arena or straight from a database."""

from __future__ import annotations

import json

import click

from arena.cli.boards import Masks, pseudonym_options
from arena.cli.organiser import connected, json_option, terminal_width, url_option
from arena.cli.views import View, print_views, view_options
from arena.errors import BadInput


@click.command(
    epilog="""Examples:

    arena standings spring-cup

    arena standings demo --database sqlite:///arena-data/demo-1/arena.db --format github

    arena standings demo --database sqlite:///arena-data/demo-1/arena.db --los --separation

    arena standings demo --database sqlite:///arena.db --pseudonyms --keep heuristic
"""
)
@click.argument("session")
@click.option("--layout", default="full", show_default=True, help="full, concise or wide.")
@click.option(
    "--format",
    "form",
    default="plain",
    show_default=True,
    help="A tabulate format (github, html, latex ...) or csv.",
)
@click.option("--database", help="Read a database instead of asking an arena (sqlite:///FILE).")
@view_options
@pseudonym_options
@url_option
@json_option
def command(
    session: str,
    layout: str,
    form: str,
    database: str | None,
    views: frozenset[View],
    masks: Masks | None,
    url: str,
    as_json: bool,
) -> None:
    """Print the standings of a session.

    The further tables need the hands themselves: they come from a database, or from `arena rate`.
    So do pseudonyms: the board for a class has two words for each name, that for staff the names.
    """
    if views and (database is None or as_json):
        raise BadInput("further tables", ", ".join(sorted(views)), "--database, and no --json")
    if masks is not None and database is None:
        raise BadInput("--pseudonyms", session, "--database (or the records, with `arena rate`)")
    width = terminal_width() if form == "plain" else None
    if database is None:
        with connected(url) as client:
            if as_json:
                click.echo(json.dumps(client.standings(session), ensure_ascii=False, indent=2))
                return
            asked = "text" if form == "plain" else form
            text = client.standings(session, format=asked, layout=layout, width=width)
        click.echo(text, nl=False)
        return
    from arena.referee.service import Referee
    from arena.store import open_store
    from arena.tournament.layouts import render

    with open_store(database, readonly=True) as store:
        standings = Referee(store).compiled_standings(session)
        if masks is not None:
            standings = masks.over(standings)
        if as_json:
            from arena.tournament.documents import standings_document

            document = standings_document(standings)
            click.echo(json.dumps(document, ensure_ascii=False, indent=2))
        else:
            click.echo(render(standings, layout=layout, form=form, width=width), nl=False)
            print_views(standings, views, form=form)
