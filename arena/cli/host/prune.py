"""`arena prune`: old sessions into record files and out of the database."""

from __future__ import annotations

import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click
from tabulate import tabulate

from arena.cli.remote import json_option, print_json, print_outcome
from arena.errors import BadInput

if TYPE_CHECKING:
    from arena.organising.retention import OldSession

MS_PER_DAY = 86_400_000
MOST_DAYS = 36_500
PAUSE_S = 0.01
"""After each write, so that a referee on the same database hardly notices."""


@click.command(
    epilog="""Examples:

    arena prune --days 365 --records old-sessions --dry-run

    arena prune --days 365 --records old-sessions
"""
)
@click.option("--days", type=float, required=True, help="Only sessions that ended so long ago.")
@click.option(
    "--records",
    "folder",
    required=True,
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder for the record files, one for each session.",
)
@click.option(
    "--database",
    envvar="ARENA_DATABASE",
    default="sqlite:///arena.db",
    show_default=True,
    help="The database; a referee may be using it.",
)
@click.option(
    "--signing-key",
    metavar="FILE",
    envvar="ARENA_SIGNING_KEY",
    default="",
    help="The key by which the records are signed; FILE.key beside a SQLite FILE if left out.",
)
@click.option("--dry-run", is_flag=True, help="Only say what would go.")
@json_option
def command(
    days: float, folder: Path, database: str, signing_key: str, dry_run: bool, as_json: bool
) -> None:
    """Take old sessions out of a database, after writing their records to files.

    Only sessions that are finished or cancelled go. The files are as `arena session records` makes
    them: `arena verify` and `arena rate` read them. Bots and the audit log stay. Other sessions may
    be played meanwhile.
    """
    from arena.clock import SystemClock
    from arena.identity.signing import open_signer
    from arena.organising.retention import old_sessions, retire
    from arena.referee.context import open_context
    from arena.settings import Settings
    from arena.store import open_store

    if not 0 <= days <= MOST_DAYS:
        raise BadInput("--days", days, f"0 or more, at most {MOST_DAYS}")
    with open_store(database, readonly=dry_run, beside=not dry_run) as store:
        signer = None if dry_run else open_signer(store, database, given=signing_key)
        context = open_context(store, SystemClock(), Settings(), signer=signer)
        before_ms = time.time_ns() // 1_000_000 - round(days * MS_PER_DAY)
        sessions = list(old_sessions(context, before_ms))
        listed = [_listed(old) for old in sessions]
        if sessions and not as_json:
            click.echo(tabulate([each.values() for each in listed], headers=list(listed[0])))
        if dry_run or not sessions:
            said = f"{len(sessions)} sessions would go" if sessions else "No session is that old."
            print_outcome({"sessions": listed, "dropped": False}, said, as_json=as_json)
            return
        folder.mkdir(parents=True, exist_ok=True)
        for old, each in zip(sessions, listed, strict=True):
            file = retire(context, old, folder, pause=partial(time.sleep, PAUSE_S))
            each["records"] = str(file)
            if not as_json:
                click.echo(f"{old.session}: records in {file}, dropped")
        if as_json:
            print_json({"sessions": listed, "dropped": True})


def _listed(old: OldSession) -> dict[str, object]:
    """A session as it is listed."""
    from arena.clock import instant

    return {
        "session": old.session,
        "status": old.status,
        "ended": instant(old.ended_ms),
        "hands": old.hands,
    }
