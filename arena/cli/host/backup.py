"""`arena backup`: a copy of a database while the referee runs."""

from __future__ import annotations

from pathlib import Path

import click

from arena.cli.remote import json_option, print_outcome


@click.command(
    epilog="""Examples:

    arena backup --database sqlite:///cup.db cup-backup.db

    pg_dump --format=custom --file=cup.dump postgresql://arena@db/cup   (for PostgreSQL)
"""
)
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--database",
    envvar="ARENA_DATABASE",
    default="sqlite:///arena.db",
    show_default=True,
    help="The database; a referee may be using it.",
)
@click.option("--force", is_flag=True, help="Replace FILE if it is there.")
@json_option
def command(file: Path, database: str, force: bool, as_json: bool) -> None:
    """Copy a SQLite database to FILE, also while the referee writes to it.

    The copy is the database at one instant, and is checked before it gets its name. It holds
    secrets: keep it as you keep the database. The key by which the arena signs, FILE.key beside the
    database, is not in it: copy that once, to a place of its own. PostgreSQL has tools of its own
    for this.
    """
    from arena.store.backups import back_up
    from arena.store.opening import sqlite_file

    copied = back_up(sqlite_file(database), file, force=force)
    document = {"file": str(file), "bytes": copied.bytes, "version": copied.version}
    line = f"{file}: {copied.bytes:,} bytes, version {copied.version}, checked"
    print_outcome(document, line, as_json=as_json)
