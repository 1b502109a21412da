"""`arena admin`: tokens of organisers and bots, and enrolment codes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from arena.cli.organise.rosters import csv_line, read_owners
from arena.cli.organise.tokens import COMMANDS
from arena.cli.remote import connected, json_option, print_json, token_option, url_option


@click.group("admin", epilog="Example:  arena admin token --database sqlite:///arena.db")
def command() -> None:
    """Make, list and revoke tokens and enrolment codes."""


@command.command(
    epilog="""Examples:

    arena admin code --label class-4b --uses 30 --hours 48

    arena admin code --label "team red" --owner red --uses 3

    arena admin code --each roster.csv --uses 2 > codes.csv
"""
)
@click.option("--label", default=None, help="What the code is for.  [with --each: the FILE's name]")
@click.option(
    "--uses", default=1, show_default=True, help="How many bots may register with it, or with each."
)
@click.option("--owner", default=None, help="The person or team whose bots it registers.")
@click.option(
    "--each",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    default=None,
    help="A code for each owner of a CSV file.",
)
@click.option(
    "--hours", type=float, default=None, help="How long it is good; for ever if left out."
)
@json_option
@url_option
@token_option
def code(
    label: str | None,
    uses: int,
    owner: str | None,
    each: Path | None,
    hours: float | None,
    as_json: bool,
    url: str,
    token: str,
) -> None:
    """Make an enrolment code, or one for each owner of a file; they are shown only now.

    A code says whose a bot is. One of many uses, as for a class, gives each bot that registers with
    it an owner of its own: the bot's name. That these are different persons is not proven. With
    --owner all its bots are that owner's. A code of one use that names no owner has its label for
    owner. Further bots of an owner need no code, but the token of one that is there.

    FILE is CSV with the column owner, others are passed over, or a list with an owner on each line.
    The output is then CSV with the columns owner, code and id: the
    id is what `arena admin codes` lists and `arena admin revoke-code` takes.
    """
    body = _code_request(label, owner=owner, each=each)
    body |= {"uses": uses} | ({} if hours is None else {"valid_hours": hours})
    with connected(url, token) as client:
        created = client.request("POST", "/codes", body=body, idempotent=False)
    if as_json:
        print_json(created)
    elif each is None:
        click.echo(f"the id of this code is {created['id']}", err=True)
        click.echo(created["code"])
    else:
        heads = ("owner", "code", "id")
        lines = [heads, *(tuple(one[head] for head in heads) for one in created["codes"])]
        click.echo("".join(csv_line(line) for line in lines), nl=False)


def _code_request(label: str | None, *, owner: str | None, each: Path | None) -> dict[str, Any]:
    if each is not None:
        if owner is not None:
            raise click.UsageError("--owner and --each exclude each other")
        return {"label": label or each.stem, "owners": read_owners(each)}
    if label is None:
        raise click.UsageError("Missing option '--label'.")
    return {"label": label} | ({} if owner is None else {"owner": owner})


for _command in COMMANDS:
    command.add_command(_command)
