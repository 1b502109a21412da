"""The clock ledger: what a bot's own turns cost it, as the log has it, for its owner.

Read from the steps' `meta`; of turns that wait it tells what has been counted by now. A bot's own
rows only: how long others think is nobody's business while a hand runs. Reads and changes nothing.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import orjson

from arena.clock import instant
from arena.documents import Document
from arena.errors import BadInput
from arena.queries.visibility import shows_notes
from arena.referee.context import Sources
from arena.referee.live import Turn
from arena.session.names import read_turn_id
from arena.store.port import HandRow, StepRow, Store, TableRow
from arena.store.reading import (
    all_entries_of,
    all_hands,
    all_tables,
    hand_row,
    session_row,
    table_row,
)

LONGEST_PAGE = 500


class LedgerFilter(NamedTuple):
    """Of which turns to tell; None: of all."""

    session: str | None = None
    table: str | None = None
    hand: str | None = None


class LedgerPosition(NamedTuple):
    """A hand in which the bot sits."""

    table: TableRow
    hand: HandRow
    seat: int


def ledger(
    sources: Sources,
    bot: str,
    *,
    session: str | None = None,
    table: str | None = None,
    hand: str | None = None,
    after: str | None = None,
    limit: int = 100,
    staff: bool = False,
) -> Document:
    """What each of a bot's turns cost it: ``{"entries": [...], "next": turn | None}``.

    By session, then in playing order; all of them, or those of one session, table or hand.
    bot: an id or a name. after: the `next` of the page before. staff: not the bot asks, so its
    notes are left out until everybody may read them.
    Raises NotFound, and BadInput for filters that exclude each other.
    """
    bot = sources.registry.row(bot).id
    limit = max(1, min(limit, LONGEST_PAGE))
    wanted = _checked(sources.store, LedgerFilter(session, table, hand))
    begun = None if after is None else _begun(sources.store, after)
    entries = _entries(sources, bot, wanted, begun=begun, after=after, staff=staff)
    page = list(itertools.islice(entries, limit + 1))
    more = len(page) > limit
    return {"entries": page[:limit], "next": page[limit - 1]["turn"] if more else None}


def _checked(store: Store, wanted: LedgerFilter) -> LedgerFilter:
    """The narrowest of what was asked for, if all of it exists and fits together."""
    table, session = wanted.table, wanted.session
    if wanted.hand is not None:
        table = _fits("table", table, hand_row(store, wanted.hand).table)
    if table is not None:
        session = _fits("session", session, table_row(store, table).session)
    elif session is not None:
        session_row(store, session)
    return LedgerFilter(session, table, wanted.hand)


def _fits(thing: str, asked: str | None, true: str) -> str:
    if asked not in (None, true):
        raise BadInput(thing, asked, f"{true!r}, to which the rest belongs")
    return true


def _begun(store: Store, after: str) -> tuple[TableRow, HandRow]:
    """The hand in which the page before ended."""
    parts = read_turn_id(after)
    if parts is None:
        raise BadInput("after", after, "the `next` of an earlier page")
    hand = hand_row(store, parts[0])
    return table_row(store, hand.table), hand


def _entries(
    sources: Sources,
    bot: str,
    wanted: LedgerFilter,
    *,
    begun: tuple[TableRow, HandRow] | None,
    after: str | None,
    staff: bool,
) -> Iterator[Document]:
    work = sources.long_work.queries.work()
    for place in _places(sources.store, bot, wanted, begun=begun):
        work.pause()
        entries = _of_hand(sources, place, staff=staff)
        if begun is not None and place.hand.id == begun[1].id:
            turns = [entry["turn"] for entry in entries]
            entries = entries[turns.index(after) + 1 :] if after in turns else []
        yield from entries


def _places(
    store: Store, bot: str, wanted: LedgerFilter, *, begun: tuple[TableRow, HandRow] | None
) -> Iterator[LedgerPosition]:
    """The hands in which a bot sits, from the one on in which the page before ended."""
    for table in _tables(store, bot, wanted, first=begun and begun[0]):
        players = orjson.loads(table.players)
        if bot not in players:
            continue
        number = begun[1].number if begun is not None and begun[0].id == table.id else 1
        for hand in _hands(store, table, wanted, number):
            yield LedgerPosition(table, hand, orjson.loads(hand.seating).index(players.index(bot)))


def _hands(store: Store, table: TableRow, wanted: LedgerFilter, first: int) -> Iterator[HandRow]:
    if wanted.hand is not None:
        return iter((hand_row(store, wanted.hand),))
    return all_hands(store, table.id, after=first - 1)


def _tables(
    store: Store, bot: str, wanted: LedgerFilter, *, first: TableRow | None
) -> Iterator[TableRow]:
    if wanted.table is not None:
        yield table_row(store, wanted.table)
        return
    for session in _sessions(store, bot, wanted, first=first and first.session):
        resumed = first is not None and first.session == session
        if first is not None and resumed:
            yield first
        after = first.id if first is not None and resumed else ""
        yield from all_tables(store, session, after=after)


def _sessions(store: Store, bot: str, wanted: LedgerFilter, *, first: str | None) -> Iterator[str]:
    if wanted.session is not None:
        yield wanted.session
        return
    if first is not None:
        yield first
    yield from (entry.session for entry in all_entries_of(store, bot, after=first or ""))


def _of_hand(sources: Sources, place: LedgerPosition, *, staff: bool) -> list[Document]:
    """The turns of one seat in one hand; the one that waits, if any, comes last."""
    notes = not staff or shows_notes(sources.in_play.session(place.table.session))
    hand = sources.in_play.hands.get(place.hand.id)
    turn = hand.turns.get(place.seat) if hand is not None else None
    steps = sources.store.steps(place.hand.id)
    entries: list[Document] = []
    refused = 0
    for step in steps:
        parts = read_turn_id(step.turn)
        if parts is not None and parts[2] == place.seat:
            meta = orjson.loads(step.meta)
            offered_ms = _offered_ms(steps, parts[1])
            entries.append(
                _head(place, step.turn, offered_ms)
                | _closed(step, meta, refused_before=refused)
                | {"note": meta.get("note") if notes else None}
            )
            refused = meta["refused"]
    if turn is not None and all(step.turn != turn.id for step in steps):
        offered_ms = _offered_ms(steps, turn.since)
        entries.append(_head(place, turn.id, offered_ms) | _waiting(turn, refused_before=refused))
    return entries


def _offered_ms(steps: Sequence[StepRow], since: int) -> int:
    """Wall time of the step that opened a turn: the one whose events hold number `since`."""
    return next(s.at_ms for s in reversed(steps) if s.seq < since or s.seq == 0)


def _head(place: LedgerPosition, turn: str, offered_ms: int) -> Document:
    return {
        "turn": turn,
        "session": place.table.session,
        "table": place.table.id,
        "hand": place.hand.id,
        "hand_number": place.hand.number,
        "seat": place.seat,
        "offered": instant(offered_ms),
    }


def _closed(step: StepRow, meta: Document, *, refused_before: int) -> Document:
    seen_ms = meta["seen_ms"]
    return {
        "event": step.seq + step.event_count - 1,
        "answered": instant(step.at_ms),
        "first_seen_ms": None if seen_ms is None else max(0, seen_ms - meta["opened_ms"]),
        "answered_ms": max(0, meta["clock_ms"] - meta["opened_ms"]),
        "charged_ms": meta["charged_ms"],
        "bank_ms": meta["bank_ms"],
        "late": meta["late"],
        "cause": meta["cause"],
        "refused": meta["refused"] - refused_before,
        "thought_ms": meta.get("thought_ms"),
    }


def _waiting(turn: Turn, *, refused_before: int) -> Document:
    """A turn that nobody has answered yet, as it stands now."""
    now_ms = turn.hand.table.session.clock.now_ms()
    charge = turn.charge(now_ms)
    return {
        "event": None,
        "answered": None,
        "first_seen_ms": None if turn.seen_ms is None else turn.seen_ms - turn.opened_ms,
        "answered_ms": None,
        "charged_ms": charge.charged_ms,
        "bank_ms": charge.bank_ms,
        "late": charge.late,
        "cause": None,
        "refused": turn.refused - refused_before,
        "thought_ms": None,
        "note": None,
    }
