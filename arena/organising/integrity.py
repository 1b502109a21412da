"""Is a database whole? Everything, for `arena check`; at a referee's start what can be said soon.

At the start of a referee on a SQLite file: the header and the length of the file, the log beside
it, the schema, and the rows of sessions in play with the logs of all hands at their open tables.
That grows with what is being played, not with the file. Of a file of up to 64 MB every page and
every reference is looked at as well: 0.15 to 0.23 s for one of 64 MB that the system has in memory,
measured on two busy cores. A whole check looks at every page, reference and row of any file.
PostgreSQL looks after its files by itself; there the rows remain, and only `arena check` looks at
them. Nothing is ever written.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from arena.errors import BadInput, Damaged
from arena.organising.consistency import CHAINS, check_rows
from arena.store import open_store
from arena.store.checks import Check, Defect, check_of
from arena.store.inspection import inspect_contents, inspect_files, version_in
from arena.store.migrations import MIGRATIONS
from arena.store.opening import sqlite_file
from arena.store.wal import LOG

REPORTS = logging.getLogger("arena.store")
OFF, QUICK, FULL = "off", "quick", "full"
MEMORY = "memory:"
POSTGRES = "PostgreSQL's own files (its data checksums and pg_amcheck look at them)"

FILES = ("file", "log", "schema")
"""The checks that are made of the files; without the last one where the others find faults."""
COPY = (
    "pages and rows: reading them makes the log's index anew, after which nothing tells that the"
    " log was cut; look at a copy of the database and its -wal"
)
SMALL_BYTES = 64 * 2**20
"""Up to this size, with its log, every page of a file is looked at at every start."""

OnHands = Callable[[int], None]


class IntegrityReport(NamedTuple):
    """What a check of a database found. left_out: what was not looked at, and why."""

    checks: tuple[Check, ...]
    left_out: tuple[str, ...] = ()

    @property
    def fault_count(self) -> int:
        """How much is wrong."""
        return sum(check.fault_count for check in self.checks)

    @property
    def faults(self) -> tuple[Defect, ...]:
        """What is wrong, as far as it is listed one by one."""
        return tuple(fault for check in self.checks for fault in check.faults)


def check_database(
    url: str, *, full: bool = False, on_hands: OnHands = lambda hands: None
) -> IntegrityReport:
    """Look at all of a database, also while referees use it.

    full: whether the indexes of a file agree with its tables, too. on_hands: called with how many
    hands more have been looked at. Raises BadInput for what cannot be looked at, Unavailable if it
    cannot be now.
    """
    if url == MEMORY:
        raise BadInput("the database url", url, "a database that is kept: sqlite:/// or postgresql")
    if not url.startswith("sqlite:"):
        return IntegrityReport(_rows(url, live=False, on_hands=on_hands), (POSTGRES,))
    path = sqlite_file(url)
    files = inspect_files(path)
    if len(files) < len(FILES):
        return IntegrityReport(files, (COPY,))
    checks = (*files, *inspect_contents(path, full=full))
    if _is_older(path):
        return IntegrityReport(
            checks, ("rows: the database is of an older version; a referee updates it",)
        )
    left_out = () if full else ("whether indexes agree with their tables (--full does)",)
    return IntegrityReport((*checks, *_rows(url, live=False, on_hands=on_hands)), left_out)


def check_at_start(url: str, extent: str) -> None:
    """Refuse a SQLite file that is damaged, before anything is changed in it; but for logs whose
    hashes do not fit, which the referee quarantines by itself.

    extent: `off`, `quick` or `full`. Raises Damaged, naming the first thing that is wrong.
    """
    if extent == OFF or not url.startswith("sqlite:"):
        return
    path = sqlite_file(url)
    if not path.exists():
        return
    report = check_database(url) if extent == FULL else _quick(url, path)
    chains = [check for check in report.checks if check.name == CHAINS]
    if extent == FULL:  # the referee names those that it meets, and it does not meet all
        for fault in (fault for check in chains for fault in check.faults):
            REPORTS.error("damaged log: %s", fault)
    report = IntegrityReport(tuple(check for check in report.checks if check.name != CHAINS))
    if report.faults:
        raise Damaged(_refusal(url, path, report))


def _quick(url: str, path: Path) -> IntegrityReport:
    report = IntegrityReport(inspect_files(path))
    if report.faults or _is_older(path):  # one that is older is looked at whole when it is updated
        return report
    contents = inspect_contents(path) if _size(path) <= SMALL_BYTES else ()
    return IntegrityReport((*report.checks, *_rows(url, live=True), *contents))


def _size(path: Path) -> int:
    """Bytes of a file and the log beside it."""
    log = path.with_name(path.name + LOG)
    return path.stat().st_size + (log.stat().st_size if log.exists() else 0)


def _rows(url: str, *, live: bool, on_hands: OnHands = lambda hands: None) -> tuple[Check, ...]:
    try:
        with open_store(url, readonly=True, verify_log=False) as store:
            return check_rows(store, live=live, on_hands=on_hands)
    except Damaged as error:
        fault = Defect("the rows", f"they cannot be read: {error.detail}")
        return (check_of("sessions", "sessions", looked_at=0, faults=[fault]),)


def _is_older(path: Path) -> bool:
    """Is the schema still to be brought up to date? False if nobody can tell for damage."""
    try:
        return version_in(path) < MIGRATIONS[-1].number
    except Damaged:
        return False


def _refusal(url: str, path: Path, report: IntegrityReport) -> str:
    first, more = report.faults[0], report.fault_count - 1
    others = f" (and {more} more)" if more else ""
    return (
        f"the database {path.name} is damaged: {first}{others}. Nothing was changed. All that is"
        f" wrong: arena check --database {url}. To go back to a backup: arena restore BACKUP"
        f" --database {url} --force"
    )
