"""Openings: a hand from its deal to its first turn.

Deals and seatings are functions of the key of the table's round, so it does not matter who prepares
them or when. A hand is prepared (`prepare_hand`), written by the caller together with whatever
belongs to it, and then taken into memory (`begin_hand`). Nothing here writes to the store.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from arena.referee.clock import ArenaClock
from arena.referee.context import Sources
from arena.referee.live import Hand, Moved, Table, apply_step
from arena.referee.step_rows import log_hasher, write_step
from arena.rules import EMPTY, decide
from arena.session import deals
from arena.session.hand_log import Step, next_deal, next_seating
from arena.session.names import hand_id
from arena.statuses import HandStatus
from arena.store.port import Change, HandRow


class PreparedHand(NamedTuple):
    """A hand that is about to begin, as yet without its first step; the rows of both."""

    hand: Hand
    step: Step
    changes: tuple[Change, ...]


def prepare_hand(clock: ArenaClock, table: Table, number: int) -> PreparedHand:
    """Deal a hand: nothing is written yet."""
    rules = table.rules
    order = next_seating(table.log, number, secret=table.key)
    shuffle = deals.deal(
        table.key, table.group.shuffles, number, deck=rules.deck, players=len(table.players)
    )
    command = next_deal(table.log, order, shuffle)
    published = deals.commitment(shuffle)
    now_ms = clock.wall_ms()
    meta = {"clock_ms": table.session.clock.now_ms(), "commitment": published}
    events = decide(rules, EMPTY, command)
    row = HandRow(
        id=hand_id(table.id, number),
        table=table.id,
        number=number,
        seating=orjson.dumps(order).decode(),
        status=HandStatus.PLAYING,
        commitment=published,
        result=None,
        started_ms=now_ms,
        ended_ms=None,
    )
    hand = Hand(row.id, table, number=number, seating=order)
    hand.log.hash_with(log_hasher(table.key, table.group.shuffles, row))
    step, step_row = write_step(
        hand.log, now_ms, turn="", command=command, events=events, meta=meta
    )
    return PreparedHand(hand, step, (row, step_row))


def begin_hand(sources: Sources, table: Table, opening: PreparedHand) -> Moved:
    """A hand has been written: it is the table's hand now. Nobody is told yet."""
    hand = opening.hand
    moved = apply_step(hand, opening.step, table.session.clock.now_ms())
    sources.in_play.hands[hand.id] = table.hand = hand
    sources.metrics.moved(opened=len(moved.opened))
    return moved
