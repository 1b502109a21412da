"""Turn documents: everything a bot needs to answer one turn, with no memory of its own.

What the game says is built once for each state of a hand and kept with the turn; only the times are
new in each answer. Whoever gets a document treats it as frozen. Nothing in it may depend on cards
that the seat cannot know.
"""

from __future__ import annotations

from typing import NamedTuple

from arena import wire
from arena.clock import instant
from arena.documents import Document
from arena.referee.clock import ArenaClock
from arena.referee.live import CachedDocument, Hand, Turn
from arena.rules.melds import Meld
from arena.rules.memo import Memo
from arena.session.hand_log import log_receipt

ENTRIES: Memo[Meld, Document] = Memo(wire.meld_entry)
"""Each meld as an entry of `legal`, written once; treat them as frozen."""


class Moment(NamedTuple):
    """The moment at which turns are told; text: as people and JSON read it."""

    arena_ms: int
    wall_ms: int
    text: str


def moment(clock: ArenaClock) -> Moment:
    """This moment."""
    wall_ms = clock.wall_ms()
    return Moment(clock.now_ms(), wall_ms, instant(wall_ms))


def turn_document(turn: Turn, now: Moment, *, hints: bool) -> Document | None:
    """The document of an open turn, None if it has been closed meanwhile."""
    hand = turn.hand
    hints = hints and hand.table.session.config.legal
    hand.lock.acquire()  # greenlets pay half as much for this as for a block
    try:
        if hand.turns.get(turn.seat) is not turn or hand.closed:
            return None
        cached = turn.cached
        if cached is not None and cached.state is hand.log.state and cached.hints is hints:
            document = cached.document.copy()
        else:
            document = _document(hand, turn, hints=hints)
            turn.cached = CachedDocument(hand.log.state, hints, document)
    finally:
        hand.lock.release()
    _tell_times(document, turn, now)
    return document


def _tell_times(document: Document, turn: Turn, now: Moment) -> None:
    now_ms = turn.hand.table.session.clock.at_ms(now.arena_ms)
    if turn.seen_ms is None:
        turn.seen_ms = now_ms
    left_ms = turn.deadline_ms - now_ms
    bank_ms = turn.allowance.bank_ms
    document["server_time"] = now.text
    document["deadline"] = instant(now.wall_ms + left_ms)
    document["remaining_ms"] = max(0, left_ms - bank_ms)
    document["bank_ms"] = max(0, min(bank_ms, left_ms))


def _document(hand: Hand, turn: Turn, *, hints: bool) -> Document:
    """A document to which only the times have to be added."""
    table = hand.table
    game = wire.seat_fields(table.rules, hand.log.state, turn.seat, hand.shown)
    legal = wire.menu_fields(turn.menu(), ENTRIES.__getitem__) if hints else {}
    since = hand.log.last[turn.seat]
    return {
        "turn": turn.id,
        **hand.heading,
        "seat": turn.seat,
        "fingerprint": table.rules.fingerprint,
        "commitment": hand.log.commitment,
        "previous": table.log.previous[hand.seating[turn.seat]],
        **game,
        **legal,
        "events_from": since,
        "events": hand.log.events_from(since, turn.seat),
        "log": log_receipt(hand.log.seq, hand.log.head),
    }
