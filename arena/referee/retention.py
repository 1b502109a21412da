"""Old sessions: their records written to files, then everything of them taken out of the store.

A session goes only when its record file is whole and on the disk: header, every hand, all lines. If
that is interrupted, the next time finds the file and goes on. Bots, standings pages of other
sessions and the audit stay. Nothing may be playing in the store meanwhile.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from arena.errors import BadInput
from arena.referee import deals, records
from arena.referee.hall import Hall, pages
from arena.store.port import (
    AuditRow,
    Change,
    DropEntry,
    DropHand,
    DropSession,
    DropSteps,
    DropTable,
    SessionRow,
)

OVER = ("finished", "cancelled")
ACTOR = "retention"


class Old(NamedTuple):
    """A session that may go. ended_ms: when its last hand ended, else when it was created."""

    session: str
    status: str
    ended_ms: int
    hands: int


def old_sessions(hall: Hall, before_ms: int) -> Iterator[Old]:
    """The sessions that were over before an instant, newest first."""
    for row in pages(lambda after: hall.store.sessions(after=after), "", _id):
        if row.status in OVER:
            ended_ms, hands = _end(hall, row)
            if ended_ms < before_ms:
                yield Old(row.id, row.status, ended_ms, hands)


def _end(hall: Hall, row: SessionRow) -> tuple[int, int]:
    ended_ms, hands = row.created_ms, 0
    for hand in _hands(hall, row.id):
        ended_ms, hands = max(ended_ms, hand.ended_ms or hand.started_ms), hands + 1
    return ended_ms, hands


def retire(hall: Hall, old: Old, folder: Path) -> Path:
    """Write a session's records to a file in the folder, then drop it; the file.

    Raises BadInput if the folder cannot be written, or holds another file of that name.
    """
    file = folder / f"{old.session}.jsonl"
    try:
        if not file.exists():
            _write(hall, old.session, file)
        _check(hall, file, old)
    except OSError as error:
        raise BadInput("the record file", str(file), f"one to write to ({error})") from error
    _drop(hall, old)
    return file


def _write(hall: Hall, session: str, file: Path) -> None:
    part = file.with_name(file.name + ".part")
    with part.open("w", encoding="utf-8") as out:
        out.writelines(records.lines(hall, session, full=True))
        out.flush()
        os.fsync(out.fileno())
    part.replace(file)


def _check(hall: Hall, file: Path, old: Old) -> None:
    """Is the file the whole of this session's records, not of another one of the same name?"""
    commitment = deals.secret_commitment(hall.session_row(old.session).secret)
    with file.open("rb") as lines:
        header: dict[str, Any] = orjson.loads(next(lines, b"{}") or b"{}")
        count = sum(1 for _ in lines)
    own = header.get("session") == old.session and header.get("secret_commitment") == commitment
    if not own or header.get("hands") != count:
        raise BadInput("the record file", str(file), f"the records of session {old.session!r}")


def _drop(hall: Hall, old: Old) -> None:
    """Table by table, so that no write is endless; the session itself last."""
    store, session = hall.store, old.session
    for table in pages(lambda after: store.tables(session, after=after), "", _id):
        drops: list[Change] = []
        for hand in hall.hand_rows(table.id):
            logged = [DropSteps(hand.id)] if store.steps(hand.id, after=0) else []
            drops += [*logged, DropHand(hand.id)]
        store.write(*drops)
    tables = pages(lambda after: store.tables(session, after=after), "", _id)
    entries = pages(lambda after: store.entries(session, after=after), -1, _number)
    detail = orjson.dumps({"session": session, "hands": old.hands}).decode()
    store.write(
        *[DropTable(table.id) for table in tables],
        *[DropEntry(session, entry.bot) for entry in entries],
        DropSession(session),
        AuditRow(hall.clock.wall_ms(), ACTOR, "session.prune", detail),
    )


def _hands(hall: Hall, session: str) -> Iterator[Any]:
    return pages(lambda after: hall.store.session_hands(session, after=after), "", _id)


def _id(row: Any) -> str:
    return str(row.id)


def _number(row: Any) -> int:
    return int(row.number)
