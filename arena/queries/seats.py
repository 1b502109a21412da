"""The table at which somebody sits now: how the hand stands, what has happened in it, and the hands
before. With a long poll for what comes next.

What a reader may know of it is for whoever shows it: events and state are whole. Nothing here
changes a hand.
"""

from __future__ import annotations

from typing import NamedTuple

import orjson

from arena.errors import NotFound
from arena.referee.change_feed import find_hand
from arena.referee.context import Context
from arena.referee.live import Hand
from arena.referee.long_poll import check_running, patience_ms
from arena.rules import Ruleset, State
from arena.session.hand_log import Step
from arena.statuses import OVER, EntryStatus, HandStatus
from arena.store.port import EntryRow, HandRow, SessionRow, TableRow
from arena.store.reading import all_entries_of, all_hands, all_tables, session_row

LOOK_AGAIN_MS = 500
"""How soon to look again where no hand is played: nobody rings for a table that waits."""
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
    """Where somebody sits. table: None before it has been drawn. player: who the person is among
    those at the table. over: is the session? left: has the person left it? ended: the hands of the
    table that have ended, the first first. hand: None before the first."""

    session: SessionRow
    table: str | None
    player: int
    over: bool
    left: bool
    ended: tuple[HandRow, ...]
    hand: HandAtTable | None

    @property
    def mark(self) -> str:
        """What differs whenever there is something new to be shown."""
        return f"{self.session.id}.{self.session.status}.{self.hand.mark if self.hand else ''}"


def seat_at_table(context: Context, bot: str) -> SeatAtTable | None:
    """Where somebody sits, or sat last; None for who has not sat down anywhere."""
    entry = max(all_entries_of(context.store, bot), key=_entered, default=None)
    if entry is None:
        return None
    try:
        row = session_row(context.store, entry.session)
    except NotFound:  # it has been taken away just now
        return None
    table = _table(context, bot, row)
    hands = () if table is None else tuple(all_hands(context.store, table.id))
    played = [hand for hand in hands if hand.status in (HandStatus.PLAYING, HandStatus.FINISHED)]
    return SeatAtTable(
        session=row,
        table=None if table is None else table.id,
        player=0 if table is None else orjson.loads(table.players).index(bot),
        over=row.status in OVER,
        left=entry.status != EntryStatus.ENTERED,
        ended=tuple(hand for hand in hands if hand.status != HandStatus.PLAYING),
        hand=_hand(find_hand(context, played[-1].id), bot) if played else None,
    )


def _entered(entry: EntryRow) -> tuple[int, str]:
    return entry.entered_ms, entry.session


def _table(context: Context, bot: str, row: SessionRow) -> TableRow | None:
    """The table of a session at which a bot sits: where its turn is, else the last one."""
    turns = context.signals.open_turns.of(bot)
    waiting = {turn.hand.table.id for turn in turns if turn.hand.table.session.id == row.id}
    tables = [
        each for each in all_tables(context.store, row.id) if bot in orjson.loads(each.players)
    ]
    mine = [each for each in tables if each.id in waiting] or tables
    return mine[-1] if mine else None


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
    waiter = context.signals.bell.listen(topic, who=bot)
    try:
        check_running(waiter)
        now = seat_at_table(context, bot)
        if now is None or now.mark != mark:
            return
        rung = waiter.wait(left_ms if playing else min(left_ms, LOOK_AGAIN_MS))
        if rung is not None and playing:
            waiter.wait(min(left_ms, GATHER_MS))
    finally:
        context.signals.bell.leave(waiter)
