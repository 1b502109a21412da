"""`arena check`: is a database whole? Looked at while the referee runs, nothing is changed."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import click
from tabulate import tabulate

from arena.cli.remote import json_option

if TYPE_CHECKING:
    from arena.organising.integrity import IntegrityReport

MANUAL = "“When the disk fails” in arena/deploy/operations.md"


@click.command(
    epilog="""Examples:

    arena check --database sqlite:///cup.db

    arena check --full --json --database sqlite:///cup.db

    arena check --database postgresql://arena@db/cup
"""
)
@click.option(
    "--database",
    envvar="ARENA_DATABASE",
    default="sqlite:///arena.db",
    show_default=True,
    help="The database; a referee may be using it.",
)
@click.option(
    "--full", is_flag=True, help="Also whether all indexes agree with their tables (SQLite)."
)
@json_option
def command(database: str, full: bool, as_json: bool) -> None:
    """Look whether a database is whole: files, pages, references, and the rows of every session.

    The log of every hand must have all its steps, every hand that has ended its result, and what is
    open must belong to a session in play. Nothing is changed. After a crash run it before the
    referee starts: a log that was cut shows best then. Ends with code 0 if all is whole, 1 if
    anything is not, 2 if there is nothing that can be looked at.
    """
    from arena.organising.integrity import check_database
    from arena.store.opening import without_password

    with _progress() as advance:
        report = check_database(database, full=full, on_hands=advance)
    place = without_password(database)
    if as_json:
        click.echo(json.dumps(_document(place, report), ensure_ascii=False, indent=2))
    else:
        _print(place, report)
    if report.fault_count:
        raise SystemExit(1)


def _print(database: str, report: IntegrityReport) -> None:
    for fault in report.faults:
        click.echo(str(fault))
    if report.faults:
        click.echo()
    rows = [
        (check.name, f"{check.looked_at:,} {check.unit}", f"{check.fault_count:,}")
        for check in report.checks
    ]
    heads = ("checked", "looked at", "faults")
    click.echo(tabulate(rows, headers=heads, colalign=("left", "right", "right")))
    for left_out in report.left_out:
        click.echo(f"Not looked at: {left_out}.")
    click.echo(_verdict(database, report))


def _verdict(database: str, report: IntegrityReport) -> str:
    count = report.fault_count
    if not count:
        return f"{database}: nothing wrong was found."
    verdict = f"{database}: {count:,} fault{'s'[: count > 1]}."
    remedy = f"arena restore BACKUP --database {database} --force"
    if database.startswith("sqlite:"):
        verdict += f" Copy the file and what lies beside it, then go back to a backup: {remedy}."
    return f"{verdict} See {MANUAL}."


def _document(database: str, report: IntegrityReport) -> dict[str, Any]:
    return {
        "database": database,
        "ok": not report.fault_count,
        "checks": [
            {
                "check": check.name,
                "unit": check.unit,
                "looked_at": check.looked_at,
                "fault_count": check.fault_count,
                "faults": [fault._asdict() for fault in check.faults],
            }
            for check in report.checks
        ],
        "left_out": list(report.left_out),
    }


@contextmanager
def _progress() -> Iterator[Callable[[int], None]]:
    """Counts hands on standard error, if that is a terminal."""
    if not sys.stderr.isatty():
        yield lambda hands: None
        return
    done = 0

    def advance(hands: int) -> None:
        nonlocal done
        done += hands
        click.echo(f"\r{done:,} hands looked at", err=True, nl=False)

    click.echo("looking at the files ...", err=True, nl=False)
    try:
        yield advance
    finally:
        click.echo("\r" + " " * 40 + "\r", err=True, nl=False)
