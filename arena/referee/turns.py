"""Turn documents: everything a bot needs to answer one turn, with no memory of its own.

What the game says is built once for each (hand, events folded, seat) and kept with the turn; only
the times are new in each answer. Nothing in a document may depend on cards that the seat cannot
know.
"""

from __future__ import annotations

from typing import Any

from arena import wire
from arena.referee.clock import instant
from arena.referee.hall import Hall
from arena.referee.live import Hand, Turn, tell

Document = dict[str, Any]


def turn_document(hall: Hall, turn: Turn, *, hints: bool) -> Document | None:
    """The document of an open turn, None if it has been closed meanwhile."""
    hand = turn.hand
    hints = hints and hand.table.session.plan.legal
    with hand.lock:
        if hand.turns.get(turn.seat) is not turn or hand.closed:
            return None
        key = (hand.seq, hints)
        if key not in turn.docs:
            turn.docs.clear()
            turn.docs[key] = _game_part(hand, turn, hints=hints)
        game = turn.docs[key]
    return {**game, **_times(hall, turn)}


def _times(hall: Hall, turn: Turn) -> Document:
    now_ms = turn.hand.table.session.clock.now_ms()
    if turn.seen_ms is None:
        turn.seen_ms = now_ms
    wall_ms = hall.clock.wall_ms()
    left_ms = turn.deadline_ms - now_ms
    return {
        "server_time": instant(wall_ms),
        "deadline": instant(wall_ms + left_ms),
        "remaining_ms": max(0, left_ms - turn.bank_ms),
        "bank_ms": max(0, min(turn.bank_ms, left_ms)),
    }


def _game_part(hand: Hand, turn: Turn, *, hints: bool) -> Document:
    table = hand.table
    plan = table.session.plan
    game = wire.turn_fields(table.rules, hand.state, turn.seat, hints=hints)
    for player in game["players"]:
        player |= table.session.shown(hand.bot(player["seat"]))
    since = hand.last[turn.seat]
    return {
        "turn": turn.id,
        "session": table.session.id,
        "table": table.id,
        "hand": hand.id,
        "hand_number": hand.number,
        "hands": plan.hands_per_table,
        "seat": turn.seat,
        "fingerprint": table.rules.fingerprint,
        "commitment": hand.commitment,
        "previous": table.previous[hand.seating[turn.seat]],
        **game,
        "events_from": since,
        "events": tell(hand.events[since:], hand.written[since:], turn.seat),
    }
