"""Being sure: which bot is meant, and whether it is meant at all.

Names are made to be read and can be mistaken; commands that do harm to a bot say its id and owner
first, and act on the id. This module changes nothing.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, TypeVar
from urllib.parse import quote

import click

from arena.client import Client
from arena.documents import Document
from arena.errors import Forbidden
from arena.tournament.reporting.markup import printable

F = TypeVar("F", bound=Callable[..., Any])


def yes_option(command: F) -> F:
    """The option `--yes`."""
    return click.option(
        "--yes", is_flag=True, help="Do not ask; needed where nobody can be asked."
    )(command)


def bot_of(client: Client, bot: str) -> Document:
    """The bot of an id or a name; ids come first."""
    return client.request("GET", f"/bots/{quote(bot, safe='')}")


def described(bot: Document) -> str:
    """A bot by what cannot be mistaken: ``alice-1 (b-7q3mz2ka, owner alice)``."""
    return f"{printable(bot['name'])} ({bot['id']}, owner {printable(bot['owner'])})"


def make_sure(what: str, *, yes: bool, flag: str = "--yes") -> None:
    """Ask whether it is meant, unless that was said, by a flag.

    Raises Forbidden where there is no terminal to ask at, Abort if it is not meant.
    """
    if yes:
        return
    if not at_terminal():
        raise Forbidden(flag, f"{what}? Nobody can be asked here, so this needs {flag}")
    click.confirm(f"{what}?", abort=True, err=True)


def at_terminal() -> bool:
    """Is somebody there who can be asked?"""
    return sys.stdin.isatty()
