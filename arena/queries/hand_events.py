"""The log of a hand for those who follow it, with a long poll for what comes next.

As other polls: it listens first and looks then. Nothing here changes a hand.
"""

from __future__ import annotations

from typing import NamedTuple

from arena.documents import Document
from arena.errors import Forbidden, NotFound
from arena.queries.visibility import visibility_of
from arena.referee.context import Context, Ports, Sources
from arena.referee.live import Hand
from arena.referee.long_poll import check_running, patience_ms
from arena.referee.reveals import is_settled
from arena.session.hand_log import events_for
from arena.session.names import hand_id
from arena.statuses import OVER, TABLE_OPEN, HandVisibility
from arena.store.port import Store
from arena.store.reading import all_hands, table_row


class FollowedHand(NamedTuple):
    """A hand as somebody finds it who only watches.

    hand: with all its cards: nothing of it may be written but what `redact` lets through. shown:
    are its results and its open cards shown to everybody? hidden: is what lies open on its table
    not to be seen now? If it is shown, it will be seen later.
    """

    hand: Hand
    shown: bool
    hidden: bool


def followed_hand(context: Context, hand: str) -> FollowedHand:
    """A hand as everybody may follow it now. Raises NotFound, NotHome."""
    live = context.in_play.find_hand(hand)
    shown = _shows(context, live, staff=False)
    return FollowedHand(live, shown, _is_hidden(context, live, None, visible=shown))


def current_hand(context: Context, table: str) -> str:
    """The hand that is played at a table, or that was dealt there last. Raises NotFound."""
    live = context.in_play.tables.get(table)
    if live is not None and live.hand is not None:
        return live.hand.id
    row = table_row(context.store, table)
    dealt = [hand.id for hand in all_hands(context.store, row.id) if hand.commitment]
    if not dealt:
        raise NotFound(table, "no hand has been dealt at this table")
    return dealt[-1]


def next_hand(store: Store, hand: Hand) -> str | None:
    """The hand that follows one at its table, if it has been dealt; "" if none will be, None if
    that is not known yet."""
    following = hand_id(hand.table.id, hand.number + 1)
    row = store.hand(following)
    if row is not None:
        return following if row.commitment else ""  # forfeited: nothing is dealt there
    table = store.table(hand.table.id)
    return None if table is not None and table.status in TABLE_OPEN else ""


def hand_events(
    context: Context,
    hand: str,
    viewer: str | None,
    *,
    after: int,
    wait_ms: int,
    staff: bool,
) -> Document:
    """The log of a hand from event `after` on; see `Referee.hand_events`.

    Whether others than its seats may see it is asked anew whenever something has happened.
    """
    live = context.in_play.find_hand(hand)
    if not _is_seated(live, viewer) and not _shows(context, live, staff=staff):
        raise Forbidden(hand, "what happens in this hand is withheld for now")
    until_ms = context.clock.wall_ms() + patience_ms(context.settings, wait_ms)
    waiter = context.signals.bell.listen(f"hand:{hand}", who=viewer)
    try:
        while True:
            check_running(waiter)
            live = context.in_play.find_hand(hand)
            left_ms = 0 if waiter.released else until_ms - context.clock.wall_ms()
            visible = _shows(context, live, staff=staff)
            hidden = _is_hidden(context, live, viewer, visible=visible)
            if left_ms <= 0 or (not hidden and (live.log.seq > after or live.closed)):
                return _log_document(
                    context, live, viewer, after=max(0, after), hidden=hidden, visible=visible
                )
            waiter.wait(left_ms)
    finally:
        context.signals.bell.leave(waiter)


def _is_seated(hand: Hand, viewer: str | None) -> bool:
    return viewer is not None and hand.seat_of(viewer) is not None


def _shows(ports: Ports, hand: Hand, *, staff: bool) -> bool:
    """May others than its seats see this hand?"""
    return visibility_of(ports, hand.table.session.id, staff=staff).shows(hand.table.id)


def _is_hidden(sources: Sources, hand: Hand, viewer: str | None, *, visible: bool) -> bool:
    """Is even what lies open on the table not for this viewer, since it tells of another table's
    cards, or of results that are withheld?"""
    if _is_seated(hand, viewer):
        return False
    return not visible or (hand.table.group.shared and not _is_settled(sources, hand))


def _is_settled(sources: Sources, hand: Hand) -> bool:
    return is_settled(sources, hand.table.session, hand.table.group, number=hand.number)


def _log_document(
    sources: Sources, hand: Hand, viewer: str | None, *, after: int, hidden: bool, visible: bool
) -> Document:
    if hidden:
        return {"hand": hand.id, "after": after, "events": [], "next": after, "over": False}
    end = len(hand.log.written)
    events = hand.log.written[after:end]
    if not (visible and is_face_up(hand) and _is_settled(sources, hand)):
        seat = hand.seat_of(viewer) if viewer is not None else None
        events = events_for(hand.log.events[after:end], events, seat)
    return {
        "hand": hand.id,
        "after": after,
        "events": events,
        "next": after + len(events),
        "over": hand.closed,
    }


def is_face_up(hand: Hand) -> bool:
    """May everybody see all cards of this hand now?"""
    session = hand.table.session
    if not hand.closed or session.config.visibility == HandVisibility.NEVER:
        return False
    return session.config.visibility == HandVisibility.AFTER_HAND or session.status in OVER
