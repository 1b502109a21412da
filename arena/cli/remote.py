"""What commands that talk to a running arena share: where it is, the token, and the requests."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from arena.client import Client

F = TypeVar("F", bound=Callable[..., Any])

PATIENCE_S = 10.0


def url_option(command: F) -> F:
    """The option `--url`."""
    return click.option(
        "--url",
        envvar="ARENA_URL",
        default="http://127.0.0.1:8000",
        show_default=True,
        show_envvar=True,
        help="Where the arena is; without http:// or https:// it is https, on this machine http.",
    )(command)


def token_option(command: F) -> F:
    """The option `--token`, for an organiser's token."""
    return click.option(
        "--token",
        envvar="ARENA_ADMIN_TOKEN",
        required=True,
        show_envvar=True,
        help="An organiser's token (arena serve makes the first; arena admin token makes more).",
    )(command)


def optional_token_option(command: F) -> F:
    """The option `--token`, for an organiser's token where one may do without."""
    return click.option(
        "--token",
        envvar="ARENA_ADMIN_TOKEN",
        show_envvar=True,
        help="An organiser's token, to see what others may not.",
    )(command)


def json_option(command: F) -> F:
    """The option `--json`."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for a program.")(
        command
    )


def public_chance_option(command: F) -> F:
    """The option `--public-chance`."""
    return click.option(
        "--public-chance",
        metavar="TEXT",
        default=None,
        help="The value of the source that the session's file announces; mixed into all deals.",
    )(command)


def print_json(document: object) -> None:
    """A document for a program."""
    click.echo(json.dumps(document, ensure_ascii=False, indent=2))


def print_outcome(document: object, *lines: str, as_json: bool) -> None:
    """What a command has done: as a document for a program, or in words."""
    if as_json:
        print_json(document)
        return
    for line in lines:
        click.echo(line)


def terminal_width() -> int | None:
    """The columns of the terminal; None where the output goes elsewhere."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else None


@contextmanager
def connected(url: str, token: str | None = None) -> Iterator[Client]:
    """A client that gives up soon: somebody is waiting at the terminal."""
    from arena.client import Client  # commands that ask no arena start in half the time without it

    with Client(url, token, patience_s=PATIENCE_S) as client:
        yield client
