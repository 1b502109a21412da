"""Reveals: from when on a hand's cards, its moves and its result may be seen by others.

Where tables share their shuffles, what is seen of one of them tells the cards of the others. So a
hand of such a table is only for its own seats until the hands with the same number have ended at
all tables that share its shuffles; until then everybody else sees that it is being played, and
nothing more. Those tables go from hand to hand together, so this is never long. Reads the store,
which any referee can, also one that does not play the session. It changes nothing.
"""

from __future__ import annotations

from arena.referee.context import Sources
from arena.referee.live import Session, Table
from arena.session.config import FRESH
from arena.session.deal_groups import DealGroup
from arena.session.names import hand_id
from arena.statuses import OVER, HandStatus
from arena.store.port import HandRow, TableRow
from arena.store.reading import all_hands


def is_settled(sources: Sources, session: Session, group: DealGroup, *, number: int) -> bool:
    """Has every hand of this number on the group's shuffles ended?"""
    if not group.shared or session.status in OVER:
        return True
    for row in sources.store.open_tables(session.id):
        if sources.in_play.deal_group(session, row).shuffles == group.shuffles:
            hand = sources.store.hand(hand_id(row.id, number))
            if hand is None or hand.status == HandStatus.PLAYING:
                return False
    return True


def is_public(sources: Sources, session: Session, table: TableRow, *, number: int) -> bool:
    """May a hand of a table that has ended be seen to have ended by others than its seats?"""
    if session.config.deals == FRESH:
        return True
    return is_settled(sources, session, sources.in_play.deal_group(session, table), number=number)


def as_public(sources: Sources, session: Session, table: TableRow, *, hand: HandRow) -> HandRow:
    """A hand's row as everybody may see it: still being played, as long as it is not public."""
    if hand.status == HandStatus.PLAYING or is_public(sources, session, table, number=hand.number):
        return hand
    return hand._replace(status=HandStatus.PLAYING, result=None, ended_ms=None)


def hidden_hands(sources: Sources, session: Session) -> int:
    """How many hands have ended that others see as played still."""
    if session.config.deals == FRESH:
        return 0
    ended: list[tuple[DealGroup, int]] = []
    behind: dict[str, int] = {}
    for row in sources.store.open_tables(session.id):
        group = sources.in_play.deal_group(session, row)
        hands = list(all_hands(sources.store, row.id))
        last = hands[-1].number
        done = last if hands[-1].status != HandStatus.PLAYING else last - 1
        behind[group.shuffles] = min(done, behind.get(group.shuffles, done))
        ended.append((group, done))
    return sum(done - behind[group.shuffles] for group, done in ended)


def peers(table: Table) -> list[Table]:
    """The other tables in play with the same shuffles."""
    if not table.group.shared:
        return []
    others = tuple(table.session.tables.values())
    return [t for t in others if t is not table and t.group.shuffles == table.group.shuffles]
