"""From a database URL to a store. Nothing else may be configured through the URL."""

from __future__ import annotations

from pathlib import Path

from arena.errors import BadInput
from arena.store.memory import open_memory
from arena.store.port import Store
from arena.store.sqlite import open_sqlite

EXPECTED = (
    "sqlite:///FILE (a fourth slash makes it absolute: sqlite:////var/FILE), memory: or"
    " postgresql://USER@HOST/NAME"
)
SQLITE = "sqlite:///"
POSTGRES = ("postgresql://", "postgres://")


def open_store(
    url: str, *, readonly: bool = False, beside: bool = False, verify_log: bool = True
) -> Store:
    """The store that a database URL names, ready to use; close it in the end.

    `sqlite:///FILE` is a file, made if it is not there; `memory:` is a new, empty store that is
    gone when the process is. `postgresql://USER@HOST/NAME` (anything that libpq reads) is a
    database that any number of processes share. With `readonly` it is only read, a file also beside
    the process that writes to it, and writing raises Unavailable. With `beside` it is written to
    also beside that process, for whom each write is a moment in which it cannot. The log beside a
    file is looked at before anything opens it, unless another process writes to it; verify_log is
    False for callers who have done so, or want what is left of a damaged one.

    Raises BadInput for a URL or a file that cannot be right (also a database of a newer program),
    Unavailable for one that cannot be used now (in use by another process that writes, read-only),
    Damaged for a file whose log was cut or has gone, or that has gone and has left its log.
    """
    if url == "memory:":
        return open_memory()
    if url.startswith(POSTGRES):
        return _open_postgres(url, readonly=readonly)
    path = sqlite_file(url)
    return open_sqlite(path, readonly=readonly, beside=beside, verify_log=verify_log)


def is_file(url: str) -> bool:
    """Does a database URL name a file of SQLite?"""
    return url.startswith(SQLITE)


def sqlite_file(url: str) -> Path:
    """The file of a `sqlite:///FILE` URL; it need not be there. Raises BadInput."""
    file = url.removeprefix(SQLITE)
    if not url.startswith(SQLITE) or file in ("", ":memory:"):
        raise BadInput("the database url", without_password(url), EXPECTED)
    path = Path(file)
    if path.is_dir():
        raise BadInput("the database", file, "a file, not a folder")
    if not path.parent.is_dir():
        raise BadInput("the database", file, "a file in a folder that is there")
    return path


def _open_postgres(url: str, *, readonly: bool) -> Store:
    """Its driver is an extra, and is imported only now."""
    try:
        from arena.store.postgres import open_postgres
    except ImportError as error:
        raise BadInput(
            "the database url",
            without_password(url),
            f"psycopg 3 to be installed: pip install 'daifugo-arena[postgres]' ({error})",
        ) from error
    return open_postgres(url, readonly=readonly)


def without_password(url: str) -> str:
    """A URL as it may be shown: what stands between "//" and "@" is left out."""
    scheme, slashes, rest = url.partition("//")
    return f"{scheme}{slashes}...@{rest.rpartition('@')[2]}" if "@" in rest else url
