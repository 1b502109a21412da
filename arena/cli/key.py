"""`arena key ...`: the key by which an arena signs its digests and records."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click
from tabulate import tabulate

from arena.cli.organise.confirm import make_sure, yes_option
from arena.cli.remote import json_option, print_json, print_outcome
from arena.errors import BadInput
from arena.statuses import Actor

F = TypeVar("F", bound=Callable[..., Any])


@click.group("key", epilog="Example:  arena key show")
def command() -> None:
    """Make, show and rotate the key by which an arena signs."""


def database_options(command: F) -> F:
    """The options `--database` and `--signing-key`."""
    for option in (
        click.option(
            "--signing-key",
            metavar="FILE",
            envvar="ARENA_SIGNING_KEY",
            default="",
            help="Where the private key lies; FILE.key beside a SQLite FILE if left out.",
        ),
        click.option(
            "--database",
            envvar="ARENA_DATABASE",
            default="sqlite:///arena.db",
            show_default=True,
            help="The arena's database.",
        ),
    ):
        command = option(command)
    return command


@command.command(epilog="Example:  arena key new /etc/arena/signing.key")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@json_option
def new(file: Path, as_json: bool) -> None:
    """Make a private key in a new FILE that only its owner may read.

    For `arena serve --signing-key FILE`; beside a SQLite database one is made at the first start.
    """
    from arena.identity.signing import new_key

    made = new_key(file)
    document = {"file": str(file), "public_key": made.public_key}
    print_outcome(document, f"{file}: public key {made.public_key}", as_json=as_json)


@command.command(epilog="Example:  arena key show --database sqlite:///cup.db")
@database_options
@json_option
def show(database: str, signing_key: str, as_json: bool) -> None:
    """List the public keys of an arena, the one in force last."""
    from arena.identity.signing import keys_document
    from arena.store import open_store

    with open_store(database, readonly=True) as store:
        document = keys_document(store, None)
    keys = document["keys"]
    if as_json:
        print_json(keys)
        return
    if not keys:
        click.echo("this arena has no key: it has signed nothing yet")
        return
    rows = [(each["public_key"], each["since"], each["until"] or "in force") for each in keys]
    click.echo(tabulate(rows, headers=("public key", "since", "until")))
    _check_file(database, signing_key, keys[-1]["public_key"])


def _check_file(database: str, signing_key: str, in_force: str) -> None:
    """Say whether the private key is where it should be."""
    from arena.identity.key_files import read_key
    from arena.identity.signing import key_file

    file = key_file(database, signing_key)
    if file is None:
        return
    try:
        fits = read_key(file).public_key == in_force
    except BadInput as error:
        click.echo(f"\n{error}")
        return
    click.echo(f"\nThe private key is in {file}" if fits else f"\n{file} has another key")


@command.command(epilog="Example:  arena key rotate --database sqlite:///cup.db")
@database_options
@yes_option
@json_option
def rotate(database: str, signing_key: str, yes: bool, as_json: bool) -> None:
    """Put another key in force. Stop all referees of the database first.

    A new key takes the place of the one in the file; a key in the file that this arena has never
    had stays as it is and comes into force. What was signed before stays signed by the old key,
    which the arena goes on listing with its times.
    """
    from arena.identity import signing
    from arena.store import open_store
    from arena.store.opening import is_file, sqlite_file
    from arena.store.port import AuditRow

    file = signing.key_file(database, signing_key)
    if file is None:
        raise BadInput("--signing-key", "none", "the file of the key: this database is no file")
    make_sure(f"Sign with another key than the one in {file}", yes=yes)
    if is_file(database) and not sqlite_file(database).exists():
        raise BadInput("--database", database, "a database that is there")
    now_ms = time.time_ns() // 1_000_000
    with open_store(database) as store:
        keys = signing.rotate(store, file, now_ms=now_ms)
        detail = json.dumps({"public_key": keys[-1].public_key})
        store.write(AuditRow(now_ms, Actor.COMMAND, "key.rotate", detail))
    document = {"file": str(file), "public_key": keys[-1].public_key}
    print_outcome(document, f"{file}: public key {keys[-1].public_key}", as_json=as_json)
