"""Old sessions: their records written to files, then everything of them taken out of the store.

A session goes only when its record file is whole and on the disk: header, every hand, all lines. If
that is interrupted, the next time finds the file and goes on. Bots, standings pages of other
sessions and the audit stay. Others may be played in the same store meanwhile: nothing writes to a
session that is over, and each write here is as short as one hand, with a pause after it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from arena.errors import BadInput, Conflict, NotFound
from arena.identity.casual import is_person
from arena.identity.visits import seen_key
from arena.notices.faults import fault_keys
from arena.organising import notifying
from arena.queries.queries import queries_of
from arena.queries.visibility import is_public
from arena.referee.context import Ports, Sources
from arena.referee.session_counters import drop_counters
from arena.session import deals, divisions, invitations, people, publication
from arena.statuses import OVER, Actor
from arena.store.connections import settle
from arena.store.port import (
    AuditRow,
    Change,
    DropBot,
    DropCounter,
    DropEntry,
    DropHand,
    DropNote,
    DropSession,
    DropSteps,
    DropTable,
    EntryRow,
    HandRow,
    RevokeBot,
    SessionRow,
    Store,
)
from arena.store.reading import (
    all_entries,
    all_hands,
    all_session_hands,
    all_sessions,
    all_tables,
    session_row,
)
from arena.store.time_rows import DropTimes


class OldSession(NamedTuple):
    """A session that may go. ended_ms: when its last hand ended, else when it was created."""

    session: str
    status: str
    ended_ms: int
    hands: int


def old_sessions(sources: Sources, before_ms: int) -> Iterator[OldSession]:
    """The sessions that were over before an instant, newest first; none whose results are still
    withheld, since their tables may be replayed."""
    for row in all_sessions(sources.store):
        if row.status in OVER and is_public(sources, row.id):
            ended_ms, hands = _end(sources.store, row)
            if ended_ms < before_ms:
                yield OldSession(row.id, row.status, ended_ms, hands)


def _end(store: Store, row: SessionRow) -> tuple[int, int]:
    ended_ms, hands = row.created_ms, 0
    for hand in all_session_hands(store, row.id):
        ended_ms, hands = max(ended_ms, hand.ended_ms or hand.started_ms), hands + 1
    return ended_ms, hands


def retire(
    sources: Sources, old: OldSession, folder: Path, *, pause: Callable[[], None] = lambda: None
) -> Path:
    """Write a session's records to a file in the folder, then drop it; the file.

    pause: called after each write, for the good of a referee that writes to the same database.
    Raises BadInput if the folder cannot be written, or holds another file of that name.
    """
    file = folder / f"{old.session}.jsonl"
    try:
        if not file.exists():
            _write(sources, old.session, file)
        _check(sources.store, file, old)
    except OSError as error:
        raise BadInput("the record file", str(file), f"one to write to ({error})") from error
    drop(sources, old, pause)
    return file


def _write(sources: Sources, session: str, file: Path) -> None:
    part = file.with_name(file.name + ".part")
    with part.open("w", encoding="utf-8") as out:
        out.writelines(queries_of(sources).records(session, full=True))
    settle(part)
    part.replace(file)
    settle(file.parent)


def _check(store: Store, file: Path, old: OldSession) -> None:
    """Is the file the whole of this session's records, not of another one of the same name?"""
    commitment = deals.secret_commitment(session_row(store, old.session).secret)
    with file.open("rb") as lines:
        header: dict[str, Any] = orjson.loads(next(lines, b"{}") or b"{}")
        count = sum(1 for _ in lines)
    own = header.get("session") == old.session and header.get("secret_commitment") == commitment
    if not own or header.get("hands") != count:
        raise BadInput("the record file", str(file), f"the records of session {old.session!r}")


def drop(ports: Ports, old: OldSession, pause: Callable[[], None]) -> None:
    """Take a session out of the store, hand by hand, so that no write is long; itself last. People
    who played casually go with the last of their sessions."""
    session = old.session
    bots = [entry.bot for entry in all_entries(ports.store, session)]
    for table in all_tables(ports.store, session):
        for hand in all_hands(ports.store, table.id):
            ports.store.write(*_of_hand(ports.store, hand))
            pause()
    tables = all_tables(ports.store, session)
    detail = orjson.dumps({"session": session, "hands": old.hands}).decode()
    ports.store.write(
        *[DropTable(table.id) for table in tables],
        *without_tables(ports.store, session),
        AuditRow(ports.clock.wall_ms(), Actor.RETENTION, "session.prune", detail),
    )
    pause()
    for bot in bots:
        forget_person(ports, bot)


def forget_person(ports: Ports, bot: str) -> None:
    """Take a person away of whom no session is left."""
    row = ports.store.bot(bot)
    if row is None or not is_person(row) or ports.store.entries_of(bot, limit=1):
        return
    with suppress(Conflict, NotFound):  # the person has sat down again just now, or is gone
        ports.store.write(RevokeBot(bot), DropBot(bot))
        ports.registry.forget(bot)


def without_tables(store: Store, session: str) -> list[Change]:
    """What takes a session away that has no tables any more, with all that is kept of it."""
    return [
        *[change for entry in all_entries(store, session) for change in _of_entry(store, entry)],
        *drop_counters(store, session),
        *_dropped_notes(store, session),
        *notifying.dropped(store, session),
        DropTimes(session),
        DropSession(session),
    ]


def _dropped_notes(store: Store, session: str) -> list[Change]:
    """What takes away the notes about a session, of those that it has."""
    keys = [part.note_key(session) for part in (divisions, invitations, people, publication)]
    return [DropNote(key) for key in keys if store.note(key) is not None]


def _of_hand(store: Store, hand: HandRow) -> list[Change]:
    """A hand with its log."""
    logged = [DropSteps(hand.id)] if store.steps(hand.id) else []
    return [*logged, DropHand(hand.id)]


def _of_entry(store: Store, entry: EntryRow) -> list[Change]:
    """An entry; if it is the bot's last, also when the bot was here."""
    others = [each for each in store.entries_of(entry.bot) if each.session != entry.session]
    keys = [*fault_keys(entry.session, entry.bot), *([] if others else [seen_key(entry.bot)])]
    return [DropEntry(entry.session, entry.bot), *map(DropCounter, store.counters(keys))]
