"""Taking a session up from its log while the process runs, and giving it up to another one.

A session that is given up stands still at a session time that is stored with its lease (`stood`);
who takes it up lets it go on from there, or from its last step if that is later, so that what lies
between is charged to nobody; and only after a moment, in which those come again whom nobody could
answer meanwhile. Locks: `in_play.changing`, then a session's, its tables', its hands'.
This module may not know who else plays, nor what a lease is.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from arena.errors import ArenaError
from arena.referee import runner
from arena.referee.context import Context
from arena.referee.live import Hand, Session, Table
from arena.referee.liveness import COME_AGAIN_MS
from arena.statuses import IN_PLAY
from arena.store.port import Change, CounterRow, DropCounter
from arena.store.reading import session_row


def stood_key(session: str) -> str:
    """Under which key it is kept at which session time a session was given up."""
    return f"stood/{session}"


def session_ms(context: Context, session: str, arena_ms: int) -> int:
    """The session time, as it is stored, of an arena time of the process that played it."""
    return arena_ms - (context.store.counter(f"lag/{session}") or 0)


def take_up(context: Context, session_id: str) -> bool:
    """Play a session from where its log ends; False if it is not in play, or played here already.

    Raises Unavailable, NotHome, and NotFound if it is gone; then nothing of it is in play here.
    """
    in_play = context.in_play
    with in_play.changing:
        row = session_row(context.store, session_id)
        if row.id in in_play.sessions or row.status not in IN_PLAY:
            return False
        session = in_play.load_session(row)
        runner.load_tables(context, session)
        _go_on(context, session)  # before anybody can answer: else the outage would be charged
        runner.put_in_play(context, session)
        in_play.shelved.drop(row.id)
        in_play.sessions[row.id] = session
    if any(table.hand is not None for table in session.tables.values()):
        until_ms = context.clock.now_ms() + runner.RECONNECT_MS
        context.signals.presence.expect_everybody(until_ms)
    runner.wake_session(context.clock, context.signals, session)
    return True


def _go_on(context: Context, session: Session) -> None:
    """Let the session's time go on from where it stood, and write that down."""
    stood_ms = context.store.counter(stood_key(session.id))
    changes: list[Change] = [] if stood_ms is None else [DropCounter(stood_key(session.id))]
    if session.clock.frozen_ms is None:
        known = [] if stood_ms is None else [stood_ms]
        known += [_last_ms(hand) for hand in _hands(session) if hand.log.steps]
        if known:
            session.clock.go_on(max(known), still_ms=COME_AGAIN_MS)
            changes.append(CounterRow(f"lag/{session.id}", session.clock.lag_ms))
    context.store.write(*changes)


def _last_ms(hand: Hand) -> int:
    last_ms: int = hand.log.steps[-1].meta["clock_ms"]
    return last_ms


def give_up(context: Context, session_id: str, *changes: Change) -> None:
    """Play a session here no more: write the changes that give it to somebody else, together with
    the time at which it stands. Raises what the store raises; it is played on here then."""
    with ExitStack() as locks:
        session = _held(context, session_id, locks)
        if session is None:
            context.store.write(*changes)
            return
        clock = session.clock
        lag_ms, runs = clock.lag_ms, clock.frozen_ms is None
        stood = [CounterRow(stood_key(session_id), clock.freeze())] if runs else []
        try:
            context.store.write(*changes, *stood)
        except ArenaError:
            if runs:
                clock.thaw(lag_ms)
            raise
        hands = _hands(session)
        _drop(context, session)
    _wake(context, session, hands)


def let_go(context: Context, session_id: str, *, is_ours: Callable[[], bool]) -> bool:
    """Somebody else plays a session by now: forget what is known of it here; False if there is
    nothing to forget. is_ours: asked when nobody starts or ends it; is it played here after all?"""
    with ExitStack() as locks:
        session = _held(context, session_id, locks)
        if session is None or is_ours():
            return False
        hands = _hands(session)
        _drop(context, session)
    _wake(context, session, hands)
    return True


def _held(context: Context, session_id: str, locks: ExitStack) -> Session | None:
    """The session as it is in play here, with all its locks held; None if it is not in play."""
    in_play = context.in_play
    locks.enter_context(in_play.changing)
    session = in_play.sessions.get(session_id)
    if session is None:
        return None
    locks.enter_context(session.lock)
    if in_play.sessions.get(session_id) is not session:  # it has ended just now
        return None
    _lock_all(session, locks)
    return session


def _lock_all(session: Session, locks: ExitStack) -> None:
    tables = sorted(session.tables.values(), key=lambda table: table.id)
    for table in tables:
        locks.enter_context(table.lock)
    for hand in _hands(session):
        locks.enter_context(hand.lock)


def _hands(session: Session) -> list[Hand]:
    """The hands of a session that are played, by id."""
    hands = [table.hand for table in tuple(session.tables.values()) if table.hand is not None]
    return sorted((hand for hand in hands if not hand.closed), key=lambda hand: hand.id)


def _drop(context: Context, session: Session) -> None:
    session.given_up = True
    in_play, signals = context.in_play, context.signals
    for hand in _hands(session):
        hand.closed = True
        signals.deadlines.drop(hand.id)
        signals.open_turns.take(hand.turns.values())
        in_play.hands.pop(hand.id, None)
    for table in tuple(session.tables.values()):
        _forget(context, table)
    for hand in in_play.ended.values():
        if hand.table.session is session:  # else it would answer for the session's next home
            in_play.ended.drop(hand.id)
    session.tables.clear()
    in_play.sessions.pop(session.id, None)
    in_play.shelved.drop(session.id)


def _forget(context: Context, table: Table) -> None:
    context.in_play.tables.pop(table.id, None)
    context.signals.presence.forget(table.id)


def _wake(context: Context, session: Session, hands: Sequence[Hand]) -> None:
    """Whoever waits here for the session is to ask again: it is elsewhere now."""
    for bot in session.roster:
        context.signals.bell.release(f"bot:{bot}")
    for hand in hands:
        context.signals.bell.ring(f"hand:{hand.id}")
