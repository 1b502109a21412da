"""What the store gives a row or a page at a time: rows that must be there, and all rows of a kind.

Reads only. Rows come in the order of their keys, and those that are written meanwhile may come too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TypeVar

from arena.errors import NotFound
from arena.store.port import PAGE, EntryRow, HandRow, HashRow, SessionRow, Store, TableRow

K = TypeVar("K")
R = TypeVar("R")


def session_row(store: Store, session: str) -> SessionRow:
    """Raises NotFound."""
    return _there(store.session(session), "session", session)


def table_row(store: Store, table: str) -> TableRow:
    """Raises NotFound."""
    return _there(store.table(table), "table", table)


def hand_row(store: Store, hand: str) -> HandRow:
    """Raises NotFound."""
    return _there(store.hand(hand), "hand", hand)


def _there(row: R | None, kind: str, name: str) -> R:
    if row is None:
        raise NotFound(kind, f"there is no {kind} {name!r}")
    return row


def all_rows(read: Callable[[K], tuple[R, ...]], first: K, key: Callable[[R], K]) -> Iterator[R]:
    """All rows. read: the page after a key; first: a key before all of them; key: that of a row."""
    after = first
    while rows := read(after):
        yield from rows
        after = key(rows[-1])


def all_sessions(store: Store, status: str | None = None) -> Iterator[SessionRow]:
    """All sessions, or those of a status, newest first."""
    return all_rows(lambda after: store.sessions(status, after=after), "", lambda row: row.id)


def all_entries(store: Store, session: str) -> Iterator[EntryRow]:
    """All entries of a session, by number."""
    return all_rows(lambda after: store.entries(session, after=after), -1, lambda row: row.number)


def all_entries_of(store: Store, bot: str, *, after: str = "") -> Iterator[EntryRow]:
    """All entries of a bot, by session; after: only those in sessions beyond this one."""
    return all_rows(
        lambda session: store.entries_of(bot, after=session), after, lambda row: row.session
    )


def last_entry(store: Store, bot: str) -> EntryRow | None:
    """The entry of somebody in the session that they entered last: there they sit. None for who has
    entered none. Raises Unavailable."""

    def entered(entry: EntryRow) -> tuple[int, str]:
        return entry.entered_ms, entry.session

    return max(all_entries_of(store, bot), key=entered, default=None)


def all_tables(
    store: Store, session: str, *, after: str = "", limit: int = PAGE
) -> Iterator[TableRow]:
    """All tables of a session, in playing order; limit: how many are read at once."""
    return all_rows(
        lambda table: store.tables(session, after=table, limit=limit), after, lambda row: row.id
    )


def all_hands(store: Store, table: str, *, after: int = 0) -> Iterator[HandRow]:
    """All hands of a table, by number; after: only those beyond this number."""
    return all_rows(lambda number: store.hands(table, after=number), after, lambda row: row.number)


def all_session_hands(store: Store, session: str, *, limit: int = PAGE) -> Iterator[HandRow]:
    """All hands of a session, in playing order; limit: how many are read at once."""
    return all_rows(
        lambda hand: store.session_hands(session, after=hand, limit=limit),
        "",
        lambda row: row.id,
    )


def all_hashes(
    store: Store, session: str, *, after: str = "", limit: int = PAGE
) -> Iterator[HashRow]:
    """The last hashes of all hands of a session, in playing order; after: only beyond this hand."""
    return all_rows(
        lambda hand: store.hand_hashes(session, after=hand, limit=limit),
        after,
        lambda row: row.hand,
    )
