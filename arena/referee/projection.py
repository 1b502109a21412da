"""Moving: everything in memory that follows from a step of a hand.

A step is applied, then announced: turns are offered and taken back, deadlines watched, jobs asked
for, the bell rung last. A step whose commit was in doubt, and was made all the same, is read from
the log and treated likewise. Nothing here writes to the store.
"""

from __future__ import annotations

from collections.abc import Sequence

from arena.errors import DamagedHand
from arena.referee.clock import ArenaClock
from arena.referee.context import Context, Signals
from arena.referee.deadline_queue import DeadlineQueue
from arena.referee.fault_log import log_probation
from arena.referee.in_play import InPlay
from arena.referee.live import Hand, Moved, Table, Turn, apply_step
from arena.referee.step_rows import read_step
from arena.rules.events import Cause
from arena.statuses import BotKind, HandStatus
from arena.store.port import Store
from arena.store.reading import all_hands


def announce(context: Context, moves: Sequence[Moved]) -> None:
    """Everything in memory that follows from steps of different hands: open turns, deadlines,
    jobs; the bell last. The caller holds the locks of the hands."""
    context.signals.open_turns.change(
        [turn for moved in moves for turn in moved.closed],
        [turn for moved in moves for turn in moved.opened],
    )
    presence = context.signals.presence
    for moved in moves:
        for turn in moved.closed:
            begins = turn.on_probation
            note = presence.suspend if begins else presence.restore
            if note(turn.bot, moved.hand.table.id):
                log_probation(moved.hand, turn.seat, begins=begins)
        if moved.over:
            close(context.in_play, context.signals, moved.hand)
        else:
            _call(context.clock, context.signals, moved.hand, moved.opened)
        context.signals.bell.ring(f"hand:{moved.hand.id}")


def offer(clock: ArenaClock, signals: Signals, hand: Hand, turns: Sequence[Turn]) -> None:
    """Offer turns of a hand, watch their deadlines, ring for their bots."""
    signals.open_turns.lay(turns)
    _call(clock, signals, hand, turns)


def _call(clock: ArenaClock, signals: Signals, hand: Hand, turns: Sequence[Turn]) -> None:
    """Call for those who have turns now."""
    watch_deadline(signals.deadlines, hand)
    for turn in turns:
        if answered_for(clock, signals, turn) is not None:
            signals.jobs.add("attend", hand.id)
        signals.bell.ring(f"bot:{turn.bot}")


def answered_for(clock: ArenaClock, signals: Signals, turn: Turn) -> str | None:
    """Why a seat is answered for at once: a cause, or `house`; None if it is not."""
    session = turn.hand.table.session
    if turn.bot in session.out:
        return session.out[turn.bot]
    if turn.bot in session.house:
        return BotKind.HOUSE
    if not turn.on_probation:
        return None
    is_here = is_waiting(clock, signals, turn.bot) or has_just_answered(turn)
    return Cause.ABSENT if turn.sits_out or not is_here else None


def has_just_answered(turn: Turn) -> bool:
    """Was an answer of its bot accepted at any table of the session, no longer ago than a move may
    take? Then it may be thinking about another table, with no request that waits."""
    session = turn.hand.table.session
    answered_ms = session.answered_ms.get(turn.bot)
    return (
        answered_ms is not None
        and session.clock.now_ms() <= answered_ms + turn.time_control.move_ms
    )


def is_waiting(clock: ArenaClock, signals: Signals, bot: str) -> bool:
    """Does a request of a bot wait for turns in this process, or did one end a moment ago?"""
    return signals.bell.has_listener(f"bot:{bot}") or signals.presence.is_expected(
        bot, clock.now_ms()
    )


def close(in_play: InPlay, signals: Signals, hand: Hand) -> None:
    """A hand is over: count it at its table, and let the table go on."""
    hand.table.log.end(hand.log)
    hand.closed = True
    signals.deadlines.drop(hand.id)
    in_play.ended.put(hand.id, hand)
    in_play.hands.pop(hand.id, None)
    signals.jobs.add("table", hand.table.id)


def void_hand(in_play: InPlay, signals: Signals, hand: Hand) -> None:
    """A hand is void: nobody's turn is open any more. The caller holds its lock."""
    hand.closed = True
    signals.deadlines.drop(hand.id)
    in_play.hands.pop(hand.id, None)
    in_play.ended.put(hand.id, hand)
    signals.open_turns.take(hand.turns.values())


def quarantine(in_play: InPlay, signals: Signals, hand: Hand, damage: DamagedHand) -> None:
    """A hand is not played on, nor is its table: its log is not what was written. The caller holds
    its lock."""
    in_play.note_damage(damage)
    hand.table.damage = damage
    hand.closed = True
    signals.deadlines.drop(hand.id)
    in_play.hands.pop(hand.id, None)
    signals.open_turns.take(hand.turns.values())
    hand.turns.clear()
    signals.bell.ring(f"hand:{hand.id}")


def quarantined(store: Store, table: Table) -> list[str]:
    """The hand that the store has as being played, at a table that is not played on for damage."""
    if table.damage is None:
        return []
    return [hand.id for hand in all_hands(store, table.id) if hand.status == HandStatus.PLAYING]


def watch_deadline(deadlines: DeadlineQueue, hand: Hand) -> None:
    """Put a hand's earliest deadline on the watch. Paused sessions have none."""
    clock = hand.table.session.clock
    if hand.turns and clock.frozen_ms is None:
        due_ms = min(t.due_ms for t in hand.turns.values())
        deadlines.put(hand.id, due_ms + clock.lag_ms)


def catch_up(context: Context, hand: Hand) -> None:
    """Read those steps of a hand's log that are not known here: their commit was in doubt, and was
    made. The caller holds the hand's lock."""
    for row in context.store.steps(hand.id, after=hand.log.seq):
        if hand.closed:
            return
        try:
            step = read_step(hand.log, row, old=False)
        except DamagedHand as error:
            quarantine(context.in_play, context.signals, hand, error)
            return
        announce(context, [apply_step(hand, step, step.meta["clock_ms"])])
