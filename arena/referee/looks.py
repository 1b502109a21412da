"""Looks: sessions, tables, hands and standings as plain data for whoever may see them.

Reads only. Times of moves and cards are not in these documents; a running hand shows no more than
what lies open on the table (`waiting.hand_events`).
"""

from __future__ import annotations

from typing import Any

import orjson

from arena.errors import BadInput, NotFound
from arena.referee.clock import instant
from arena.referee.deals import secret_commitment
from arena.referee.hall import Hall
from arena.referee.live import Session
from arena.referee.sessions import entries
from arena.store.port import AuditRow, EntryRow, HandRow, SessionRow, TableRow
from arena.tournament.lineups import Schedule, statistics

Document = dict[str, Any]
STATUSES = ("created", "open", "running", "paused", "finished", "cancelled")
OVER = ("finished", "cancelled")
LONGEST_PAGE = 500


def sessions(hall: Hall, state: str | None, *, after: str | None, limit: int) -> Document:
    """A page of sessions, newest first."""
    if state is not None and state not in STATUSES:
        raise BadInput("state", state, f"one of {', '.join(STATUSES)}")
    limit = _limit(limit)
    rows = hall.store.sessions(state, after=after or "", limit=limit)
    return {
        "sessions": [_brief(row) for row in rows],
        "next": rows[-1].id if len(rows) == limit else None,
    }


def _brief(row: SessionRow) -> Document:
    plan = orjson.loads(row.document)
    return {
        "session": row.id,
        "name": plan["name"],
        "status": row.status,
        "created": instant(row.created_ms),
        "seats": plan["seats"],
        "hands_per_table": plan["hands_per_table"],
        "ruleset": plan["ruleset"],
        "roster": plan["roster"],
    }


def session(hall: Hall, session_id: str) -> Document:
    """Everything about a session that is public."""
    row = hall.session_row(session_id)
    found = hall.session(session_id)
    plan = found.plan
    return {
        **plan.document,
        "session": row.id,
        "status": row.status,
        "created": instant(row.created_ms),
        "options": dict(plan.rules.document),
        "fingerprint": plan.rules.fingerprint,
        "secret_commitment": secret_commitment(row.secret),
        "secret": row.secret.hex() if row.status in OVER else None,
        "entries": _entries(hall, session_id),
        "design": design(row),
        "progress": _progress(hall, found, row),
    }


def _entries(hall: Hall, session_id: str) -> list[Document]:
    listed = []
    for entry in entries(hall, session_id):
        row = hall.registry.row(entry.bot)
        listed.append(
            {
                "bot": entry.bot,
                "name": row.name,
                "owner": row.owner,
                "number": entry.number,
                "status": entry.status,
            }
        )
    return listed


def _schedule(row: SessionRow) -> Schedule | None:
    if row.schedule is None:
        return None
    said = orjson.loads(row.schedule)
    return Schedule(
        said["kind"],
        said["n"],
        said["k"],
        rounds=tuple(tuple(map(tuple, tables)) for tables in said["rounds"]),
        byes=tuple(map(tuple, said["byes"])),
        house=said["house"],
    )


def design(row: SessionRow) -> Document | None:
    """How even the schedule is; None before there is one."""
    made = _schedule(row)
    if made is None:
        return None
    even = statistics(made)
    return {
        "kind": made.kind,
        "rounds": len(made.rounds),
        "tables": len(made.tables),
        "house_bots": made.house,
        "meetings_min": even.meetings_min,
        "meetings_max": even.meetings_max,
        "after_min": even.after_min,
        "after_max": even.after_max,
    }


def _progress(hall: Hall, found: Session, row: SessionRow) -> Document:
    made = _schedule(row)
    tables = len(made.tables) if made is not None else 0
    counts = hall.store.hand_counts(row.id)
    return {
        "hands": tables * found.plan.hands_per_table,
        "hands_finished": counts.get("finished", 0),
        "hands_forfeited": counts.get("forfeited", 0),
        "hands_playing": counts.get("playing", 0),
        "rounds": len(made.rounds) if made is not None else 0,
    }


def tables(hall: Hall, session_id: str, *, after: str | None, limit: int) -> Document:
    """A page of a session's tables, in playing order."""
    found = hall.session(session_id)
    limit = _limit(limit)
    rows = hall.store.tables(session_id, after=after or "", limit=limit)
    return {
        "tables": [_table_brief(hall, found, row) for row in rows],
        "next": rows[-1].id if len(rows) == limit else None,
    }


def _table_brief(hall: Hall, found: Session, row: TableRow) -> Document:
    players = [{"bot": bot, "name": hall.name(found, bot)} for bot in orjson.loads(row.players)]
    return {
        "table": row.id,
        "session": row.session,
        "round": row.round,
        "number": row.number,
        "status": row.status,
        "players": players,
    }


def table(hall: Hall, table_id: str) -> Document:
    """One table with its hands."""
    row = hall.store.table(table_id)
    if row is None:
        raise NotFound("table", f"there is no table {table_id!r}")
    found = hall.session(row.session)
    hands = [_hand_brief(hand) for hand in hall.hand_rows(table_id)]
    return {**_table_brief(hall, found, row), "hands": hands}


def _hand_brief(row: HandRow) -> Document:
    return {
        "hand": row.id,
        "table": row.table,
        "number": row.number,
        "status": row.status,
        "seating": orjson.loads(row.seating),
        "commitment": row.commitment,
        "started": instant(row.started_ms),
        "ended": None if row.ended_ms is None else instant(row.ended_ms),
        "result": None if row.result is None else orjson.loads(row.result),
    }


def hand(hall: Hall, hand_id: str) -> Document:
    """One hand: who sits where, and its result when it is over."""
    row = hall.store.hand(hand_id)
    if row is None:
        raise NotFound("hand", f"there is no hand {hand_id!r}")
    home = hall.store.table(row.table)
    if home is None:
        raise NotFound("table", f"there is no table {row.table!r}")
    players = _table_brief(hall, hall.session(home.session), home)["players"]
    seats = [players[player] for player in orjson.loads(row.seating)]
    return {**_hand_brief(row), "session": home.session, "seats": seats}


def entry_document(entry: EntryRow) -> Document:
    """An entry as its bot and the organiser see it."""
    return {
        "session": entry.session,
        "bot": entry.bot,
        "number": entry.number,
        "status": entry.status,
        "entered": instant(entry.entered_ms),
    }


def audit_document(row: AuditRow) -> Document:
    """An entry of the audit log."""
    return {
        "number": row.number,
        "at": instant(row.at_ms),
        "actor": row.actor,
        "action": row.action,
        "detail": orjson.loads(row.detail),
    }


def _limit(limit: int) -> int:
    return max(1, min(limit, LONGEST_PAGE))


def _id(row: Any) -> str:
    found: str = row.id
    return found
