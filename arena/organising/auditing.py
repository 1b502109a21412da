"""What the audit log says of what is done with a session: who did it, and why."""

from __future__ import annotations

from typing import NamedTuple

import orjson

from arena.referee.clock import ArenaClock
from arena.store.port import AuditRow
from arena.store.time_rows import TimeRow


class By(NamedTuple):
    """Who does something, and why, for the audit log. reason: may be empty. time: of the session,
    at which the arena does it by itself."""

    actor: str
    reason: str = ""
    time: TimeRow | None = None


def session_audit(clock: ArenaClock, by: By, action: str, session: str, /, **more: str) -> AuditRow:
    """An entry of the audit log about a session, of now."""
    reason = {"reason": by.reason} if by.reason else {}
    detail = orjson.dumps({"session": session, **more, **reason}).decode()
    return AuditRow(clock.wall_ms(), by.actor, action, detail)
