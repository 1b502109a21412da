"""`arena bot ...`: what an owner does with a bot besides letting it play: rename and retire it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

from arena.cli.organise.confirm import described, make_sure, yes_option
from arena.cli.organise.ledger import signed_in
from arena.cli.remote import connected, json_option, print_outcome, url_option

F = TypeVar("F", bound=Callable[..., Any])


def _token_options(command: F) -> F:
    token = click.option("--token", help="The bot's token [ARENA_TOKEN].")
    file = click.option(
        "--token-file",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        help="Where the kit keeps the bot's token, and where its arena is.",
    )
    return token(file(url_option(json_option(command))))


@click.group("bot", epilog="Example:  ARENA_TOKEN=dfa_... arena bot rename alice-2")
def command() -> None:
    """Rename a bot of yours, or retire it."""


@command.command(epilog="Example:  ARENA_TOKEN=dfa_... arena bot rename alice-2")
@click.argument("name")
@_token_options
def rename(name: str, token: str | None, token_file: Path | None, url: str, as_json: bool) -> None:
    """Give the bot of a token another name. Its token, its id and its results stay.

    Record files that were written keep the former name, which is free from now on.
    """
    where, chosen = signed_in(None, url, token=token, file=token_file)
    with connected(where, chosen) as client:
        renamed = client.request("PATCH", "/whoami", body={"name": name})
    print_outcome(renamed, f"it is {described(renamed)} now", as_json=as_json)


@command.command(epilog="Example:  ARENA_TOKEN=dfa_... arena bot retire --yes")
@yes_option
@_token_options
def retire(yes: bool, token: str | None, token_file: Path | None, url: str, as_json: bool) -> None:
    """Retire the bot of a token: it is withdrawn from all that is not over. Asks first.

    Its token is worth nothing afterwards, its name stays taken, its results stay.
    """
    where, chosen = signed_in(None, url, token=token, file=token_file)
    with connected(where, chosen) as client:
        known = client.whoami()
        make_sure(f"Retire {described(known)}", yes=yes)
        retired = client.request("POST", "/whoami/retire", idempotent=False)
    print_outcome(retired, f"{described(retired)} is retired", as_json=as_json)
