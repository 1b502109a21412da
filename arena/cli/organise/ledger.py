"""`arena ledger`: what each turn of a bot has cost it, for its owner."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from functools import reduce
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource
from tabulate import tabulate

from arena.cli.organise.ledger_bars import LEGEND, bars
from arena.cli.remote import F, connected, json_option, url_option
from arena.client.tokens import TokenFile, check
from arena.errors import BadInput
from arena.tournament.reporting.markup import printable

HEADS = (
    *("turn", "offered", "seen ms", "answered ms", "thought ms", "charged ms", "bank ms"),
    *("refused", "cause"),
)


def signing_in_options(command: F) -> F:
    """The options `--token`, `--token-file` and `--url`, for `signed_in`."""
    options = (
        click.option(
            "--token",
            help="The bot's token [ARENA_TOKEN]; with BOT an organiser's [ARENA_ADMIN_TOKEN].",
        ),
        click.option(
            "--token-file",
            type=click.Path(exists=True, dir_okay=False, path_type=Path),
            help="Where the kit keeps the bot's token, and where its arena is.",
        ),
        url_option,
    )
    return reduce(lambda made, option: option(made), reversed(options), command)


@click.command(
    epilog="""Examples:

    ARENA_TOKEN=dfa_... arena ledger --session spring-cup --bars

    arena ledger --token-file .arena/alice@127.0.0.1_8000.json --table spring-cup-r01-t02

    ARENA_ADMIN_TOKEN=dfaadm_... arena ledger alice --session spring-cup --json
"""
)
@click.argument("bot", required=False)
@click.option("--session", help="Only turns of this session.")
@click.option("--table", help="Only turns of this table.")
@click.option("--hand", help="Only turns of this hand.")
@click.option("--bars", "drawn", is_flag=True, help="Draw what each turn's time went to.")
@signing_in_options
@json_option
def command(
    bot: str | None,
    drawn: bool,
    token: str | None,
    token_file: Path | None,
    url: str,
    as_json: bool,
    **filters: str | None,
) -> None:
    """Show of every turn when it was offered, seen and answered, and what was charged for it.

    A bot's own turns, with its token; or those of BOT, for organisers. Times are on the bot's
    clock, which stands still in pauses and outages. A turn with * took more than the move time:
    the rest was drawn from the bank; "thought" is what the bot itself says, as the kit does.
    --json prints one object a line.
    """
    where, chosen = signed_in(bot, url, token=token, file=token_file)
    with connected(where, chosen) as client:
        entries = client.ledger(bot=bot, **filters)
        if as_json:
            for entry in entries:
                click.echo(json.dumps(entry, ensure_ascii=False))
        else:
            click.echo(_bars(list(entries)) if drawn else _table(entries))


def signed_in(
    bot: str | None, url: str, *, token: str | None, file: Path | None
) -> tuple[str, str]:
    """Where to ask, and with whose token."""
    if file is not None:
        stored = TokenFile(file).load()
        assert stored is not None  # click has seen the file
        if _was_given("url"):
            check(file, stored, url)
        return stored.url, stored.token
    name = "ARENA_TOKEN" if bot is None else "ARENA_ADMIN_TOKEN"
    chosen = token or os.environ.get(name)
    if not chosen:
        raise BadInput("the token", chosen or "", f"--token, --token-file or {name}")
    return url, chosen


def _was_given(name: str) -> bool:
    """Is an option's value more than its default?"""
    source = click.get_current_context().get_parameter_source(name)
    return source not in (ParameterSource.DEFAULT, ParameterSource.DEFAULT_MAP)


def _bars(entries: list[dict[str, Any]]) -> str:
    if not entries:
        return "No turns."
    return "\n".join([tabulate(bars(entries), headers=("turn", "ms", "time")), "", LEGEND])


def _table(entries: Iterable[dict[str, Any]]) -> str:
    shown = list(entries)
    rows = [
        (
            entry["turn"] + ("*" if entry["late"] else ""),
            entry["offered"],
            entry["first_seen_ms"],
            "waits" if entry["answered_ms"] is None else entry["answered_ms"],
            "" if entry["thought_ms"] is None else entry["thought_ms"],
            entry["charged_ms"],
            entry["bank_ms"],
            entry["refused"],
            entry["cause"] or "",
        )
        for entry in shown
    ]
    if not rows:
        return "No turns."
    noted = [entry for entry in shown if entry.get("note")]
    notes = [f"{entry['turn']}: {printable(entry['note'])}" for entry in noted]
    table = tabulate(rows, headers=HEADS, missingval="never")
    return "\n".join([table, *(["", "Notes:", *notes] if notes else [])])
