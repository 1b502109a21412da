"""The table at which somebody sits now: how the hand stands, what has happened in it, and the hands
before. With a long poll for what comes next.

What a reader may know of it is for whoever shows it: events and state are whole. Nothing here
changes a hand.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from arena.errors import NotFound
from arena.referee.clock import NEVER_MS
from arena.referee.context import Context
from arena.referee.live import Hand
from arena.referee.long_poll import check_running, patience_ms
from arena.rules import Ruleset, State
from arena.session.hand_log import Step
from arena.session.times import DROPS
from arena.statuses import ENTERABLE, OVER, EntryStatus, HandStatus
from arena.store.port import EntryRow, HandRow, SessionRow, Store
from arena.store.reading import all_hands, all_tables, last_entry, session_row

LOOK_AGAIN_MS = 500
"""How soon to look again where no hand is played, or several are: nobody rings for a table that
waits, and one hand does not ring for the others."""
LOOK_AGAIN_BEFORE_MS = 2_000
"""The same before a session has begun, which may be for days."""
HERE_MS = 20_000
GATHER_MS = 250
"""Opponents that answer at once are shown together, after this."""


class HandAtTable(NamedTuple):
    """The hand that is played, or was played last. names: by seat; mark: differs whenever more has
    happened."""

    id: str
    number: int
    seat: int
    names: tuple[str, ...]
    rules: Ruleset
    state: State
    steps: tuple[Step, ...]
    over: bool
    mark: str


class SeatAtTable(NamedTuple):
    """Where somebody sits. table: None before one has been drawn. tables: how many are being played
    at which the person sits. player: who the person is among those at the table. over: is the
    session? casual: is it taken away by itself? ended: the hands of the table that have ended, the
    first first. hand: None before the first."""

    session: SessionRow
    entry: EntryRow
    casual: bool
    table: str | None
    tables: int
    player: int
    over: bool
    ended: tuple[HandRow, ...]
    hand: HandAtTable | None

    @property
    def left(self) -> bool:
        """Has the person left the session, or been taken out of it?"""
        return self.entry.status != EntryStatus.ENTERED

    @property
    def mark(self) -> str:
        """What differs whenever there is something new to be shown."""
        hand = self.hand.mark if self.hand else ""
        return f"{self.session.id}.{self.session.status}.{self.entry.status}.{self.table}.{hand}"


def seat_at_table(context: Context, bot: str) -> SeatAtTable | None:
    """Where somebody sits, or sat last; None for who has not sat down anywhere."""
    entry = last_entry(context.store, bot)
    if entry is None:
        return None
    try:
        row = session_row(context.store, entry.session)
    except NotFound:  # it has been taken away just now
        return None
    playing = _playing(context, bot, row.id)
    table = playing[0] if playing else _last_table(context.store, bot, row.id)
    hands = () if table is None else tuple(all_hands(context.store, table.id))
    played = [hand for hand in hands if hand.status in (HandStatus.PLAYING, HandStatus.FINISHED)]
    return SeatAtTable(
        session=row,
        entry=entry,
        casual=any(time.what == DROPS for time in context.store.times(row.id)),
        table=None if table is None else table.id,
        tables=len(playing),
        player=0 if table is None else table.players.index(bot),
        over=row.status in OVER,
        ended=tuple(hand for hand in hands if hand.status != HandStatus.PLAYING),
        hand=_hand(context.in_play.find_hand(played[-1].id), bot) if played else None,
    )


class TableOfSeat(NamedTuple):
    """A table at which somebody sits. players: the ids of the bots."""

    id: str
    players: tuple[str, ...]


def _playing(context: Context, bot: str, session: str) -> list[TableOfSeat]:
    """The tables of a session that are being played and at which a bot sits: first those where its
    turn is, by the time that is left, then the others in playing order."""
    live = context.in_play.sessions.get(session)
    being_played = () if live is None else tuple(live.tables.values())
    tables = [each for each in being_played if bot in each.players]
    due_ms = {turn.hand.table.id: turn.due_ms for turn in context.signals.open_turns.of(bot)}
    tables.sort(key=lambda each: (due_ms.get(each.id, NEVER_MS), each.round, each.id))
    return [TableOfSeat(each.id, each.players) for each in tables]


def _last_table(store: Store, bot: str, session: str) -> TableOfSeat | None:
    """The table of a session at which a bot sat last."""
    last = None
    for row in all_tables(store, session):
        players = orjson.loads(row.players)
        if bot in players:
            last = TableOfSeat(row.id, tuple(players))
    return last


def _hand(hand: Hand, bot: str) -> HandAtTable | None:
    seat = hand.seat_of(bot)
    if seat is None:
        return None
    with hand.lock:
        return HandAtTable(
            hand.id,
            hand.number,
            seat,
            tuple(name for _, name in hand.shown),
            hand.table.rules,
            hand.log.state,
            tuple(hand.log.steps),
            hand.closed,
            f"{hand.id}.{hand.log.seq}",
        )


def note_here(context: Context, bot: str) -> None:
    """Who looks at the table counts as waiting for a turn: a browser comes back less often than a
    program does."""
    context.signals.presence.expect(bot, context.clock.now_ms() + HERE_MS)


def wait_for_news(context: Context, bot: str, mark: str, *, wait_ms: int) -> None:
    """Wait until something has happened at somebody's table since it had this mark, at most so
    long. Raises Unavailable while the referee stops."""
    until_ms = context.clock.wall_ms() + patience_ms(context.settings, wait_ms)
    while True:
        seat = seat_at_table(context, bot)
        left_ms = until_ms - context.clock.wall_ms()
        if seat is None or seat.mark != mark or left_ms <= 0:
            return
        _listen(context, seat, bot, mark, left_ms=left_ms)


def _listen(context: Context, seat: SeatAtTable, bot: str, mark: str, *, left_ms: int) -> None:
    """Sleep until the hand rings; where none is played, for a moment."""
    playing = seat.hand is not None and not seat.hand.over
    topic = f"hand:{seat.hand.id}" if seat.hand is not None and playing else f"bot:{bot}"
    alone = playing and seat.tables == 1
    soon_ms = LOOK_AGAIN_BEFORE_MS if seat.session.status in ENTERABLE else LOOK_AGAIN_MS
    waiter = context.signals.bell.listen(topic, who=bot)
    try:
        check_running(waiter)
        now = seat_at_table(context, bot)
        if now is None or now.mark != mark:
            return
        rung = waiter.wait(left_ms if alone else min(left_ms, soon_ms))
        if rung is not None and playing:
            waiter.wait(min(left_ms, GATHER_MS))
    finally:
        context.signals.bell.leave(waiter)
