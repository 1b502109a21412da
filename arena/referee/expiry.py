"""Expiry: answering for seats whose deadline has passed, or whose bots are not there.

Whoever looks first may expire a turn; the log's primary key makes it happen once. Nothing here
decides how a seat is answered for: that is the rules' `default`, by way of `Expire`. House bots are
no fault: they answer by themselves, with the lowest cards that are allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from arena import wire
from arena.errors import ArenaError, NotHome
from arena.referee.answers import Draft, Overtaken, commit, draft, expiry, too_late
from arena.referee.clock import ArenaClock
from arena.referee.context import Context
from arena.referee.deadline_queue import DeadlineQueue
from arena.referee.live import Hand, Turn
from arena.referee.projection import answered_for, catch_up, watch_deadline
from arena.statuses import BotKind

BATCH = 64
"""The most expired turns in one write."""


def expire_due(context: Context) -> int:
    """Expire everything whose time is over; the number of turns. Raises Unavailable; NotHome when
    all that is not that session's has been expired."""
    hands = [
        context.in_play.hands.get(hand)
        for hand in context.signals.deadlines.come_up(context.clock.now_ms())
    ]
    ordered = sorted((hand for hand in hands if hand is not None), key=lambda hand: hand.id)
    return _expire(context, ordered)


def _expire(context: Context, hands: Sequence[Hand]) -> int:
    """Expire one due turn of each hand, some in each write; the number of turns."""
    expired, left = 0, hands
    try:
        while left:
            expired += _expire_together(context, left[:BATCH])
            left = left[BATCH:]
    except ArenaError as error:
        _watch_again(context.signals.deadlines, left)
        if isinstance(error, NotHome):  # another referee plays that session by now
            others = [hand for hand in left if hand.table.session.id != error.session]
            if len(others) < len(left):
                _expire(context, others)
        raise
    return expired


def _watch_again(deadlines: DeadlineQueue, hands: Sequence[Hand]) -> None:
    """Hands that came up and were not looked at come up again."""
    for hand in hands:
        with hand.lock:
            if not hand.closed:
                watch_deadline(deadlines, hand)


def _expire_together(context: Context, hands: Sequence[Hand]) -> int:
    """Expire one due turn of each hand in one write; the hands come up again for more."""
    with ExitStack() as locks:
        for hand in hands:
            locks.enter_context(hand.lock)
        drafts = [due for hand in hands if (due := _due_draft(context.clock, hand)) is not None]
        try:
            commit(context, drafts)
        except Overtaken:
            for hand in hands:
                catch_up(context, hand)
            return 0
        finally:
            for hand in hands:
                if not hand.closed:
                    watch_deadline(context.signals.deadlines, hand)
    return len(drafts)


def _due_draft(clock: ArenaClock, hand: Hand) -> Draft | None:
    session = hand.table.session
    if hand.closed or session.clock.frozen_ms is not None:
        return None
    now_ms = session.clock.now_ms()
    for turn in sorted(hand.turns.values(), key=lambda turn: turn.due_ms):
        cause = too_late(turn, now_ms)
        if cause is not None:
            return expiry(clock, turn, cause)
    return None


def attend(context: Context, hand_id: str) -> None:
    """Answer for every seat of a hand that nobody has to wait for."""
    hand = context.in_play.hands.get(hand_id)
    while hand is not None and _attend_one(context, hand):
        continue


def _attend_one(context: Context, hand: Hand) -> bool:
    """Answer for one seat; False if there is none left."""
    with hand.lock:
        if hand.closed or not hand.table.session.offering:
            return False
        for turn in tuple(hand.turns.values()):
            why = answered_for(context.clock, context.signals, turn)
            if why is not None:
                _answer_for(context, turn, why)
                return True
    return False


def _answer_for(context: Context, turn: Turn, why: str) -> None:
    draft_ = (
        _house_draft(context.clock, turn)
        if why == BotKind.HOUSE
        else expiry(context.clock, turn, why)
    )
    try:
        commit(context, [draft_])
    except Overtaken:
        catch_up(context, turn.hand)


def _house_draft(clock: ArenaClock, turn: Turn) -> Draft:
    """The house bot's own answer: the lowest cards allowed, a pass only if there are none."""
    rules = turn.hand.table.rules
    entries = wire.menu_entries(turn.menu())
    wanted = next((entry for entry in entries if "pass" not in entry), entries[0])
    command = wire.read_answer(rules, turn.hand.log.state, turn.seat, wanted)
    now_ms = turn.hand.table.session.clock.now_ms()
    return draft(clock, turn, command, now_ms=now_ms)
