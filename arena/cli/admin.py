"""`arena admin`: tokens of organisers and bots, and enrolment codes."""

from __future__ import annotations

import click

from arena.cli.organiser import connected, token_option, url_option
from arena.cli.tokens import COMMANDS


@click.group("admin", epilog="Example:  arena admin token --database sqlite:///arena.db")
def command() -> None:
    """Make, list and revoke tokens and enrolment codes."""


@command.command(epilog="Example:  arena admin code --label class-4b --uses 30 --hours 48")
@click.option("--label", required=True, help="What the code is for.")
@click.option("--uses", default=1, show_default=True, help="How many bots may register with it.")
@click.option(
    "--hours", type=float, default=None, help="How long it is good; for ever if left out."
)
@url_option
@token_option
def code(label: str, uses: int, hours: float | None, url: str, token: str) -> None:
    """Make an enrolment code; it is shown only now."""
    body = {"label": label, "uses": uses} | ({} if hours is None else {"valid_hours": hours})
    with connected(url, token) as client:
        click.echo(client.request("POST", "/codes", body=body)["code"])


for _command in COMMANDS:
    command.add_command(_command)
