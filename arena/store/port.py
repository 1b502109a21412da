"""The port of the store: the rows that are kept, the changes that can be made, the `Store` itself.

This is all that the referee knows of a database. There is one verb to write, `Store.write`: it
takes any number of changes and makes all of them or none. A row given to it is inserted; the other
changes are the named tuples below, imperatives like the commands of the rules. When it returns,
everything is durable: answer and ring the bell only then. Nobody needs a transaction that spans
reads and writes: every change that rests on something read before says so itself (a primary key, a
`was`), and raises `Conflict` when that is no longer true.

    store.write(UseCode(code_hash, now_ms), bot)                           # register with a code
    store.write(SetSchedule(s, plan), SetSessionStatus(s, "running", was="open"), *tables)
    store.write(step, EndHand(hand, "finished", result, ended_ms))         # a hand's last step

The store knows nothing of games: JSON values are text made by the caller, statuses are words. The
words that it does know are `waiting` and `playing`, because it is asked for what is still open.
This module may import the rows and the standard library only, and does no work.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self

from arena.store.bot_changes import (
    BotChange,
    DropBot,
    RestoreBot,
    RevokeBot,
    RevokeOrganiser,
    SetName,
    SetNameKey,
    SetOwnerKey,
    SetToken,
)
from arena.store.cluster_rows import ClusterChange, ClusterStore
from arena.store.notice_rows import NoticeChange, NoticeStore
from arena.store.rows import (
    AuditRow,
    BotRow,
    CodeRow,
    CounterRow,
    EntryRow,
    HandRow,
    HashRow,
    NoteRow,
    SessionRow,
    StepRow,
    TableRow,
)
from arena.store.time_rows import TimeChange, TimeStore

if TYPE_CHECKING:
    from arena.store.fencing import Fence

__all__ = [
    "PAGE",
    "AddOne",
    "AuditRow",
    "BotRow",
    "Change",
    "CodeRow",
    "CounterRow",
    "DropBot",
    "DropCounter",
    "DropEntry",
    "DropHand",
    "DropNote",
    "DropSession",
    "DropSteps",
    "DropTable",
    "EndHand",
    "EntryRow",
    "HandRow",
    "HashRow",
    "NoteRow",
    "OnTopics",
    "RestoreBot",
    "RevokeBot",
    "RevokeCode",
    "RevokeOrganiser",
    "Row",
    "SessionRow",
    "SetDocument",
    "SetEntryStatus",
    "SetName",
    "SetNameKey",
    "SetNote",
    "SetOwnerKey",
    "SetSchedule",
    "SetSessionStatus",
    "SetTableStatus",
    "SetToken",
    "StepRow",
    "Store",
    "TableRow",
    "UseCode",
    "Waiting",
]


class AddOne(NamedTuple):
    """Add one to a counter; the first makes it 1."""

    key: str


class DropCounter(NamedTuple):
    """Delete a counter. NotFound: no such key."""

    key: str


class SetSessionStatus(NamedTuple):
    """Move a session from status `was` to `status`. Conflict: it is not `was`."""

    session: str
    status: str
    was: str
    reason: str = ""


class SetDocument(NamedTuple):
    """Replace a session's document. Conflict: it is not `was`, or the status is not `status`."""

    session: str
    document: str
    was: str
    status: str


class SetSchedule(NamedTuple):
    """Write down a session's schedule; was: the one it has, None for none. Conflict: it is not."""

    session: str
    schedule: str
    was: str | None = None


class SetEntryStatus(NamedTuple):
    """Move an entry from status `was` to `status`. Conflict: it is not `was`."""

    session: str
    bot: str
    status: str
    was: str
    reason: str = ""


class SetTableStatus(NamedTuple):
    """Move a table from status `was` to `status`. Conflict: it is not `was`."""

    table: str
    status: str
    was: str


class EndHand(NamedTuple):
    """End a hand that is playing, as `status`, with its result. Conflict: it is not playing."""

    hand: str
    status: str  # finished | forfeited | void
    result: str | None  # JSON
    ended_ms: int


class SetNote(NamedTuple):
    """Replace a note by another text. Conflict: it does not read `was` (or is not there)."""

    key: str
    text: str
    was: str


class DropNote(NamedTuple):
    """Take a note away. NotFound: no such note."""

    key: str


class UseCode(NamedTuple):
    """Spend one use of a code. Conflict: unknown, used up, revoked, or expired at `now_ms`."""

    code_hash: str
    now_ms: int


class RevokeCode(NamedTuple):
    """Make an enrolment code worth nothing. NotFound: no such code."""

    code_hash: str


class DropSteps(NamedTuple):
    """Take away the whole log of a hand. NotFound: it has none."""

    hand: str


class DropHand(NamedTuple):
    """Take a hand away. NotFound: no such hand. Conflict: it still has a log."""

    hand: str


class DropTable(NamedTuple):
    """Take a table away. NotFound: no such table. Conflict: it still has hands."""

    table: str


class DropEntry(NamedTuple):
    """Take an entry away. NotFound: no such entry."""

    session: str
    bot: str


class DropSession(NamedTuple):
    """Take a session away. NotFound: no such session. Conflict: it has tables or entries."""

    session: str


Row = (
    BotRow
    | SessionRow
    | EntryRow
    | TableRow
    | HandRow
    | StepRow
    | AuditRow
    | CodeRow
    | CounterRow
    | NoteRow
)
Change = (
    Row
    | AddOne
    | DropCounter
    | SetSessionStatus
    | SetDocument
    | SetSchedule
    | SetEntryStatus
    | SetTableStatus
    | EndHand
    | SetNote
    | DropNote
    | UseCode
    | RevokeCode
    | DropSteps
    | DropHand
    | DropTable
    | DropEntry
    | DropSession
    | BotChange
    | NoticeChange
    | TimeChange
    | ClusterChange
)


OnTopics = Callable[[Sequence[str] | None], None]
"""Called with what other processes have written: topics as in `arena.store.topics`, or None if
anything may have been missed."""

Waiting = Callable[[], AbstractContextManager[None]]
"""Makes what is entered while the store waits for another program."""

PAGE = 100
"""Rows of a page when the caller names no `limit`."""


class Store(NoticeStore, TimeStore, ClusterStore, Protocol):
    """Where the log of every hand and all that surrounds it is kept. All methods are thread-safe.

    Reading one thing answers the row or None. Reading many answers a tuple in the order that is
    stated; what can grow without bound comes in pages: `after` is the last one that the caller has,
    `limit` the most that it wants. A read sees every write that has returned.

    Every method raises `arena.errors.Unavailable` if the database cannot do it now (closed, full
    disk, locked, read-only, unreachable); nothing was done, the same call may succeed later. Text
    may be any that Unicode has; U+0000 is kept or refused with BadInput, never cut.

    shared: other processes may write to the same database. Only then does `follow` do anything.
    """

    @property
    def shared(self) -> bool:
        """May other processes write to this database?"""

    def follow(self, on_topics: OnTopics) -> None:
        """Report what other processes write from now on, from a thread of the store.

        A hint: a topic may be old, may come late or, in bad luck, never.
        """

    def fenced(self, fence: Fence) -> Store:
        """The same database for one whose writes pass a fence."""

    def while_unwritable(self, waiting: Waiting) -> None:
        """Enter what this makes when a write meets the lock of another program on a file, or cannot
        be made at the first try, since the server is away or somebody has a lock there.

        It is left before the callers are woken; with the error, if their writes are given up.
        """

    def now_ms(self) -> int | None:
        """The database's clock, in ms since 1970, where several hosts share it; else None."""

    def write(self, *changes: Change) -> None:
        """Make all the changes, in this order, or none; return when they are durable.

        Raises Conflict if a row is there already (of a step: load the log, decide again) or a `was`
        is not true, NotFound if something that a change names is not there (also a foreign key: an
        entry of an unknown bot, ...), BadInput if a row cannot be one (a step without events).
        Calls that wait at the same time are committed together; the failure of one does not touch
        the others.
        """

    def bot(self, bot: str) -> BotRow | None:
        """The bot with this id, revoked or not."""

    def bot_by_token(self, token_hash: str) -> BotRow | None:
        """The bot with this token hash, revoked or not: look at `revoked`."""

    def bot_by_name(self, name: str) -> BotRow | None:
        """The bot of exactly this name."""

    def bot_by_key(self, name_key: str) -> BotRow | None:
        """The bot with this name key."""

    def bots_without_key(self) -> tuple[BotRow, ...]:
        """All bots that have no name key, the first registered first, then by id."""

    def staff(self, *, after: str = "", limit: int = PAGE) -> tuple[BotRow, ...]:
        """As `bots`, but only those rows that are neither bots nor house bots."""

    def bots(self, *, after: str = "", limit: int = PAGE) -> tuple[BotRow, ...]:
        """All bots by name (code point order); `after` is a name."""

    def bots_of_owner(
        self, owner_key: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[BotRow, ...]:
        """The bots with this owner_key by name, revoked or not; `after` is a name."""

    def bot_count(self) -> int:
        """How many bots of the kind `bot` there are that are not revoked."""

    def registered_ms(self, origin: str, number: int) -> int | None:
        """When the bot was registered that is the `number`-th newest of an origin, from 1."""

    def session(self, session: str) -> SessionRow | None:
        """The session with this id."""

    def sessions(
        self, status: str | None = None, *, after: str = "", limit: int = PAGE
    ) -> tuple[SessionRow, ...]:
        """Sessions of any or one status, newest first (then by id, descending); `after`: an id."""

    def entry(self, session: str, bot: str) -> EntryRow | None:
        """The entry of this bot in this session."""

    def entries(self, session: str, *, after: int = -1, limit: int = PAGE) -> tuple[EntryRow, ...]:
        """The entries of a session by number, whatever their status; `after` is a number."""

    def entries_of(self, bot: str, *, after: str = "", limit: int = PAGE) -> tuple[EntryRow, ...]:
        """The entries of a bot by session id; `after` is a session id."""

    def table(self, table: str) -> TableRow | None:
        """The table with this id."""

    def tables(self, session: str, *, after: str = "", limit: int = PAGE) -> tuple[TableRow, ...]:
        """The tables of a session by (round, number); `after` is a table id."""

    def open_tables(self, session: str) -> tuple[TableRow, ...]:
        """All tables of a session that are waiting or playing, by (round, number)."""

    def hand(self, hand: str) -> HandRow | None:
        """The hand with this id."""

    def hands(self, table: str, *, after: int = 0, limit: int = PAGE) -> tuple[HandRow, ...]:
        """The hands of a table by number; `after` is a number."""

    def session_hands(
        self, session: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[HandRow, ...]:
        """The hands of a session by (round, table number, hand number); `after` is a hand id."""

    def hand_hashes(
        self, session: str, *, after: str = "", limit: int = PAGE
    ) -> tuple[HashRow, ...]:
        """As `session_hands`, with no more of each hand than its end and its last hash."""

    def hand_counts(self, session: str) -> dict[str, int]:
        """How many hands of a session have each status; a status of no hand is not in it."""

    def steps(self, hand: str, after: int = 0) -> tuple[StepRow, ...]:
        """The log of a hand from the event number `after` on, in order.

        `after` is a number of events that the caller has. If it lies inside a step, that step comes
        whole: drop its first `after - seq` events. A hand is small, so this has no pages.
        """

    def steps_of(self, hands: Sequence[str]) -> dict[str, tuple[StepRow, ...]]:
        """The logs of several hands, in order; a hand without steps is not in it."""

    def code(self, code_hash: str) -> CodeRow | None:
        """The enrolment code with this hash."""

    def codes(self, *, after: str = "", limit: int = PAGE) -> tuple[CodeRow, ...]:
        """All enrolment codes by hash; `after` is a hash."""

    def codes_since(
        self, created_ms: int, *, after: str = "", limit: int = PAGE
    ) -> tuple[CodeRow, ...]:
        """Codes made at this instant or later, by hash; `after` is a hash."""

    def audit(self, *, before: int | None = None, limit: int = PAGE) -> tuple[AuditRow, ...]:
        """The audit log, newest first; `before` is the `number` of the last row one has."""

    def counter(self, key: str) -> int | None:
        """The number under this key: a count, or an instant in ms."""

    def counters(self, keys: Sequence[str]) -> dict[str, int]:
        """The numbers under those of some keys that are there."""

    def note(self, key: str) -> str | None:
        """The text under this key."""

    def table_counts(self, session: str) -> dict[str, int]:
        """How many tables of a session have each status; a status of no table is not in it."""

    def queued(self) -> int:
        """How many calls of `write` wait for the writer at this moment, about."""

    def close(self) -> None:
        """Finish the writes that wait, then let everything go. Closing twice is harmless."""

    def __enter__(self) -> Self: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
