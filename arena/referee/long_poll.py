"""Long polls: the turns that wait for a bot, or those that come while it waits.

Level-triggered: a poll answers from what is, never from a ring. It listens first and looks then, so
a ring in between only makes it look twice, and a lost one costs no more than the poll's own time.
Nothing here changes a hand.
"""

from __future__ import annotations

import secrets
from itertools import islice

from arena import wire
from arena.documents import Document
from arena.errors import DamagedHand, NotFound, Unavailable
from arena.referee.bell import Waiter
from arena.referee.context import Context
from arena.referee.live import Turn
from arena.referee.open_turns import OpenTurns
from arena.referee.turn_documents import moment, turn_document
from arena.settings import Settings

RETRY_AFTER_S = 2
PLAIN_POLL_MS = 250
PROBATION_POLL_MS = 100
"""The same for a bot with a seat on probation, that it may find and answer a turn in time."""
COME_BACK_MS = 1_000
"""How much longer than it was asked to a bot may take to poll again and still count as waiting."""
LONG_WAIT_MS = 5_000
SPREAD = 5
"""A long wait ends up to this part of it early."""


def turns(
    context: Context,
    bot: str,
    after: int | None,
    *,
    limit: int,
    wait_ms: int,
    hints: bool,
    client: str,
) -> Document:
    """Every turn that waits for a bot; see `Referee.turns`."""
    context.visits.note(bot, context.clock.wall_ms(), client)
    limit = max(1, min(limit, context.settings.max_turns))
    if not context.signals.open_turns.gave(after):
        after = None  # it is of another referee, so nobody knows which turns it stands for
    ready = _ready(context.signals.open_turns, bot, after, limit=limit)
    if ready and not context.signals.bell.stopped:  # nobody has to listen for what is there
        context.metrics.waited("turns")
    else:
        ready = _wait_for_turns(context, bot, after, limit=limit, wait_ms=wait_ms)
    return _reply(context, bot, ready, after=after, hints=hints, polled=wait_ms <= 0)


def _wait_for_turns(
    context: Context, bot: str, after: int | None, *, limit: int, wait_ms: int
) -> list[Turn]:
    waiter = context.signals.bell.listen(f"bot:{bot}", ("from", after), who=bot)
    try:
        ready = _until_turns(context, waiter, bot, after=after, limit=limit, wait_ms=wait_ms)
    finally:
        context.signals.bell.leave(waiter)
        if waiter.stopped:
            context.metrics.waited("stopped")
    context.metrics.waited("turns" if ready else "released" if waiter.released else "empty")
    return ready


def _until_turns(
    context: Context, waiter: Waiter, bot: str, *, after: int | None, limit: int, wait_ms: int
) -> list[Turn]:
    until_ms = context.clock.wall_ms() + patience_ms(context.settings, wait_ms)
    while True:
        check_running(waiter)
        if waiter.released:
            return []
        ready = _ready(context.signals.open_turns, bot, after, limit=limit)
        left_ms = until_ms - context.clock.wall_ms()
        if ready or left_ms <= 0:
            return ready
        context.metrics.woken(waiter.wait(left_ms))


def patience_ms(settings: Settings, wait_ms: int) -> int:
    """How long a poll that asked for so much waits; a long one a little less.

    Bots that came together, as all do when a session begins, would else come back together again
    and again, and meanwhile keep the server from waking anybody.
    """
    longest_ms = min(wait_ms, settings.max_wait_ms)
    if longest_ms < LONG_WAIT_MS:
        return longest_ms
    return longest_ms - secrets.randbelow(longest_ms // SPREAD)


def _ready(open_turns: OpenTurns, bot: str, after: int | None, *, limit: int) -> list[Turn]:
    """The turns that a poll with this cursor gets."""
    return list(islice(filter(_offered, open_turns.of(bot, after)), limit))


def _offered(turn: Turn) -> bool:
    session = turn.hand.table.session
    return session.clock.frozen_ms is None and session.offering


def check_running(waiter: Waiter) -> None:
    """Raises Unavailable if the referee is stopping."""
    if waiter.stopped:
        raise Unavailable("the referee is stopping", retry_after=RETRY_AFTER_S)


def _reply(
    context: Context,
    bot: str,
    offered_turns: list[Turn],
    *,
    after: int | None,
    hints: bool,
    polled: bool,
) -> Document:
    now = moment(context.clock)
    documents = [turn_document(turn, now, hints=hints) for turn in offered_turns]
    offered = [document for document in documents if document is not None]
    cursor = max((turn.number for turn in offered_turns), default=after)
    poll_after_ms = 0 if offered else _poll_after_ms(context, bot, polled=polled)
    context.signals.presence.expect(bot, now.arena_ms + poll_after_ms + COME_BACK_MS)
    return {"turns": offered, "poll_after_ms": poll_after_ms, "cursor": cursor}


def _poll_after_ms(context: Context, bot: str, *, polled: bool) -> int:
    """How long to let pass before the next poll; a long-poll may come back at once."""
    busy = any(session.offering for session in tuple(context.in_play.sessions.values()))
    if not busy:
        return context.settings.poll_after_ms
    often_ms = PROBATION_POLL_MS if context.signals.presence.is_on_probation(bot) else PLAIN_POLL_MS
    return min(often_ms, context.settings.poll_after_ms) if polled else 0


def is_open(context: Context, bot: str, turn: str) -> bool:
    """Does a turn of this bot wait for an answer? See `Referee.is_open`."""
    return context.signals.open_turns.find(bot, turn) is not None


def example(context: Context, bot: str, turn: str) -> Document | None:
    """One legal answer to an open turn; see `Referee.example`."""
    try:
        hand = context.in_play.find_hand(turn.partition(".")[0])
    except (NotFound, DamagedHand, Unavailable):
        return None
    with hand.lock:
        waiting = hand.turn(turn)
        if (
            waiting is None
            or waiting.bot != bot
            or hand.closed
            or not hand.table.session.config.legal
        ):
            return None
        entries = wire.menu_entries(waiting.menu())
    return entries[0] if entries else None
