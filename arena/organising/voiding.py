"""Voiding: a table that does not count, and the table that is played in its stead.

A void table keeps its hands, with the reason in their records; its running hand is voided. It
may be replayed once, by the same line-up under a new id (`...-t03b`), from which new deals and
seats follow. Both can be done while a session is played, and after its end as long as its results
are withheld: then nobody knows the secret from which the new deals follow. Every action is one
atomic write together with its entry in the audit log.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace

import orjson

from arena.errors import Conflict
from arena.organising.publishing import audit_row, change
from arena.queries.visibility import publication, tables_of
from arena.referee import runner
from arena.referee.clock import ArenaClock
from arena.referee.context import Context, Sources
from arena.referee.hand_start import begin_hand, prepare_hand
from arena.referee.live import Hand, Session, Table
from arena.referee.projection import announce, quarantined, void_hand
from arena.referee.rounds import table_notices, with_substitutes
from arena.session.names import check_text
from arena.session.publication import Publication, Void
from arena.statuses import IN_PLAY, OVER, HandStatus, ResultsMode, SessionStatus, TableStatus
from arena.store.port import (
    Change,
    EndHand,
    SessionRow,
    SetSessionStatus,
    SetTableStatus,
    TableRow,
)
from arena.store.reading import all_hands, session_row, table_row

TRIES = 5
LONGEST_REASON = 200
MARGIN_MS = 60_000
"""An embargo has to hold for so much longer, so that it does not end while a table is begun."""
REPLAYED = re.compile(r"(?P<stem>.*-t\d+)(?P<letter>[a-z]?)")


def void_table(context: Context, table: str, reason: str, *, actor: str) -> None:
    """Take a table out of the standings. Raises NotFound, BadInput for the reason, Conflict."""
    check_text("reason", reason, longest=LONGEST_REASON)
    for attempt in range(TRIES):
        row = table_row(context.store, table)
        session = context.in_play.session(row.session)
        try:
            with context.in_play.changing, session.lock:
                _void(context, session, row, reason, actor=actor)
        except Conflict:
            if attempt == TRIES - 1 or table_row(context.store, table).status == TableStatus.VOID:
                raise
        else:
            context.signals.jobs.add("session", session.id)
            return


def _void(context: Context, session: Session, row: TableRow, reason: str, *, actor: str) -> None:
    published = _checked(context, session, row.id)
    if row.status == TableStatus.VOID:
        raise Conflict(row.id, "this table is void already")
    with ExitStack() as locks:
        live = context.in_play.tables.get(row.id)
        if live is not None:
            locks.enter_context(live.lock)
        hand = _running(live)
        if hand is not None:
            locks.enter_context(hand.lock)
            if hand.closed:
                hand = None
        now_ms = context.clock.wall_ms()
        statuses = [each.status for each in all_hands(context.store, row.id)]
        void = Void(
            reason,
            now_ms,
            finished=statuses.count(HandStatus.FINISHED),
            forfeited=statuses.count(HandStatus.FORFEITED),
        )
        running = [hand.id] if hand is not None else []
        if live is not None:
            running += quarantined(context.store, live)
        ends = [EndHand(each, HandStatus.VOID, None, now_ms) for each in running]
        detail = {"session": session.id, "table": row.id, "reason": reason}
        context.store.write(
            *ends,
            SetTableStatus(row.id, TableStatus.VOID, was=row.status),
            *_with(session.id, published, {**published.voids, row.id: void}),
            audit_row(context.clock, actor, "table.void", detail),
        )
        if hand is not None:
            void_hand(context.in_play, context.signals, hand)
        if live is not None:
            runner.forget_table(context.in_play, context.signals, live)
    if hand is not None:
        context.signals.bell.ring(f"hand:{hand.id}")


def _running(table: Table | None) -> Hand | None:
    return None if table is None or table.hand is None else table.hand


def _checked(sources: Sources, session: Session, table: str) -> Publication:
    """What is published, if tables may be voided now. Raises Conflict, NotHome."""
    row, published = session_row(sources.store, session.id), publication(sources.store, session.id)
    sources.in_play.check_played_here(session, row.status)
    if row.status in IN_PLAY:
        return published
    if row.status not in OVER or published.at(sources.clock.wall_ms()) == ResultsMode.LIVE:
        expected = "a session that is played, or has ended and is frozen or embargoed"
        raise Conflict(table, f"this needs {expected}: it is {row.status}, its results are public")
    return published


def _with(session: str, published: Publication, voids: Mapping[str, Void]) -> tuple[Change, ...]:
    return (change(session, published, replace(published, voids=voids)),)


def replay_table(context: Context, table: str, *, actor: str) -> str:
    """Play a void table again; the id of the new one. Raises NotFound, Conflict."""
    row = table_row(context.store, table)
    session = _in_play(context, row.session)
    with context.in_play.changing, session.lock:
        return _replay(context, session, row, actor=actor)


def _in_play(sources: Sources, session_id: str) -> Session:
    """The session, with its rounds counted, as a session in play is."""
    session = sources.in_play.session(session_id)
    if session_id not in sources.in_play.sessions:
        runner.count_rounds(sources.store, session)
    return session


def _replay(context: Context, session: Session, row: TableRow, *, actor: str) -> str:
    published = _checked(context, session, row.id)
    void = published.voids.get(row.id)
    if void is None:
        raise Conflict(row.id, "only a void table is replayed")
    if void.replay is not None:
        raise Conflict(row.id, f"this table is replayed as {void.replay} already")
    status = session_row(context.store, session.id)
    back = _back_in_play(context.clock, status, published)
    table, number = _new_table(context, session, row)
    opening = prepare_hand(context.clock, table, 1)
    players = orjson.dumps(table.players).decode()
    detail = {"session": session.id, "table": row.id, "replay": table.id}
    context.store.write(
        *back,
        TableRow(table.id, session.id, row.round, number, players, TableStatus.PLAYING),
        *opening.changes,
        *_with(
            session.id,
            published,
            {**published.voids, row.id: void._replace(replay=table.id)},
        ),
        *table_notices([table], context.clock.wall_ms()),
        audit_row(context.clock, actor, "table.replay", detail),
    )
    if back:
        session.status = SessionStatus.RUNNING
        context.in_play.shelved.drop(session.id)
        context.in_play.sessions[session.id] = session
    moved = begin_hand(context, table, opening)
    session.tables[table.id] = context.in_play.tables[table.id] = table
    with moved.hand.lock:
        announce(context, [moved])
    return table.id


def _back_in_play(clock: ArenaClock, row: SessionRow, published: Publication) -> list[Change]:
    """What puts an ended session back into play. Raises Conflict if its secret is public."""
    if row.status in IN_PLAY:
        return []
    then_ms = clock.wall_ms() + MARGIN_MS
    if row.status != SessionStatus.FINISHED or published.tells_secret(row.status, then_ms):
        message = "the session's secret has been shown, from which new deals would follow"
        reason = message if row.status == SessionStatus.FINISHED else f"the session is {row.status}"
        raise Conflict(row.id, f"nothing can be replayed: {reason}")
    return [SetSessionStatus(row.id, SessionStatus.RUNNING, was=SessionStatus.FINISHED)]


def _new_table(sources: Sources, session: Session, row: TableRow) -> tuple[Table, int]:
    """The new table and its number, the next one of its round."""
    players = with_substitutes(sources.registry, session, orjson.loads(row.players))
    for player in players:
        sources.in_play.note_player(session, player)
    last = max(each.number for each in tables_of(sources, session.id) if each.round == row.round)
    key = sources.in_play.key_of(session, row.round)
    table = Table(_next_id(row.id), session, round_=row.round, players=players, key=key)
    return table, last + 1


def _next_id(table: str) -> str:
    """The id of the table that is played in the stead of another: `-t03`, `-t03b`, `-t03c` ..."""
    match = REPLAYED.fullmatch(table)
    if match is None or match["letter"] == "z":
        raise Conflict(table, "this table has been replayed too often")
    return match["stem"] + chr(ord(match["letter"] or "a") + 1)
