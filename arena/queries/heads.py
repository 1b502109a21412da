"""Heads: the hash by which the whole log of a hand is known, from the store.

It stands with the last step of the hand. Where an older program wrote the log it is computed from
the steps as `arena.proofs.chain` says. Reads only.
"""

from __future__ import annotations

import orjson

from arena.proofs.chain import unplayed_head
from arena.referee.context import Sources
from arena.referee.live import Session
from arena.referee.step_rows import log_hasher, next_hash
from arena.store.port import HandRow, HashRow, TableRow
from arena.store.reading import hand_row


def head_of(sources: Sources, session: Session, table: TableRow, *, hand: HashRow) -> bytes:
    """The head of a hand that has ended (32 bytes)."""
    return hand.hash or computed_head(sources, session, table, hand=hand.hand)


def stored_head(sources: Sources, table: TableRow, *, hand: HandRow) -> bytes:
    """The same, of a hand that is read alone."""
    steps = sources.store.steps(hand.id)
    if steps and steps[-1].hash is not None:
        return steps[-1].hash
    return computed_head(sources, sources.in_play.session(table.session), table, hand=hand.id)


def computed_head(sources: Sources, session: Session, table: TableRow, *, hand: str) -> bytes:
    """The head of a hand, from its log; of one without a log that of a hand that was not played."""
    row, steps = hand_row(sources.store, hand), sources.store.steps(hand)
    seating = orjson.loads(row.seating)
    if not steps:
        return unplayed_head(hand, seating=seating)
    shuffles = sources.in_play.deal_group(session, table).shuffles
    hasher = log_hasher(sources.in_play.key_of(session, table.round), shuffles, row)
    head, seq = hasher.start, 0
    for step in steps:
        head = next_hash(step, hasher, seq=seq, before=head, old=True)
        seq += step.event_count
    return head
