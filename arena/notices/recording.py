"""Recording: the rows of a notice or a message, to be written with what they report.

A notice goes to the bot, a message to the address of its session, if it has one. Nothing is written
here: the caller writes it all at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Mapping
from typing import Any

import orjson

from arena.clock import instant
from arena.notices.subscriptions import change, subscription
from arena.store.notice_rows import DeliveryRow, NoticeRow, numbered
from arena.store.port import Change, Store

Data = Mapping[str, Any]
ROUND_ENDED = "session.round_ended"
TEST = "test"


def notice(bot: str, session: str, kind: str, *, data: Data, now_ms: int) -> list[Change]:
    """What writes a notice of a bot; data: as the kind says."""
    row = NoticeRow(bot, session, now_ms, kind, orjson.dumps(data).decode())
    return list(numbered(row))


def notices(
    bots: Iterable[str], session: str, kind: str, *, data: Data, now_ms: int
) -> list[Change]:
    """The same notice for many bots, in the order of their ids: so the rows of bots are locked in
    one order by whoever writes."""
    text = orjson.dumps(data).decode()
    rows = (NoticeRow(bot, session, now_ms, kind, text) for bot in sorted(bots))
    return [each for row in rows for each in numbered(row)]


def message(store: Store, session: str, kind: str, *, data: Data, now_ms: int) -> list[Change]:
    """What puts a message into the outbox; nothing for a session without an address."""
    if subscription(store, session) is None:
        return []
    return [delivery(session, kind, data=data, now_ms=now_ms)]


def delivery(session: str, kind: str, *, data: Data, now_ms: int) -> DeliveryRow:
    """A message for the address of a session, due at once."""
    name = f"msg_{secrets.token_hex(12)}"
    body = {
        "id": name,
        "type": kind,
        "timestamp": instant(now_ms),
        "data": {"session": session, **data},
    }
    return DeliveryRow(name, session, now_ms, kind, orjson.dumps(body).decode(), now_ms)


def rounds_ended(store: Store, session: str, rounds: int, *, now_ms: int) -> list[Change]:
    """What reports that all rounds up to a number have ended, each once; nothing if that is so.

    Raises nothing, but the write fails with Conflict if another process reports it first.
    """
    known = subscription(store, session)
    if known is None or known.rounds >= rounds:
        return []
    numbers = range(known.rounds + 1, rounds + 1)
    messages = [
        delivery(session, ROUND_ENDED, data={"round": number}, now_ms=now_ms) for number in numbers
    ]
    return [*change(session, known, known._replace(rounds=rounds)), *messages]
