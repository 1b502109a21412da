"""The runner: from round to round, from hand to hand, until the session has ended.

`advance_session` and `advance_table` look at what is and do what is missing, so they may be called
at any time, any number of times, by any thread: after a hand, after a restart, after a resume. Each
step forward is one atomic write, in this order:

1. the schedule with the status `running` (`sessions.start`);
2. a round: all its tables, each with its first hand and the deal, in one write;
3. the moves; the last step of a hand together with its result (`answers.commit`);
4. the next hand with its deal; or, when bots have forfeited, all hands that are left over together
   with the end of the table; or the end of the table;
5. the next round, if it follows from results together with the schedule that it makes longer; or
   the end of the session.

A crash between any two of them leaves a state from which the same functions go on: an open table
whose last hand has ended gets its next hand, a running session without open tables its next round.
Deals and seatings are functions of the session's secret, so it does not matter who does it or when.
"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence

import orjson

from arena import sitting
from arena.errors import Conflict
from arena.notices.recording import message, notices, rounds_ended
from arena.referee.bell import Bell
from arena.referee.clock import ArenaClock
from arena.referee.context import Context, Signals, Sources
from arena.referee.hand_start import begin_hand, prepare_hand
from arena.referee.in_play import InPlay
from arena.referee.live import Hand, Session, Table
from arena.referee.open_turns import Presence
from arena.referee.projection import announce, close, offer
from arena.referee.reveals import is_settled, peers
from arena.referee.rounds import begin_round, draw_round, recall_answers
from arena.referee.session_counters import drop_counters
from arena.session.hand_log import next_seating
from arena.session.names import hand_id, table_id
from arena.session.notices import ENDED
from arena.session.results import forfeited_result, hand_result
from arena.statuses import IN_PLAY, Actor, EntryStatus, HandStatus, SessionStatus, TableStatus
from arena.store.port import (
    AuditRow,
    Change,
    EndHand,
    HandRow,
    SetSessionStatus,
    SetTableStatus,
    Store,
)
from arena.store.reading import all_entries, all_sessions
from arena.tournament.results import forfeiting

RECONNECT_MS = 5_000
"""For how long after a start every bot counts as waiting: it could not poll meanwhile."""


def advance_session(context: Context, session_id: str) -> None:
    """Begin the rounds that may begin now; end the session after the last."""
    session = context.in_play.sessions.get(session_id)
    if session is None:
        return
    with session.lock:
        if session.given_up or session.status != SessionStatus.RUNNING:
            return
        _report_rounds(context, session)
        rounds_open = {table.round for table in session.tables.values()}
        while len(rounds_open) < session.config.schedule.rounds_at_once:
            if session.rounds_made == len(session.rounds) or session.ending:
                break
            rounds_open.add(session.rounds_made + 1)
            begin_round(context, session, session.rounds_made + 1)
        if session.tables:
            return
        if session.to_come == 0 or session.ending:
            _end_session(context, session)
        else:
            draw_round(context, session)


def rounds_over(session: Session) -> int:
    """Up to which number all rounds of a session have ended."""
    open_rounds = {table.round for table in session.tables.values()}
    return min(open_rounds, default=session.rounds_made + 1) - 1


def _report_rounds(context: Context, session: Session) -> None:
    """Send word of rounds that have ended, if the session sends messages at all."""
    over, now_ms = rounds_over(session), context.clock.wall_ms()
    changes = rounds_ended(context.store, session.id, over, now_ms=now_ms) if over else []
    if changes:
        with contextlib.suppress(Conflict):  # it was reported, and the commit was in doubt
            context.store.write(*changes)


def advance_table(context: Context, table: str) -> None:
    """Begin the next hand of a table that has none in play, or end the table."""
    live = context.in_play.tables.get(table)
    if live is None:
        return
    with live.lock:
        if (
            context.in_play.tables.get(table) is not live
        ):  # it has ended or been made void meanwhile
            return
        if live.damage is not None or live.session.status != SessionStatus.RUNNING:
            return
        if not _is_playing(context, live):
            _go_on(context, live)


def _is_playing(context: Context, table: Table) -> bool:
    """Does the table's hand still run? One whose log has ended without a result is settled."""
    hand = table.hand
    if hand is None:
        return False
    with hand.lock:
        if hand.log.state.over and not hand.closed:
            _settle(context, hand)
        return not hand.closed


def _settle(context: Context, hand: Hand) -> None:
    text = orjson.dumps(hand_result(hand.log, hand.log.state, hand.log.steps)).decode()
    context.store.write(EndHand(hand.id, HandStatus.FINISHED, text, context.clock.wall_ms()))
    close(context.in_play, context.signals, hand)


def _go_on(context: Context, table: Table) -> None:
    """The next hand, or the end; where tables share their shuffles, not before all have got there.

    The last one that gets there takes the others with it.
    """
    played, session = len(table.log.faulty), table.session
    waits = played and not session.ending
    if waits and not is_settled(context, session, table.group, number=played):
        return
    _step(context, table, played)
    context.signals.bell.ring(f"hand:{hand_id(table.id, played)}")
    for other in peers(table):
        if other.hand is None or other.hand.closed:
            context.signals.jobs.add("table", other.id)


def _step(context: Context, table: Table, played: int) -> None:
    hands = table.session.config.hands_per_table
    failed = [[str(player) for player in players] for players in table.log.faulty]
    out = [int(player) for player in forfeiting(failed)]
    if played >= hands or _is_over(table, hands):
        _end_table(context, table, [])
    elif out:
        _end_table(context, table, _forfeited(context.clock, table, out, first=played + 1))
    elif table.session.ending:
        _end_table(context, table, [], status=TableStatus.ABORTED)
    else:
        opening = prepare_hand(context.clock, table, played + 1)
        context.store.write(*opening.changes)
        moved = begin_hand(context, table, opening)
        with moved.hand.lock:
            announce(context, [moved])


def _is_over(table: Table, hands: int) -> bool:
    """Does the ruleset end the sitting here?"""
    rules = table.rules
    elapsed_ms = table.session.clock.now_ms() - (table.log.began_ms or 0)
    return sitting.is_over(rules, table.log.sitting, hands=hands, elapsed_ms=elapsed_ms)


def _forfeited(clock: ArenaClock, table: Table, out: Sequence[int], *, first: int) -> list[HandRow]:
    """The rows of the hands that are not played."""
    result = orjson.dumps(forfeited_result(table.log, out)).decode()
    now_ms = clock.wall_ms()
    return [
        HandRow(
            id=hand_id(table.id, number),
            table=table.id,
            number=number,
            seating=orjson.dumps(next_seating(table.log, number, secret=table.key)).decode(),
            status=HandStatus.FORFEITED,
            commitment="",
            result=result,
            started_ms=now_ms,
            ended_ms=now_ms,
        )
        for number in range(first, table.session.config.hands_per_table + 1)
    ]


def _end_table(
    context: Context,
    table: Table,
    rows: Sequence[HandRow],
    *,
    status: TableStatus = TableStatus.FINISHED,
) -> None:
    context.store.write(*rows, SetTableStatus(table.id, status, was=TableStatus.PLAYING))
    forget_table(context.in_play, context.signals, table)
    context.signals.jobs.add("session", table.session.id)


def forget_table(in_play: InPlay, signals: Signals, table: Table) -> None:
    """A table is over: let go of it."""
    in_play.tables.pop(table.id, None)
    table.session.tables.pop(table.id, None)
    signals.presence.forget(table.id)
    table.hand = None
    for other in peers(table):  # they may have waited for this one
        signals.jobs.add("table", other.id)


def _end_session(context: Context, session: Session) -> None:
    audit = AuditRow(context.clock.wall_ms(), Actor.REFEREE, "session.finish", f'"{session.id}"')
    ended = SetSessionStatus(session.id, SessionStatus.FINISHED, was=SessionStatus.RUNNING)
    notices = _end_notices(context.store, session, context.clock.wall_ms())
    context.store.write(ended, *notices, audit, *drop_counters(context.store, session.id))
    session.status = SessionStatus.FINISHED
    retire(context.in_play, context.signals.bell, session)


def _end_notices(store: Store, session: Session, now_ms: int) -> list[Change]:
    """What bots and the session's address are told; places are worked out for whoever asks."""
    rows = all_entries(store, session.id)
    bots = [entry.bot for entry in rows if entry.status == EntryStatus.ENTERED]
    data = {"name": session.config.name}
    return [
        *notices(bots, session.id, ENDED, data={}, now_ms=now_ms),
        *message(store, session.id, "session.ended", data=data, now_ms=now_ms),
    ]


def retire(in_play: InPlay, bell: Bell, session: Session) -> None:
    """A session is over: its bots need not wait for it; keep it among those looked at last."""
    for bot in session.roster:
        bell.release(f"bot:{bot}")
    in_play.shelved.put(session.id, session)
    in_play.sessions.pop(session.id, None)


def resume_all(context: Context, *, alive_ms: int | None) -> None:
    """Take up every session in play, and set the arena's clock going.

    alive_ms: the last beat of the process before. The clock goes on from there or from the last
    step of a running hand, whichever is later: what lies between is the outage, credited to all.
    """
    for status in IN_PLAY:
        for row in all_sessions(context.store, status):
            session = context.in_play.sessions[row.id] = context.in_play.load_session(row)
            resume_session(context, session)
    last_ms = max(map(last_step_ms, context.in_play.hands.values()), default=None)
    known = [each for each in (alive_ms, last_ms) if each is not None]
    context.clock.go(max(known) if known else None)
    if context.in_play.hands:
        context.signals.presence.expect_everybody(context.clock.now_ms() + RECONNECT_MS)
    for session in tuple(context.in_play.sessions.values()):
        wake_session(context.clock, context.signals, session)


def last_step_ms(hand: Hand) -> int:
    """When a hand was moved on last, in arena time."""
    last_ms: int = hand.log.steps[-1].meta["clock_ms"]
    return last_ms + hand.table.session.clock.lag_ms


def resume_session(context: Context, session: Session) -> None:
    """Take up an open session where its log ends. Nothing is written; the jobs do the rest."""
    load_tables(context, session)
    put_in_play(context, session)


def load_tables(sources: Sources, session: Session) -> None:
    """Read a session's open tables where their logs end. Nobody can reach them yet."""
    count_rounds(sources.store, session)
    for row in sources.store.open_tables(session.id):
        session.tables[row.id] = sources.in_play.load_table(session, row)
    recall_answers(sources.store, session)


def put_in_play(context: Context, session: Session) -> None:
    """Let a session that has been loaded be played here; its turns are not offered yet."""
    in_play = context.in_play
    for table in tuple(session.tables.values()):
        if table.hand is not None:
            in_play.hands[table.hand.id] = table.hand
        in_play.tables[table.id] = table
        recall_probation(context.signals.presence, table)


def recall_probation(presence: Presence, table: Table) -> None:
    """Note which seats are on probation at a table that has been read from the log."""
    for player, bot in enumerate(table.players):
        if table.log.on_probation(player):
            presence.suspend(bot, table.id)
        else:
            presence.restore(bot, table.id)


def count_rounds(store: Store, session: Session) -> None:
    """How many rounds have tables in the store."""
    while session.rounds_made < len(session.rounds):
        if store.table(table_id(session.id, session.rounds_made + 1, 1)) is None:
            return
        session.rounds_made += 1


def wake_session(clock: ArenaClock, signals: Signals, session: Session) -> None:
    """Offer all open turns of a session again, and do what has been waiting."""
    for table in tuple(session.tables.values()):
        wake_table(clock, signals, table)
        signals.jobs.add("table", table.id)
    signals.jobs.add("session", session.id)


def wake_table(clock: ArenaClock, signals: Signals, table: Table) -> None:
    """Offer the open turns of a table again."""
    hand = table.hand
    if hand is not None:
        with hand.lock:
            if not hand.closed:
                offer(clock, signals, hand, tuple(hand.turns.values()))
