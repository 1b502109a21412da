"""Every SQL statement of the store, in the SQL that SQLite and PostgreSQL share.

`WRITES` has one statement for each kind of change, `READS` one for each question, both by the name
used in the port. Parameters are `?` in order; a database that writes them otherwise replaces the
`?`, so no statement may hold a `?` or a `%` for another purpose. This module does no I/O and
imports the port only.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import itemgetter
from types import MappingProxyType
from typing import Any, NamedTuple

from arena.store.bot_changes import CheckChances, SetChance
from arena.store.cluster_rows import (
    Beat,
    CheckLease,
    DropLease,
    DropReferee,
    LeaseRow,
    MoveLease,
    RefereeRow,
    SetRefereeStatus,
)
from arena.store.notice_rows import (
    DeliveryRow,
    DropDeliveries,
    DropNotices,
    NoticeRow,
    NumberNotice,
    PostponeDeliveries,
    SetDelivery,
    TrimNotices,
)
from arena.store.port import (
    AddOne,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    CounterRow,
    DropBot,
    DropCounter,
    DropEntry,
    DropHand,
    DropNote,
    DropSession,
    DropSteps,
    DropTable,
    EndHand,
    EntryRow,
    HandRow,
    NoteRow,
    RestoreBot,
    RevokeBot,
    RevokeCode,
    RevokeOrganiser,
    SessionRow,
    SetDocument,
    SetEntryStatus,
    SetName,
    SetNameKey,
    SetNote,
    SetOwnerKey,
    SetSchedule,
    SetSessionStatus,
    SetTableStatus,
    SetToken,
    StepRow,
    TableRow,
    UseCode,
)
from arena.store.time_rows import DropTime, DropTimes, SettleTime, TimeRow


class Write(NamedTuple):
    """A statement, and how its parameters are taken from the change. least: rows that it has to
    change, else it has failed."""

    sql: str
    parameters: Callable[[tuple[Any, ...]], tuple[Any, ...]] = tuple
    least: int = 1


class WriteBatch(NamedTuple):
    """Neighbouring changes of one kind, as one statement with many sets of parameters.

    changed: how many rows it must change, at the least, if nothing in it failed.
    """

    kind: type
    parameters: list[tuple[Any, ...]]
    changed: int


def leases_first(works: Iterable[tuple[Change, ...]]) -> Iterator[Change]:
    """The changes of callers who are served together, in order, but first the leases that they
    begin with, each once, by session: so they are checked, and their rows locked, all at once.

    A check that comes before a move of its lease by another of the callers is as if its caller had
    been served before that one.
    """
    checks: set[CheckLease] = set()
    rest: list[tuple[Change, ...]] = []
    for work in works:
        leading = 0
        for change in work:
            if not isinstance(change, CheckLease):
                break
            checks.add(change)
            leading += 1
        rest.append(work[leading:])
    return chain(sorted(checks), chain.from_iterable(rest))


TOGETHER_KINDS = (StepRow, CheckLease)
"""Neighbours of these kinds become one statement: each of them concerns one row, or fails."""


def batches(changes: Iterable[Change]) -> Iterator[WriteBatch]:
    """All changes in order, neighbours of `TOGETHER_KINDS` together."""
    for kind, batch in groupby(changes, key=type):
        write = WRITES[kind]
        taken = list(map(write.parameters, batch))
        if kind in TOGETHER_KINDS:
            yield WriteBatch(kind, taken, len(taken) * write.least)
        else:
            yield from (WriteBatch(kind, [each], write.least) for each in taken)


TOGETHER = 16
"""Hands whose logs are read in one statement."""
KEYS_TOGETHER = 100
"""Keys that are looked for at once."""
SOME_KEYS = f"IN ({', '.join(['?'] * KEYS_TOGETHER)})"
BOT = (
    "id, name, owner, token_hash, created_ms, revoked, kind,"
    " owner_key, founder, proven, origin, code, name_key"
)
SESSION = "id, status, document, secret, created_ms, schedule, reason"
ENTRY = "session_id, bot_id, number, status, entered_ms, reason, chance"
TABLE = "id, session_id, round, number, players, status"
HAND = "id, table_id, number, seating, status, commitment, result, started_ms, ended_ms"
STEP = "hand_id, seq, at_ms, turn, command, events, event_count, meta, hash"
TIME = "session_id, what, at_ms, outcome, settled_ms, reason"
AUDIT = "at_ms, actor, action, detail"
NOTE = "name, text"
REFEREE = (
    "name, incarnation, address, mark, version, status, detail, started_ms, beats, arena_ms,"
    " sessions, turns, secret_hash"
)
LEASE = "session_id, home, epoch"
NOTICE = "bot_id, session_id, at_ms, kind, data, number"
DELIVERY = "id, session_id, at_ms, kind, body, due_ms, status, tries, outcome"
CODE = "code_hash, label, uses_left, expires_ms, owner, created_ms, made_by, uses, revoked"


def _insert(table: str, columns: str) -> str:
    marks = ", ".join("?" for _ in columns.split(", "))
    return f"INSERT INTO {table} ({columns}) VALUES ({marks})"


def _replace(table: str, key: str, columns: str) -> str:
    """An insert that replaces the row before it, by the column that is its key."""
    others = ", ".join(f"{each} = excluded.{each}" for each in columns.split(", ") if each != key)
    return f"{_insert(table, columns)} ON CONFLICT ({key}) DO UPDATE SET {others}"


def _of(alias: str, columns: str) -> str:
    return ", ".join(f"{alias}.{column}" for column in columns.split(", "))


WRITES: Mapping[type, Write] = MappingProxyType(
    {
        BotRow: Write(_insert("bots", BOT)),
        SessionRow: Write(_insert("sessions", SESSION)),
        EntryRow: Write(_insert("entries", ENTRY)),
        TableRow: Write(_insert("tables", TABLE)),
        HandRow: Write(_insert("hands", HAND)),
        StepRow: Write(_insert("steps", STEP)),
        AuditRow: Write(_insert("audit", AUDIT), itemgetter(0, 1, 2, 3)),
        CodeRow: Write(_insert("codes", CODE)),
        CounterRow: Write(
            "INSERT INTO life (name, at_ms) VALUES (?, ?)"
            " ON CONFLICT (name) DO UPDATE SET at_ms = excluded.at_ms"
        ),
        NoteRow: Write(_insert("notes", NOTE)),
        AddOne: Write(
            "INSERT INTO life (name, at_ms) VALUES (?, 1)"
            " ON CONFLICT (name) DO UPDATE SET at_ms = life.at_ms + 1"
        ),
        SetToken: Write("UPDATE bots SET token_hash = ? WHERE id = ?", itemgetter(1, 0)),
        RevokeBot: Write("UPDATE bots SET revoked = TRUE WHERE id = ?"),
        RevokeOrganiser: Write(
            "UPDATE bots SET revoked = TRUE WHERE id = ? AND kind = 'admin' AND EXISTS (SELECT 1"
            " FROM bots other WHERE other.kind = 'admin' AND other.revoked = FALSE"
            " AND other.id <> bots.id)"
        ),
        SetOwnerKey: Write("UPDATE bots SET owner_key = ? WHERE id = ?", itemgetter(1, 0)),
        RestoreBot: Write(
            "UPDATE bots SET revoked = FALSE, token_hash = ? WHERE id = ?", itemgetter(1, 0)
        ),
        SetName: Write(
            "UPDATE bots SET name = ?, name_key = ? WHERE id = ? AND name = ?",
            itemgetter(1, 2, 0, 3),
        ),
        SetNameKey: Write("UPDATE bots SET name_key = ? WHERE id = ?", itemgetter(1, 0)),
        SetSessionStatus: Write(
            "UPDATE sessions SET status = ?, reason = ? WHERE id = ? AND status = ?",
            itemgetter(1, 3, 0, 2),
        ),
        SetDocument: Write(
            "UPDATE sessions SET document = ? WHERE id = ? AND document = ? AND status = ?",
            itemgetter(1, 0, 2, 3),
        ),
        SetSchedule: Write(
            "UPDATE sessions SET schedule = ?"
            " WHERE id = ? AND COALESCE(schedule, '') = COALESCE(?, '')",
            itemgetter(1, 0, 2),
        ),
        SetEntryStatus: Write(
            "UPDATE entries SET status = ?, reason = ?"
            " WHERE session_id = ? AND bot_id = ? AND status = ?",
            itemgetter(2, 4, 0, 1, 3),
        ),
        SetChance: Write(
            "UPDATE entries SET chance = ? WHERE session_id = ? AND bot_id = ? AND chance IS NULL",
            itemgetter(2, 0, 1),
        ),
        CheckChances: Write(
            "UPDATE sessions SET status = status WHERE id = ?"
            " AND (SELECT COUNT(chance) FROM entries WHERE session_id = sessions.id) = ?"
        ),
        SetTableStatus: Write(
            "UPDATE tables SET status = ? WHERE id = ? AND status = ?", itemgetter(1, 0, 2)
        ),
        EndHand: Write(
            "UPDATE hands SET status = ?, result = ?, ended_ms = ?"
            " WHERE id = ? AND status = 'playing'",
            itemgetter(1, 2, 3, 0),
        ),
        SetNote: Write(
            "UPDATE notes SET text = ? WHERE name = ? AND text = ?", itemgetter(1, 0, 2)
        ),
        DropNote: Write("DELETE FROM notes WHERE name = ?"),
        UseCode: Write(
            "UPDATE codes SET uses_left = uses_left - 1"
            " WHERE code_hash = ? AND uses_left > 0 AND expires_ms > ? AND NOT revoked"
        ),
        RevokeCode: Write("UPDATE codes SET revoked = TRUE WHERE code_hash = ?"),
        DropSteps: Write("DELETE FROM steps WHERE hand_id = ?"),
        DropHand: Write("DELETE FROM hands WHERE id = ?"),
        DropTable: Write("DELETE FROM tables WHERE id = ?"),
        DropEntry: Write("DELETE FROM entries WHERE session_id = ? AND bot_id = ?"),
        DropCounter: Write("DELETE FROM life WHERE name = ?"),
        DropSession: Write("DELETE FROM sessions WHERE id = ?"),
        DropBot: Write("DELETE FROM bots WHERE id = ?"),
        NumberNotice: Write("UPDATE bots SET notices = notices + 1 WHERE id = ?"),
        NoticeRow: Write(
            f"INSERT INTO notices ({NOTICE}) SELECT id, ?, ?, ?, ?, notices FROM bots WHERE id = ?",
            itemgetter(1, 2, 3, 4, 0),
        ),
        TrimNotices: Write(
            "DELETE FROM notices WHERE bot_id = ?"
            " AND number <= (SELECT notices - ? FROM bots WHERE id = ?)",
            itemgetter(0, 1, 0),
            least=0,
        ),
        DropNotices: Write("DELETE FROM notices WHERE session_id = ?", least=0),
        DeliveryRow: Write(_insert("deliveries", DELIVERY)),
        SetDelivery: Write(
            "UPDATE deliveries SET status = ?, due_ms = ?, tries = ?, outcome = ?"
            " WHERE id = ? AND due_ms = ? AND status = 'waiting'",
            itemgetter(1, 2, 3, 4, 0, 5),
        ),
        PostponeDeliveries: Write(
            "UPDATE deliveries SET due_ms = ?"
            " WHERE session_id = ? AND status = 'waiting' AND due_ms <= ?",
            itemgetter(1, 0, 2),
            least=0,
        ),
        DropDeliveries: Write("DELETE FROM deliveries WHERE session_id = ?", least=0),
        TimeRow: Write(_insert("times", TIME)),
        SettleTime: Write(
            "UPDATE times SET outcome = ?, settled_ms = ?, reason = ?"
            " WHERE session_id = ? AND what = ? AND at_ms = ? AND outcome = ''",
            itemgetter(3, 4, 5, 0, 1, 2),
        ),
        DropTime: Write("DELETE FROM times WHERE session_id = ? AND what = ? AND outcome = ?"),
        DropTimes: Write("DELETE FROM times WHERE session_id = ?", least=0),
        RefereeRow: Write(_replace("referees", "name", REFEREE)),
        Beat: Write(
            "UPDATE referees SET beats = ?, arena_ms = ?, sessions = ?, turns = ?"
            " WHERE name = ? AND incarnation = ?",
            itemgetter(2, 3, 4, 5, 0, 1),
        ),
        SetRefereeStatus: Write(
            "UPDATE referees SET status = ?, detail = ? WHERE name = ? AND incarnation = ?",
            itemgetter(2, 3, 0, 1),
        ),
        DropReferee: Write("DELETE FROM referees WHERE name = ? AND incarnation = ?"),
        LeaseRow: Write(_insert("leases", LEASE)),
        MoveLease: Write(
            "UPDATE leases SET home = ?, epoch = ? WHERE session_id = ? AND home = ? AND epoch = ?",
            itemgetter(1, 2, 0, 3, 4),
        ),
        CheckLease: Write(
            "UPDATE leases SET epoch = epoch WHERE session_id = ? AND home = ? AND epoch = ?"
        ),
        DropLease: Write("DELETE FROM leases WHERE session_id = ? AND home = ? AND epoch = ?"),
    }
)

OF_SESSION = (
    f"SELECT {_of('h', HAND)} FROM tables t JOIN hands h ON h.table_id = t.id"
    " WHERE t.session_id = ?"
)
IN_ORDER = " ORDER BY t.round, t.number, h.number"

READS: Mapping[str, str] = MappingProxyType(
    {
        "bot": f"SELECT {BOT} FROM bots WHERE id = ?",
        "bot_by_token": f"SELECT {BOT} FROM bots WHERE token_hash = ?",
        "bot_by_name": f"SELECT {BOT} FROM bots WHERE name = ?",
        "bot_by_key": f"SELECT {BOT} FROM bots WHERE name_key = ?",
        "bots_without_key": f"SELECT {BOT} FROM bots WHERE name_key IS NULL",
        "staff": f"SELECT {BOT} FROM bots WHERE kind NOT IN ('bot', 'house') AND name > ?"
        " ORDER BY name LIMIT ?",
        "bots": f"SELECT {BOT} FROM bots WHERE name > ? ORDER BY name LIMIT ?",
        "bots_of_owner": f"SELECT {BOT} FROM bots WHERE owner_key = ? AND name > ?"
        " ORDER BY name LIMIT ?",
        "bot_count": "SELECT COUNT(*) FROM bots WHERE kind = 'bot' AND revoked = FALSE",
        "registered_ms": "SELECT created_ms FROM bots WHERE origin = ?"
        " ORDER BY created_ms DESC LIMIT 1 OFFSET ?",
        "session": f"SELECT {SESSION} FROM sessions WHERE id = ?",
        "sessions": f"SELECT {SESSION} FROM sessions WHERE (created_ms, id) < (?, ?)"
        " ORDER BY created_ms DESC, id DESC LIMIT ?",
        "sessions_of_status": f"SELECT {SESSION} FROM sessions"
        " WHERE status = ? AND (created_ms, id) < (?, ?)"
        " ORDER BY created_ms DESC, id DESC LIMIT ?",
        "entry": f"SELECT {ENTRY} FROM entries WHERE session_id = ? AND bot_id = ?",
        "entries": f"SELECT {ENTRY} FROM entries WHERE session_id = ? AND number > ?"
        " ORDER BY number LIMIT ?",
        "entries_of": f"SELECT {ENTRY} FROM entries WHERE bot_id = ? AND session_id > ?"
        " ORDER BY session_id LIMIT ?",
        "table": f"SELECT {TABLE} FROM tables WHERE id = ?",
        "tables": f"SELECT {TABLE} FROM tables"
        " WHERE session_id = ? AND (round, number) > (?, ?) ORDER BY round, number LIMIT ?",
        "open_tables": f"SELECT {TABLE} FROM tables"
        " WHERE session_id = ? AND status IN ('waiting', 'playing') ORDER BY round, number",
        "hand": f"SELECT {HAND} FROM hands WHERE id = ?",
        "hands": f"SELECT {HAND} FROM hands WHERE table_id = ? AND number > ?"
        " ORDER BY number LIMIT ?",
        # The first comparison lets the index find the table, the second is the exact one.
        "session_hands": f"{OF_SESSION} AND (t.round, t.number) >= (?, ?)"
        f" AND (t.round, t.number, h.number) > (?, ?, ?){IN_ORDER} LIMIT ?",
        "hand_hashes": "SELECT h.id, h.table_id, h.number, h.status, h.ended_ms,"
        " (SELECT s.hash FROM steps s WHERE s.hand_id = h.id ORDER BY s.seq DESC LIMIT 1)"
        " FROM tables t JOIN hands h ON h.table_id = t.id WHERE t.session_id = ?"
        " AND (t.round, t.number) >= (?, ?)"
        f" AND (t.round, t.number, h.number) > (?, ?, ?){IN_ORDER} LIMIT ?",
        "hand_counts": "SELECT h.status, COUNT(*) FROM tables t"
        " JOIN hands h ON h.table_id = t.id WHERE t.session_id = ? GROUP BY h.status",
        "steps": f"SELECT {STEP} FROM steps WHERE hand_id = ? AND seq + event_count > ?"
        " ORDER BY seq",
        "steps_of": f"SELECT {STEP} FROM steps WHERE hand_id IN ({', '.join(['?'] * TOGETHER)})",
        "code": f"SELECT {CODE} FROM codes WHERE code_hash = ?",
        "codes": f"SELECT {CODE} FROM codes WHERE code_hash > ? ORDER BY code_hash LIMIT ?",
        "codes_since": f"SELECT {CODE} FROM codes WHERE created_ms >= ? AND code_hash > ?"
        " ORDER BY code_hash LIMIT ?",
        "audit": f"SELECT {AUDIT}, number FROM audit WHERE number < ? ORDER BY number DESC LIMIT ?",
        "counter": "SELECT at_ms FROM life WHERE name = ?",
        "counters": f"SELECT name, at_ms FROM life WHERE name {SOME_KEYS}",
        "note": "SELECT text FROM notes WHERE name = ?",
        "notices": f"SELECT {NOTICE} FROM notices WHERE bot_id = ? AND number > ?"
        " ORDER BY number LIMIT ?",
        "last_notice": "SELECT notices FROM bots WHERE id = ?",
        "due_deliveries": f"SELECT {DELIVERY} FROM deliveries"
        " WHERE status = 'waiting' AND due_ms <= ? ORDER BY due_ms LIMIT ?",
        "deliveries": f"SELECT {DELIVERY} FROM deliveries WHERE session_id = ?"
        " ORDER BY at_ms DESC, id DESC LIMIT ?",
        "times": f"SELECT {TIME} FROM times WHERE session_id = ? ORDER BY what",
        "due_times": f"SELECT {TIME} FROM times"
        " WHERE outcome = '' AND at_ms <= ? ORDER BY at_ms LIMIT ?",
        "referees": f"SELECT {REFEREE} FROM referees ORDER BY name",
        "leases": f"SELECT {LEASE} FROM leases WHERE session_id > ? ORDER BY session_id LIMIT ?",
        "leases_of": f"SELECT {LEASE} FROM leases WHERE home = ? AND session_id > ?"
        " ORDER BY session_id LIMIT ?",
        "lease": f"SELECT {LEASE} FROM leases WHERE session_id = ?",
        "leased_sessions": "SELECT e.session_id FROM entries e"
        " JOIN leases l ON l.session_id = e.session_id WHERE e.bot_id = ? ORDER BY e.session_id",
        "unleased_sessions": "SELECT s.id FROM sessions s LEFT JOIN leases l"
        " ON l.session_id = s.id WHERE s.status IN ('running', 'paused')"
        " AND l.session_id IS NULL LIMIT ?",
        "documents": f"SELECT id, document FROM sessions WHERE id {SOME_KEYS}",
        "departures": "SELECT session_id, bot_id FROM entries WHERE status <> 'entered'"
        f" AND session_id {SOME_KEYS}",
        "leases_digest": "SELECT home, COUNT(*), SUM(epoch) FROM leases GROUP BY home",
        "table_counts": "SELECT status, COUNT(*) FROM tables WHERE session_id = ? GROUP BY status",
    }
)
