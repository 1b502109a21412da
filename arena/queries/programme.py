"""Programme: what of a session is being played now, what comes next, how long it has been played.

From what is in play in this process, so that it costs no more than the tables that it names: one
row of the store is read. It says who sits where and which hand runs, which everybody may know; no
result and no card.
"""

from __future__ import annotations

from collections.abc import Iterable

from arena.documents import Document
from arena.queries.documents import paced
from arena.referee.context import Sources
from arena.referee.live import Session, Table
from arena.session.deal_groups import planned_tables
from arena.session.display_names import DisplayNames
from arena.session.names import table_id
from arena.statuses import IN_PLAY, SessionStatus

HOUSE_BOT = "house bot"
"""Who sits in the place of a bot that has left, in a round that has not begun."""


@paced
def programme(sources: Sources, session_id: str, *, staff: bool = False) -> Document:
    """``{"session", "round", "rounds", "played_ms", "playing": [...], "next": {...} | None}``.

    round: the newest that has begun, None if the session is not being played; rounds: how many
    there will be, None if nobody knows. played_ms: for how long it has been played, without pauses;
    None while it is paused. playing: the tables, each with the number of its hand. next: the round
    after this one, with its tables, None in the place of these if they follow from results.
    """
    live = sources.in_play.session(session_id)
    if live.status not in IN_PLAY:
        return _document(session_id, round_=None, rounds=_rounds(live))
    board = sources.in_play.display_names(live, staff=staff)
    playing = sorted(live.tables.values(), key=lambda table: (table.round, table.id))
    return _document(
        session_id,
        round_=live.rounds_made,
        rounds=_rounds(live),
        played_ms=_played_ms(sources, live),
        playing=[_table(live, table, board) for table in playing],
        next_=_next(live, board),
    )


def _document(
    session: str,
    *,
    round_: int | None,
    rounds: int | None,
    played_ms: int | None = None,
    playing: Iterable[Document] = (),
    next_: Document | None = None,
) -> Document:
    return {
        "session": session,
        "round": round_,
        "rounds": rounds,
        "played_ms": played_ms,
        "playing": list(playing),
        "next": next_,
    }


def _rounds(live: Session) -> int | None:
    return None if live.to_come is None else len(live.rounds) + live.to_come


def _played_ms(sources: Sources, live: Session) -> int | None:
    """Since its first hand was dealt, without pauses."""
    if live.status != SessionStatus.RUNNING:
        return None
    first = sources.store.session_hands(live.id, limit=1)
    if not first:
        return None
    return max(0, sources.clock.wall_ms() - first[0].started_ms - live.clock.lag_ms)


def _table(live: Session, table: Table, board: DisplayNames) -> Document:
    """A table that is being played. hand: its number; the first, before that is dealt here."""
    hand = table.hand
    return {
        "table": table.id,
        "round": table.round,
        "players": [board.shown(bot, live.names[bot]) for bot in table.players],
        "hand": 1 if hand is None else hand.number,
        "hands": live.config.hands_per_table,
    }


def _next(live: Session, board: DisplayNames) -> Document | None:
    number = live.rounds_made + 1
    if live.ending:
        return None
    if number > len(live.rounds):
        return None if live.to_come == 0 else {"round": number, "tables": None}
    line_ups = live.rounds[number - 1]
    planned = planned_tables(live.config.deals, live.id, number, line_ups=line_ups)
    return {
        "round": number,
        "tables": [
            {
                "table": table_id(live.id, number, place.number),
                "players": [_seated(live, live.roster[index], board) for index in place.line_up],
            }
            for place in planned
        ],
    }


def _seated(live: Session, bot: str, board: DisplayNames) -> Document:
    if bot in live.out:
        return {"bot": None, "name": HOUSE_BOT}
    return board.shown(bot, live.names[bot])
