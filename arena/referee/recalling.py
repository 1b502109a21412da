"""Recalling: which bots of a session have answered before, at tables that have ended.

A bot that was never heard of may not draw on the whole of its bank (`time_control.allowance`). Who
takes a session up from its log reads the open tables only; what came before is in the results of
ended hands. Reads the store and writes nothing.
"""

from __future__ import annotations

from collections.abc import Iterator

import orjson

from arena.referee.live import Session
from arena.statuses import TableStatus
from arena.store.port import Store, TableRow
from arena.store.reading import all_hands, all_tables

LONG_AGO_MS = 0


def recall_answers(store: Store, session: Session) -> None:
    """Note those at the open tables of a session that have answered at one that has ended."""
    asked = {bot for table in session.tables.values() for bot in table.players}
    asked -= session.answered_ms.keys() | session.house
    if not asked or min(table.round for table in session.tables.values()) == 1:
        return
    ended = [row for row in all_tables(store, session.id) if row.status != TableStatus.PLAYING]
    for row in reversed(ended):
        players = orjson.loads(row.players)
        if asked.isdisjoint(players):
            continue
        for player in _who_answered(store, row):
            session.answered_ms.setdefault(players[player], LONG_AGO_MS)
        asked -= session.answered_ms.keys()
        if not asked:
            return


def _who_answered(store: Store, row: TableRow) -> Iterator[int]:
    """The players of an ended table that have answered there."""
    for hand in all_hands(store, row.id):
        moves = [] if hand.result is None else orjson.loads(hand.result).get("moves", [])
        yield from (player for player, count in enumerate(moves) if count)
