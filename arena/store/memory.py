"""The store in plain dictionaries: for tests, and for play that nobody needs to keep.

It means the same as the SQL stores, checked by the same contract test, and is written independently
of them. Nothing survives the process. One lock guards all of it; nothing in here waits for anything
else.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from arena.errors import Unavailable
from arena.store.memory_tables import Shelves
from arena.store.port import (
    PAGE,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    EntryRow,
    HandRow,
    HeadRow,
    Heard,
    SessionRow,
    StepRow,
    TableRow,
    Waiting,
)


class MemoryStore:
    """A `Store` in memory. See `arena.store.port` for the meaning of every method."""

    shared = False

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._shelves = Shelves()
        self._closed = False

    def write(self, *changes: Change) -> None:
        with self._open() as shelves:
            shelves.make_all(changes)

    def append(self, step: StepRow) -> None:
        self.write(step)

    def begin_hand(self, hand: HandRow, first: StepRow) -> None:
        self.write(hand, first)

    def follow(self, heard: Heard) -> None:
        """Nobody else writes here."""

    def while_locked(self, waiting: Waiting) -> None:
        """There is no file."""

    def now_ms(self) -> int | None:
        return None

    def bot(self, bot: str) -> BotRow | None:
        with self._open() as shelves:
            return shelves.bots.get(bot)

    def bot_by_token(self, token_hash: str) -> BotRow | None:
        with self._open() as shelves:
            return shelves.bots.get(shelves.tokens.get(token_hash, ""))

    def bot_by_name(self, name: str) -> BotRow | None:
        with self._open() as shelves:
            return shelves.bots.get(shelves.names.get(name, ""))

    def bot_by_key(self, name_key: str) -> BotRow | None:
        with self._open() as shelves:
            return shelves.bots.get(shelves.name_keys.get(name_key, ""))

    def bots_without_key(self) -> tuple[BotRow, ...]:
        with self._open() as shelves:
            found = [row for row in shelves.bots.values() if row.name_key is None]
            return tuple(sorted(found, key=lambda row: (row.created_ms, row.id)))

    def staff(self, *, after: str = "", limit: int = PAGE) -> tuple[BotRow, ...]:
        with self._open() as shelves:
            rows = [row for row in shelves.bots.values() if row.name > after]
            found = [row for row in rows if row.kind not in ("bot", "house")]
            return tuple(sorted(found, key=lambda row: row.name)[:limit])

    def bots(self, *, after: str = "", limit: int = PAGE) -> tuple[BotRow, ...]:
        with self._open() as shelves:
            names = sorted(name for name in shelves.names if name > after)
            return tuple(shelves.bots[shelves.names[name]] for name in names[:limit])

    def bots_of_owner(
        self, owner_key: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[BotRow, ...]:
        with self._open() as shelves:
            owned = [
                row
                for row in shelves.bots.values()
                if row.owner_key == owner_key and row.name > after
            ]
            return tuple(sorted(owned, key=lambda row: row.name)[:limit])

    def bot_count(self) -> int:
        with self._open() as shelves:
            return sum(row.kind == "bot" and not row.revoked for row in shelves.bots.values())

    def registered_ms(self, origin: str, number: int) -> int | None:
        with self._open() as shelves:
            rows = (row for row in shelves.bots.values() if row.origin == origin)
            newest = sorted((row.created_ms for row in rows), reverse=True)
            return newest[number - 1] if number <= len(newest) else None

    def session(self, session: str) -> SessionRow | None:
        with self._open() as shelves:
            return shelves.sessions.get(session)

    def sessions(
        self, status: str | None = None, *, after: str = "", limit: int = PAGE
    ) -> tuple[SessionRow, ...]:
        with self._open() as shelves:
            last = shelves.sessions.get(after)
            if after and last is None:
                return ()
            found = [
                row
                for row in shelves.sessions.values()
                if status in (None, row.status) and (last is None or _age(row) < _age(last))
            ]
            return tuple(sorted(found, key=_age, reverse=True)[:limit])

    def entry(self, session: str, bot: str) -> EntryRow | None:
        with self._open() as shelves:
            return shelves.entries.get((session, bot))

    def entries(self, session: str, *, after: int = -1, limit: int = PAGE) -> tuple[EntryRow, ...]:
        with self._open() as shelves:
            bots = sorted(shelves.entries_of.get(session, {}).items())
            later = [bot for number, bot in bots if number > after]
            return tuple(shelves.entries[session, bot] for bot in later[:limit])

    def entries_of(self, bot: str, *, after: str = "", limit: int = PAGE) -> tuple[EntryRow, ...]:
        with self._open() as shelves:
            rows = shelves.entries.values()
            found = [row for row in rows if row.bot == bot and row.session > after]
            return tuple(sorted(found, key=lambda row: row.session)[:limit])

    def table(self, table: str) -> TableRow | None:
        with self._open() as shelves:
            return shelves.tables.get(table)

    def tables(self, session: str, *, after: str = "", limit: int = PAGE) -> tuple[TableRow, ...]:
        with self._open() as shelves:
            last = shelves.tables.get(after)
            if after and last is None:
                return ()
            found = _tables(shelves, session)
            if last is not None:
                found = [row for row in found if _place(row) > _place(last)]
            return tuple(found[:limit])

    def open_tables(self, session: str) -> tuple[TableRow, ...]:
        with self._open() as shelves:
            tables = _tables(shelves, session)
            return tuple(row for row in tables if row.status in ("waiting", "playing"))

    def hand(self, hand: str) -> HandRow | None:
        with self._open() as shelves:
            return shelves.hands.get(hand)

    def hands(self, table: str, *, after: int = 0, limit: int = PAGE) -> tuple[HandRow, ...]:
        with self._open() as shelves:
            found = [row for row in _hands(shelves, table) if row.number > after]
            return tuple(found[:limit])

    def open_hands(self, session: str) -> tuple[HandRow, ...]:
        with self._open() as shelves:
            hands = _session_hands(shelves, session)
            return tuple(row for row in hands if row.status == "playing")

    def session_hands(
        self, session: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[HandRow, ...]:
        with self._open() as shelves:
            last = shelves.hands.get(after)
            if after and last is None:
                return ()
            found = _session_hands(shelves, session)
            if last is not None:
                cursor = _place_in_session(shelves, last)
                found = [row for row in found if _place_in_session(shelves, row) > cursor]
            return tuple(found[:limit])

    def heads(self, session: str) -> tuple[HeadRow, ...]:
        with self._open() as shelves:
            return tuple(
                HeadRow(hand.id, hand.table, _events(shelves, hand.id))
                for hand in _session_hands(shelves, session)
                if hand.status == "playing"
                and shelves.tables[hand.table].status in ("waiting", "playing")
            )

    def hand_counts(self, session: str) -> dict[str, int]:
        with self._open() as shelves:
            return dict(Counter(row.status for row in _session_hands(shelves, session)))

    def steps(self, hand: str, after: int = 0) -> tuple[StepRow, ...]:
        with self._open() as shelves:
            log = sorted(shelves.steps_of.get(hand, {}).items())
            return tuple(step for seq, step in log if seq + step.event_count > after)

    def steps_of(self, heads: Mapping[str, int]) -> dict[str, tuple[StepRow, ...]]:
        found = {hand: self.steps(hand, after) for hand, after in heads.items()}
        return {hand: steps for hand, steps in found.items() if steps}

    def code(self, code_hash: str) -> CodeRow | None:
        with self._open() as shelves:
            return shelves.codes.get(code_hash)

    def codes(self, *, after: str = "", limit: int = PAGE) -> tuple[CodeRow, ...]:
        with self._open() as shelves:
            found = sorted(key for key in shelves.codes if key > after)
            return tuple(shelves.codes[key] for key in found[:limit])

    def codes_since(
        self, created_ms: int, *, after: str = "", limit: int = PAGE
    ) -> tuple[CodeRow, ...]:
        with self._open() as shelves:
            rows = (shelves.codes[key] for key in sorted(shelves.codes) if key > after)
            return tuple(row for row in rows if row.created_ms >= created_ms)[:limit]

    def audit(self, *, before: int | None = None, limit: int = PAGE) -> tuple[AuditRow, ...]:
        with self._open() as shelves:
            numbers = sorted(shelves.audit, reverse=True)
            earlier = [number for number in numbers if before is None or number < before]
            return tuple(shelves.audit[number] for number in earlier[:limit])

    def life(self, key: str) -> int | None:
        with self._open() as shelves:
            return shelves.life.get(key)

    def note(self, key: str) -> str | None:
        with self._open() as shelves:
            return shelves.notes.get(key)

    def table_counts(self, session: str) -> dict[str, int]:
        with self._open() as shelves:
            return dict(Counter(row.status for row in _tables(shelves, session)))

    def queued(self) -> int:
        return 0

    def close(self) -> None:
        with self._lock:
            self._closed = True

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @contextmanager
    def _open(self) -> Iterator[Shelves]:
        with self._lock:
            if self._closed:
                raise Unavailable("the store is closed")
            yield self._shelves


def _age(row: SessionRow) -> tuple[int, str]:
    return (row.created_ms, row.id)


def _place(row: TableRow) -> tuple[int, int]:
    return (row.round, row.number)


def _tables(shelves: Shelves, session: str) -> list[TableRow]:
    places = sorted(shelves.tables_of.get(session, {}).items())
    return [shelves.tables[table] for _, table in places]


def _hands(shelves: Shelves, table: str) -> list[HandRow]:
    numbers = sorted(shelves.hands_of.get(table, {}).items())
    return [shelves.hands[hand] for _, hand in numbers]


def _session_hands(shelves: Shelves, session: str) -> list[HandRow]:
    return [hand for table in _tables(shelves, session) for hand in _hands(shelves, table.id)]


def _events(shelves: Shelves, hand: str) -> int:
    last = max(shelves.steps_of[hand].values(), key=lambda step: step.seq, default=None)
    return 0 if last is None else last.seq + last.event_count


def _place_in_session(shelves: Shelves, hand: HandRow) -> tuple[int, int, int]:
    return (*_place(shelves.tables[hand.table]), hand.number)
