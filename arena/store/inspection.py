"""Is a SQLite file whole? Its header, the log beside it, its schema, its pages and its references.

Everything is read through connections that cannot write, or from the file itself: looking changes
nothing, and may be done while a referee runs. What rows mean is not known here.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

from arena.errors import BadInput, Damaged, Unavailable
from arena.store.backups import WAITS
from arena.store.checks import KEPT_FAULTS, Check, Defect, check_of
from arena.store.connections import connect, unavailable
from arena.store.migrations import MIGRATIONS, pending
from arena.store.sqlite import EMPTY, version_of
from arena.store.statements import READS, WRITES
from arena.store.wal import LOG, check_log, require_file

HEADER_BYTES = 100
MAGIC = b"SQLite format 3\0"
ONE = 65_536
"""The size of a page that is written as 1."""


def inspect_files(path: Path) -> tuple[Check, ...]:
    """What can be told at once, however large the file is: at every start of a referee.

    To be called before anything else opens the database. Where the file or its log is damaged the
    schema is not looked at: to read it SQLite would make the index of the log anew, which is what
    tells of the damage. Raises BadInput for what is no database of ours, or one of a newer program;
    Unavailable if it cannot be read now; Damaged for one that has gone and has left its log.
    """
    require_file(path)
    if not path.is_file():
        raise BadInput("the database", str(path), "a file that is there")
    try:
        checks = (_file(path), _log(path))
    except OSError as error:
        raise Unavailable(f"the database {path.name} cannot be read: {error.strerror}") from error
    if any(check.fault_count for check in checks):
        return checks
    return (*checks, *_checked(path, "schema", "statements", _schema_faults))


def inspect_contents(path: Path, *, full: bool = False) -> tuple[Check, ...]:
    """All pages of the file, and every reference from one row to another.

    full: also whether all indexes agree with their tables, which takes several times as long.
    """

    def page_faults(connection: sqlite3.Connection) -> tuple[int, list[Defect]]:
        return _page_faults(connection, path, full=full)

    return (
        *_checked(path, "pages", "pages", page_faults),
        *_checked(path, "references", "rows", _reference_faults),
    )


def version_in(path: Path) -> int:
    """The version of the schema in a file. Raises BadInput, Unavailable, Damaged."""
    try:
        with closing(_opened(path)) as connection:
            return _version(connection, path)
    except sqlite3.Error as error:
        raise unavailable(path, error) from error


def _file(path: Path) -> Check:
    """The header, and whether the file is as long as it says."""
    size = path.stat().st_size
    if not size:
        raise BadInput("the database", str(path), EMPTY)
    with path.open("rb") as source:
        header = source.read(HEADER_BYTES)
    faults = [Defect(f"the file {path.name}", text) for text in _header_faults(path, header, size)]
    return check_of("file", "bytes", looked_at=size, faults=faults)


def _header_faults(path: Path, header: bytes, size: int) -> Iterator[str]:
    if not header.startswith(MAGIC):
        raise BadInput("the database", str(path), "a SQLite file: this is none, or not any more")
    page = int.from_bytes(header[16:18], "big")
    page = ONE if page == 1 else page
    pages = int.from_bytes(header[28:32], "big")
    counted = header[24:28] == header[92:96]  # otherwise an old program left the number alone
    if counted and page and size < pages * page and not _has_log(path):
        yield f"it was cut: {size // page} of its {pages} pages are there"


def _has_log(path: Path) -> bool:
    """Is there a log, from which pages may still have to come into the file?"""
    log = path.with_name(path.name + LOG)
    return log.exists() and log.stat().st_size > 0


def _log(path: Path) -> Check:
    pages, found = check_log(path)
    faults = [] if found is None else [Defect(f"the log {path.name}{LOG}", found)]
    return check_of("log", "pages", looked_at=pages, faults=faults)


def _checked(
    path: Path,
    name: str,
    unit: str,
    ask: Callable[[sqlite3.Connection], tuple[int, list[Defect]]],
) -> tuple[Check, ...]:
    """A check by asking the database; one that cannot answer for its damage is a fault."""
    try:
        with closing(_opened(path)) as connection:
            _version(connection, path)
            looked_at, faults = ask(connection)
    except sqlite3.Error as error:
        refusal = unavailable(path, error)
        if not isinstance(refusal, Damaged):
            raise refusal from error
        looked_at, faults = 0, [Defect(f"the database {path.name}", f"{error}")]
    return (check_of(name, unit, looked_at=looked_at, faults=faults),)


def _opened(path: Path) -> sqlite3.Connection:
    return connect(path, pragmas=WAITS, writable=False)


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """BadInput for another program's file, and for a newer version."""
    version = version_of(connection, path)
    pending(version, MIGRATIONS)
    return version


def _schema_faults(connection: sqlite3.Connection) -> tuple[int, list[Defect]]:
    """Does every statement that the referee will make fit the tables? Only at our own version."""
    (version,) = connection.execute("PRAGMA user_version").fetchone()
    if version != MIGRATIONS[-1].number:
        return 0, []
    statements = [*READS.values(), *(write.sql for write in WRITES.values())]
    faults: dict[Defect, None] = {}
    for sql in statements:
        try:
            connection.execute(f"EXPLAIN {sql}", ("",) * sql.count("?")).fetchall()
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_ERROR:
                raise
            faults[Defect("the schema", str(error))] = None
    return len(statements), list(faults)


def _page_faults(
    connection: sqlite3.Connection, path: Path, *, full: bool
) -> tuple[int, list[Defect]]:
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    pragma = "integrity_check" if full else "quick_check"
    found = [row[0] for row in connection.execute(f"PRAGMA {pragma}({KEPT_FAULTS})")]
    lines = [] if found == ["ok"] else [line for text in found for line in str(text).splitlines()]
    return pages, [Defect(f"the database {path.name}", line) for line in lines]


def _reference_faults(connection: sqlite3.Connection) -> tuple[int, list[Defect]]:
    """Rows that name a row which is not there."""
    tables = [name for (name,) in connection.execute(TABLES)]
    rows = sum(
        connection.execute(f'SELECT COUNT(*) FROM "{name}"').fetchone()[0] for name in tables
    )
    faults = []
    for table, rowid, parent, _ in connection.execute("PRAGMA foreign_key_check"):
        where = f"{table}: {_key(connection, table, rowid)}"
        faults.append(Defect(where, f"names a row of {parent} that is not there"))
    return rows, faults


TABLES = (
    "SELECT DISTINCT m.name FROM sqlite_master m JOIN pragma_foreign_key_list(m.name)"
    " WHERE m.type = 'table'"
)


def _key(connection: sqlite3.Connection, table: str, rowid: int | None) -> str:
    """How a row is called: its primary key."""
    columns = [
        name
        for (_, name, _, _, _, key) in connection.execute(f'PRAGMA table_info("{table}")')
        if key
    ]
    listed = ", ".join(f'"{column}"' for column in columns)
    row = connection.execute(f'SELECT {listed} FROM "{table}" WHERE rowid = ?', (rowid,)).fetchone()
    if row is None:
        return f"row {rowid}"
    return ", ".join(f"{name} {value}" for name, value in zip(columns, row, strict=True))
