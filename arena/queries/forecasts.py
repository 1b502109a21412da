"""Forecasts of a session: drawn from what is stored, or from who has entered by now.

Reads the store and changes nothing. The schedule of a session that has not begun is drawn as its
start draws it, but from a placeholder for the key, which nobody has before the start: it has as
many rounds and tables, and other line-ups.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from itertools import islice

import orjson

from arena.documents import Document
from arena.referee.context import Sources
from arena.referee.live import Session
from arena.session.apart import Field, pairs_apart
from arena.session.config import SessionConfig, read_config
from arena.session.forecast import Forecast, Speed, forecast, forecast_document
from arena.session.owners import in_one_spelling
from arena.session.stored_schedule import first_rounds, read_schedule, rounds_to_come, seed_of
from arena.statuses import EntryStatus, HandStatus, SessionStatus
from arena.store.port import HandRow, SessionRow
from arena.store.reading import all_entries, session_row

SESSIONS = 5
"""So many of the newest ended sessions are looked at for hands of the like."""
PLACEHOLDER_KEY = bytes(32)
HANDS = 200
"""So many hands of each are measured."""


def session_forecast(sources: Sources, session_id: str) -> Document:
    """How long a session will take and how exact it will be, as staff may know.

    Raises NotFound, and BadInput for a roster that cannot be seated.
    """
    row = session_row(sources.store, session_id)
    session = sources.in_play.session(session_id)
    speed = _speed(sources, session.config)
    if row.schedule is not None:
        made = _of_stored(sources, session, row.schedule, speed)
    else:
        made = _of_entries(sources, session, speed)
    return {"session": session_id, "status": row.status, **forecast_document(made)}


def _of_stored(sources: Sources, session: Session, text: str, speed: Speed | None) -> Forecast:
    programme = read_schedule(orjson.loads(text))
    names = [sources.registry.row(bot).name for bot in programme.roster]
    config, to_come = session.config, programme.to_come
    return forecast(config, programme.made, names, to_come=to_come, speed=speed)


def _of_entries(sources: Sources, session: Session, speed: Speed | None) -> Forecast:
    listed = all_entries(sources.store, session.id)
    rows = [
        sources.registry.row(entry.bot) for entry in listed if entry.status == EntryStatus.ENTERED
    ]
    names, config = [row.name for row in rows], session.config
    owners = in_one_spelling(row.owner for row in rows)
    roster = Field([row.id for row in rows], names, owners)
    draw = partial(
        first_rounds,
        config.schedule,
        config.seats,
        names=names,
        owners=owners,
        apart=pairs_apart(config.schedule.apart, roster),
        seed=seed_of(PLACEHOLDER_KEY, session.id),
    )
    schedule = sources.long_work.drawing(draw)
    to_come = rounds_to_come(config.schedule, schedule)
    return forecast(config, schedule, names, to_come=to_come, speed=speed)


def _speed(sources: Sources, config: SessionConfig) -> Speed | None:
    """How long hands at tables of this size took in the newest sessions that have ended."""
    rows = sources.store.sessions(SessionStatus.FINISHED, limit=4 * SESSIONS)
    alike = (row for row in rows if _seats(row) == config.seats)
    read = partial(sources.store.session_hands, limit=HANDS)
    took = [ms for row in islice(alike, SESSIONS) for ms in _lengths(read(row.id))]
    return Speed(sum(took) / len(took), len(took)) if took else None


def _seats(row: SessionRow) -> int:
    return read_config(orjson.loads(row.document)).seats


def _lengths(hands: Iterable[HandRow]) -> list[int]:
    """How many ms the hands took that were played."""
    return [
        hand.ended_ms - hand.started_ms
        for hand in hands
        if hand.status == HandStatus.FINISHED and hand.ended_ms is not None
    ]
