"""The runner: from round to round, from hand to hand, until the session has ended.

`advance_session` and `advance_table` look at what is and do what is missing, so they may be called
at any time, any number of times, by any thread: after a hand, after a restart, after a resume. Each
step forward is one atomic write, in this order:

1. the schedule with the status `running` (`sessions.start`);
2. a round: all its tables, each with its first hand and the deal, in one write;
3. the moves; the last step of a hand together with its result (`acting.commit`);
4. the next hand with its deal; or, when bots have forfeited, all hands that are left over together
   with the end of the table; or the end of the table;
5. the next round, if it follows from results together with the schedule that it makes longer; or
   the end of the session.

A crash between any two of them leaves a state from which the same functions go on: an open table
whose last hand has ended gets its next hand, a running session without open tables its next round.
Deals and seatings are functions of the session's secret, so it does not matter who does it or when.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import orjson

from arena import sitting
from arena.referee.context import Hall
from arena.referee.hand_start import begin, draw_up
from arena.referee.live import Hand, Session, Table
from arena.referee.projection import announce, close, offer
from arena.referee.reveals import is_settled, peers
from arena.referee.rounds import begin_round, draw_round
from arena.referee.shared_clock import clock_keys, forgotten, join
from arena.session.hand_log import next_seating
from arena.session.names import hand_id, table_id
from arena.session.results import forfeited_result, hand_result
from arena.store.paging import all_rows
from arena.store.port import (
    AuditRow,
    EndHand,
    HandRow,
    SessionRow,
    SetSessionStatus,
    SetTableStatus,
    TableRow,
)
from arena.tournament.results import forfeiting

REFEREE = "referee"
RECONNECT_MS = 5_000
"""For how long after a start every bot counts as waiting: it could not poll meanwhile."""


def advance_session(hall: Hall, session_id: str) -> None:
    """Begin the rounds that may begin now; end the session after the last."""
    session = hall.sessions.get(session_id)
    if session is None:
        return
    with session.lock:
        if session.status != "running":
            return
        rounds_open = {table.round for table in session.tables.values()}
        while len(rounds_open) < session.plan.schedule.rounds_at_once:
            if session.rounds_made == len(session.rounds):
                break
            rounds_open.add(session.rounds_made + 1)
            begin_round(hall, session, session.rounds_made + 1)
        if session.tables or (hall.shared and hall.store.open_tables(session.id)):
            return
        if session.to_come == 0:
            _end_session(hall, session)
        else:
            draw_round(hall, session)


def advance_table(hall: Hall, table: str) -> None:
    """Begin the next hand of a table that has none in play, or end the table."""
    found = hall.tables.get(table)
    if found is None:
        return
    with found.lock:
        if hall.tables.get(table) is not found:  # it has ended or been made void meanwhile
            return
        if found.session.status == "running" and not _is_playing(hall, found):
            _go_on(hall, found)


def _is_playing(hall: Hall, table: Table) -> bool:
    """Does the table's hand still run? One whose log has ended without a result is settled."""
    hand = table.hand
    if hand is None:
        return False
    with hand.lock:
        if hand.log.state.over and not hand.closed:
            _settle(hall, hand)
        return not hand.closed


def _settle(hall: Hall, hand: Hand) -> None:
    text = orjson.dumps(hand_result(hand.log, hand.log.state, hand.log.steps)).decode()
    hall.store.write(EndHand(hand.id, "finished", text, hall.clock.wall_ms()))
    close(hall, hand)


def _go_on(hall: Hall, table: Table) -> None:
    """The next hand, or the end; where tables share their shuffles, not before all have got there.

    The last one that gets there takes the others with it.
    """
    played = len(table.log.faulty)
    if played and not is_settled(hall, table.session, table.spot, number=played):
        return
    _step(hall, table, played)
    hall.bell.ring(f"hand:{hand_id(table.id, played)}")
    for other in peers(table):
        if other.hand is None or other.hand.closed:
            hall.jobs.add("table", other.id)


def _step(hall: Hall, table: Table, played: int) -> None:
    hands = table.session.plan.hands_per_table
    failed = [[str(player) for player in players] for players in table.log.faulty]
    out = [int(player) for player in forfeiting(failed)]
    if played >= hands or _is_over(table, hands):
        _end_table(hall, table, [])
    elif out:
        _end_table(hall, table, _forfeited(hall, table, out, first=played + 1))
    else:
        opening = draw_up(hall, table, played + 1)
        still = SetTableStatus(table.id, "playing", was="playing")  # and not made void elsewhere
        hall.store.write(*([still] if hall.shared else []), *opening.changes)
        moved = begin(hall, table, opening)
        with moved.hand.lock:
            announce(hall, [moved])


def _is_over(table: Table, hands: int) -> bool:
    """Does the ruleset end the sitting here?"""
    rules = table.rules
    elapsed_ms = table.session.clock.now_ms() - (table.log.began_ms or 0)
    return sitting.is_over(rules, table.log.sitting, hands=hands, elapsed_ms=elapsed_ms)


def _forfeited(hall: Hall, table: Table, out: Sequence[int], *, first: int) -> list[HandRow]:
    """The rows of the hands that are not played."""
    result = orjson.dumps(forfeited_result(table.log, out)).decode()
    now_ms = hall.clock.wall_ms()
    secret = table.session.secret
    return [
        HandRow(
            id=hand_id(table.id, number),
            table=table.id,
            number=number,
            seating=orjson.dumps(next_seating(table.log, number, secret=secret)).decode(),
            status="forfeited",
            commitment="",
            result=result,
            started_ms=now_ms,
            ended_ms=now_ms,
        )
        for number in range(first, table.session.plan.hands_per_table + 1)
    ]


def _end_table(hall: Hall, table: Table, rows: Sequence[HandRow]) -> None:
    hall.store.write(*rows, SetTableStatus(table.id, "finished", was="playing"))
    forget_table(hall, table)
    hall.jobs.add("session", table.session.id)


def forget_table(hall: Hall, table: Table) -> None:
    """A table is over: let go of it."""
    hall.tables.pop(table.id, None)
    table.session.tables.pop(table.id, None)
    hall.presence.forget(table.id)
    table.hand = None
    for other in peers(table):  # they may have waited for this one
        hall.jobs.add("table", other.id)


def _end_session(hall: Hall, session: Session) -> None:
    audit = AuditRow(hall.clock.wall_ms(), REFEREE, "session.finish", f'"{session.id}"')
    ended = SetSessionStatus(session.id, "finished", was="running")
    hall.store.write(ended, audit, *forgotten(hall, clock_keys(session.id)))
    session.status = "finished"
    retire(hall, session)


def retire(hall: Hall, session: Session) -> None:
    """A session is over: its bots need not wait for it; keep it among those looked at last."""
    for bot in session.roster:
        hall.bell.release(f"bot:{bot}")
    hall.shelved.put(session.id, session)
    hall.sessions.pop(session.id, None)


def resume_all(hall: Hall, *, alive_ms: int | None) -> None:
    """Take up every session in play, and set the arena's clock going.

    alive_ms: the last beat of the process before. The clock goes on from there or from the last
    step of a running hand, whichever is later: what lies between is the outage, credited to all.
    """
    for status in ("running", "paused"):
        for row in sessions_of(hall, status):
            session = hall.sessions[row.id] = hall.load_session(row)
            resume_session(hall, session)
    last_ms = max(map(last_step_ms, hall.hands.values()), default=None)
    known = [each for each in (alive_ms, last_ms) if each is not None]
    if hall.shared:
        join(hall, last_ms=last_ms)
    else:
        hall.clock.go(max(known) if known else None)
    if hall.hands:
        hall.presence.expect_everybody(hall.clock.now_ms() + RECONNECT_MS)
    for session in tuple(hall.sessions.values()):
        wake_session(hall, session, ours=not hall.shared)


def sessions_of(hall: Hall, status: str) -> Iterator[SessionRow]:
    """All sessions of a status."""
    return all_rows(lambda after: hall.store.sessions(status, after=after), "", _id)


def last_step_ms(hand: Hand) -> int:
    """When a hand was moved on last, in arena time."""
    last_ms: int = hand.log.steps[-1].meta["clock_ms"]
    return last_ms + hand.table.session.clock.lag_ms


def _id(row: SessionRow) -> str:
    return row.id


def resume_session(hall: Hall, session: Session) -> None:
    """Take up an open session where its log ends. Nothing is written; the jobs do the rest."""
    count_rounds(hall, session)  # first: tables that begin meanwhile are loaded, not overlooked
    for row in hall.store.open_tables(session.id):
        take_up_table(hall, session, row)


def take_up_table(hall: Hall, session: Session, row: TableRow) -> Table:
    """Take up an open table where its log ends; its turns are not offered yet."""
    table = hall.load_table(session, row)
    if table.hand is not None:
        hall.hands[table.hand.id] = table.hand
    session.tables[table.id] = hall.tables[table.id] = table
    recall_probation(hall, table)
    return table


def recall_probation(hall: Hall, table: Table) -> None:
    """Note which seats are on probation at a table that has been read from the log."""
    for player, bot in enumerate(table.players):
        if table.on_probation(player):
            hall.presence.suspend(bot, table.id)
        else:
            hall.presence.restore(bot, table.id)


def count_rounds(hall: Hall, session: Session) -> None:
    """How many rounds have tables in the store."""
    while session.rounds_made < len(session.rounds):
        if hall.store.table(table_id(session.id, session.rounds_made + 1, 1)) is None:
            return
        session.rounds_made += 1


def wake_session(hall: Hall, session: Session, *, ours: bool = True) -> None:
    """Offer all open turns of a session again; ours: and do what has been waiting."""
    for table in tuple(session.tables.values()):
        wake_table(hall, table, ours=ours)
        if ours:
            hall.jobs.add("table", table.id)
    if ours:
        hall.jobs.add("session", session.id)


def wake_table(hall: Hall, table: Table, *, ours: bool = True) -> None:
    """Offer the open turns of a table again."""
    hand = table.hand
    if hand is not None:
        with hand.lock:
            if not hand.closed:
                offer(hall, hand, tuple(hand.turns.values()), ours=ours)
