"""`arena notices`: what happened to a bot, for its owner."""

from __future__ import annotations

import json
from pathlib import Path

import click
from tabulate import tabulate

from arena.cli.organise.ledger import signed_in, signing_in_options
from arena.cli.remote import connected, json_option
from arena.tournament.reporting.markup import printable


@click.command(
    epilog="""Examples:

    ARENA_TOKEN=dfa_... arena notices

    arena notices --token-file .arena/alice@127.0.0.1_8000.json --session spring-cup

    ARENA_ADMIN_TOKEN=dfaadm_... arena notices alice --json
"""
)
@click.argument("bot", required=False)
@click.option("--session", help="Only notices of this session.")
@click.option("--kind", help="Only notices of this kind, such as fault or next_table.")
@click.option("--after", type=click.IntRange(0), default=0, help="Only those after this number.")
@signing_in_options
@json_option
def command(
    bot: str | None,
    session: str | None,
    kind: str | None,
    after: int,
    token: str | None,
    token_file: Path | None,
    url: str,
    as_json: bool,
) -> None:
    """Show what happened to a bot: its tables, faults, withdrawals, the end of its sessions.

    The bot of the token; or BOT, for organisers. Of faults the 1st, 10th, 100th ... of each cause
    is reported. --json prints one object a line.
    """
    where, chosen = signed_in(bot, url, token=token, file=token_file)
    with connected(where, chosen) as client:
        found = [
            each
            for each in client.notices(after=after, bot=bot)
            if session in (None, each["session"]) and kind in (None, each["kind"])
        ]
    if as_json:
        for each in found:
            click.echo(json.dumps(each, ensure_ascii=False))
        return
    rows = [(each["notice"], each["at"], printable(each["text"])) for each in found]
    heads = ("", "at", "what happened")
    click.echo(tabulate(rows, headers=heads, disable_numparse=True) if rows else "No notices.")
