"""`arena session divide`: which bots are in which division."""

from __future__ import annotations

import click

from arena.cli.remote import connected, json_option, print_outcome, token_option, url_option
from arena.client.endpoints import session_path
from arena.errors import BadInput


@click.command(
    epilog="""Examples:

    arena session divide spring-cup alice-1 bob-1 --division students

    arena session divide spring-cup bob-1 --none
"""
)
@click.argument("session")
@click.argument("bots", nargs=-1, required=True)
@click.option("--division", metavar="ID", help="The division to put them into.")
@click.option("--none", "out", is_flag=True, help="Take them out of their division.")
@url_option
@token_option
@json_option
def divide(
    session: str,
    bots: tuple[str, ...],
    division: str | None,
    out: bool,
    url: str,
    token: str,
    as_json: bool,
) -> None:
    """Put bots, by id or by name, into a division of the session, or out of their own.

    At any time: it changes no play and no rating, only in which rankings they stand.
    """
    if (division is None) != out:
        raise BadInput("--division", division, "the id of a division, or --none instead of it")
    body = {"members": [{"bot": bot, "division": division} for bot in bots]}
    with connected(url, token) as client:
        view = client.request("PUT", session_path(session, "divisions"), body=body)
    many = "1 bot" if len(bots) == 1 else f"{len(bots)} bots"
    where = "no division" if division is None else f"division {division}"
    print_outcome(view, f"{many} of {session} now in {where}", as_json=as_json)
