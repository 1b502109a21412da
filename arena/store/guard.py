"""Nobody opens a SQLite file whose log was damaged: SQLite would hide that from all who come later.

When SQLite opens a file it makes the index of the log anew, and takes from a log that was cut what
is left of it. The old index is the only witness of the rest. So whoever opens a file, if only to
read it, looks at its log first (see `wal`), before any connection of SQLite is made. And a log
whose file has gone is not left to a new file: that would hide it as well.
"""

from __future__ import annotations

from pathlib import Path

from arena.errors import Damaged
from arena.store.connections import is_claimed
from arena.store.wal import INDEX, LOG, check_log


def require_whole_log(path: Path, *, claimed: bool = False) -> None:
    """Raises Damaged, in one line, if something of the log beside a file has gone; OSError.

    claimed: whether the caller holds the claim to write. Another process that holds it uses the
    log, which then is whole, or was looked at when that process began: it is not read again.
    """
    beside = [path.with_name(path.name + end) for end in (LOG, INDEX)]
    if not any(file.exists() for file in beside) or (not claimed and is_claimed(path)):
        return
    _, defect = check_log(path)
    if defect is not None:
        raise Damaged(
            f"the database {path.name} is damaged: the log {path.name}{LOG}: {defect}. Nothing was"
            f" changed. All that is wrong: arena check --database sqlite:///{path}. To go back to a"
            f" backup: arena restore BACKUP --database sqlite:///{path} --force. To go on with what"
            " is left: arena serve --database-check off"
        )


def require_file(path: Path) -> None:
    """Raises Damaged if a file has gone whose log is still there: a new one is no place for it."""
    log = path.with_name(path.name + LOG)
    if log.exists() and not path.exists():
        raise Damaged(
            f"the file {path.name} is missing, but its log {log.name} is there, which has what was"
            f" written last. Nothing was changed. If {path.name} was moved, put it back beside the"
            f" log. To go back to a backup: arena restore BACKUP --database sqlite:///{path}. To"
            f" begin anew: move {log.name} away"
        )
