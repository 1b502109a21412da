"""Records: ended hands as JSON lines, to be verified, rated and replayed without a server.

The first line of a file is the session's header, every other line one hand with its whole log. The
same session gives the same bytes. Reading is in `verify`; nothing here changes anything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from arena import __version__, wire
from arena.errors import Forbidden, NotFound
from arena.referee import deals
from arena.referee.hall import Hall
from arena.referee.live import Session
from arena.referee.looks import OVER
from arena.referee.scores import ended_hands
from arena.referee.sessions import entries
from arena.rules.cards import CODES
from arena.rules.commands import Deal
from arena.store.port import HandRow, SessionRow, StepRow, TableRow

Document = dict[str, Any]
HAND = "daifugo-arena/hand/1"
SESSION = "daifugo-arena/session/1"


def record(hall: Hall, hand_id: str) -> Document:
    """The record of an ended hand. Raises NotFound, Forbidden while it is not public."""
    row = hall.store.hand(hand_id)
    table = hall.store.table(row.table) if row is not None else None
    if row is None or table is None:
        raise NotFound("hand", f"there is no hand {hand_id!r}")
    session = hall.session(table.session)
    if row.status == "void" or not _is_public(session, row):
        raise Forbidden(hand_id, "this hand is not face up yet, or never will be")
    return hand_record(hall, session, table, row=row)


def lines(hall: Hall, session_id: str, *, full: bool) -> Iterator[str]:
    """The record file of a session, line by line, each with its line end.

    full: also hands that are not public; for the organiser.
    """
    row = hall.session_row(session_id)
    session = hall.session(session_id)
    hands = [hand for hand in ended_hands(hall, session_id) if full or _is_public(session, hand)]
    yield _line(header(hall, row, hands=len(hands)))
    tables: dict[str, TableRow] = {}
    for hand in hands:
        table = tables.get(hand.table) or _table(hall, hand)
        tables[hand.table] = table
        yield _line(hand_record(hall, session, table, row=hand))


def _table(hall: Hall, hand: HandRow) -> TableRow:
    found = hall.store.table(hand.table)
    if found is None:
        raise NotFound("table", f"there is no table {hand.table!r}")
    return found


def _is_public(session: Session, row: HandRow) -> bool:
    """May everybody see this hand's cards?"""
    if row.status == "playing" or session.plan.visibility == "never":
        return False
    return session.plan.visibility == "after_hand" or session.status in OVER


def header(hall: Hall, row: SessionRow, *, hands: int) -> Document:
    """The first line of a record file. hands: how many lines follow."""
    listed = []
    for entry in entries(hall, row.id):
        bot = hall.registry.row(entry.bot)
        listed.append(
            {
                "bot": bot.id,
                "name": bot.name,
                "owner": bot.owner,
                "number": entry.number,
                "status": entry.status,
            }
        )
    return {
        "format": SESSION,
        "session": row.id,
        "status": row.status,
        "document": orjson.loads(row.document),
        "secret_commitment": deals.secret_commitment(row.secret),
        "secret": row.secret.hex() if row.status in OVER else None,
        "schedule": None if row.schedule is None else orjson.loads(row.schedule),
        "bots": listed,
        "hands": hands,
        "version": __version__,
    }


def hand_record(hall: Hall, session: Session, table: TableRow, *, row: HandRow) -> Document:
    """One ended hand, complete."""
    bots = orjson.loads(table.players)
    seating = orjson.loads(row.seating)
    steps = hall.store.steps(row.id)
    return {
        "format": HAND,
        "session": session.id,
        "table": table.id,
        "hand": row.id,
        "number": row.number,
        "round": table.round,
        "block": table.id,
        "status": row.status,
        "ruleset": dict(session.plan.rules.document),
        "fingerprint": session.plan.rules.fingerprint,
        "players": [hall.name(session, bot) for bot in bots],
        "bots": bots,
        "seating": seating,
        "commitment": row.commitment,
        **_dealt(session, row, steps, seating=seating),
        "steps": [_step(step) for step in steps],
        "result": None if row.result is None else orjson.loads(row.result),
    }


def _dealt(
    session: Session, row: HandRow, steps: tuple[StepRow, ...], *, seating: list[int]
) -> Document:
    """What chance and the table before brought to a hand; empty for one that was not played."""
    if not steps:
        return {"sitting": None, "salt": None, "deck": None, "lots": None}
    command = wire.read_command(orjson.loads(steps[0].command))
    assert isinstance(command, Deal)
    rules = session.plan.rules
    shuffle = deals.deal(
        session.secret, row.table, row.number, deck=rules.deck, players=len(seating)
    )
    places = [seating[seat] for seat in command.places]
    return {
        "sitting": {"dealer": seating[command.dealer], "places": places},
        "salt": shuffle.salt.hex(),
        "deck": [CODES[card] for card in command.deck],
        "lots": deals.lots_document(command.lots),
    }


def _step(row: StepRow) -> Document:
    return {
        "seq": row.seq,
        "at_ms": row.at_ms,
        "turn": row.turn,
        "command": orjson.loads(row.command),
        "events": orjson.loads(row.events),
        "meta": orjson.loads(row.meta),
    }


def _line(document: Document) -> str:
    return orjson.dumps(document).decode() + "\n"
