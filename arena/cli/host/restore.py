"""`arena restore`: a backup put back in the place of a database."""

from __future__ import annotations

import json
import time
from pathlib import Path

import click

from arena.cli.remote import json_option, print_outcome
from arena.statuses import Actor


@click.command(
    epilog="""Examples:

    arena restore cup-backup.db --database sqlite:///cup.db --force

    pg_restore --clean --if-exists --dbname=postgresql://arena@db/cup cup.dump   (for PostgreSQL)
"""
)
@click.argument("file", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--database",
    envvar="ARENA_DATABASE",
    default="sqlite:///arena.db",
    show_default=True,
    help="Where it goes; no referee may have it open.",
)
@click.option("--force", is_flag=True, help="Replace the database that is there.")
@json_option
def command(file: Path, database: str, force: bool, as_json: bool) -> None:
    """Put the backup FILE in the place of a SQLite database.

    The backup is checked first: damage, another program's file or a newer version is refused, and
    then nothing is touched. What the database held since the backup is lost. On another machine
    the arena's key belongs beside it, or `arena key rotate` puts another in its place.
    """
    from arena.store import open_store
    from arena.store.backups import restore
    from arena.store.opening import sqlite_file
    from arena.store.port import AuditRow

    copied = restore(file, sqlite_file(database), force=force)
    with open_store(database) as store:  # this also brings an older version up to date
        detail = json.dumps({"backup": file.name})
        store.write(
            AuditRow(time.time_ns() // 1_000_000, Actor.COMMAND, "database.restore", detail)
        )
    document = {"database": database, "file": str(file), "bytes": copied.bytes}
    line = f"{database}: {copied.bytes:,} bytes from {file}, checked"
    print_outcome(document, line, as_json=as_json)
