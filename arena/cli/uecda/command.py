"""`arena uecda`: clients of the UECda contest play here, and bots of the arena there."""

from __future__ import annotations

import click

from arena.cli.uecda.client import client
from arena.cli.uecda.gateway import gateway
from arena.cli.uecda.serve import serve


@click.group("uecda", epilog="Example:  arena uecda serve")
def command() -> None:
    """Let clients of the UECda contest play here, unchanged, and bots of the arena there."""


command.add_command(client)
command.add_command(gateway)
command.add_command(serve)
