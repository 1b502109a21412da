"""Do the rows of a store fit together? Sessions, entries, tables, hands and the logs of the hands.

Everything is read through the port, in pages, so any database can be looked at while referees write
to it. Several reads are no single instant: what looks wrong is looked at again, and counts only if
it is wrong then too. Sessions in play are looked at before a referee begins (`live`), all of them
by `arena check`. Nothing is written, nothing is repaired; what moves and results mean is checked by
`arena.records`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any

import orjson

from arena.errors import Damaged, DamagedHand
from arena.organising.log_chains import SaltSource, first_damage, read_salts
from arena.statuses import HAND_ENDED, IN_PLAY, TABLE_OPEN, HandStatus
from arena.store.checks import Check, CheckCounts, Defect
from arena.store.port import AuditRow, HandRow, SessionRow, StepRow, Store, TableRow
from arena.store.reading import all_entries, all_hands, all_sessions, all_tables
from arena.store.statements import TOGETHER

CHAINS = "chains"
"""The check of logs with hashes. A hand with damage there is quarantined by the referee, which
starts all the same; other damage of what is being played keeps it from starting."""
UNITS: Mapping[str, str] = MappingProxyType(
    {
        "sessions": "sessions",
        "entries": "entries",
        "tables": "tables",
        "hands": "hands",
        "steps": "steps",
        CHAINS: "steps",
        "audit": "entries",
    }
)
"""What is looked at, and what is counted of it."""
ENDED = "ended"
"""The type of the event that ends a hand, as it is written."""
STEP_META = ("clock_ms",)
TURN_META = (*STEP_META, "seat", "charged_ms", "late", "refused")
"""What a hand is folded from, besides events: of any step, and of one that closes a turn."""
META_KINDS: Mapping[str, type] = MappingProxyType({"late": bool})
"""The types of these members; those that are not listed are whole numbers."""
META_WORDS: Mapping[type, str] = MappingProxyType({int: "a whole number", bool: "true or false"})
KINDS: Mapping[type, str] = MappingProxyType({dict: "an object", list: "a list"})


class Examination:
    """What one look at a part of the store has met: how much of what, and what is wrong."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.faults: list[tuple[str, Defect]] = []

    def fault(self, check: str, where: str, problem: str) -> None:
        """This is wrong."""
        self.faults.append((check, Defect(where, problem)))

    def json(self, check: str, where: str, text: str, *, name: str, kind: type = object) -> Any:
        """A JSON value of this kind; None and a fault if the text is none."""
        try:
            value = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            self.fault(check, where, f"its {name} cannot be read: {error}")
            return None
        if isinstance(value, kind):
            return value
        self.fault(check, where, f"its {name} is not {KINDS[kind]}")
        return None


def check_rows(
    store: Store, *, live: bool, on_hands: Callable[[int], None] = lambda hands: None
) -> tuple[Check, ...]:
    """Look at everything, or (live) at sessions in play and their open tables only.

    on_hands: called with how many hands more have been looked at. Raises Unavailable if the store
    cannot be read now; damage that makes it unreadable is among what was found.
    """
    return _Examiner(store, on_hands).examine(live=live)


class _Examiner:
    """Goes through a store once."""

    def __init__(self, store: Store, on_hands: Callable[[int], None]) -> None:
        self._store = store
        self._on_hands = on_hands
        self._tally = CheckCounts(dict(UNITS))
        self._bots: set[str] = set()  # that are known to be there
        self._salts: SaltSource | None = None

    def examine(self, *, live: bool) -> tuple[Check, ...]:
        for status in IN_PLAY if live else (None,):
            for session in self._all("sessions", "the list of sessions", self._sessions(status)):
                self._session(session.id, live=live)
        if not live:
            self._twice("audit", "the audit log", self._audit)
        return self._tally.checks()

    def _session(self, session: str, *, live: bool) -> None:
        store, where = self._store, f"session {session}"
        self._twice("sessions", where, lambda look: _look_at_session(look, store, session))
        self._twice("entries", where, lambda look: self._entries(look, session))
        tables: Iterable[TableRow]
        if live:
            tables = _deferred(lambda: store.open_tables(session))
        else:
            tables = all_tables(store, session)
        for table in self._all("tables", f"the tables of session {session}", tables):
            self._table(table.id)

    def _table(self, table: str) -> None:
        look = self._twice("tables", f"table {table}", lambda look: self._sitting(look, table))
        self._on_hands(look.counts["hands"])

    def _sessions(self, status: str | None) -> Iterator[SessionRow]:
        return all_sessions(self._store, status)

    def _twice(self, check: str, where: str, see: Callable[[Examination], None]) -> Examination:
        """Look; and again if something was wrong, which may have changed between two reads."""
        first = self._once(check, where, see)
        if first.faults:
            again = self._once(check, where, see).faults
            first.faults = [each for each in first.faults if each in again]
        for name, number in first.counts.items():
            self._tally.count(name, number)
        for name, fault in first.faults:
            self._tally.add(name, [fault])
        return first

    def _once(self, check: str, where: str, see: Callable[[Examination], None]) -> Examination:
        look = Examination()
        try:
            see(look)
        except Damaged as error:
            look.fault(check, where, f"it cannot be read: {error.detail}")
        return look

    def _all(self, check: str, where: str, rows: Iterable[Any]) -> Iterator[Any]:
        """All rows; or those before damage, which is reported."""
        try:
            yield from rows
        except Damaged as error:
            self._tally.add(check, [Defect(where, f"it cannot be read: {error.detail}")])

    def _is_bot(self, bot: str) -> bool:
        if bot not in self._bots and self._store.bot(bot) is not None:
            self._bots.add(bot)
        return bot in self._bots

    def _entries(self, look: Examination, session: str) -> None:
        where, before = f"session {session}", 0
        for entry in all_entries(self._store, session):
            look.counts["entries"] += 1
            if entry.number != before + 1:
                look.fault("entries", where, f"entry {entry.number} follows entry {before}")
            if not self._is_bot(entry.bot):
                look.fault("entries", where, f"bot {entry.bot} of entry {entry.number} is unknown")
            before = entry.number

    def _sitting(self, look: Examination, table: str) -> None:
        """A table with its hands and their logs. It is read before them: what follows is newer."""
        row = self._store.table(table)
        if row is None:  # pruned meanwhile
            return
        look.counts["tables"] += 1
        where = f"table {table}"
        players = look.json("tables", where, row.players, name="line-up", kind=list) or []
        for player in players:
            if not self._is_bot(player):
                look.fault("tables", where, f"its player {player} is unknown")
        hands = tuple(all_hands(self._store, table))
        _look_at_hands(look, row, hands)
        salts = self._salts_of(row)
        for first in range(0, len(hands), TOGETHER):
            some = hands[first : first + TOGETHER]
            logs = self._store.steps_of([hand.id for hand in some])
            for hand in some:
                steps = logs.get(hand.id, ())
                broken = None if salts is None else first_damage(salts, row, hand, steps)
                _look_at_log(look, hand, steps, broken)

    def _salts_of(self, table: TableRow) -> SaltSource | None:
        """From what the deals of a table follow; None if its session cannot be read."""
        known = self._salts
        if known is None or known.session != table.session or table.round > len(known.rounds):
            row = self._store.session(table.session)
            entries = all_entries(self._store, table.session)
            known = self._salts = None if row is None else read_salts(row, entries)
        return known

    def _audit(self, look: Examination) -> None:
        before: int | None = None
        while rows := self._store.audit(before=before):
            for row in rows:
                _look_at_audit(look, row)
            before = rows[-1].number


def _look_at_session(look: Examination, store: Store, session: str) -> None:
    row = store.session(session)
    if row is None:  # pruned meanwhile
        return
    look.counts["sessions"] += 1
    where = f"session {session}"
    look.json("sessions", where, row.document, name="document", kind=dict)
    if row.schedule is not None:
        look.json("sessions", where, row.schedule, name="schedule", kind=dict)
    elif row.status in IN_PLAY:
        look.fault("sessions", where, f"it is {row.status}, but has no schedule")
    if row.status not in IN_PLAY:
        for table in store.open_tables(session):
            problem = f"it is {table.status}, but session {session} is {row.status}"
            look.fault("tables", f"table {table.id}", problem)


def _look_at_hands(look: Examination, table: TableRow, hands: Sequence[HandRow]) -> None:
    """Numbers without gaps (while a session is pruned, the first ones may have gone), results."""
    before = 0 if table.status in TABLE_OPEN else hands[0].number - 1 if hands else 0
    for hand in hands:
        look.counts["hands"] += 1
        where = f"hand {hand.id}"
        if hand.number != before + 1:
            problem = f"hand {hand.number} follows hand {before}: what is between has gone"
            look.fault("hands", f"table {table.id}", problem)
        before = hand.number
        look.json("hands", where, hand.seating, name="seating", kind=list)
        if hand.status == HandStatus.PLAYING:
            _look_at_running(look, table, hand, last=hand is hands[-1])
        elif hand.status in HAND_ENDED or hand.result is not None:
            _look_at_result(look, hand)


def _look_at_running(look: Examination, table: TableRow, hand: HandRow, *, last: bool) -> None:
    where = f"hand {hand.id}"
    if table.status not in TABLE_OPEN:
        look.fault("hands", where, f"it is being played, but its table is {table.status}")
    elif not last:
        look.fault("hands", where, "it is being played, but a later hand has begun")


def _look_at_result(look: Examination, hand: HandRow) -> None:
    where = f"hand {hand.id}"
    if hand.result is None:
        look.fault("hands", where, f"it is {hand.status}, but has no result")
    else:
        look.json("hands", where, hand.result, name="result", kind=dict)


def _look_at_log(
    look: Examination, hand: HandRow, steps: Sequence[StepRow], broken: DamagedHand | None
) -> None:
    """A log, and its hashes. broken: where these do not fit; what else is wrong with the log says
    more about that, if there is anything."""
    mine = Examination()
    _look_at_steps(mine, hand, steps)
    look.counts.update(mine.counts)
    hashed = sum(step.hash is not None for step in steps)
    look.counts[CHAINS] += hashed
    for _, fault in mine.faults:
        look.fault(CHAINS if hashed or not steps else "steps", *fault)
    if broken is not None and not mine.faults:
        look.fault(CHAINS, f"hand {hand.id}, step {broken.seq}", broken.problem)


def _look_at_steps(look: Examination, hand: HandRow, steps: Sequence[StepRow]) -> None:
    """Each step begins where the one before ended; a hand that was played has its last one."""
    where, expected, last = f"hand {hand.id}", 0, None
    seats = _seats(hand)
    for step in steps:
        look.counts["steps"] += 1
        if step.seq > expected:
            problem = f"step {expected} is missing: the log goes on at step {step.seq}"
            look.fault("steps", where, problem)
        elif step.seq < expected:
            problem = f"step {step.seq} overlaps the one before, which ends at step {expected}"
            look.fault("steps", where, problem)
        expected = step.seq + step.event_count
        last = _look_at_step(look, f"{where}, step {step.seq}", step, seats=seats)
    if not steps and hand.status != HandStatus.FORFEITED:
        look.fault("steps", where, "step 0 is missing: it has no log")
    elif hand.status == HandStatus.FINISHED and last is not None and not _has_end(last):
        look.fault("steps", where, f"step {expected} is missing: the log stops before its end")


def _seats(hand: HandRow) -> int | None:
    """How many seats a hand has; None if its seating is damaged, which is reported elsewhere."""
    try:
        seating = orjson.loads(hand.seating)
    except orjson.JSONDecodeError:
        return None
    return len(seating) if isinstance(seating, list) else None


def _look_at_step(
    look: Examination, where: str, step: StepRow, *, seats: int | None
) -> list[object] | None:
    """The events of a step, None if they cannot be read."""
    look.json("steps", where, step.command, name="command", kind=dict)
    meta = look.json("steps", where, step.meta, name="meta", kind=dict)
    if meta is not None:
        for problem in _meta_faults(meta, turn=bool(step.turn), seats=seats):
            look.fault("steps", where, problem)
    events: list[object] | None
    events = look.json("steps", where, step.events, name="events", kind=list)
    if events is not None and len(events) != step.event_count:
        look.fault("steps", where, f"it has {len(events)} events instead of {step.event_count}")
    return events


def _meta_faults(meta: Mapping[str, Any], *, turn: bool, seats: int | None) -> Iterator[str]:
    """What of a step's `meta` would keep a hand from being folded from its log."""
    for name in TURN_META if turn else STEP_META:
        if name not in meta:
            yield f"its meta has no {name}"
            continue
        value, kind = meta[name], META_KINDS.get(name, int)
        if type(value) is not kind:
            yield f"the {name} of its meta is {value!r} instead of {META_WORDS[kind]}"
        elif name == "seat" and seats is not None and value not in range(seats):
            yield f"the seat of its meta is {value} instead of one from 0 to {seats - 1}"


def _has_end(events: Sequence[object]) -> bool:
    return any(isinstance(event, dict) and event.get("type") == ENDED for event in events)


def _look_at_audit(look: Examination, row: AuditRow) -> None:
    look.counts["audit"] += 1
    look.json("audit", f"audit entry {row.number}", row.detail, name="detail")


def _deferred(rows: Callable[[], Iterable[TableRow]]) -> Iterator[TableRow]:
    """Rows that are read when the first one is asked for."""
    yield from rows()
