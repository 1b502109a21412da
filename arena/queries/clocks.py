"""Clocks: who is waited for at the tables of a session, what is left of each bank, who failed.

For staff only: how long others think is nobody's business while a hand runs. From what is in play
in this process, so the store is not read.
"""

from __future__ import annotations

from arena.documents import Document
from arena.queries.documents import paced
from arena.referee.context import Sources
from arena.referee.live import Hand, Session, Table, Turn
from arena.statuses import IN_PLAY


@paced
def clocks(sources: Sources, session_id: str) -> Document:
    """``{"session", "status", "move_ms", "bank_ms", "tables": [...]}``.

    tables: those that are being played, each with its hand and its players: what is left of their
    banks, their faults at this table, and the turn that is open, if there is one.
    """
    live = sources.in_play.session(session_id)
    playing = live.tables.values() if live.status in IN_PLAY else ()
    tables = sorted(playing, key=lambda table: (table.round, table.id))
    return {
        "session": session_id,
        "status": live.status,
        "move_ms": live.config.clock.move_ms,
        "bank_ms": live.config.clock.bank_ms,
        "tables": [_table(live, table) for table in tables],
    }


def _table(live: Session, table: Table) -> Document:
    hand = table.hand
    turns = {} if hand is None else _open_turns(hand)
    return {
        "table": table.id,
        "round": table.round,
        "hand": None if hand is None else hand.id,
        "number": 1 if hand is None else hand.number,
        "hands": live.config.hands_per_table,
        "players": [
            _player(live, table, player, turn=turns.get(player))
            for player in range(len(table.players))
        ],
    }


def _open_turns(hand: Hand) -> dict[int, Turn]:
    """The open turns of a hand, by player."""
    return {hand.seating[turn.seat]: turn for turn in tuple(hand.turns.values())}


def _player(live: Session, table: Table, player: int, *, turn: Turn | None) -> Document:
    bot, log = table.players[player], table.log
    left_ms = max(0, log.clocks[player].bank_ms - log.spent_ms[player])
    now_ms = live.clock.now_ms()
    return {
        "bot": bot,
        "name": live.names[bot],
        "bank_ms": left_ms if turn is None else turn.charge(now_ms).bank_ms,
        "failed_hands": sum(player in failed for failed in tuple(log.faulty)),
        "faults_in_a_row": log.streak[player],
        "probation": log.on_probation(player),
        "turn": None if turn is None else _turn(turn, now_ms),
    }


def _turn(turn: Turn, now_ms: int) -> Document:
    """An open turn. seen: has its bot been told of it?"""
    return {
        "turn": turn.id,
        "waits_ms": max(0, now_ms - turn.opened_ms),
        "left_ms": max(0, turn.due_ms - now_ms),
        "seen": turn.seen_ms is not None,
        "refused": turn.refused,
    }
