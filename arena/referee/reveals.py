"""Reveals: from when on a hand's cards, its moves and its result may be seen by others.

Where tables share their shuffles, what is seen of one of them tells the cards of the others. So a
hand of such a table is only for its own seats until the hands with the same number have ended at
all tables that share its shuffles; until then everybody else is told that it is being played, and
nothing more. Those tables go from hand to hand together, so this is never long. Reads the store,
for another process may know less than that. It changes nothing.
"""

from __future__ import annotations

from arena.referee.context import Hall
from arena.referee.live import Session, Table
from arena.session.config import FRESH
from arena.session.deal_groups import Spot
from arena.session.names import hand_id
from arena.store.port import HandRow, TableRow

PLAYING = "playing"
OVER = ("finished", "cancelled")


def is_settled(hall: Hall, session: Session, spot: Spot, *, number: int) -> bool:
    """Has every hand of this number on the spot's shuffles ended?"""
    if not spot.shared or session.status in OVER:
        return True
    for row in hall.store.open_tables(session.id):
        if hall.spot(session, row).shuffles == spot.shuffles:
            hand = hall.store.hand(hand_id(row.id, number))
            if hand is None or hand.status == PLAYING:
                return False
    return True


def is_public(hall: Hall, session: Session, table: TableRow, *, number: int) -> bool:
    """May a hand of a table that has ended be seen to have ended by others than its seats?"""
    if session.plan.deals == FRESH:
        return True
    return is_settled(hall, session, hall.spot(session, table), number=number)


def as_told(hall: Hall, session: Session, table: TableRow, *, hand: HandRow) -> HandRow:
    """A hand's row as everybody may see it: still being played, as long as it is not public."""
    if hand.status == PLAYING or is_public(hall, session, table, number=hand.number):
        return hand
    return hand._replace(status=PLAYING, result=None, ended_ms=None)


def hidden_hands(hall: Hall, session: Session) -> int:
    """How many hands have ended that others are told to be played still."""
    if session.plan.deals == FRESH:
        return 0
    ended: list[tuple[Spot, int]] = []
    behind: dict[str, int] = {}
    for row in hall.store.open_tables(session.id):
        spot = hall.spot(session, row)
        hands = list(hall.hand_rows(row.id))
        last = hands[-1].number
        done = last if hands[-1].status != PLAYING else last - 1
        behind[spot.shuffles] = min(done, behind.get(spot.shuffles, done))
        ended.append((spot, done))
    return sum(done - behind[spot.shuffles] for spot, done in ended)


def peers(table: Table) -> list[Table]:
    """The other tables in play with the same shuffles."""
    if not table.spot.shared:
        return []
    others = tuple(table.session.tables.values())
    return [t for t in others if t is not table and t.spot.shuffles == table.spot.shuffles]
