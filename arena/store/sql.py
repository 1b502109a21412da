"""The store over any SQL database: the questions and how rows are read, not the connections.

`SqlStore` turns each method of the port into a statement of `statements.py`; an `Engine` runs it.
Connections, transactions and the errors of a database driver belong to the engine. A cursor
(`after`) that names nothing gives an empty page.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from types import TracebackType
from typing import Any, Protocol, Self, TypeVar

from arena.store.cluster_rows import LeaseRow, LeasesDigest, NameLocks, RefereeRow
from arena.store.fencing import Fence, FencedEngine
from arena.store.notice_rows import DeliveryRow, NoticeRow
from arena.store.port import (
    PAGE,
    AuditRow,
    BotRow,
    Change,
    CodeRow,
    EntryRow,
    HandRow,
    HashRow,
    OnTopics,
    SessionRow,
    StepRow,
    TableRow,
    Waiting,
)
from arena.store.statements import KEYS_TOGETHER, READS, TOGETHER
from arena.store.time_rows import TimeRow

_Row = TypeVar("_Row")

LAST = 2**63 - 1
"""Greater than every number and instant: the cursor of a first page that counts down."""


class Engine(Protocol):
    """A database that runs our statements. Thread-safe; raises `arena.errors` only."""

    @property
    def shared(self) -> bool:
        """May other processes write to this database?"""

    def follow(self, on_topics: OnTopics) -> None:
        """See `Store.follow`."""

    def while_unwritable(self, waiting: Waiting) -> None:
        """See `Store.while_unwritable`."""

    def now_ms(self) -> int | None:
        """See `Store.now_ms`."""

    def submit(self, changes: tuple[Change, ...]) -> None:
        """Make all the changes or none; return when they are durable."""

    def rows(self, sql: str, parameters: tuple[object, ...]) -> Sequence[tuple[Any, ...]]:
        """All rows that a statement of `READS` answers."""

    def name_locks(self) -> NameLocks:
        """See `Store.name_locks`."""

    def queued(self) -> int:
        """How many calls of `submit` wait for the writer, about."""

    def close(self) -> None:
        """Finish the writes that wait, then let everything go. Closing twice is harmless."""


class SqlStore:
    """A `Store` on an engine. See `arena.store.port` for the meaning of every method."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @property
    def shared(self) -> bool:
        return self._engine.shared

    def follow(self, on_topics: OnTopics) -> None:
        self._engine.follow(on_topics)

    def while_unwritable(self, waiting: Waiting) -> None:
        self._engine.while_unwritable(waiting)

    def now_ms(self) -> int | None:
        return self._engine.now_ms()

    def write(self, *changes: Change) -> None:
        if changes:
            self._engine.submit(changes)

    def bot(self, bot: str) -> BotRow | None:
        return _first(map(_bot, self._rows("bot", bot)))

    def bot_by_token(self, token_hash: str) -> BotRow | None:
        return _first(map(_bot, self._rows("bot_by_token", token_hash)))

    def bot_by_name(self, name: str) -> BotRow | None:
        return _first(map(_bot, self._rows("bot_by_name", name)))

    def bot_by_key(self, name_key: str) -> BotRow | None:
        return _first(map(_bot, self._rows("bot_by_key", name_key)))

    def bots_without_key(self) -> tuple[BotRow, ...]:
        rows = map(_bot, self._rows("bots_without_key"))
        return tuple(sorted(rows, key=lambda row: (row.created_ms, row.id)))

    def staff(self, *, after: str = "", limit: int = PAGE) -> tuple[BotRow, ...]:
        return tuple(map(_bot, self._rows("staff", after, limit)))

    def bots(self, *, after: str = "", limit: int = PAGE) -> tuple[BotRow, ...]:
        return tuple(map(_bot, self._rows("bots", after, limit)))

    def bots_of_owner(
        self, owner_key: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[BotRow, ...]:
        return tuple(map(_bot, self._rows("bots_of_owner", owner_key, after, limit)))

    def bot_count(self) -> int:
        return int(self._rows("bot_count")[0][0])

    def registered_ms(self, origin: str, number: int) -> int | None:
        rows = self._rows("registered_ms", origin, number - 1)
        return int(rows[0][0]) if rows else None

    def session(self, session: str) -> SessionRow | None:
        return _first(map(SessionRow._make, self._rows("session", session)))

    def sessions(
        self, status: str | None = None, *, after: str = "", limit: int = PAGE
    ) -> tuple[SessionRow, ...]:
        cursor: tuple[int, str] = (LAST, "")
        if after:
            last = self.session(after)
            if last is None:
                return ()
            cursor = (last.created_ms, last.id)
        if status is None:
            rows = self._rows("sessions", *cursor, limit)
        else:
            rows = self._rows("sessions_of_status", status, *cursor, limit)
        return tuple(map(SessionRow._make, rows))

    def entry(self, session: str, bot: str) -> EntryRow | None:
        return _first(map(EntryRow._make, self._rows("entry", session, bot)))

    def entries(self, session: str, *, after: int = -1, limit: int = PAGE) -> tuple[EntryRow, ...]:
        return tuple(map(EntryRow._make, self._rows("entries", session, after, limit)))

    def entries_of(self, bot: str, *, after: str = "", limit: int = PAGE) -> tuple[EntryRow, ...]:
        return tuple(map(EntryRow._make, self._rows("entries_of", bot, after, limit)))

    def table(self, table: str) -> TableRow | None:
        return _first(map(TableRow._make, self._rows("table", table)))

    def tables(self, session: str, *, after: str = "", limit: int = PAGE) -> tuple[TableRow, ...]:
        cursor = (-1, -1)
        if after:
            last = self.table(after)
            if last is None:
                return ()
            cursor = (last.round, last.number)
        return tuple(map(TableRow._make, self._rows("tables", session, *cursor, limit)))

    def open_tables(self, session: str) -> tuple[TableRow, ...]:
        return tuple(map(TableRow._make, self._rows("open_tables", session)))

    def hand(self, hand: str) -> HandRow | None:
        return _first(map(HandRow._make, self._rows("hand", hand)))

    def hands(self, table: str, *, after: int = 0, limit: int = PAGE) -> tuple[HandRow, ...]:
        return tuple(map(HandRow._make, self._rows("hands", table, after, limit)))

    def session_hands(
        self, session: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[HandRow, ...]:
        return tuple(
            map(
                HandRow._make, self._hands_after("session_hands", session, after=after, limit=limit)
            )
        )

    def hand_hashes(
        self, session: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[HashRow, ...]:
        return tuple(
            map(HashRow._make, self._hands_after("hand_hashes", session, after=after, limit=limit))
        )

    def _hands_after(
        self, question: str, session: str, *, after: str, limit: int
    ) -> Sequence[tuple[Any, ...]]:
        """What a question answers of the hands of a session that come after one."""
        cursor = (-1, -1, -1)
        if after:
            last = self.hand(after)
            table = self.table(last.table) if last else None
            if last is None or table is None:
                return ()
            cursor = (table.round, table.number, last.number)
        return self._rows(question, session, *cursor[:2], *cursor, limit)

    def hand_counts(self, session: str) -> dict[str, int]:
        return dict(self._rows("hand_counts", session))

    def steps(self, hand: str, after: int = 0) -> tuple[StepRow, ...]:
        return tuple(map(StepRow._make, self._rows("steps", hand, after)))

    def steps_of(self, hands: Sequence[str]) -> dict[str, tuple[StepRow, ...]]:
        logs: dict[str, tuple[StepRow, ...]] = {}
        for start in range(0, len(hands), TOGETHER):
            some = [*hands[start : start + TOGETHER]]
            some += [some[0]] * (TOGETHER - len(some))
            answer = self._rows("steps_of", *some)
            rows = sorted(map(StepRow._make, answer))  # by hand and number
            logs |= {hand: tuple(log) for hand, log in groupby(rows, key=attrgetter("hand"))}
        return logs

    def code(self, code_hash: str) -> CodeRow | None:
        return _first(map(_code, self._rows("code", code_hash)))

    def codes(self, *, after: str = "", limit: int = PAGE) -> tuple[CodeRow, ...]:
        return tuple(map(_code, self._rows("codes", after, limit)))

    def codes_since(
        self, created_ms: int, *, after: str = "", limit: int = PAGE
    ) -> tuple[CodeRow, ...]:
        return tuple(map(_code, self._rows("codes_since", created_ms, after, limit)))

    def audit(self, *, before: int | None = None, limit: int = PAGE) -> tuple[AuditRow, ...]:
        last = LAST if before is None else before
        return tuple(map(AuditRow._make, self._rows("audit", last, limit)))

    def counter(self, key: str) -> int | None:
        rows = self._rows("counter", key)
        return int(rows[0][0]) if rows else None

    def counters(self, keys: Sequence[str]) -> dict[str, int]:
        return {str(name): int(number) for name, number in self._together("counters", keys)}

    def note(self, key: str) -> str | None:
        rows = self._rows("note", key)
        return str(rows[0][0]) if rows else None

    def notices(self, bot: str, *, after: int = 0, limit: int = PAGE) -> tuple[NoticeRow, ...]:
        return tuple(map(NoticeRow._make, self._rows("notices", bot, after, limit)))

    def last_notice(self, bot: str) -> int:
        rows = self._rows("last_notice", bot)
        return int(rows[0][0]) if rows else 0

    def due_deliveries(self, now_ms: int, *, limit: int = PAGE) -> tuple[DeliveryRow, ...]:
        return tuple(map(DeliveryRow._make, self._rows("due_deliveries", now_ms, limit)))

    def deliveries(self, session: str, *, limit: int = PAGE) -> tuple[DeliveryRow, ...]:
        return tuple(map(DeliveryRow._make, self._rows("deliveries", session, limit)))

    def times(self, session: str) -> tuple[TimeRow, ...]:
        return tuple(map(TimeRow._make, self._rows("times", session)))

    def due_times(self, now_ms: int, *, limit: int = PAGE) -> tuple[TimeRow, ...]:
        return tuple(map(TimeRow._make, self._rows("due_times", now_ms, limit)))

    def referees(self) -> tuple[RefereeRow, ...]:
        return tuple(map(RefereeRow._make, self._rows("referees")))

    def leases(self, *, after: str = "", limit: int = PAGE) -> tuple[LeaseRow, ...]:
        return tuple(map(LeaseRow._make, self._rows("leases", after, limit)))

    def leases_of(self, home: str, *, after: str = "", limit: int = PAGE) -> tuple[LeaseRow, ...]:
        return tuple(map(LeaseRow._make, self._rows("leases_of", home, after, limit)))

    def lease(self, session: str) -> LeaseRow | None:
        return _first(map(LeaseRow._make, self._rows("lease", session)))

    def leased_sessions(self, bot: str) -> tuple[str, ...]:
        return tuple(str(row[0]) for row in self._rows("leased_sessions", bot))

    def documents(self, sessions: Sequence[str]) -> dict[str, str]:
        rows = self._together("documents", sessions)
        return {str(session): str(document) for session, document in rows}

    def departures(self, sessions: Sequence[str]) -> frozenset[tuple[str, str]]:
        rows = self._together("departures", sessions)
        return frozenset((str(session), str(bot)) for session, bot in rows)

    def unleased_sessions(self, *, limit: int = PAGE) -> tuple[str, ...]:
        return tuple(str(row[0]) for row in self._rows("unleased_sessions", limit))

    def leases_digest(self) -> LeasesDigest:
        rows = self._rows("leases_digest")
        return {str(home): (int(count), int(epochs)) for home, count, epochs in rows}

    def name_locks(self) -> NameLocks:
        return self._engine.name_locks()

    def fenced(self, fence: Fence) -> SqlStore:
        """The same database for one whose writes pass a fence."""
        return SqlStore(FencedEngine(self._engine, fence))

    def table_counts(self, session: str) -> dict[str, int]:
        return dict(self._rows("table_counts", session))

    def queued(self) -> int:
        return self._engine.queued()

    def close(self) -> None:
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def _together(self, name: str, keys: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        """The rows of a statement that looks for KEYS_TOGETHER keys at once."""
        for start in range(0, len(keys), KEYS_TOGETHER):
            some = [*keys[start : start + KEYS_TOGETHER]]
            some += [some[0]] * (KEYS_TOGETHER - len(some))
            yield from self._rows(name, *some)

    def _rows(self, question: str, *parameters: object) -> Sequence[tuple[Any, ...]]:
        return self._engine.rows(READS[question], parameters)


def _first(rows: Iterable[_Row]) -> _Row | None:
    return next(iter(rows), None)


def _bot(columns: tuple[Any, ...]) -> BotRow:
    row = BotRow._make(columns)
    return row._replace(
        revoked=bool(row.revoked), founder=bool(row.founder), proven=bool(row.proven)
    )


def _code(columns: tuple[Any, ...]) -> CodeRow:
    row = CodeRow._make(columns)
    return row._replace(revoked=bool(row.revoked))
